use cryptable::packed::{akp::AkpCircuit, interpolation::Interpolation};
use cryptable::{Parameters};
#[test]
fn dbg() {
    for (p,n,s) in [(2u64,1024usize,64usize),(16,1024,1024),(256,1024,1024)] {
    let l = Parameters::insecure_literal(p,p,n,s);
    let primes: Vec<f64> = cryptable_ring::primes::ntt_primes(n, l.log2_scale, l.limbs(), &[]).iter().map(|&q| q as f64).collect();
    let c = AkpCircuit::new(&l, &primes);
    println!("{:?} limbs {} bound {}", l, l.limbs(), c.bound);
    for st in c.coeffs_to_slots.stages.iter().chain(&c.slots_to_coeffs.stages) { println!("scale {} rescale {} limbs {} shape {:?} babies {:?} giants {} rownorm {}", st.plan.scale.log2(), st.rescale, st.plan.limbs, st.plan.shape, st.plan.babies, st.plan.giants, st.plan.row_norm); }
    let pr = c.predict(&Interpolation::new(&l.worst_table()));
    for (n,s) in [("raised", c.raised_shape()),("phase",pr.phase),("wave",pr.wave),("result",pr.result)] { println!("{n}: limbs {} scale {} power {} noise {}", s.limbs, s.scale.log2(), s.power.log2_deviation(), s.noise.log2_deviation()); }
    println!("{:?}", pr.dry_run.counts());
    println!("{:?}", cryptable::packed::failure::FailureEstimate::new(&l,&c));
    }
}
