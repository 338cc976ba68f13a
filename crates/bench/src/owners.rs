//! `bench owners`: the time that a joint key costs all its owners and the combining party, beside one owner's key.

use std::io;

use clap::Args;
use cryptable::engines::packed::{Parameters, PublicKey, Request, SecretKey};
use cryptable::owners::{Agreement, Commitment, EvaluationKeyShares, OwnerSecret, Owners, Session};
use cryptable::{Progress, ReadOptions};
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::{UnitSampler, median, processor_seconds};
use crate::memory;

/// Arguments of `bench owners`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench owners --owners 3 --bits 8")]
pub struct OwnersArguments {
    /// Number of owners of the joint key.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=16))]
    owners: u32,
    /// Bits of inputs and outputs of tables.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=12))]
    bits: u32,
    /// Number of joint keys to take the medians of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// INSECURE parameters of small rings, for tests.
    #[arg(long, hide = true)]
    insecure_toy: bool,
}

/// A line: `keygen_s` is the time of one owner's key, and `eval_s` that of a joint key, both for packed values and with a
/// public key, in seconds of processor time. Keys are discarded, and the owners' messages stay in memory.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    contract: Contract,
    /// Number of owners.
    owners: u32,
    /// Seconds of one owner's first share and key share.
    share_s: f64,
    /// Seconds of one owner's second share.
    second_share_s: f64,
    /// Seconds of the combining party.
    combine_s: f64,
    /// Ratio of `eval_s` to `keygen_s`.
    times_one_owner: f64,
}

/// Seconds of processor time of each step.
#[derive(Default)]
struct Steps {
    one: Vec<f64>,
    share: Vec<f64>,
    second_share: Vec<f64>,
    combine: Vec<f64>,
}

/// Runs the benchmark.
pub fn run(arguments: &OwnersArguments, json: bool) -> anyhow::Result<()> {
    print_line(&measure(arguments)?, json)
}

fn measure(arguments: &OwnersArguments) -> anyhow::Result<Line> {
    let modulus = 1 << arguments.bits;
    let parameters = |count: u32| {
        let owners = Owners::new(count).expect("from 1 to 16");
        match arguments.insecure_toy {
            true => Parameters::insecure_toy_of_owners(modulus, modulus, owners),
            false => Parameters::choose(&Request { owners, ..Request::new(modulus, modulus) }),
        }
    };
    let (of_one, of_all) = (parameters(1)?, parameters(arguments.owners)?);
    let (mut unit, mut steps) = (UnitSampler::start(), Steps::default());
    memory::reset_peak();
    for _ in 0..arguments.runs.max(1) {
        let (made, seconds) = processor_seconds(|| one_key(&of_one));
        made?;
        steps.one.push(seconds);
        joint_key(&of_all, &mut steps)?;
        unit.sample_if_due();
    }
    let [share_s, second_share_s, combine_s] =
        [&steps.share, &steps.second_share, &steps.combine].map(|times| median(times));
    let (keygen_s, runs) = (median(&steps.one), steps.one.len());
    let joint_s = f64::from(arguments.owners) * (share_s + second_share_s) + combine_s;
    let mut contract = Contract {
        method: format!("joint key of {} owners, {}", arguments.owners, of_all.method_name()),
        bits_in: f64::from(arguments.bits),
        bits_out: f64::from(arguments.bits),
        modulus_in: modulus,
        ring_degree: of_all.ring_degree(),
        keygen_s,
        peak_rss_bytes: memory::peak_rss(),
        eval_rss_bytes: memory::peak_rss(),
        eval_key_bytes: of_all.prediction().key_file_bytes,
        log2_fail: of_all.failure_probability().log2(),
        security_bits: of_all.security_bits(),
        table: "none".into(),
        ..Contract::here()
    };
    contract.set_time(joint_s, runs, of_all.literal().slots, unit.finish());
    let (owners, times_one_owner) = (arguments.owners, joint_s / keygen_s);
    Ok(Line { contract, owners, share_s, second_share_s, combine_s, times_one_owner })
}

/// Generates the keys of one owner.
fn one_key(parameters: &Parameters) -> anyhow::Result<()> {
    let secret = SecretKey::generate(parameters);
    secret.public_key()?;
    Ok(secret.write_evaluation_key(&mut io::sink(), Progress::silent())?)
}

/// The messages of an owner.
struct Messages {
    secret: OwnerSecret<Parameters>,
    commitment: Commitment,
    first: Vec<u8>,
    keys: Vec<u8>,
}

/// Generates joint keys. Every owner has a session of its own, as if it ran in a process of its own.
fn joint_key(parameters: &Parameters, steps: &mut Steps) -> anyhow::Result<()> {
    let (session, silent) = (Session::new(parameters.clone())?.to_bytes(), Progress::silent());
    let options = ReadOptions::default().allow_insecure();
    let open = || Session::<Parameters>::from_bytes(&session, options);
    let mut owners = Vec::new();
    for number in 1..=parameters.literal().owners.count() {
        let (made, seconds) = processor_seconds(|| -> anyhow::Result<_> {
            let mut secret = OwnerSecret::generate(&open()?, number)?;
            secret.write_shares(&mut io::sink(), &mut io::sink(), silent)?;
            Ok(secret)
        });
        steps.share.push(seconds);
        let (mut secret, mut first, mut keys) = (made?, Vec::new(), Vec::new());
        let commitment = secret.write_shares(&mut first, &mut keys, silent)?;
        owners.push(Messages { secret, commitment, first, keys });
    }
    let commitments: Vec<_> = owners.iter().map(|it| it.commitment.clone()).collect();
    let agreement = Agreement::new(&open()?, &commitments)?;
    owners.iter_mut().try_for_each(|owner| owner.secret.agree(&agreement))?;
    let first: Vec<&[u8]> = owners.iter().map(|it| &it.first[..]).collect();
    let keys: Vec<&[u8]> = owners.iter().map(|it| &it.keys[..]).collect();
    let mut second = Vec::new();
    for Messages { secret, .. } in &owners {
        let write =
            |out: &mut dyn io::Write| secret.write_second_share(&agreement, &first, out, silent);
        let (made, seconds) = processor_seconds(|| write(&mut io::sink()));
        made?;
        steps.second_share.push(seconds);
        let mut share = Vec::new();
        write(&mut share)?;
        second.push(share);
    }
    let second: Vec<&[u8]> = second.iter().map(|share| &share[..]).collect();
    let (made, seconds) = processor_seconds(|| -> anyhow::Result<()> {
        let agreement = Agreement::new(&open()?, &commitments)?;
        PublicKey::of_owners(&agreement, &first)?;
        let shares = EvaluationKeyShares { first: &first, keys: &keys, second: &second };
        Ok(agreement.write_evaluation_key(shares, &mut io::sink(), silent)?)
    });
    steps.combine.push(seconds);
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::parsed;

    #[test]
    fn a_joint_key_of_a_toy_takes_more_than_one_owner() {
        let arguments = parsed("--bits 4 --runs 1 --insecure-toy");
        let line = measure(&arguments).unwrap();
        assert!(line.times_one_owner > 1.0 && line.combine_s > 0.0 && line.second_share_s > 0.0);
    }
}
