//! Automata on encrypted words, and registers that encrypted bits control.

use cryptable_lattice::{Error, Progress, Table};
use cryptable_leveled::lookup::{
    Automaton, Ciphertext, EvaluationKey, Parameters, Request, SecretKey, Transition,
};
use cryptable_leveled::parameters::ParameterSet;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// A client's key and its server's.
struct Setting {
    secret: SecretKey,
    key: EvaluationKey,
}

impl Setting {
    fn new(parameters: &Parameters) -> Self {
        let secret = SecretKey::generate(parameters);
        let key = secret.evaluation_key(Progress::silent()).unwrap();
        Self { secret, key }
    }

    fn toy(set: ParameterSet, input_modulus: u64, output_modulus: u64) -> Self {
        Self::new(&Parameters::insecure_toy_of(set, input_modulus, output_modulus).unwrap())
    }

    fn run(
        &self,
        automaton: &Automaton,
        word: &[u64],
        length: usize,
        outputs: &Table,
    ) -> Result<Vec<u64>, Error> {
        let word = self.secret.encrypt(word)?;
        let found = self.key.run(automaton, &[&word], length, outputs, Progress::silent())?;
        self.secret.decrypt(&found)
    }

    fn bits(&self, bits: &[u64]) -> cryptable_leveled::lookup::Selectors {
        let bits = self.secret.encrypt(bits).unwrap();
        self.key.selectors(&[&bits], Progress::silent()).unwrap()
    }

    fn decrypt(&self, value: &Ciphertext) -> u64 {
        self.secret.decrypt(value).unwrap()[0]
    }
}

fn random_automaton(states: usize, symbols: u64, rng: &mut ChaCha20Rng) -> Automaton {
    let mut row = || {
        let transition =
            |_| Transition { next: rng.random_range(0..states), weight: rng.random_range(0..4) };
        (0..symbols).map(transition).collect()
    };
    let rows = (0..states).map(|_| row()).collect();
    let last = (0..states).map(|_| rng.random_range(0..3)).collect();
    Automaton::new(rows).unwrap().with_final_weights(last).unwrap()
}

/// Alphabets of one to eight bits, of sizes that are powers of two or not, with one or two bits per ciphertext.
#[test]
fn random_automata_weigh_random_words() {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    for set in [ParameterSet::CmuxDepth115, ParameterSet::TwoBitDepth117] {
        for (symbols, states) in [(2, 3), (3, 1), (5, 4), (8, 2), (100, 3)] {
            let setting = Setting::toy(set, symbols, 64);
            let automaton = random_automaton(states, symbols, &mut rng);
            let most = automaton.largest_weight(6) + 1;
            let outputs = Table::from_fn(most, 50, |weight| (7 * weight + 3) % 50).unwrap();
            let words: Vec<u64> = (0..18).map(|_| rng.random_range(0..symbols)).collect();
            let expected: Vec<u64> = words
                .chunks(6)
                .map(|word| outputs.values()[automaton.weight(word).unwrap() as usize])
                .collect();
            let found = setting.run(&automaton, &words, 6, &outputs).unwrap();
            assert_eq!(found, expected, "{set}, {symbols} symbols");
        }
    }
}

/// Outputs that need several polynomials, for a table as large as a polynomial.
#[test]
fn tables_of_weights_fill_polynomials() {
    let setting = Setting::toy(ParameterSet::CmuxDepth115, 2, 1 << 11);
    let go = |weight| Transition { next: 0, weight };
    let automaton = Automaton::new(vec![vec![go(0), go(300)]]).unwrap();
    let outputs = Table::from_fn(1 << 11, 1 << 11, |weight| weight * 5 % (1 << 11)).unwrap();
    let found = setting.run(&automaton, &[1, 0, 1, 1, 1, 1], 6, &outputs).unwrap();
    assert_eq!(found, [1_500 * 5 % (1 << 11)]);
    let error = setting.run(&automaton, &[1; 7], 7, &outputs).unwrap_err().to_string();
    assert!(error.contains("2100") && error.contains("2048 entries"), "{error}");
}

/// Results can be symbols of further words.
#[test]
fn results_are_read_again() {
    let parameters = Parameters::insecure_toy_of(ParameterSet::CmuxDepth236, 16, 16).unwrap();
    let setting = Setting::new(&parameters);
    let sum = Automaton::new(vec![(0..16).map(|weight| Transition { next: 0, weight }).collect()]);
    let sum = sum.unwrap();
    let outputs = Table::from_fn(64, 16, |weight| weight % 16).unwrap();
    let words = setting.secret.encrypt(&[3, 9, 15, 2, 8, 14, 1, 1]).unwrap();
    let sums = setting.key.run(&sum, &[&words], 4, &outputs, Progress::silent()).unwrap();
    assert_eq!(setting.secret.decrypt(&sums).unwrap(), [29 % 16, 24 % 16]);
    let parts = [&sums, &words.slice(2..4)];
    let again = setting.key.run(&sum, &parts, 4, &outputs, Progress::silent()).unwrap();
    assert_eq!(setting.decrypt(&again), (29 % 16 + 24 % 16 + 15 + 2) % 16);
}

#[test]
fn registers_are_incremented_chosen_and_read() {
    for set in [ParameterSet::CmuxDepth115, ParameterSet::TwoBitDepth117] {
        let setting = Setting::toy(set, 2, 100);
        let key = &setting.key;
        let bits = setting.bits(&[1, 0, 1]);
        assert_eq!((bits.len(), bits.is_empty()), (3, false));
        let squares = Table::from_fn(10, 100, |x| x * x).unwrap();
        let mut register = key.register(&squares).unwrap();
        key.add_if(&mut register, &bits, 0, 3).unwrap();
        key.add_if(&mut register, &bits, 1, 2).unwrap();
        let mut other = register.clone();
        key.add_if(&mut other, &bits, 2, 4).unwrap();
        assert_eq!(setting.decrypt(&key.read(&register).unwrap()), 9);
        assert_eq!(setting.decrypt(&key.read(&other).unwrap()), 49);
        let (mut taken, mut left) = (register.clone(), register);
        key.choose_if(&mut taken, &bits, 0, &other).unwrap();
        key.choose_if(&mut left, &bits, 1, &other).unwrap();
        assert_eq!((taken.depth(), taken.largest()), (4, 9));
        assert_eq!(setting.decrypt(&key.read(&taken).unwrap()), 49);
        assert_eq!(setting.decrypt(&key.read(&left).unwrap()), 9);
        let error = key.add_if(&mut taken, &bits, 0, 1).unwrap_err().to_string();
        assert!(error.contains("10 entries"), "{error}");
        assert!(key.add_if(&mut taken, &bits, 3, 0).is_err());
        // A chain is added as a whole or not at all.
        let mut chain = key.register(&squares).unwrap();
        let refused = key.add_all(&mut chain, &bits, &[(0, 3), (3, 1)], Progress::silent());
        assert!(refused.is_err() && chain.depth() == 0);
        let steps = [(0, 3), (1, 1), (0, 3), (2, 2)];
        key.add_all(&mut chain, &bits, &steps, Progress::silent()).unwrap();
        assert_eq!((chain.depth(), chain.largest()), (4, 9));
        assert_eq!(setting.decrypt(&key.read(&chain).unwrap()), 64);
        // Bits of values in several lists are numbered list by list.
        let lists = [[1, 0], [0, 1]].map(|bits| setting.secret.encrypt(&bits).unwrap());
        let parts = key.selectors(&lists.each_ref(), Progress::silent()).unwrap();
        let mut register = key.register(&squares).unwrap();
        let steps = [(0, 1), (1, 2), (2, 2), (3, 4)];
        key.add_all(&mut register, &parts, &steps, Progress::silent()).unwrap();
        assert_eq!(setting.decrypt(&key.read(&register).unwrap()), 25);
        let cubes = key.register(&Table::from_fn(4, 100, |x| x * x * x).unwrap()).unwrap();
        assert!(key.choose_if(&mut taken, &bits, 0, &cubes).is_err());
    }
}

/// Counters modulo a power of two, by sets of one bit per ciphertext.
#[test]
fn cyclic_registers_go_round() {
    let setting = Setting::toy(ParameterSet::CmuxDepth10900, 4, 16);
    let key = &setting.key;
    // Values of two bits have two selectors each, the lower bit first.
    let bits = setting.bits(&[0b01, 0b10, 0b11]);
    assert_eq!(bits.len(), 6);
    let hours = Table::from_fn(16, 16, |x| x).unwrap();
    let mut register = key.cyclic_register(&hours).unwrap();
    let mut sum = 0;
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for step in 0..200 {
        let (bit, number) = (step % 6, rng.random_range(0..1 << 20));
        key.add_if(&mut register, &bits, bit, number).unwrap();
        sum += if [true, false, false, true, true, true][bit] { number } else { 0 };
    }
    assert_eq!(register.depth(), 200);
    assert_eq!(setting.decrypt(&key.read(&register).unwrap()), sum % 16);
    assert!(key.cyclic_register(&Table::from_fn(15, 16, |x| x).unwrap()).is_err());
    let two_bits = Setting::toy(ParameterSet::TwoBitDepth117, 2, 16);
    assert!(two_bits.key.cyclic_register(&hours).is_err());
    let values = Setting::toy(ParameterSet::TwoBitDepth117, 4, 16);
    let value = values.secret.encrypt(&[3]).unwrap();
    assert!(values.key.selectors(&[&value], Progress::silent()).is_err());
}

#[test]
fn chains_and_words_beyond_the_noise_are_refused() {
    let setting = Setting::toy(ParameterSet::CmuxDepth115, 2, 2);
    let key = &setting.key;
    let parameters = key.parameters();
    let most = parameters.longest_word(2);
    assert!((20..2_000).contains(&most), "{most}");
    assert!(parameters.chain_log2_fail(most as u64, 1) <= -64.0);
    let automaton = Automaton::new(vec![vec![Transition { next: 0, weight: 0 }; 2]]).unwrap();
    let outputs = Table::from_fn(2, 2, |x| x).unwrap();
    let word = vec![1; most + 1];
    let refused = setting.run(&automaton, &word, most + 1, &outputs);
    assert!(matches!(refused, Err(Error::NoiseTooLarge { .. })), "{refused:?}");
    assert_eq!(setting.run(&automaton, &word[1..], most, &outputs).unwrap(), [0]);
    let bits = setting.bits(&[1]);
    let mut register = key.register(&outputs).unwrap();
    for _ in 0..=most {
        key.add_if(&mut register, &bits, 0, 0).unwrap();
    }
    assert!(matches!(key.read(&register), Err(Error::NoiseTooLarge { .. })));
}

#[test]
fn other_words_are_refused_by_name() {
    let setting = Setting::toy(ParameterSet::CmuxDepth115, 4, 16);
    let automaton = Automaton::occurrences(&[1, 3], 4).unwrap();
    let outputs = Table::from_fn(8, 16, |x| x).unwrap();
    let message = |automaton: &Automaton, word: &[u64], length, outputs: &Table| {
        setting.run(automaton, word, length, outputs).unwrap_err().to_string()
    };
    assert!(message(&automaton, &[1, 3, 0], 2, &outputs).contains("multiple of"));
    assert!(message(&automaton, &[1, 3], 0, &outputs).contains("multiple of"));
    let other = Automaton::occurrences(&[1, 2], 3).unwrap();
    assert!(message(&other, &[1, 2], 2, &outputs).contains("modulus of the symbols"));
    let wide = Table::from_fn(8, 32, |x| x).unwrap();
    assert!(message(&automaton, &[1, 3], 2, &wide).contains("bits of the outputs"));
    let stranger = Setting::toy(ParameterSet::CmuxDepth115, 4, 16);
    let word = stranger.secret.encrypt(&[1, 3]).unwrap();
    let refused = setting.key.run(&automaton, &[&word], 2, &outputs, Progress::silent());
    assert!(matches!(refused, Err(Error::OtherClient { .. })));
}

/// Counts a pattern in a text of `length` bytes at full size.
fn check_text(length: usize) {
    let request = Request { word_length: length, ..Request::new(256, 1 << 10) };
    let parameters = Parameters::candidates(&request).unwrap().swap_remove(0);
    assert!(parameters.security_bits() >= 128.0);
    let (set, fails) = (parameters.method_name(), parameters.word_log2_fail(256, length));
    println!("{length} bytes: {set}, 2^{fails:.1}");
    assert!(fails <= -64.0);
    let setting = Setting::new(&parameters);
    let pattern: Vec<u64> = b"abra".iter().map(|&byte| byte.into()).collect();
    let text: Vec<u64> = (0..length).map(|i| u64::from(b"abracadabra"[i % 11])).collect();
    let automaton = Automaton::occurrences(&pattern, 256).unwrap();
    let outputs = Table::from_fn(length as u64, 1 << 10, |count| count % (1 << 10)).unwrap();
    let expected = text.windows(4).filter(|part| *part == pattern).count();
    let started = std::time::Instant::now();
    assert_eq!(setting.run(&automaton, &text, length, &outputs).unwrap(), [expected as u64]);
    println!("{:.1} s", started.elapsed().as_secs_f64());
}

#[test]
fn patterns_in_a_text_of_40_bytes_at_full_size() {
    check_text(40);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn patterns_in_a_text_of_1000_bytes_at_full_size() {
    check_text(1_000);
}

/// A counter modulo 1,024 through 10,000 CMUXes at full size, and a circuit bootstrap of its result.
#[test]
fn ten_thousand_increments_at_full_size() {
    let request = Request { chain: 10_000, ..Request::new(2, 2) };
    let set = Parameters::candidates(&request).unwrap()[0].parameter_set().unwrap();
    println!("{set}");
    let method = Some(ParameterSet::CmuxDepth20200);
    let parameters = Request { method, ..Request::new(2, 2) };
    let parameters = Parameters::candidates(&parameters).unwrap().swap_remove(0);
    let setting = Setting::new(&parameters);
    let values: Vec<u64> = (0..32).map(|i| u64::from(i % 5 < 2)).collect();
    let bits = setting.bits(&values);
    let high = Table::from_fn(1 << 10, 2, |count| count >> 9).unwrap();
    let mut register = setting.key.cyclic_register(&high).unwrap();
    let steps: Vec<_> = (0..10_000).map(|step| (step % 32, 1)).collect();
    let count: u64 = steps.iter().map(|&(bit, _)| values[bit]).sum();
    setting.key.add_all(&mut register, &bits, &steps, Progress::silent()).unwrap();
    let read = setting.key.read(&register).unwrap();
    assert_eq!(setting.decrypt(&read), count >> 9 & 1);
    let mut again = setting.key.register(&Table::from_fn(2, 2, |bit| 1 - bit).unwrap()).unwrap();
    let selector = setting.key.selectors(&[&read], Progress::silent()).unwrap();
    setting.key.add_if(&mut again, &selector, 0, 1).unwrap();
    assert_eq!(setting.decrypt(&setting.key.read(&again).unwrap()), 1 - (count >> 9 & 1));
}
