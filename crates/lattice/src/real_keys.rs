//! The secret of real slots, and switching keys between it and the secret of complex slots.
//!
//! Products with secrets are switched coordinate by coordinate. Over the real ring, the trace of `x·s` from the ring of
//! degree 2N is `Tr(x)·Tr(s)/2 - Tr(i·x)·Tr(i·s)/2`: two switches in the real ring, from both halves of traces to the
//! real secret. Over the ring of X^N + 1, the trace of `x·s` is `Tr(x)·s_0 + Tr(X·x)·s_1` for the even and the odd
//! coefficients of s: two switches in that ring. The factors 1/2 are residues; errors are multiplied by digits of
//! traces, which are small.
//!
//! The secret of real slots is drawn for each evaluation key, since no ciphertext under it leaves the server.

use cryptable_ring::random::RandomStream;
use cryptable_ring::{Ring, kernels};
use zeroize::Zeroizing;

use crate::evaluation_keys::{Coordinate, KeyPurpose};
use crate::key_rows::{EvaluatedSecret, KeyRows, SecretRow, evaluations, fill_from_to};
use crate::secret::{TernarySecret, widened};
use crate::switching_key::SwitchingKeyShape;

/// The secret of real slots, with the real ring.
pub(crate) struct RealSecret {
    ring: Ring,
    secret: TernarySecret,
}

impl RealSecret {
    /// Draws the secret for a ring of X^N + 1.
    pub(crate) fn sample(ring: &Ring) -> Self {
        let ring = Ring::real(ring.moduli().clone());
        let secret = TernarySecret::sample_real(ring.degree(), &mut RandomStream::from_os());
        Self { ring, secret }
    }

    /// Makes the rows of a key between it and the dense secret, or of its relinearization key.
    ///
    /// # Panics
    /// If the purpose does not involve the secret of real slots.
    pub(crate) fn fill(
        &self,
        dense: &EvaluatedSecret<'_>,
        purpose: KeyPurpose,
        shape: SwitchingKeyShape,
        rows: KeyRows<'_>,
    ) {
        let ring = &self.ring;
        let coefficients = widened(self.secret.coefficients());
        let own = |prime| SecretRow::Own(evaluations(ring, prime, &coefficients));
        match purpose {
            KeyPurpose::RealRelinearization => {
                EvaluatedSecret::new(ring, &self.secret).fill_relinearization(shape, rows);
            }
            KeyPurpose::ToReal(coordinate) => {
                let trace = real_coordinate(dense.secret().coefficients(), coordinate);
                let half = |prime| {
                    let m = ring.modulus(prime);
                    let mut half = evaluations(ring, prime, &trace);
                    kernels::mul_scalar_assign(m, &mut half, m.inv(2));
                    SecretRow::Own(half)
                };
                fill_from_to(ring, shape, rows, half, own)
            }
            KeyPurpose::FromReal(coordinate) => {
                let coefficients = complex_coordinate(self.secret.coefficients(), coordinate);
                let of_real =
                    |prime| SecretRow::Own(evaluations(dense.ring(), prime, &coefficients));
                let of_dense = |prime| SecretRow::Shared(dense.limb(prime));
                fill_from_to(dense.ring(), shape, rows, of_real, of_dense)
            }
            other => unreachable!("{other:?} is no key of real slots"),
        }
    }
}

/// Returns `Tr(s)` to the real ring, or `-Tr(i·s)`.
fn real_coordinate(secret: &[i8], coordinate: Coordinate) -> Zeroizing<Vec<i64>> {
    let degree = secret.len();
    let mut lifted = Zeroizing::new(vec![0; 2 * degree]);
    for (k, &s) in secret.iter().enumerate() {
        // X of the ring is the square of the larger one's X, where i is X^N.
        let (place, sign) = match coordinate {
            Coordinate::First => (2 * k, 1),
            Coordinate::Second if 2 * k < degree => (2 * k + degree, -1),
            Coordinate::Second => (2 * k - degree, 1),
        };
        lifted[place] = sign * i64::from(s);
    }
    let trace = |k: usize| if k == 0 { 2 * lifted[0] } else { lifted[k] - lifted[2 * degree - k] };
    Zeroizing::new((0..degree).map(trace).collect())
}

/// Returns the even or the odd coefficients of a secret of the real ring, as an element of the ring of degree 2N.
fn complex_coordinate(secret: &[i8], coordinate: Coordinate) -> Zeroizing<Vec<i64>> {
    let degree = secret.len();
    let lifted = |k: usize| match k {
        k if k < degree => i64::from(secret[k]),
        k if k == degree => 0,
        k => -i64::from(secret[2 * degree - k]),
    };
    let offset = usize::from(coordinate == Coordinate::Second);
    Zeroizing::new((0..degree).map(|k| lifted(2 * k + offset)).collect())
}
