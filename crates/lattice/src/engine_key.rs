//! The type in an engine's crate that wraps a key of another crate, to add methods to it.

/// Gives a type that wraps a key all methods of the key, and a reader that reads it like the key.
///
/// Types may have one parameter, with its bounds.
#[macro_export]
macro_rules! engine_key {
    ($name:ident $(<$p:ident: $bound:path $(, $also:path)?>)?, $inner:ty) => {
        impl $(<$p: $bound $(+ $also)?>)? ::std::ops::Deref for $name $(<$p>)? {
            type Target = $inner;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl $(<$p: $bound $(+ $also)?>)? $name $(<$p>)? {
            /// Reads a key.
            ///
            /// # Errors
            /// If the bytes are not exactly one undamaged key of this kind, or its parameters are insecure and that is not
            /// allowed.
            pub fn from_bytes(bytes: &[u8], options: $crate::ReadOptions) -> $crate::Result<Self> {
                <$inner>::from_bytes(bytes, options).map(Self)
            }
        }
    };
}
