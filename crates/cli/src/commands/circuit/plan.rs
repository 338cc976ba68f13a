//! Plans of circuits: predictions for a circuit before any key is generated.

use anyhow::Result;
use cryptable::bits::{Packing, Parameters};
use cryptable::circuits::{Candidate, Candidates, Circuit, PlanError, Statistics};
use cryptable::{KeyParameters, Request};
use serde_json::json;

use super::{netlist_file, request};
use crate::args::Global;
use crate::args::circuit::CircuitJobArgs;
use crate::commands::parameters;
use crate::commands::planned_job::PlannedJob;
use crate::progress;
use crate::report::{Report, bytes, seconds};

/// Plans keys, and predicts a circuit with them.
pub fn plan(global: Global, args: &CircuitJobArgs) -> Result<PlannedJob> {
    let Some(netlist) = &args.netlist else {
        let parameters = match args.set {
            Some(set) => set.parameters()?,
            None => Parameters::insecure_toy(Packing::Real)?,
        };
        return Ok(PlannedJob::of(parameters, "as requested"));
    };
    let circuits = netlist_file::read_path(netlist, args.top.as_deref(), args.s_box)?;
    let request = request(&circuits, args.set, args.schedule, args.insecure_toy);
    let request = args.words.into_iter().fold(request, Request::values);
    let candidates = progress::spinner(global, "planning", || request.plan())?;
    let best = KeyParameters::from(candidates.best()?);
    let reason = format!("the fastest for {}", circuits[0].name());
    Ok(PlannedJob::new(best, reason, report(&circuits[0], &candidates, args.words)))
}

/// Reports a circuit.
pub fn of_circuit(circuit: &Circuit) -> Report {
    let Statistics { ands, xors, unions, majorities, tables, depth, .. } = circuit.statistics();
    let fields = json!({
        "circuit": circuit.name(),
        "input_bits": circuit.input_bits(),
        "output_bits": circuit.output_bits(),
        "ands": ands,
        "xors": xors,
        "disjoint_ors": unions,
        "majorities": majorities,
        "tables": tables,
        "depth": depth,
    });
    Report { fields, text: circuit.to_string() }
}

/// Reports a circuit's plan with one parameter set.
pub fn of_plan(candidate: &Candidate) -> Report {
    let Candidate { name, parameters, plan } = candidate;
    let (counts, literal) = (plan.counts(), parameters.literal());
    let inputs = plan.input_levels();
    let input_bytes: usize = inputs.iter().map(|&it| parameters.ciphertext_bytes(it)).sum();
    let (degree, words) = (literal.ring_degree, plan.words());
    let fields = json!({
        "set": name,
        "ring_degree": degree,
        "security_bits": parameters.security_bits(),
        "words_at_once": words,
        "steps": plan.steps().len(),
        "bootstraps": counts.bootstraps(),
        "products": counts.products,
        "tables": counts.tables,
        "cleanings": counts.cleanings,
        // Predicted seconds for one batch of `words_at_once` words.
        "batch_s_one_thread": plan.seconds(),
        "memory_bytes": plan.memory_bytes(),
        "ciphertext_memory_bytes": plan.ciphertext_bytes(),
        "key_memory_bytes": plan.key_bytes(),
        // All input bits of a batch.
        "input_bytes": input_bytes,
        "adders": counts.adders,
        "log2_fail_word": plan.word_failure().log2(),
        // Base-2 logarithm of the probability that any output of any word of a ciphertext is wrong.
        "log2_fail": plan.failure().log2(),
    });
    let security = parameters::security(literal.security, parameters.security_bits());
    let (time, input) = (seconds(plan.seconds()), bytes(input_bytes as u64));
    let text = [
        format!("{plan}\n"),
        format!("  parameters   set {name}, ring degree {degree}, {security}\n"),
        format!("  here         {time} on one thread for {words} words, whose inputs take {input}"),
    ];
    Report { fields, text: text.concat() }
}

/// Reports a circuit and its plans for a number of words, if it is known.
fn report(circuit: &Circuit, candidates: &Candidates, words: Option<u64>) -> Report {
    let Candidates { found, refused, .. } = candidates;
    let plans: Vec<Report> = found.iter().map(of_plan).collect();
    let refusal = |(set, error): &(&'static str, PlanError)| json!({ "set": set, "reason": error.to_string() });
    let circuit = of_circuit(circuit);
    let mut text = format!("{circuit}\n\n{}\n", plans[0]);
    if let Some(words) = words {
        let batches = words.div_ceil(found[0].plan.words() as u64);
        let time = seconds(found[0].seconds(Some(words)));
        text += &format!("  words        {words} in {batches} batches: {time} on one thread\n");
    }
    if found.len() + refused.len() > 1 {
        text += &comparison(candidates, words);
    }
    let fields = json!({
        "words": words,
        "candidates": plans.iter().map(|plan| &plan.fields).collect::<Vec<_>>(),
        "refused": refused.iter().map(refusal).collect::<Vec<_>>(),
    });
    Report { text, ..circuit }.with(fields)
}

/// Returns a table with one line per set.
fn comparison(candidates: &Candidates, words: Option<u64>) -> String {
    let (unit, factor) = if words.is_some() { ("all words", 1.0) } else { ("1000 words", 1e3) };
    let line = |columns: [String; 8]| {
        let [set, words, bootstraps, products, batch, all, memory, failure] = columns;
        format!(
            "  {set:<13}{words:>8} {bootstraps:>11} {products:>9} {batch:>12} {all:>12} {memory:>10} {failure:>10}\n"
        )
    };
    let heads = ["set", "words", "bootstraps", "products", "one batch", unit, "memory", "failure"];
    let mut text = format!("\n{}", line(heads.map(str::to_owned)));
    for candidate in &candidates.found {
        let Candidate { name, plan, .. } = candidate;
        text += &line([
            (*name).to_string(),
            plan.words().to_string(),
            plan.counts().bootstraps().to_string(),
            plan.counts().products.to_string(),
            seconds(plan.seconds()),
            seconds(candidate.seconds(words) * factor),
            bytes(plan.memory_bytes() as u64),
            format!("2^{:.0}", plan.failure().log2()),
        ]);
    }
    for (set, reason) in &candidates.refused {
        text += &format!("  {set:<13}{reason}\n");
    }
    text + "\nTimes are predicted for this machine on one thread. Failure: of any output of any word of a batch."
}
