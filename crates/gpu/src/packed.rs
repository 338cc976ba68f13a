//! Keys of packed lookups on a card.

use cryptable_lattice::Result;
use cryptable_packed::{EvaluationKey, LookupMatrices, Lookups};

use crate::Device;
use crate::evaluator::DeviceEvaluator;
use crate::linear_transform::DeviceTransform;
use crate::ring::DeviceRing;
use crate::switching_key::DeviceKeys;

/// A client's evaluation key on a card: ring, switching keys and encoded matrices stay there for all lookups.
///
/// ```
/// use cryptable_gpu::{Device, PackedKey};
/// use cryptable_packed::{Parameters, Progress, SecretKey, Table};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// # #[cfg(feature = "emulation")] {
/// let on_card = PackedKey::upload(&Device::for_tests(), &key)?;
/// let lookups = on_card.lookups();
/// let square = lookups.prepare(&Table::from_fn(4, 4, |x| x * x % 4)?)?;
/// let output = lookups.lookup(&secret.encrypt(&[0, 1, 2, 3])?, &square, Progress::silent())?;
/// assert_eq!(secret.decrypt(&output)?, [0, 1, 0, 1]);
/// # }
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Debug)]
pub struct PackedKey<'a> {
    key: &'a EvaluationKey,
    ring: DeviceRing<'a>,
    keys: DeviceKeys<'a>,
    matrices: LookupMatrices<DeviceTransform>,
}

impl<'a> PackedKey<'a> {
    /// Copies a key to a card.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Device`] if it does not fit, or the card fails.
    pub fn upload(device: &Device, key: &'a EvaluationKey) -> Result<Self> {
        let ring = DeviceRing::new(device, key.ring());
        let keys = DeviceKeys::upload(&ring, key.keys());
        let matrices = key.matrices().map(|matrix| DeviceTransform::upload(&ring, matrix));
        device.check()?;
        Ok(Self { key, ring, keys, matrices })
    }

    /// Lookups on the card, with the results of the processor's to the bit.
    #[must_use]
    pub fn lookups(&self) -> Lookups<'_, DeviceEvaluator<'_>> {
        Lookups::new(self.key, DeviceEvaluator::new(&self.ring, &self.keys), &self.matrices)
    }

    /// The card.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.ring.device()
    }
}
