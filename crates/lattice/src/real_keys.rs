//! Switching keys between the secret of complex slots and that of real slots.
//!
//! Products with secrets are switched coordinate by coordinate. Over the real ring, the trace of `x·s` from the ring of
//! degree 2N is `Tr(x)·Tr(s)/2 - Tr(i·x)·Tr(i·s)/2`: two switches in the real ring, from both halves of traces to the real
//! secret. Over the ring of X^N + 1, the trace of `x·s` is `Tr(x)·s_0 + Tr(X·x)·s_1` for the even and the odd coefficients
//! of s: two switches there. Halves are residues; what is multiplied by errors are digits of traces, which are small.

use cryptable_ring::real_traces::Coordinate;
use cryptable_ring::{Buffer, Ring, kernels};
use zeroize::Zeroizing;

use crate::key_generation::{SecretRow, evaluations, fill_from_to, generate_rows, widened};
use crate::secret::TernarySecret;
use crate::switching_key::{SwitchingKey, SwitchingKeyShape};

/// The secrets of both kinds of slots, and their rings.
#[derive(Debug)]
pub struct SlotSecrets<'a> {
    /// The ring of X^N + 1, and the real one of the same moduli.
    pub rings: [&'a Ring; 2],
    /// The secret of complex slots.
    pub complex: &'a TernarySecret,
    /// The secret of real slots.
    pub real: &'a TernarySecret,
}

impl SlotSecrets<'_> {
    /// Generates the key from a coordinate of the complex slots' secret to the real slots' one.
    #[must_use]
    pub fn to_real(&self, coordinate: Coordinate, shape: SwitchingKeyShape) -> SwitchingKey {
        let ring = self.rings[1];
        let trace = real_coordinate(self.complex.coefficients(), coordinate);
        generate(ring, shape, self.real, |prime| {
            let m = ring.modulus(prime);
            let mut half = evaluations(ring, prime, &trace);
            kernels::mul_scalar_assign(m, &mut half, m.inv(2));
            half
        })
    }

    /// Generates the key from a coordinate of the real slots' secret to the complex slots' one.
    #[must_use]
    pub fn to_complex(&self, coordinate: Coordinate, shape: SwitchingKeyShape) -> SwitchingKey {
        let ring = self.rings[0];
        let coefficients = complex_coordinate(self.real.coefficients(), coordinate);
        generate(ring, shape, self.complex, |prime| evaluations(ring, prime, &coefficients))
    }
}

/// `Tr(s)` to the real ring, or `-Tr(i·s)`.
fn real_coordinate(secret: &[i8], coordinate: Coordinate) -> Zeroizing<Vec<i64>> {
    let degree = secret.len();
    let mut lifted = Zeroizing::new(vec![0; 2 * degree]);
    for (k, &s) in secret.iter().enumerate() {
        // X of the ring is the square of the larger one's; i is X^N there.
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

/// The even or the odd coefficients of a secret of the real ring, as an element of the ring of degree 2N.
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

/// Generates the key from what `from` gives modulo a prime, by its number, to a secret.
fn generate(
    ring: &Ring,
    shape: SwitchingKeyShape,
    to: &TernarySecret,
    from: impl Fn(usize) -> Zeroizing<Buffer> + Sync,
) -> SwitchingKey {
    let to = widened(to.coefficients());
    let to = |prime| SecretRow::Own(evaluations(ring, prime, &to));
    let from = |prime| SecretRow::Own(from(prime));
    generate_rows(ring, shape, |rows| fill_from_to(ring, shape, rows, from, to))
}
