use cryptable::*;
use cryptable::packed::circuit::Circuit;
fn main() {
    let a: Vec<u32> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    // out_bits wc dc digits...
    let digits: Vec<u64> = a[3..].iter().map(|&b| 1 << b).collect();
    let n = digits.len();
    let sel = if n == 4 { vec![1, 1, 2] } else { vec![1; n] };
    let m = MultiplexerLiteral { digits, selectors: sel, delta_cleanings: a[2], cleaning_and: false, entry_levels: 0 };
    let mut p = Parameters::insecure_toy_tree(1 << a[0], 1 << 16, 1 << 16, m.clone(), a[1]);
    if let Err(e) = &p { println!("{e}"); }
    if p.is_err() { p = Parameters::insecure_toy_tree(1 << 8, 1 << 16, 1 << 16, m, a[1]); }
    let p = p.unwrap();
    println!("{:?} {:?}", p.failure(), p.literal().exponential_shape());
    let Circuit::Multiplexer(c) = p.circuit() else { panic!() };
    let r = c.predict(c.worst_mean_square());
    println!("phase {:.1} wave {:.1} delta {:.1} outputs {:.1}(x P) result {:.1} limbs {}", r.phase.noise.log2_deviation() + c.phase_to_wave.bound.log2(), r.wave.noise.log2_deviation(), r.delta.noise.log2_deviation(), r.outputs.noise.log2_deviation() + (p.literal().output_modulus as f64).log2(), r.result.noise.log2_deviation(), p.literal().limbs());
}
