//! Lookups on arithmetic that is not the processor's: every kind gives the processor's ciphertexts.

use std::cell::Cell;
use std::sync::Mutex;

use cryptable_ckks::bootstrapping::modulus_switch::CoefficientShape;
use cryptable_ckks::{
    Arithmetic, Bootstrapping, Ciphertext, Evaluator, LinearTransform, Plaintext, Product,
    Transfers,
};
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_packed::{
    ComplexTable, Dictionary, EvaluationKey, LookupArithmetic, LookupMatrices, Lookups,
    MultiplexerLiteral, Parameters, Progress, Result, SecretKey, SlotTables, Table,
    TableArithmetic,
};
use cryptable_ring::Basis;
use cryptable_ring::random::replay;
use cryptable_ring::selected_product::TableMatrix;
use num_complex::Complex64;

/// Arithmetic with types of its own, which takes operations in turn, as a card does.
struct Other<'a> {
    evaluator: Evaluator<'a>,
    /// Held during an operation: two at once would be an error.
    in_turn: Mutex<()>,
}

#[derive(Clone)]
struct OtherCiphertext(Ciphertext);

struct OtherProduct(Product);

struct OtherPlain(Plaintext);

struct OtherMatrix<'a>(&'a LinearTransform);

/// A part of a table as it was given.
struct OtherTable {
    shape: [usize; 3],
    entries: Vec<i64>,
}

impl<'a> Other<'a> {
    fn new(key: &'a EvaluationKey) -> Self {
        Self { evaluator: Evaluator::new(key.ring(), key.keys()), in_turn: Mutex::new(()) }
    }

    fn run<T>(&self, operation: impl FnOnce(&Evaluator<'a>) -> T) -> T {
        let _turn = self.in_turn.try_lock().expect("operations come in turn");
        operation(&self.evaluator)
    }
}

fn inner<'c>(cts: &[&'c OtherCiphertext]) -> Vec<&'c Ciphertext> {
    cts.iter().map(|ct| &ct.0).collect()
}

impl<'a> Arithmetic for Other<'a> {
    type Ciphertext = OtherCiphertext;
    type Product = OtherProduct;
    type Matrix = OtherMatrix<'a>;
    type Plain = OtherPlain;

    fn map_all<T: Send, U: Send>(&self, items: Vec<T>, f: impl Fn(T) -> U + Send + Sync) -> Vec<U> {
        items.into_iter().map(f).collect()
    }

    fn limbs(&self, ct: &OtherCiphertext) -> usize {
        self.evaluator.limbs(&ct.0)
    }

    fn scale(&self, ct: &OtherCiphertext) -> f64 {
        self.evaluator.scale(&ct.0)
    }

    fn prime(&self, index: usize) -> f64 {
        self.evaluator.prime(index)
    }

    fn drop_to(&self, ct: &mut OtherCiphertext, limbs: usize) {
        self.run(|it| it.drop_to(&mut ct.0, limbs));
    }

    fn truncated(&self, ct: &OtherCiphertext, limbs: usize) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.truncated(&ct.0, limbs)))
    }

    fn add_assign(&self, ct: &mut OtherCiphertext, other: &OtherCiphertext) {
        self.run(|it| it.add_assign(&mut ct.0, &other.0));
    }

    fn sub_assign(&self, ct: &mut OtherCiphertext, other: &OtherCiphertext) {
        self.run(|it| it.sub_assign(&mut ct.0, &other.0));
    }

    fn add_constant_assign(&self, ct: &mut OtherCiphertext, constant: Complex64) {
        self.run(|it| it.add_constant_assign(&mut ct.0, constant));
    }

    fn mul_integer_assign(&self, ct: &mut OtherCiphertext, factor: i64) {
        self.run(|it| it.mul_integer_assign(&mut ct.0, factor));
    }

    fn mul_imaginary_unit_assign(&self, ct: &mut OtherCiphertext) {
        self.run(|it| it.mul_imaginary_unit_assign(&mut ct.0));
    }

    fn divide_slots_assign(&self, ct: &mut OtherCiphertext, factor: f64) {
        self.evaluator.divide_slots_assign(&mut ct.0, factor);
    }

    fn linear_combinations(
        &self,
        limbs: usize,
        inputs: &[&OtherCiphertext],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<OtherCiphertext> {
        let found = self.run(|it| it.linear_combinations(limbs, &inner(inputs), rows, scale));
        found.into_iter().map(OtherCiphertext).collect()
    }

    fn product_sum(&self, pairs: &[(&OtherCiphertext, &OtherCiphertext)]) -> OtherProduct {
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (&a.0, &b.0)).collect();
        OtherProduct(self.run(|it| it.product_sum(&pairs)))
    }

    fn plain_product_sum(&self, pairs: &[(&OtherCiphertext, &OtherPlain)]) -> OtherCiphertext {
        let pairs: Vec<_> = pairs.iter().map(|(ct, plain)| (&ct.0, &plain.0)).collect();
        OtherCiphertext(self.run(|it| it.plain_product_sum(&pairs)))
    }

    fn product_add_assign(&self, product: &mut OtherProduct, ct: &OtherCiphertext, factor: f64) {
        self.run(|it| it.product_add_assign(&mut product.0, &ct.0, factor));
    }

    fn add_product_assign(&self, product: &mut OtherProduct, other: &OtherProduct) {
        self.run(|it| it.add_product_assign(&mut product.0, &other.0));
    }

    fn relinearize(&self, product: OtherProduct, rescale: usize) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.relinearize(product.0, rescale)))
    }

    fn rescale(&self, ct: OtherCiphertext, count: usize) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.rescale(ct.0, count)))
    }

    fn switch_chain(&self, ct: OtherCiphertext, chain: usize, limbs: usize) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.switch_chain(ct.0, chain, limbs)))
    }

    fn rotate(&self, ct: &OtherCiphertext, rotation: usize) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.rotate(&ct.0, rotation)))
    }

    fn conjugate(&self, ct: &OtherCiphertext) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.conjugate(&ct.0)))
    }

    fn transform(
        &self,
        ct: &OtherCiphertext,
        matrix: &OtherMatrix<'a>,
        rescale: usize,
    ) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.transform(&ct.0, matrix.0, rescale)))
    }
}

impl TableArithmetic for Other<'_> {
    type Table = OtherTable;

    fn select(
        &self,
        columns: &[&OtherCiphertext],
        table: &OtherTable,
        selectors: &[Vec<&OtherCiphertext>],
    ) -> Vec<Vec<OtherProduct>> {
        let [outer, rows, length] = table.shape;
        let entry = |o: usize, i: usize, j: usize| table.entries[(o * rows + i) * length + j];
        let matrix = TableMatrix::new(outer, rows, length, entry);
        let selectors: Vec<_> = selectors.iter().map(|set| inner(set)).collect();
        let found = self.run(|it| it.select(&inner(columns), &matrix, &selectors));
        found.into_iter().map(|row| row.into_iter().map(OtherProduct).collect()).collect()
    }
}

impl Bootstrapping for Other<'_> {
    fn mod_raise(&self, input: &CoefficientCiphertext, limbs: usize) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.mod_raise(input, limbs)))
    }

    fn raise(&self, bottom: &OtherCiphertext, raised: Basis) -> OtherCiphertext {
        OtherCiphertext(self.run(|it| it.raise(&bottom.0, raised)))
    }

    fn switch_to_power_of_two(
        &self,
        ct: OtherCiphertext,
        shape: CoefficientShape,
    ) -> Result<CoefficientCiphertext> {
        self.run(|it| it.switch_to_power_of_two(ct.0, shape))
    }
}

impl<'a> Transfers for Other<'a> {
    fn load(&self, ct: Ciphertext) -> OtherCiphertext {
        self.run(|_| OtherCiphertext(ct))
    }

    fn load_plain(&self, plain: Plaintext) -> OtherPlain {
        self.run(|_| OtherPlain(plain))
    }

    fn load_matrix(&self, _: LinearTransform) -> OtherMatrix<'a> {
        unreachable!("lookups have the matrices of their key")
    }

    fn fetch(&self, ct: OtherCiphertext) -> Result<Ciphertext> {
        Ok(ct.0)
    }
}

impl LookupArithmetic for Other<'_> {
    fn table(
        &self,
        outer: usize,
        inner: usize,
        columns: usize,
        entry: impl Fn(usize, usize, usize) -> i64 + Sync,
    ) -> OtherTable {
        let row = |row| (0..columns).map(move |column| (row / inner, row % inner, column));
        let places = (0..outer * inner).flat_map(row);
        let entries = places.map(|(o, i, j)| entry(o, i, j)).collect();
        OtherTable { shape: [outer, inner, columns], entries }
    }
}

/// Runs the same lookups on both: all ciphertexts are equal.
macro_rules! assert_same {
    ($key:expr, |$lookups:ident| $results:expr) => {{
        let (key, count) = (&$key, Cell::new(0));
        let bytes = |results: Vec<cryptable_packed::Ciphertext>| -> Vec<Vec<u8>> {
            count.set(results.len());
            results.iter().map(cryptable_packed::Ciphertext::to_bytes).collect()
        };
        let expected = bytes({
            let $lookups = key.lookups();
            $results
        });
        let matrices: LookupMatrices<_> = key.matrices().map(OtherMatrix);
        let found = bytes({
            let $lookups = Lookups::new(key, Other::new(key), &matrices);
            $results
        });
        assert!(count.get() > 0 && found == expected, "other ciphertexts");
    }};
}

fn keys(parameters: &Parameters) -> (SecretKey, EvaluationKey) {
    let secret = SecretKey::generate(parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    (secret, key)
}

fn table(p: u64, output: u64) -> Table {
    Table::from_fn(p, output, |x| (x * x * 5 + x + 1) % output).unwrap()
}

#[test]
fn akp_with_several_tables_bits_and_complex_outputs() {
    let _replay = replay::begin();
    let silent = Progress::silent;
    for slots in [1024, 64] {
        let (secret, key) = keys(&Parameters::insecure_toy_of(8, 16, 1024, slots).unwrap());
        let input = secret.encrypt(&[0, 1, 2, 7]).unwrap();
        assert_same!(key, |it| {
            let tables = [table(8, 16), Table::from_fn(8, 16, |x| x).unwrap()];
            let tables = tables.map(|table| it.prepare(&table).unwrap());
            it.lookup_many(&input, &[&tables[0], &tables[1]], silent()).unwrap()
        });
    }
    let (secret, key) = keys(&Parameters::insecure_toy(2, 2).unwrap());
    let input = secret.encrypt(&[0, 1]).unwrap();
    assert_same!(key, |it| {
        vec![it.lookup(&input, &it.prepare(&table(2, 2)).unwrap(), silent()).unwrap()]
    });
    let (secret, key) = keys(&Parameters::insecure_toy_complex(4, 256, 512).unwrap());
    let input = secret.encrypt(&[1, 2]).unwrap();
    let roots: Vec<_> = (0..4).map(|k| 0.4 * Complex64::I.powi(k)).collect();
    let roots = ComplexTable::new(4, &roots, 256).unwrap();
    assert_same!(key, |it| {
        it.lookup_complex(&input, &[&it.prepare_complex(&roots).unwrap()], silent()).unwrap()
    });
}

#[test]
fn trees_with_tables_of_every_kind() {
    let _replay = replay::begin();
    let silent = Progress::silent;
    for slots in [1024, 16] {
        let tree = MultiplexerLiteral {
            digits: vec![4, 2, 3],
            selectors: vec![1; 3],
            entry_levels: 1,
            ..Default::default()
        };
        let parameters = Parameters::insecure_toy_tree(64, 1024, slots, tree, 0).unwrap();
        let (secret, key) = keys(&parameters);
        let input = secret.encrypt(&[0, 5, 23]).unwrap();
        assert_same!(key, |it| {
            let tables = [table(24, 64), table(24, 64)].map(|table| it.prepare(&table).unwrap());
            it.lookup_many(&input, &[&tables[0], &tables[1]], silent()).unwrap()
        });
        let (low, high) = (
            secret.encrypt_digits(&[3, 0], 4).unwrap(),
            secret.encrypt_digits(&[5, 2], 6).unwrap(),
        );
        let digits = [low, high];
        assert_same!(key, |it| {
            it.lookup_digits(&digits, &[&it.prepare(&table(24, 64)).unwrap()], silent()).unwrap()
        });
        let own = SlotTables::new(vec![table(24, 64); 3]).unwrap();
        assert_same!(key, |it| vec![it.lookup_slots(&input, &own, silent()).unwrap()]);
        let own = secret.encrypt_tables(&own).unwrap();
        assert_same!(key, |it| vec![it.lookup_encrypted(&input, &own, silent()).unwrap()]);
        let tables = [4, 2, 3].map(|p| vec![table(p, 16)]);
        assert_same!(key, |it| {
            it.decompose(&input, &tables, silent()).unwrap().into_iter().flatten().collect()
        });
    }
}

#[test]
fn digits_and_words() {
    let _replay = replay::begin();
    let silent = Progress::silent;
    let (secret, key) = keys(&Parameters::insecure_toy_digits(&[4, 8, 8], 8).unwrap());
    let input = secret.encrypt(&[0, 100, 131, 255]).unwrap();
    assert_same!(key, |it| {
        let square = it.prepare(&table(8, 100)).unwrap();
        let mut all = it.digits(&input, silent()).unwrap();
        all.extend(it.lookup_digit(&all[1], &[&square], silent()).unwrap());
        all.push(it.sign(&input, silent()).unwrap());
        all.push(it.floor(&input, 1, silent()).unwrap());
        all.extend(it.lookup_many(&input, &[&square], silent()).unwrap());
        let tables = [4, 8, 8].map(|p| vec![table(p, 16)]);
        all.extend(it.decompose(&input, &tables, silent()).unwrap().into_iter().flatten());
        all
    });
    let (secret, key) = keys(&Parameters::insecure_toy(16, 16).unwrap());
    let entries = (0..16).map(|i| (i * 13 + 2, i % 8));
    let circuit = Dictionary::new(16, 2, 8, entries, 7).unwrap().circuit().unwrap();
    let words = secret.encrypt_words(&[2, 15, 28, 255], circuit.input_words()).unwrap();
    assert_same!(key, |it| {
        it.lookup_words(&words, &it.prepare_words(&circuit).unwrap(), silent()).unwrap()
    });
}

#[test]
fn comparisons_and_selections() {
    let _replay = replay::begin();
    let silent = Progress::silent;
    // Selected in slots, and by a second lookup; taken as one.
    let sets = [
        Parameters::insecure_toy_comparisons(8),
        Parameters::insecure_toy_digits(&[4, 4, 8], 8),
        Parameters::insecure_toy(16, 16),
    ];
    for parameters in sets {
        let (secret, key) = keys(&parameters.unwrap());
        let x = secret.encrypt(&[5, 3, 0]).unwrap();
        let y = secret.encrypt(&[4, 3, 1]).unwrap();
        assert_same!(key, |it| {
            vec![
                it.less_than(&x, &y, silent()).unwrap(),
                it.greater_or_equal(&x, &y, silent()).unwrap(),
                it.index_of_larger(&x, &y, silent()).unwrap(),
                it.equal(&x, &y, silent()).unwrap(),
            ]
        });
        assert_same!(key, |it| {
            let lists = [
                it.maximum(&x, &y, silent()).unwrap(),
                it.minimum(&x, &y, silent()).unwrap(),
                it.relu(&x, silent()).unwrap(),
                it.absolute_value(&x, silent()).unwrap(),
                it.clamp(&x, 1..=3, silent()).unwrap(),
                it.digit_list(&x, silent()).unwrap(),
            ];
            lists.iter().flat_map(|list| list.digits().to_vec()).collect()
        });
    }
}
