//! Messages between two owners of a joint key of bits, on a ring of degree 64.

use std::sync::LazyLock;

use cryptable::owners::{
    Agreement, Commitment, EvaluationKeyShares, OwnerSecret, Owners, Session, ThresholdSecret,
};
use cryptable::{Progress, bits};

use crate::clients::partial_decryption_client;

/// All messages of two owners.
#[derive(Debug)]
pub struct Messages {
    /// The session.
    pub session: Session<bits::Parameters>,
    /// Secrets of the owners, after they agreed on the session.
    pub secrets: Vec<OwnerSecret<bits::Parameters>>,
    /// Commitments.
    pub commitments: Vec<Commitment>,
    /// First shares.
    pub first: Vec<Vec<u8>>,
    /// Key shares.
    pub keys: Vec<Vec<u8>>,
    /// Second shares.
    pub second: Vec<Vec<u8>>,
}

impl Messages {
    /// Returns the commitments of both.
    #[must_use]
    pub fn agreement(&self) -> Agreement<bits::Parameters> {
        Agreement::new(&self.session, &self.commitments).expect("commitments of both")
    }

    /// Makes the evaluation key with this share as one of the second shares, and returns whether all shares were accepted.
    #[must_use]
    pub fn accept(&self, share: &[u8]) -> bool {
        let all = |shares: &'static [Vec<u8>]| -> Vec<&[u8]> {
            shares.iter().map(Vec::as_slice).collect()
        };
        let Self { first, keys, second, .. } = messages();
        let (first, keys) = (all(first), all(keys));
        let accepted = |second: [&[u8]; 2]| {
            let shares = EvaluationKeyShares { first: &first, keys: &keys, second: &second };
            let (agreement, mut out) = (self.agreement(), std::io::sink());
            agreement.write_evaluation_key(shares, &mut out, Progress::silent()).is_ok()
        };
        accepted([share, &second[1]]) | accepted([&second[0], share])
    }
}

/// The messages of this process.
pub fn messages() -> &'static Messages {
    static MESSAGES: LazyLock<Messages> = LazyLock::new(|| {
        let mut literal = partial_decryption_client().0.parameters().literal().clone();
        literal.owners = Owners::new(2).expect("two owners");
        literal.sparse_weight = 4;
        let parameters = bits::Parameters::new(literal).expect("valid parameters");
        let session = Session::new(parameters).expect("two owners");
        let (mut secrets, mut commitments) = (Vec::new(), Vec::new());
        let (mut first, mut keys, mut second) = (Vec::new(), Vec::new(), Vec::new());
        for number in 1..=2 {
            let mut secret = OwnerSecret::generate(&session, number).expect("one of two");
            let mut shares = [Vec::new(), Vec::new()];
            let [of_first, of_keys] = &mut shares;
            let commitment = secret.write_shares(of_first, of_keys, Progress::silent());
            commitments.push(commitment.expect("memory takes all bytes"));
            let [of_first, of_keys] = shares;
            first.push(of_first);
            keys.push(of_keys);
            secrets.push(secret);
        }
        let agreement = Agreement::new(&session, &commitments).expect("commitments of both");
        let all: Vec<&[u8]> = first.iter().map(Vec::as_slice).collect();
        for secret in &mut secrets {
            let mut share = Vec::new();
            secret.agree(&agreement).expect("a first agreement");
            secret
                .write_second_share(&agreement, &all, &mut share, Progress::silent())
                .expect("first shares of both");
            second.push(share);
        }
        Messages { session, secrets, commitments, first, keys, second }
    });
    &MESSAGES
}

/// Sessions.
#[must_use]
pub fn sessions() -> Vec<Vec<u8>> {
    vec![messages().session.to_bytes()]
}

/// Secrets of owners.
#[must_use]
pub fn secrets() -> Vec<Vec<u8>> {
    messages().secrets.iter().map(|secret| secret.to_bytes().to_vec()).collect()
}

/// Shares that both owners deal to the second of three holders.
#[must_use]
pub fn dealt_shares() -> Vec<Vec<u8>> {
    let holders = Owners::new(3).expect("three holders");
    let deal = |secret| bits::deal(secret, holders, 2).expect("an owner who agreed").to_vec();
    messages().secrets.iter().map(deal).collect()
}

/// A share of a holder, and the dealt shares that it is made of.
#[must_use]
pub fn holder_shares() -> Vec<Vec<u8>> {
    let mut files = dealt_shares();
    let dealt: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let options = cryptable::ReadOptions::default().allow_insecure();
    let share = ThresholdSecret::of_dealt(&dealt, options).expect("shares of both");
    let share = share.to_bytes().to_vec();
    files.push(share);
    files
}

/// Commitments of owners.
#[must_use]
pub fn commitments() -> Vec<Vec<u8>> {
    messages().commitments.iter().map(Commitment::to_bytes).collect()
}

/// Second shares.
#[must_use]
pub fn second_shares() -> Vec<Vec<u8>> {
    messages().second.clone()
}
