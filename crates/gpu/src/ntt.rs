//! Negacyclic number-theoretic transforms on a card: [`cryptable_ring::NttTable`], with the same words.

use crate::arguments::{Limbs, Transform};
use crate::kernels::{self, Grid, Kernel};
use crate::ntt_tables::{Arithmetic, ROW};
use crate::ring::DeviceRing;

/// Words of a block of threads, and of a thread.
const TILE: usize = 4096;
const THREAD_WORDS: usize = 16;

/// Limbs to transform: `copies` times the same limbs of N words, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// The moduli of the limbs.
    pub limbs: Limbs,
    /// How often they are there: the digits of a key switch.
    pub copies: u32,
    /// Words from one copy to the next, modulo 2^64; those of the limbs if there is none.
    pub stride: Option<u64>,
    /// What is left out.
    pub own: Option<OwnLimbs>,
}

/// In copy d the limbs from `d·digit_limbs` on, so many, if they are below `main_limbs`: a digit's own, which stay as they
/// are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnLimbs {
    pub digit_limbs: u32,
    pub main_limbs: u32,
}

impl Batch {
    /// One copy of limbs, all of them.
    pub(crate) fn of_limbs(limbs: Limbs) -> Self {
        Self { limbs, copies: 1, stride: None, own: None }
    }

    /// The same limbs of one polynomial or two, wherever they are: their first addresses.
    pub(crate) fn of_polys<const COUNT: usize>(limbs: Limbs, addresses: [u64; COUNT]) -> Self {
        assert!((1..=2).contains(&COUNT), "{COUNT} polynomials");
        // Addresses of words are multiples of eight, so a stride may be negative.
        let stride =
            (addresses[COUNT - 1].wrapping_sub(addresses[0]).cast_signed() / 8).cast_unsigned();
        Self { limbs, copies: COUNT as u32, stride: Some(stride), own: None }
    }
}

/// The passes of a direction in an arithmetic.
struct Passes {
    /// Columns of up to 64 rows, of 128, 256 and 512.
    columns: [Kernel<Transform>; 4],
    rows: Kernel<Transform>,
}

const FORWARD_DOUBLES: Passes = Passes {
    columns: [
        kernels::NTT_FORWARD_FEW_DOUBLES,
        kernels::NTT_FORWARD_128_DOUBLES,
        kernels::NTT_FORWARD_256_DOUBLES,
        kernels::NTT_FORWARD_512_DOUBLES,
    ],
    rows: kernels::NTT_FORWARD_ROWS_DOUBLES,
};

const FORWARD_INTEGERS: Passes = Passes {
    columns: [
        kernels::NTT_FORWARD_FEW_INTEGERS,
        kernels::NTT_FORWARD_128_INTEGERS,
        kernels::NTT_FORWARD_256_INTEGERS,
        kernels::NTT_FORWARD_512_INTEGERS,
    ],
    rows: kernels::NTT_FORWARD_ROWS_INTEGERS,
};

const INVERSE_DOUBLES: Passes = Passes {
    columns: [
        kernels::NTT_INVERSE_FEW_DOUBLES,
        kernels::NTT_INVERSE_128_DOUBLES,
        kernels::NTT_INVERSE_256_DOUBLES,
        kernels::NTT_INVERSE_512_DOUBLES,
    ],
    rows: kernels::NTT_INVERSE_ROWS_DOUBLES,
};

const INVERSE_INTEGERS: Passes = Passes {
    columns: [
        kernels::NTT_INVERSE_FEW_INTEGERS,
        kernels::NTT_INVERSE_128_INTEGERS,
        kernels::NTT_INVERSE_256_INTEGERS,
        kernels::NTT_INVERSE_512_INTEGERS,
    ],
    rows: kernels::NTT_INVERSE_ROWS_INTEGERS,
};

/// Coefficients to evaluations, in place, words in `[0, q)`: evaluation i is the value at `psi^(2·bitrev(i)+1)`, as of
/// `NttTable::forward_assign`.
pub(crate) fn forward(ring: &DeviceRing<'_>, words: u64, batch: &Batch) {
    for arithmetic in arithmetics(ring, batch) {
        let passes = match arithmetic {
            Arithmetic::Doubles => FORWARD_DOUBLES,
            Arithmetic::Integers => FORWARD_INTEGERS,
        };
        let pass = Pass { ring, batch, arguments: arguments(ring, batch, arithmetic, [words; 2]) };
        pass.columns(&passes);
        pass.rows(&passes);
    }
}

/// Evaluations to `factor·N` times the coefficients, for one residue a limb at `factors`, the same for each copy, as of
/// `NttTable::inverse_scaled_assign`; `to` may be `from`.
pub(crate) fn inverse_scaled(
    ring: &DeviceRing<'_>,
    from: u64,
    to: u64,
    batch: &Batch,
    factors: u64,
) {
    run_inverse(ring, [from, to], batch, |arguments| Transform { factors, ..arguments });
}

/// Evaluations to coefficients, as of `NttTable::inverse_assign`; `to` may be `from`.
pub(crate) fn inverse(ring: &DeviceRing<'_>, from: u64, to: u64, batch: &Batch) {
    let factors = ring.transforms().degree_inverses(ring.device(), ring.ring());
    run_inverse(ring, [from, to], batch, |arguments| Transform {
        factors,
        by_modulus: 1,
        ..arguments
    });
}

fn run_inverse(
    ring: &DeviceRing<'_>,
    addresses: [u64; 2],
    batch: &Batch,
    with_factors: impl Fn(Transform) -> Transform,
) {
    for arithmetic in arithmetics(ring, batch) {
        let passes = match arithmetic {
            Arithmetic::Doubles => INVERSE_DOUBLES,
            Arithmetic::Integers => INVERSE_INTEGERS,
        };
        let arguments = with_factors(arguments(ring, batch, arithmetic, addresses));
        let pass = Pass { ring, batch, arguments };
        pass.rows(&passes);
        pass.columns(&passes);
    }
}

/// The arithmetics that limbs of a batch have.
fn arithmetics(ring: &DeviceRing<'_>, batch: &Batch) -> impl Iterator<Item = Arithmetic> {
    let values = ring.ring().moduli().values();
    let limbs = &batch.limbs.modulus[..batch.limbs.count as usize];
    let has = |arithmetic| {
        limbs.iter().any(|&m| ring.transforms().arithmetic(values[usize::from(m)]) == arithmetic)
    };
    let found = [Arithmetic::Doubles, Arithmetic::Integers].map(|it| has(it).then_some(it));
    found.into_iter().flatten()
}

/// What all passes of an arithmetic take; factors are not set.
fn arguments(
    ring: &DeviceRing<'_>,
    batch: &Batch,
    arithmetic: Arithmetic,
    [from, to]: [u64; 2],
) -> Transform {
    let transforms = ring.transforms();
    let own = batch.own.unwrap_or(OwnLimbs { digit_limbs: 0, main_limbs: 0 });
    Transform {
        moduli: ring.moduli(),
        tables: transforms.twiddles(ring.device(), ring.ring(), arithmetic),
        from,
        to,
        factors: 0,
        bound: transforms.bound(),
        copy_stride: batch.stride.unwrap_or(u64::from(batch.limbs.count) << ring.degree().ilog2()),
        log_degree: ring.degree().ilog2(),
        first_copy: 0,
        digit_limbs: own.digit_limbs,
        main_limbs: own.main_limbs,
        by_modulus: 0,
        limbs: batch.limbs,
    }
}

/// A pass over a batch.
struct Pass<'a> {
    ring: &'a DeviceRing<'a>,
    batch: &'a Batch,
    arguments: Transform,
}

impl Pass<'_> {
    /// The levels on columns: none for polynomials of one row.
    fn columns(&self, passes: &Passes) {
        let rows = self.ring.degree() / ROW;
        let kernel = match rows {
            ..=1 => return,
            2..=64 => 0,
            128 => 1,
            256 => 2,
            _ => 3,
        };
        self.launch(&passes.columns[kernel], self.ring.degree().min(TILE));
    }

    /// The levels on rows.
    fn rows(&self, passes: &Passes) {
        self.launch(&passes.rows, self.ring.degree().min(TILE));
    }

    /// Launches blocks of so many words.
    fn launch(&self, kernel: &Kernel<Transform>, words: usize) {
        let degree = self.ring.degree();
        assert!((ROW..=2 * TILE * 16).contains(&degree), "transforms of degree {degree}");
        let blocks = [(degree / words) as u32, self.batch.limbs.count, self.batch.copies];
        let grid = Grid { blocks, threads: (words / THREAD_WORDS) as u32 };
        self.ring.device().launch(kernel, grid, &self.arguments);
    }
}

#[cfg(test)]
mod tests;
