//! Common methods of all keys in Python, as macros: a key class is a thin wrapper around a type of the library.
//!
//! A class may have several blocks of methods: each macro adds one.

/// Adds the common methods of clients' keys: `id`, `save`, `load`, refusal of pickles, and a text with the key's kind
/// and identifier.
///
/// The class has one field, `inner`, of the given type of the library.
macro_rules! secret_key {
    ($class:ident: $library:ty, $kind:literal) => {
        #[pyo3::pymethods]
        impl $class {
            /// The identifier shared by this key, its evaluation keys and its ciphertexts. It reveals nothing about the
            /// key.
            #[getter]
            fn id(&self) -> String {
                self.inner.id().to_string()
            }

            fn __repr__(&self) -> String {
                format!(concat!(stringify!($class), "(", $kind, ", id {})"), self.inner.id())
            }
        }

        $crate::keys::secret_key_files!($class: <$library>::from_bytes);
    };
}

/// Adds files of a client's key, and a refusal of pickles.
macro_rules! secret_key_files {
    ($class:ident: $read:expr) => {
        #[pyo3::pymethods]
        impl $class {
            /// Writes the key to a file that only its owner may read. An existing file is replaced only with
            /// `replace=True`: everything encrypted under its key is then lost.
            #[pyo3(signature = (path, *, replace = false))]
            fn save(&self, path: std::path::PathBuf, replace: bool) -> $crate::errors::Result<()> {
                $crate::key_files::save_secret(&path, replace, &self.inner.to_bytes())
            }

            /// Reads a key file.
            #[staticmethod]
            #[pyo3(signature = (path, *, allow_insecure = false))]
            fn load(
                py: pyo3::Python<'_>,
                path: std::path::PathBuf,
                allow_insecure: bool,
            ) -> $crate::errors::Result<Self> {
                let inner = $crate::key_files::load_secret(py, &path, allow_insecure, $read)?;
                Ok(Self { inner })
            }

            fn __reduce__(&self) -> $crate::errors::Result<()> {
                Err($crate::key_files::refuse_pickle(stringify!($class)))
            }
        }
    };
}

/// Adds the common methods of public keys: identifier, files and bytes.
///
/// The class has one field, `inner`, of the given type of the library.
macro_rules! public_key {
    ($class:ident: $library:ty) => {
        #[pyo3::pymethods]
        impl $class {
            /// The identifier of the secret key, which its evaluation keys and ciphertexts share.
            #[getter]
            fn id(&self) -> String {
                self.inner.id().to_string()
            }

            /// Writes the key to a file.
            #[pyo3(signature = (path, *, replace = false))]
            fn save(
                &self,
                py: pyo3::Python<'_>,
                path: std::path::PathBuf,
                replace: bool,
            ) -> $crate::errors::Result<()> {
                $crate::key_files::save_public(py, &path, replace, &self.inner.to_bytes())
            }

            /// Reads a key from a file, whoever wrote it.
            #[staticmethod]
            #[pyo3(signature = (path, *, allow_insecure = false))]
            fn load(
                py: pyo3::Python<'_>,
                path: std::path::PathBuf,
                allow_insecure: bool,
            ) -> $crate::errors::Result<Self> {
                let options = $crate::key_files::read_options(allow_insecure);
                let read = |bytes: &[u8]| <$library>::from_bytes(bytes, options);
                Ok(Self { inner: $crate::key_files::load_public(py, &path, read)? })
            }

            /// Returns the key as bytes, as in its file.
            fn to_bytes<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::Bound<'py, pyo3::types::PyBytes> {
                pyo3::types::PyBytes::new(py, &self.inner.to_bytes())
            }

            /// Reads the bytes that `to_bytes` returns or a file holds.
            #[staticmethod]
            #[pyo3(signature = (bytes, *, allow_insecure = false))]
            fn from_bytes(bytes: &[u8], allow_insecure: bool) -> $crate::errors::Result<Self> {
                let options = $crate::key_files::read_options(allow_insecure);
                let read = <$library>::from_bytes(bytes, options);
                Ok(Self { inner: read.map_err($crate::errors::raise)? })
            }

            fn __repr__(&self) -> String {
                format!("PublicKey(id {})", self.inner.id())
            }
        }
    };
}

/// Adds the methods by which a client's key makes the server's, in memory and in a file.
///
/// `inner` has `evaluation_key` and `write_evaluation_key` that take progress; the server's class has `in_memory`.
macro_rules! makes_evaluation_key {
    ($class:ident, $server:ident) => {
        #[pyo3::pymethods]
        impl $class {
            /// Makes the server's key, in memory.
            #[pyo3(signature = (*, threads: "int" = 0, progress = true))]
            fn evaluation_key(
                &self,
                py: pyo3::Python<'_>,
                #[pyo3(from_py_with = $crate::threads::of_call)] threads: usize,
                progress: Option<$crate::call::Progress<'_>>,
            ) -> $crate::errors::Result<$server> {
                let make = |progress: cryptable::Progress<'_>| self.inner.evaluation_key(progress);
                Ok($server::in_memory($crate::call::run_engine(
                    py,
                    threads,
                    progress,
                    "evaluation key",
                    make,
                )?))
            }

            /// Makes the server's key and writes it to a file, to be sent to the server, without ever holding all of it
            /// in memory.
            #[pyo3(signature = (path, *, threads: "int" = 0, progress = true, replace = false))]
            fn save_evaluation_key(
                &self,
                py: pyo3::Python<'_>,
                path: std::path::PathBuf,
                #[pyo3(from_py_with = $crate::threads::of_call)] threads: usize,
                progress: Option<$crate::call::Progress<'_>>,
                replace: bool,
            ) -> $crate::errors::Result<()> {
                let path = path.as_path();
                $crate::key_files::write_evaluation_key(
                    py,
                    path,
                    replace,
                    threads,
                    progress,
                    |out, progress| self.inner.write_evaluation_key(out, progress),
                )
            }
        }
    };
}

/// Adds the common methods of servers' keys: `open`, `key_id`, `memory_bytes`, pickles by path, and a text with the
/// key's kind.
///
/// The class has two fields: `inner`, of the given type of the library, and `origin`.
macro_rules! evaluation_key {
    ($class:ident: $library:ty, $kind:literal) => {
        impl $class {
            /// Wraps a key that has no file.
            pub(crate) fn in_memory(inner: $library) -> Self {
                Self { inner, origin: $crate::key_files::Origin::default() }
            }
        }

        #[pyo3::pymethods]
        impl $class {
            /// Maps a key file into memory and checks all of it. Processes that open the same file share its memory
            /// pages.
            #[staticmethod]
            #[pyo3(signature = (path, *, allow_insecure = false))]
            fn open(
                py: pyo3::Python<'_>,
                path: std::path::PathBuf,
                allow_insecure: bool,
            ) -> $crate::errors::Result<Self> {
                let read = <$library>::from_shared;
                let (inner, origin) =
                    $crate::key_files::open_mapped(py, &path, allow_insecure, read)?;
                Ok(Self { inner, origin })
            }

            fn __repr__(&self) -> String {
                let id = self.inner.key_id();
                format!(concat!(stringify!($class), "(", $kind, ", of client key {})"), id)
            }
        }

        $crate::keys::server_key!($class);
    };
}

/// Adds `key_id`, `memory_bytes` and pickles of servers' keys, for classes that open their files themselves.
macro_rules! server_key {
    ($class:ident) => {
        #[pyo3::pymethods]
        impl $class {
            /// The identifier of the secret key that it was made from.
            #[getter]
            fn key_id(&self) -> String {
                self.inner.key_id().to_string()
            }

            /// Bytes of memory that it uses.
            #[getter]
            fn memory_bytes(&self) -> usize {
                self.inner.memory_bytes()
            }

            fn __reduce__<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> $crate::errors::Result<$crate::key_files::ReducedKey<'py>> {
                self.origin.reduce::<Self>(py)
            }
        }
    };
}

pub(crate) use {
    evaluation_key, makes_evaluation_key, public_key, secret_key, secret_key_files, server_key,
};
