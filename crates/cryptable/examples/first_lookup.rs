//! Applies a table to five encrypted ages, with client and server in one program.

use cryptable::{Request, Result, SecretKey, Table};

fn main() -> Result<()> {
    let ages = [36, 7, 64, 81, 19];
    let table = Table::from_fn(128, 16, |age| age / 10)?;

    // The client chooses parameters, generates keys and encrypts.
    let plan = Request::for_table(&table).values(ages.len() as u64).plan()?;
    let secret = SecretKey::generate(plan.best());
    let encrypted = secret.encrypt(&ages)?;

    // The server has an evaluation key, the table and the ciphertexts.
    let server = secret.evaluation_key();
    let output = server.lookup(&encrypted, &server.prepare(&table)?)?;

    // The client decrypts.
    let decades = secret.decrypt(&output)?;
    println!("{ages:?} -> {decades:?}");
    assert_eq!(decades, [3, 0, 6, 8, 1]);
    Ok(())
}
