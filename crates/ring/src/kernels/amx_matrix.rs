//! Products of integer matrices with residues on the matrix unit AMX; moduli below 2^50.
//!
//! Entries `Σ_b 2^(8b)·e_b` and residues `Σ_a 2^(8a)·x_a` are stored byte by byte, so that
//! `Σ_j e[j]·x[j] = Σ_c 2^(8c)·T_c` with `T_c = Σ_{a+b=c} Σ_j e_b[j]·x_a[j]`. One instruction adds the products of 64
//! columns to sixteen words of `T_c`, for sixteen rows.
//!
//! Rust has no intrinsics for AMX yet, so the innermost loop is assembly. The unit works on eight tile registers of 16
//! rows of 64 bytes. In the second operand, each four consecutive bytes of a row are those of four columns j for one
//! word.

use std::arch::asm;
use std::arch::x86_64::*;

use super::avx512::{LANES, VectorModulus, load, splat, store};
use super::matrix_layout::{BYTE_TILE, BYTE_TILE_COLUMNS, BYTE_TILE_ROWS, ByteEntries};
use crate::Modulus;

/// Bytes of a residue below 2^50.
const PLANES: usize = 7;

/// Words of a tile.
const TILE_WORDS: usize = 16;

/// Words that are multiplied with a tile of entries at a time: two tiles of each plane.
const STRIP: usize = 2 * TILE_WORDS;

/// The most bytes of an entry.
const MAX_ENTRY_PLANES: usize = 5;

/// The most weights `2^(8c)`.
const MAX_WEIGHTS: usize = PLANES + MAX_ENTRY_PLANES - 1;

/// Weights that are combined before a modular product: sums of `2^(8i)·T` stay below 2^52.
const GROUP: usize = 3;

/// Sums `T_c` of one weight: those of the first 16 words for 16 rows, then those of the other 16 words.
type WeightSums = [[[u32; TILE_WORDS]; BYTE_TILE_ROWS]; 2];

/// The shape of the tile registers: palette 1, with all eight registers of 16 rows of 64 bytes.
#[repr(C, align(64))]
struct TileConfiguration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

static CONFIGURATION: TileConfiguration = TileConfiguration {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    row_bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// Returns the number of packed words that one word of all columns takes.
pub(super) fn packed_words(entries: &ByteEntries) -> usize {
    strip_words(entries) / STRIP
}

/// Returns the number of words of a packed strip: `[plane][64 columns][half][4 columns][word][column]` bytes.
fn strip_words(entries: &ByteEntries) -> usize {
    PLANES * entries.chunks * 2 * (BYTE_TILE / 8)
}

/// Packs words of all columns into the words of the strips from word `start`, a multiple of 16, on.
///
/// Bytes of columns that pad the last 64 are not written: entries there are zeros.
#[target_feature(enable = "avx512f,avx512vbmi,avx512vl")]
pub(super) fn pack(strips: &mut [u64], entries: &ByteEntries, start: usize, columns: &[&[u64]]) {
    let zeros = vec![0; columns[0].len()];
    let transposition = Transposition::new();
    for (quad, columns) in columns.chunks(4).enumerate() {
        let columns: [&[u64]; 4] =
            std::array::from_fn(|i| columns.get(i).copied().unwrap_or(&zeros));
        let columns = columns.map(|words| words.as_chunks::<LANES>().0);
        let (chunk, row) = (quad / BYTE_TILE_ROWS, quad % BYTE_TILE_ROWS);
        for vector in 0..columns[0].len() {
            let word = start + vector * LANES;
            let (strip, half, part) = (word / STRIP, word % STRIP / TILE_WORDS, vector % 2);
            let planes = transposition.apply(columns.map(|words| load(&words[vector])));
            for (plane, bytes) in planes.into_iter().enumerate() {
                let tile = (plane * entries.chunks + chunk) * 2 + half;
                let at = strip * strip_words(entries) + tile * (BYTE_TILE / 8) + row * 8 + part * 4;
                let out: &mut [u64; 4] = strips[at..].first_chunk_mut().expect("a packed strip");
                // SAFETY: the reference is valid for 32 bytes, and the store needs no alignment.
                unsafe { _mm256_storeu_epi64(out.as_mut_ptr().cast(), bytes) }
            }
        }
    }
}

/// Transposition of eight words of four columns into their bytes, plane by plane: `[word][column]`.
struct Transposition {
    /// Maps words of two columns to planes 0 to 3: `[plane][word][column]`.
    low: __m512i,
    /// Maps words of two columns to planes 4 to 7, in the same order.
    high: __m512i,
    /// Maps two such results to `[plane][word][column]` for the first two planes and four columns.
    first: __m512i,
    /// Maps two such results to the other two planes, in the same order.
    second: __m512i,
}

impl Transposition {
    #[target_feature(enable = "avx512f,avx512vbmi")]
    fn new() -> Self {
        // Byte `index` of the second operand of a permutation has index 64 + `index`.
        let halves =
            |plane: usize| bytes(|out| (out % 2) * 64 + (out / 2 % 8) * 8 + plane + out / 16);
        let quarters = |plane: usize| {
            bytes(|out| (out / 2 % 2) * 64 + (plane + out / 32) * 16 + (out / 4 % 8) * 2 + out % 2)
        };
        Self { low: halves(0), high: halves(4), first: quarters(0), second: quarters(2) }
    }

    #[target_feature(enable = "avx512f,avx512vbmi")]
    #[inline]
    fn apply(&self, [a, b, c, d]: [__m512i; 4]) -> [__m256i; PLANES] {
        let permute = |a, index, b| _mm512_permutex2var_epi8(a, index, b);
        let (ab_low, cd_low) = (permute(a, self.low, b), permute(c, self.low, d));
        let (ab_high, cd_high) = (permute(a, self.high, b), permute(c, self.high, d));
        let pairs = [
            permute(ab_low, self.first, cd_low),
            permute(ab_low, self.second, cd_low),
            permute(ab_high, self.first, cd_high),
            permute(ab_high, self.second, cd_high),
        ];
        std::array::from_fn(|plane| match plane % 2 {
            0 => _mm512_castsi512_si256(pairs[plane / 2]),
            _ => _mm512_extracti64x4_epi64::<1>(pairs[plane / 2]),
        })
    }
}

/// Returns the vector of bytes `f(0), f(1), …`.
#[target_feature(enable = "avx512f")]
fn bytes(f: impl Fn(usize) -> usize) -> __m512i {
    let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|byte| f(8 * i + byte) as u8));
    load(&std::array::from_fn(word))
}

/// See [`super::matrix::tile_product`].
///
/// # Safety
/// [`super::amx::is_available`] must hold.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn tile_product(
    m: &Modulus,
    out: &mut [u64],
    entries: &ByteEntries,
    tile: usize,
    corrections: &[u64],
    strips: &[u64],
) {
    let recombination = Recombination::new(m, entries);
    let tile = entries.tile(tile);
    let pair_words = 2 * entries.chunks * (BYTE_TILE / 8);
    let width = out.len() / BYTE_TILE_ROWS;
    let mut sums = Aligned([[[[0; TILE_WORDS]; BYTE_TILE_ROWS]; 2]; MAX_WEIGHTS]);
    // SAFETY: the caller promises that there are tile registers; the static is a valid
    // configuration.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const CONFIGURATION, options(nostack, readonly)) }
    let strips = strips.chunks_exact(strip_words(entries));
    for (index, (strip, corrections)) in strips.zip(corrections.chunks_exact(STRIP)).enumerate() {
        sums.0[..recombination.weights].fill([[[0; TILE_WORDS]; BYTE_TILE_ROWS]; 2]);
        for (pair, tile) in tile.chunks(pair_words).enumerate() {
            let sums = &mut sums.0[2 * pair..];
            // SAFETY: the tile registers are configured.
            unsafe {
                if tile.len() == pair_words {
                    add_products_of_two(sums, tile, strip, entries.chunks);
                } else {
                    add_products_of_one(sums, tile, strip, entries.chunks);
                }
            }
        }
        let out = &mut out[index * STRIP..];
        match entries.planes {
            1 => recombination.apply::<PLANES>(&sums.0, corrections, out, width),
            2 => recombination.apply::<{ PLANES + 1 }>(&sums.0, corrections, out, width),
            3 => recombination.apply::<{ PLANES + 2 }>(&sums.0, corrections, out, width),
            4 => recombination.apply::<{ PLANES + 3 }>(&sums.0, corrections, out, width),
            _ => recombination.apply::<{ PLANES + 4 }>(&sums.0, corrections, out, width),
        }
    }
    // SAFETY: there are tile registers. This frees the thread from saving them when it is
    // interrupted.
    unsafe { asm!("tilerelease", options(nostack, nomem)) }
}

/// Sums on cache lines of their own: a row of a tile register is one line.
#[repr(align(64))]
struct Aligned([WeightSums; MAX_WEIGHTS]);

/// Assembly for one plane of residues times two planes of entries, over all columns. Adds to the two tile registers
/// `$low` of one weight, which are stored afterwards, and to those of the next weight, which are loaded first.
#[rustfmt::skip]
macro_rules! plane_times_two {
    ($low0:literal, $low1:literal, $high0:literal, $high1:literal) => {
        concat!(
            "tileloadd ", $high0, ", [{sums} + {stride} + 2048]\n",
            "tileloadd ", $high1, ", [{sums} + {stride} + 3072]\n",
            "mov {entries}, {first}\n",
            "mov {count}, {chunks}\n",
            "2:\n",
            "tileloadd tmm6, [{words} + {stride}]\n",
            "tileloadd tmm4, [{entries} + {stride}]\n",
            "tdpbuud ", $low0, ", tmm4, tmm6\n",
            "tileloadd tmm5, [{entries} + {stride} + 1024]\n",
            "tdpbuud ", $high0, ", tmm5, tmm6\n",
            "tileloadd tmm7, [{words} + {stride} + 1024]\n",
            "tdpbuud ", $low1, ", tmm4, tmm7\n",
            "tdpbuud ", $high1, ", tmm5, tmm7\n",
            "add {entries}, 2048\n",
            "add {words}, 2048\n",
            "dec {count}\n",
            "jnz 2b\n",
            "tilestored [{sums} + {stride}], ", $low0, "\n",
            "tilestored [{sums} + {stride} + 1024], ", $low1, "\n",
            "add {sums}, 2048\n",
        )
    };
}

/// Adds to `sums[a]` and `sums[a + 1]` the products of plane a of the words with the first and with the second plane of
/// entries, for all a.
///
/// # Safety
/// The tile registers are configured.
unsafe fn add_products_of_two(
    sums: &mut [WeightSums],
    entries: &[u64],
    words: &[u64],
    chunks: usize,
) {
    assert!(sums.len() > PLANES && chunks > 0);
    assert_eq!(entries.len(), chunks * 2 * BYTE_TILE / 8);
    assert_eq!(words.len(), PLANES * chunks * 2 * BYTE_TILE / 8);
    // SAFETY: reads and writes the slices, whose lengths were checked: `chunks` times two tiles of
    // entries, `PLANES` times that of words, and `PLANES + 1` times two tiles of sums.
    unsafe {
        asm!(
            "tileloadd tmm0, [{sums} + {stride}]",
            "tileloadd tmm1, [{sums} + {stride} + 1024]",
            // Sums of the higher weight become those of the lower weight for the next plane.
            plane_times_two!("tmm0", "tmm1", "tmm2", "tmm3"),
            plane_times_two!("tmm2", "tmm3", "tmm0", "tmm1"),
            plane_times_two!("tmm0", "tmm1", "tmm2", "tmm3"),
            plane_times_two!("tmm2", "tmm3", "tmm0", "tmm1"),
            plane_times_two!("tmm0", "tmm1", "tmm2", "tmm3"),
            plane_times_two!("tmm2", "tmm3", "tmm0", "tmm1"),
            plane_times_two!("tmm0", "tmm1", "tmm2", "tmm3"),
            "tilestored [{sums} + {stride}], tmm2",
            "tilestored [{sums} + {stride} + 1024], tmm3",
            sums = inout(reg) sums.as_mut_ptr() => _,
            words = inout(reg) words.as_ptr() => _,
            first = in(reg) entries.as_ptr(),
            chunks = in(reg) chunks,
            stride = in(reg) BYTE_TILE_COLUMNS,
            entries = out(reg) _,
            count = out(reg) _,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// Adds to `sums[a]` the products of plane a of the words with a plane of entries, for all a.
///
/// # Safety
/// The tile registers are configured.
unsafe fn add_products_of_one(
    sums: &mut [WeightSums],
    entries: &[u64],
    words: &[u64],
    chunks: usize,
) {
    assert!(chunks > 0);
    assert_eq!(entries.len(), chunks * BYTE_TILE / 8);
    assert_eq!(words.len(), PLANES * chunks * 2 * BYTE_TILE / 8);
    let planes = words.chunks_exact(chunks * 2 * BYTE_TILE / 8);
    for (sums, words) in sums[..PLANES].iter_mut().zip(planes) {
        // SAFETY: reads and writes the slices, whose lengths were checked: `chunks` tiles of
        // entries, `chunks` times two tiles of words, and two tiles of sums.
        unsafe {
            asm!(
                "tileloadd tmm0, [{sums} + {stride}]",
                "tileloadd tmm1, [{sums} + {stride} + 1024]",
                "2:",
                "tileloadd tmm4, [{entries} + {stride}]",
                "tileloadd tmm6, [{words} + {stride}]",
                "tileloadd tmm7, [{words} + {stride} + 1024]",
                "tdpbuud tmm0, tmm4, tmm6",
                "tdpbuud tmm1, tmm4, tmm7",
                "add {entries}, 1024",
                "add {words}, 2048",
                "dec {count}",
                "jnz 2b",
                "tilestored [{sums} + {stride}], tmm0",
                "tilestored [{sums} + {stride} + 1024], tmm1",
                sums = in(reg) sums.as_mut_ptr(),
                words = inout(reg) words.as_ptr() => _,
                entries = inout(reg) entries.as_ptr() => _,
                count = inout(reg) chunks => _,
                stride = in(reg) BYTE_TILE_COLUMNS,
                out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}

/// Conversion of the sums of all weights to residues.
struct Recombination {
    modulus: VectorModulus,
    weights: usize,
    /// Factors for groups of [`GROUP`] weights: the common factor of the entries times `2^(8c)` for the first weight c.
    factors: [__m512i; MAX_WEIGHTS.div_ceil(GROUP)],
}

impl Recombination {
    #[target_feature(enable = "avx512f")]
    fn new(m: &Modulus, entries: &ByteEntries) -> Self {
        let factor = m.reduce(entries.factor);
        let factors = std::array::from_fn(|group| {
            splat(m.mul(factor, m.pow(m.reduce(2), (8 * GROUP * group) as u64)))
        });
        let weights = PLANES + entries.planes - 1;
        Self { modulus: VectorModulus::new(m), weights, factors }
    }

    /// Writes the residues of a strip to rows that are `width` words apart, added to the corrections.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline(never)]
    fn apply<const WEIGHTS: usize>(
        &self,
        sums: &[WeightSums; MAX_WEIGHTS],
        corrections: &[u64],
        out: &mut [u64],
        width: usize,
    ) {
        let m = &self.modulus;
        for (row, out) in out.chunks_mut(width).enumerate() {
            let out = out[..STRIP].as_chunks_mut::<LANES>().0;
            for (vector, out) in out.iter_mut().enumerate() {
                let (half, start) = (vector / 2, vector % 2 * LANES);
                let low = load(corrections[vector * LANES..].first_chunk().expect("a strip"));
                let mut sum = (low, _mm512_setzero_si512());
                for group in 0..WEIGHTS.div_ceil(GROUP) {
                    let weight = |i: usize| match GROUP * group + i {
                        c if c < WEIGHTS => load_half(&sums[c][half][row], start),
                        _ => _mm512_setzero_si512(),
                    };
                    let shifted = [
                        weight(0),
                        _mm512_slli_epi64::<8>(weight(1)),
                        _mm512_slli_epi64::<16>(weight(2)),
                    ];
                    let value =
                        _mm512_add_epi64(_mm512_add_epi64(shifted[0], shifted[1]), shifted[2]);
                    sum.0 = _mm512_madd52lo_epu64(sum.0, value, self.factors[group]);
                    sum.1 = _mm512_madd52hi_epu64(sum.1, value, self.factors[group]);
                }
                let (low, high) = m.carry(sum.0, sum.1);
                store(out, m.subtract_below_4q(m.fold_lazy(low, high)));
            }
        }
    }
}

/// Loads eight numbers of 32 bits from `start`, one per lane.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_half(words: &[u32; TILE_WORDS], start: usize) -> __m512i {
    let words: &[u32; LANES] = words[start..].first_chunk().expect("half of a row");
    // SAFETY: the reference is valid for 32 bytes, and the load needs no alignment.
    let words = unsafe { _mm256_loadu_si256(words.as_ptr().cast()) };
    _mm512_cvtepu32_epi64(words)
}
