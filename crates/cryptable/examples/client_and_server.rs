//! A client and a server that share nothing but bytes, as over a network.
//!
//! `cargo run --release -p cryptable --example client_and_server`

use std::sync::Arc;

use cryptable::{
    Ciphertext, Engine, EvaluationKey, Execution, ReadOptions, Request, Result, SecretKey, Table,
};

/// The provider's table: a price for each of 1,000 codes.
fn prices() -> Result<Table> {
    Table::from_fn(1000, 4096, |code| (code * code + 7 * code) % 4096)
}

/// A server that holds the evaluation key and the table. It sees neither codes nor prices.
struct Server {
    key: EvaluationKey,
}

impl Server {
    /// Reads a client's key, checks all of it, and refuses insecure parameters.
    fn new(evaluation_key: Vec<u8>) -> Result<Self> {
        let key = EvaluationKey::from_shared(Arc::new(evaluation_key), ReadOptions::default())?;
        println!("server: {}", key.parameters());
        Ok(Self { key })
    }

    /// Looks up the values that a client sent. Ciphertexts of other clients are refused.
    fn answer(&self, request: &[u8]) -> Result<Vec<u8>> {
        let input = Ciphertext::from_bytes(request)?;
        let table = self.key.prepare(&prices()?)?;
        Ok(self.key.lookup(&input, &table)?.to_bytes())
    }
}

fn main() -> Result<()> {
    // The client plans for the moduli of the table, which are public, and a handful of codes.
    let codes = [3, 141, 592, 653];
    let plan =
        Request::new(1000, 4096).values(codes.len() as u64).engine(Engine::Leveled).plan()?;
    let secret = SecretKey::generate(plan.best());
    let mut evaluation_key = Vec::new();
    secret.write_evaluation_key(&mut evaluation_key, Execution::default())?;
    println!("client: an evaluation key of {:.1} MB", evaluation_key.len() as f64 / 1e6);

    let server = Server::new(evaluation_key)?;
    let request = secret.encrypt(&codes)?.to_bytes();
    let answer = server.answer(&request)?;
    println!("client: sent {} bytes, received {}", request.len(), answer.len());

    let found = secret.decrypt(&Ciphertext::from_bytes(&answer)?)?;
    let table = prices()?;
    for (code, price) in codes.into_iter().zip(found) {
        println!("client: code {code} costs {price}");
        assert_eq!(price, table[code as usize]);
    }
    Ok(())
}
