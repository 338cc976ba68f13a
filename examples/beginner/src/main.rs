//! A lookup in a build without optimisation, which keeps vectors on the stack: slow, but right, whatever threads there are.
//!
//! ```text
//! make beginner
//! ```

use std::sync::Arc;

use cryptable::{
    Engine, EvaluationKey, Execution, Parameters, ReadOptions, Request, Result, SecretKey, Table,
};

fn main() -> Result<()> {
    // Threads with the stacks that threads usually have.
    rayon::ThreadPoolBuilder::new().build_global().expect("the first threads");
    let table = Table::from_fn(16, 16, |x| x * x % 16)?;
    let plan = Request::for_table(&table).values(2).plan()?;
    println!("{plan}");
    looked_up(&SecretKey::generate(&plan), &table)?;
    for engine in Engine::ALL {
        looked_up(&SecretKey::generate(Parameters::insecure_toy(engine, 16, 16)?), &table)?;
    }
    Ok(())
}

/// Looks two values up with a key that went through bytes.
fn looked_up(secret: &SecretKey, table: &Table) -> Result<()> {
    let mut file = Vec::new();
    secret.write_evaluation_key(&mut file, Execution::default())?;
    let options = ReadOptions::default().allow_insecure();
    let server = EvaluationKey::from_shared(Arc::new(file), options)?;
    let prepared = server.prepare(table)?;
    let output = server.lookup(&secret.encrypt(&[3, 15])?, &prepared)?;
    let found = secret.decrypt(&output)?;
    println!("{}: {found:?}", secret.kind());
    assert_eq!(found, [9, 1]);
    Ok(())
}
