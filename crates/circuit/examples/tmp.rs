//! x
use cryptable_circuit::{parameters::CircuitParameters,noise::CircuitNoise,circuit_bootstrapping::CircuitBootstrapping,bits::*};
use cryptable_fhew::{secret_key::SecretKey,evaluation_key::EvaluationKey};
use std::time::Instant;
fn main(){ for (n,p) in [("1",CircuitParameters::set_1()),("2",CircuitParameters::set_2()),("3",CircuitParameters::set_3()),("4",CircuitParameters::set_4()),("5",CircuitParameters::set_5()),("aes",CircuitParameters::aes_128())] {
 let sk=SecretKey::generate(p.parameters()); let k=EvaluationKey::expand(&sk.evaluation_key()); let cb=CircuitBootstrapping::new(&p,&k);
 let b=encrypt_bit(&sk,true); let mut v=vec![];
 for _ in 0..30 { let t=Instant::now(); std::hint::black_box(cb.bootstrap(&b).unwrap()); v.push(t.elapsed().as_secs_f64()*1e3);} v.sort_by(f64::total_cmp);
 let s=cb.bootstrap(&b).unwrap();
 println!("{n} {:.2} ms depth {} key {:.1} MB sel {} KB", v[15], CircuitNoise::new(&p).max_depth(), k.bytes() as f64/1e6, s.bytes()/1024);
}}
