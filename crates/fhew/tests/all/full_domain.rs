//! Full-domain methods on toy parameters: every value of every table, and the noise.

use crate::common;

use common::{Setting, check_every_value, check_noise};
use cryptable_fhew::full_domain::FdfbCompress;
use cryptable_fhew::parameters::Parameters;
use cryptable_ring::random::replay;

const MODULI: [u64; 6] = [4, 8, 16, 32, 6, 10];

#[test]
fn compress() {
    let _replay = replay::begin();
    let setting = Setting::new(&Parameters::insecure_toy());
    check_every_value(&setting, &FdfbCompress, &MODULI);
    check_noise(&setting, &FdfbCompress, 16, 200);
}
