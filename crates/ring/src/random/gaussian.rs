//! Gaussian noise, which is added to decrypted values. Errors of encryptions are centred binomial.

use rand::Rng;
use rand_distr::StandardNormal;
use zeroize::Zeroizing;

use super::RandomStream;

impl RandomStream {
    /// Draws real numbers from a Gaussian of mean 0 and this standard deviation. The time that this takes depends on
    /// them.
    ///
    /// ```
    /// use cryptable_ring::random::RandomStream;
    /// let noise = RandomStream::from_os().gaussian(10_000, 3.0);
    /// let variance = noise.iter().map(|x| x * x).sum::<f64>() / 10_000.0;
    /// assert!((8.0..10.0).contains(&variance));
    /// ```
    #[must_use]
    pub fn gaussian(&mut self, count: usize, deviation: f64) -> Zeroizing<Vec<f64>> {
        let generator = &mut *self.generator;
        let mut draw = || -> f64 { deviation * generator.sample::<f64, _>(StandardNormal) };
        Zeroizing::new((0..count).map(|_| draw()).collect())
    }
}
