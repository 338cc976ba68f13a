//! Networks: layers of integer sums, each of which is looked up in its own table.

use cryptable_lattice::error::{Error, Result, check_equal};

use crate::formulas::layer::Layer;
use crate::formulas::prepared::{Stage, check_modulus};
use crate::formulas::stages::{PreparedFormulas, Sums};

impl PreparedFormulas {
    /// Prepares a network. Each layer except the last has tables, and the sums of the last are the results.
    ///
    /// Sums of the first layer need no lookup; each sum with a table needs one lookup of its own column. Sums of
    /// further layers are computed in slots, from tables' outputs. All sums are modulo the modulus of columns, which
    /// must be large enough for sums whose tables depend on more than the residue.
    ///
    /// ```
    /// use cryptable_packed::{Layer, Parameters, PreparedFormulas, Progress, SecretKey};
    /// // |x - y| and x + y, and three times the former plus the latter.
    /// let size = |value: i64| if value < 8 { value } else { 16 - value };
    /// let tables = vec![(0..16).map(size).collect(), (0..16).collect()];
    /// let first = Layer { weights: vec![vec![1, -1], vec![1, 1]], constants: vec![0, 0], tables };
    /// let last = Layer { weights: vec![vec![3, 1]], constants: vec![0], tables: Vec::new() };
    /// let network = PreparedFormulas::network(&[first, last], 16)?;
    /// assert_eq!((network.columns(), network.formulas(), network.lookups()), (2, 1, 2));
    ///
    /// // `Parameters::for_formulas` gives 128-bit parameters.
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_formulas(64, &network)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (x, y) = (secret.encrypt(&[1, 7, 0])?, secret.encrypt(&[5, 2, 0])?);
    /// let results = key.evaluate(&[&x, &y], &network, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&results[0])?, [18, 24, 0]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two layers, if numbers of factors, constants or tables do not fit each other, if a table does not
    /// fit the modulus, or if a sum depends on no column.
    pub fn network(layers: &[Layer], input_modulus: u64) -> Result<Self> {
        let [first, later @ ..] = layers else {
            return Err(too_few(layers));
        };
        let Some((last, _)) = later.split_last() else {
            return Err(too_few(layers));
        };
        check_modulus(input_modulus)?;
        check_equal("number of tables of the last layer", last.tables.len(), 0)?;
        let sums = Sums::new(&first.weights, &first.constants, input_modulus)?;
        let stage = |pair: &[Layer]| {
            let [before, layer] = pair else { unreachable!("windows of two") };
            check_equal("number of tables of a layer", before.tables.len(), before.weights.len())?;
            Stage::of_layer(&before.tables, layer, input_modulus)
        };
        Ok(Self::of_sums(sums, layers.windows(2).map(stage).collect::<Result<_>>()?))
    }
}

fn too_few(layers: &[Layer]) -> Error {
    let name = "number of layers of a network";
    Error::TooSmall { name, value: layers.len() as u64, limit: 2 }
}
