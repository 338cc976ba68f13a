use cryptable::*;
fn main() {
    for a in std::env::args().skip(1) {
        let (i, o) = a.split_once(':').unwrap_or((&a, &a));
        let (i, o): (u32, u32) = (i.parse().unwrap(), o.parse().unwrap());
        let t = std::time::Instant::now();
        match planner::plan(&Request::new(1 << i, 1 << o)) {
            Ok(c) => for c in c {
                let l = c.parameters.literal(); let p = &c.prediction;
                println!("{i}:{o} {:?} {:?} limbs {} dnum {} sel {:?} wc {} dc {} exp {:?} | {:.0} u {:.1} GB noise 2^{:.1} typ 2^{:.1} bias 2^{:.1} fail 2^{:.0} sec {:.0} ntt {} lp {} ks {} tp {}", c.method, l.multiplexer.as_ref().map(|m| m.digits.clone()), l.limbs(), l.digits, l.multiplexer.as_ref().map(|m| m.selectors.clone()), l.wave_cleanings, l.multiplexer.as_ref().map_or(0, |m| m.delta_cleanings), l.exponential_shape(), p.eval_units, p.peak_bytes() as f64 / 1e9, c.parameters.failure().noise_ratio.log2(), c.parameters.failure().typical_ratio.log2(), c.parameters.failure().bias_ratio.log2(), c.parameters.failure().log2_fail(), c.parameters.security_bits(), p.transforms, p.limb_products, p.key_switches, p.table_products);
            },
            Err(e) => println!("{i}:{o}: {e}"),
        }
        println!("   {:.1} s", t.elapsed().as_secs_f64());
    }
}
