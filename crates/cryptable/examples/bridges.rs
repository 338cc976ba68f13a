//! A packed lookup whose results go on one by one: compared as integers of 8 bits, and looked up again as leveled values;
//! what comes of that is packed. Some minutes on two cores, and 7 GB.
//!
//! ```text
//! cargo run --release -p cryptable --example bridges
//! ```

use cryptable::bridges::{Bridge, Parameters};
use cryptable::engines::{leveled, packed};
use cryptable::{Progress, Result, Table, integers};

/// Values that are looked up at once.
const COUNT: usize = 256;

fn packed_parameters(p: u64, output: u64) -> Result<packed::Parameters> {
    packed::Parameters::choose(&packed::Request {
        count: Some(COUNT),
        ..packed::Request::new(p, output)
    })
}

/// Risk scores of 256 values at once; for some of them, whether the score is above a bound that is encrypted.
fn compared_as_integers() -> Result<()> {
    let silent = Progress::silent;
    let parameters = Parameters::new(packed_parameters(256, 256)?, integers::Parameters::new(8)?)?;
    println!(
        "to integers: {:.0} bits of security, a value fails with probability 2^{:.0}, {} MB of keys between both",
        parameters.security_bits(),
        parameters.log2_fail(),
        parameters.key_memory_bytes() >> 20
    );
    // The client: two secret keys, and three keys for its server.
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = integers::SecretKey::generate(parameters.target());
    let server = packed.evaluation_key(silent())?;
    let functions = single.evaluation_key(silent())?;
    let bridge = Bridge::generate(&parameters, &packed, &single)?;
    let values: Vec<u64> = (0..COUNT as u64).collect();
    let (input, bound) = (packed.encrypt(&values)?, single.encrypt(&[48; 4])?);

    // The server.
    let score = |x: u64| (x * x / 700) % 64;
    let table = server.prepare(&Table::from_fn(256, 256, score)?)?;
    let scores = server.lookup(&input, &table, silent())?;
    let keys = (&server, &functions);
    let some = bridge.to_integers(keys, &scores, 185..189)?;
    let above = functions.less_than(&bound, &some, silent())?;
    // Back: as packed values modulo 2, of which there may be thousands.
    let flags = bridge.pack_small(keys, &above, 2, silent())?;

    // The client again.
    println!("scores           {:?}", single.decrypt(&some)?);
    println!("above 48         {:?}", packed.decrypt(&flags)?);
    let expected: Vec<u64> = (185..189).map(|x| u64::from(score(x) > 48)).collect();
    assert_eq!(packed.decrypt(&flags)?, expected);
    Ok(())
}

/// A table for each digit of two bits, and a lookup of one result in a table of 8 bits by circuit bootstrapping.
fn looked_up_as_leveled_values() -> Result<()> {
    let silent = Progress::silent;
    let request = leveled::Request::new(256, 256);
    let target = leveled::Parameters::candidates(&request)?.swap_remove(0);
    let parameters = Parameters::new(packed_parameters(256, 4)?, target)?;
    println!(
        "to leveled values: {:.0} bits of security, a value fails with probability 2^{:.0}",
        parameters.security_bits(),
        parameters.log2_fail()
    );
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = leveled::SecretKey::generate(parameters.target());
    let server = packed.evaluation_key(silent())?;
    let leveled = single.evaluation_key(silent())?;
    let bridge = Bridge::generate(&parameters, &packed, &single)?;
    let values: Vec<u64> = (0..COUNT as u64).collect();

    let digit =
        |d: u32| server.prepare(&Table::from_fn(256, 4, |x| (((x * 3 + 7) % 256) >> (2 * d)) & 3)?);
    let tables = (0..4).map(digit).collect::<Result<Vec<_>>>()?;
    let tables: Vec<_> = tables.iter().collect();
    let digits = server.lookup_many(&packed.encrypt(&values)?, &tables, silent())?;
    let keys = (&server, &leveled);
    let some = bridge.to_leveled(keys, &digits, (256, 100..102))?;
    let roots = leveled.prepare(&Table::from_fn(256, 256, u64::isqrt)?)?;
    let roots = leveled.lookup_many(&some, &[&roots], silent())?.swap_remove(0);
    let back = bridge.pack_leveled(keys, &roots, silent())?;

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
