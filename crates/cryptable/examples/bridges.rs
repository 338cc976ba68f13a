//! Runs packed lookups whose results are used one by one: compared as integers of 8 bits, and looked up again as
//! leveled values. The final results are packed. Takes some minutes on two cores, and 7 GB.
//!
//! ```text
//! cargo run --release -p cryptable --example bridges
//! ```

use cryptable::bridges::{Function, Integers, LeveledTable, Returning};
use cryptable::{Progress, Request, Result, SecretKey, Table};

/// Number of values that are looked up at once.
const COUNT: u64 = 256;

/// Looks up the risk scores of 256 values at once; for some of them, tests whether the score is above an encrypted
/// bound.
fn compared_as_integers() -> Result<()> {
    let silent = Progress::silent;
    let next = Integers { bits: 8, function: Function::Sign };
    let request =
        Request::bridge(256, next).values(COUNT).taken_out(4).returning(Returning::Packed);
    let plan = request.plan()?;
    println!("{plan}");
    let secret = SecretKey::generate(&plan);
    let server = secret.evaluation_key();
    let (secrets, keys) = (secret.integer_bridge()?, server.integer_bridge()?);
    let values: Vec<u64> = (0..COUNT).collect();
    let (packed, single) = (secrets.packed(), secrets.single());
    let (input, bound) = (packed.encrypt(&values)?, single.encrypt(&[48; 4])?);

    // The server.
    let ((server, functions), bridge) = (keys.ends(), keys.bridge());
    let score = |x: u64| (x * x / 700) % 64;
    let table = server.prepare(&Table::from_fn(256, 256, score)?)?;
    let scores = server.lookup(&input, &table, silent())?;
    let some = bridge.to_integers(keys.ends(), &scores, 185..189)?;
    let above = functions.less_than(&bound, &some, silent())?;
    // Back to packed values modulo 2, of which a ciphertext holds thousands.
    let flags = bridge.pack_small(keys.ends(), &above, 2, silent())?;

    // The client again.
    println!("scores           {:?}", single.decrypt(&some)?);
    println!("above 48         {:?}", packed.decrypt(&flags)?);
    let expected: Vec<u64> = (185..189).map(|x| u64::from(score(x) > 48)).collect();
    assert_eq!(packed.decrypt(&flags)?, expected);
    Ok(())
}

/// Looks up each two-bit digit of a result in a table of its own, then the result itself in a table of 8 bits, by
/// circuit bootstrapping.
fn looked_up_as_leveled_values() -> Result<()> {
    let silent = Progress::silent;
    let next = LeveledTable { input_modulus: 256, output_modulus: 256 };
    let request =
        Request::bridge(256, next).values(COUNT).taken_out(2).returning(Returning::Packed);
    let plan = request.plan()?;
    println!("{plan}");
    let secret = SecretKey::generate(&plan);
    let server = secret.evaluation_key();
    let (secrets, keys) = (secret.leveled_bridge()?, server.leveled_bridge()?);
    let (packed, single) = (secrets.packed(), secrets.single());
    let ((server, leveled), bridge) = (keys.ends(), keys.bridge());
    let values: Vec<u64> = (0..COUNT).collect();

    let digit =
        |d: u32| server.prepare(&Table::from_fn(256, 4, |x| (((x * 3 + 7) % 256) >> (2 * d)) & 3)?);
    let tables = (0..4).map(digit).collect::<Result<Vec<_>>>()?;
    let tables: Vec<_> = tables.iter().collect();
    let digits = server.lookup_many(&packed.encrypt(&values)?, &tables, silent())?;
    let some = bridge.to_leveled(keys.ends(), &digits, 256, 100..102)?;
    let roots = leveled.prepare(&Table::from_fn(256, 256, u64::isqrt)?)?;
    let roots = leveled.lookup_many(&some, &[&roots], silent())?.swap_remove(0);
    let back = bridge.pack_leveled(keys.ends(), &roots, silent())?;

    println!("square roots     {:?}", single.decrypt(&roots)?);
    let low = packed.decrypt(&back[0])?;
    println!("their low digits {low:?}");
    let expected: Vec<u64> = (100..102).map(|x: u64| ((x * 3 + 7) % 256).isqrt() & 3).collect();
    assert_eq!(low, expected);
    Ok(())
}

fn main() -> Result<()> {
    compared_as_integers()?;
    looked_up_as_leveled_values()
}
