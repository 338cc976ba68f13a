//! Which files each command reads and writes.

use std::path::Path;

use super::aes::AesCommand;
#[cfg(feature = "client")]
use super::aes::AesKeySource;
use super::bridge::BridgeCommand;
use super::circuit::{CircuitCommand, NetlistArgs};
#[cfg(feature = "client")]
use super::client::{DecryptArgs, DemoArgs, Demonstration, EncryptArgs, Format, KeygenArgs};
use super::compare::CompareCommand;
#[cfg(feature = "client")]
use super::encrypt_table::EncryptTableArgs;
use super::integers::IntegersCommand;
use super::lookup::{LookupArgs, TableArgs};
#[cfg(feature = "remote")]
use super::remote::{ConnectionArgs, RemoteCommand};
#[cfg(feature = "serve")]
use super::serve::{ServeArgs, ServeCommand, TableCommand};
use super::sum::SumArgs;
use super::wide::WideCommand;
use super::{Cli, Command};
use crate::guard::{FileArg, FileArgs};

impl Cli {
    /// All files that the command reads and writes.
    pub fn files(&self) -> FileArgs {
        match &self.command {
            Command::Plan(args) => FileArgs {
                files: inputs([("--table", args.parameters.table.as_deref())]),
                force: false,
            },
            #[cfg(feature = "client")]
            Command::Keygen(args) => args.files(),
            #[cfg(feature = "client")]
            Command::Encrypt(args) => args.files(),
            #[cfg(feature = "client")]
            Command::EncryptTable(args) => args.files(),
            Command::Lookup(args) => args.files(),
            Command::Sum(args) => args.files(),
            #[cfg(feature = "client")]
            Command::Decrypt(args) => args.files(),
            Command::Aes(args) => args.command.files(),
            Command::Circuit(args) => args.command.files(),
            Command::Compare(args) => args.command.files(),
            Command::Bridge(args) => args.command.files(),
            Command::Integers(args) => args.command.files(),
            Command::Wide(args) => args.command.files(),
            #[cfg(feature = "serve")]
            Command::Serve(args) => args.files(),
            #[cfg(feature = "remote")]
            Command::Remote(args) => args.command.files(),
            Command::Inspect(args) => {
                let files = args.files.iter().map(|path| FileArg::input("FILE", path)).collect();
                FileArgs { files, force: false }
            }
            #[cfg(feature = "client")]
            Command::Demo(args) => args.files(),
            #[cfg(feature = "bench")]
            Command::Bench(_) => FileArgs::default(),
            Command::Completions(_) => FileArgs::default(),
        }
    }
}

/// Files that options name which are given.
fn inputs<const COUNT: usize>(options: [(&'static str, Option<&Path>); COUNT]) -> Vec<FileArg> {
    let given = options.into_iter().filter_map(|(option, path)| Some((option, path?)));
    given.map(|(option, path)| FileArg::input(option, path)).collect()
}

/// A dictionary: read, and written if it may grow.
fn dictionary(option: &'static str, path: Option<&Path>, is_extended: bool) -> Vec<FileArg> {
    let path = path.filter(|_| is_extended);
    path.map(|path| FileArg::text(option, path)).into_iter().collect()
}

/// A file of values that is written.
#[cfg(feature = "client")]
fn values(path: &Path, format: Option<Format>) -> FileArg {
    let is_text = matches!(format, None | Some(Format::Csv));
    if is_text { FileArg::text("--output", path) } else { FileArg::bytes("--output", path) }
}

#[cfg(feature = "client")]
impl KeygenArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([("--table", self.parameters.table.as_deref())]);
        files.push(FileArg::new_key("--secret", &self.secret));
        files.push(FileArg::new_key("--evaluation", &self.evaluation));
        FileArgs { files, force: self.force }
    }
}

#[cfg(feature = "client")]
impl EncryptArgs {
    fn files(&self) -> FileArgs {
        let fixed = self.dictionary.as_deref().filter(|_| !self.extend);
        let mut files = inputs([
            ("--secret", Some(&self.secret)),
            ("--input", Some(&self.input)),
            ("--dictionary", fixed),
        ]);
        files.extend(dictionary("--dictionary", self.dictionary.as_deref(), self.extend));
        files.push(FileArg::bytes("--output", &self.output));
        FileArgs { files, force: self.force }
    }
}

impl SumArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([("--evaluation", Some(self.evaluation.as_path()))]);
        files.extend(self.inputs.iter().map(|path| FileArg::input("--input", path)));
        files.push(FileArg::bytes("--output", &self.output));
        FileArgs { files, force: self.force }
    }
}

impl TableArgs {
    /// The dictionaries.
    fn files(&self) -> Vec<FileArg> {
        // One book may serve inputs and outputs.
        let is_shared = self.dictionary == self.output_dictionary;
        let fixed = self.dictionary.as_deref().filter(|_| !(is_shared && self.extend));
        let fixed_output = self.output_dictionary.as_deref().filter(|_| !self.extend);
        let mut files = inputs([
            ("--dictionary", fixed),
            ("--output-dictionary", fixed_output.filter(|_| !is_shared)),
        ]);
        let book = self.output_dictionary.as_deref();
        files.extend(dictionary("--output-dictionary", book, self.extend));
        files
    }
}

#[cfg(feature = "serve")]
impl ServeArgs {
    fn files(&self) -> FileArgs {
        let Some(ServeCommand::Table(table)) = &self.command else { return FileArgs::default() };
        let TableCommand::Add(args) = &table.command else { return FileArgs::default() };
        let mut files = inputs([("--table", Some(args.table.as_path()))]);
        files.extend(args.reading.files());
        FileArgs { files, force: false }
    }
}

#[cfg(feature = "remote")]
impl RemoteCommand {
    fn files(&self) -> FileArgs {
        let of = |connection: &ConnectionArgs| {
            inputs([("--token-file", connection.token_file.as_deref())])
        };
        match self {
            Self::Tables(args) | Self::List(args) => FileArgs { files: of(args), force: false },
            Self::Remove(args) => FileArgs { files: of(&args.connection), force: false },
            Self::Upload(args) => {
                let mut files = of(&args.connection);
                files.extend(args.files.iter().map(|path| FileArg::input("FILE", path)));
                FileArgs { files, force: false }
            }
            Self::Lookup(args) => {
                let mut files = of(&args.connection);
                files.extend(inputs([
                    ("--evaluation", args.evaluation.as_deref()),
                    ("--input", Some(&args.input)),
                ]));
                let outputs = args.results.outputs.iter();
                files.extend(outputs.map(|path| FileArg::bytes("--output", path)));
                FileArgs { files, force: args.results.force }
            }
            Self::Fetch(args) => {
                let mut files = of(&args.connection);
                let outputs = args.results.outputs.iter();
                files.extend(outputs.map(|path| FileArg::bytes("--output", path)));
                FileArgs { files, force: args.results.force }
            }
        }
    }
}

#[cfg(feature = "client")]
impl EncryptTableArgs {
    fn files(&self) -> FileArgs {
        let mut files =
            inputs([("--secret", Some(self.secret.as_path())), ("--table", Some(&self.table))]);
        files.extend(self.reading.files());
        files.push(FileArg::bytes("--output", &self.output));
        FileArgs { files, force: self.force }
    }
}

impl LookupArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([
            ("--evaluation", Some(self.evaluation.as_path())),
            ("--input", Some(&self.input)),
        ]);
        files.extend(self.reading.files());
        files.extend(self.tables.iter().map(|path| FileArg::input("--table", path)));
        files.extend(self.outputs.iter().map(|path| FileArg::bytes("--output", path)));
        FileArgs { files, force: self.force }
    }
}

#[cfg(feature = "client")]
impl DecryptArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([
            ("--secret", Some(&self.secret)),
            ("--input", Some(&self.input)),
            ("--join", self.join.as_deref()),
            ("--dictionary", self.dictionary.as_deref()),
        ]);
        files.push(values(&self.output, self.format));
        FileArgs { files, force: self.force }
    }
}

#[cfg(feature = "client")]
impl DemoArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([("--image", self.image.as_deref())]);
        let name = match self.what {
            Demonstration::Scan => "before-after.png",
            Demonstration::Gelu => "gelu.csv",
        };
        let table = Path::new(&self.table);
        files.extend(table.exists().then(|| FileArg::input("--table", table)));
        files.push(FileArg::text("--output", &self.output.join(name)));
        FileArgs { files, force: false }
    }
}

#[cfg(feature = "client")]
impl AesKeySource {
    fn file(&self) -> (&'static str, Option<&Path>) {
        ("--key-file", self.key_file.as_deref())
    }
}

impl AesCommand {
    fn files(&self) -> FileArgs {
        let (mut files, output, force) = match self {
            #[cfg(feature = "client")]
            Self::Keygen(args) => {
                let secret = FileArg::new_key("--secret", &args.secret);
                let evaluation = FileArg::new_key("--evaluation", &args.evaluation);
                return FileArgs { files: vec![secret, evaluation], force: args.force };
            }
            #[cfg(feature = "client")]
            Self::EncryptKey(args) => {
                let files = inputs([("--secret", Some(&args.secret)), args.source.file()]);
                (files, FileArg::bytes("--output", &args.output), args.force)
            }
            #[cfg(feature = "client")]
            Self::Encrypt(args) => {
                let files = inputs([args.source.file(), ("--input", Some(&args.input))]);
                (files, FileArg::bytes("--output", &args.output), args.force)
            }
            // A message in the clear may well be text.
            #[cfg(feature = "client")]
            Self::Open(args) => {
                let files = inputs([args.source.file(), ("--input", Some(&args.input))]);
                (files, FileArg::text("--output", &args.output), args.force)
            }
            Self::Transcipher(args) => {
                let files = inputs([
                    ("--evaluation", Some(&args.evaluation)),
                    ("--encrypted-key", Some(&args.encrypted_key)),
                    ("--input", Some(&args.input)),
                    ("--table", args.table.as_deref()),
                ]);
                (files, FileArg::bytes("--output", &args.output), args.force)
            }
            #[cfg(feature = "client")]
            Self::Decrypt(args) => {
                let files =
                    inputs([("--secret", Some(&args.secret)), ("--input", Some(&args.input))]);
                (files, FileArg::text("--output", &args.output), args.force)
            }
        };
        files.push(output);
        FileArgs { files, force }
    }
}

/// The files of a command that generates keys.
#[cfg(feature = "client")]
fn new_keys(secret: &Path, evaluation: &Path, force: bool) -> FileArgs {
    let secret = FileArg::new_key("--secret", secret);
    let evaluation = FileArg::new_key("--evaluation", evaluation);
    FileArgs { files: vec![secret, evaluation], force }
}

impl CompareCommand {
    fn files(&self) -> FileArgs {
        match self {
            Self::Plan(_) => FileArgs::default(),
            #[cfg(feature = "client")]
            Self::Keygen(args) => new_keys(&args.secret, &args.evaluation, args.force),
            #[cfg(feature = "client")]
            Self::Encrypt(args) => args.files(),
            Self::Run(args) => {
                let mut files = inputs([("--evaluation", Some(args.evaluation.as_path()))]);
                files.extend(args.inputs.iter().map(|path| FileArg::input("--input", path)));
                files.push(FileArg::bytes("--output", &args.output));
                FileArgs { files, force: args.force }
            }
            #[cfg(feature = "client")]
            Self::Decrypt(args) => args.files(),
        }
    }
}

impl BridgeCommand {
    fn files(&self) -> FileArgs {
        match self {
            Self::Plan(_) => FileArgs::default(),
            #[cfg(feature = "client")]
            Self::Keygen(args) => new_keys(&args.secret, &args.evaluation, args.force),
            #[cfg(feature = "client")]
            Self::Encrypt(args) => args.files(),
            Self::Run(args) => {
                let mut files = inputs([
                    ("--evaluation", Some(args.evaluation.as_path())),
                    ("--second-table", args.second_table.as_deref()),
                ]);
                files.extend(args.inputs.iter().map(|path| FileArg::input("--input", path)));
                files.extend(args.tables.iter().map(|path| FileArg::input("--table", path)));
                files.push(FileArg::bytes("--output", &args.output));
                FileArgs { files, force: args.force }
            }
            #[cfg(feature = "client")]
            Self::Decrypt(args) => args.files(),
        }
    }
}

impl NetlistArgs {
    /// None of a circuit of this program.
    fn file(&self) -> (&'static str, Option<&Path>) {
        ("NETLIST", Some(self.netlist.as_path()).filter(|path| path.exists()))
    }
}

impl CircuitCommand {
    fn files(&self) -> FileArgs {
        let (mut files, output, force) = match self {
            Self::Plan(args) => {
                return FileArgs { files: inputs([args.circuit.file()]), force: false };
            }
            #[cfg(feature = "client")]
            Self::Test(args) => {
                let mut files = inputs([args.circuit.file(), ("--inputs", Some(&args.inputs))]);
                files.extend(args.output.as_deref().map(|path| FileArg::text("--output", path)));
                return FileArgs { files, force: args.force };
            }
            #[cfg(feature = "client")]
            Self::Keygen(args) => {
                let secret = FileArg::new_key("--secret", &args.secret);
                let evaluation = FileArg::new_key("--evaluation", &args.evaluation);
                return FileArgs { files: vec![secret, evaluation], force: args.force };
            }
            #[cfg(feature = "client")]
            Self::Encrypt(args) => {
                let files = inputs([
                    args.circuit.file(),
                    ("--secret", Some(&args.secret)),
                    ("--input", Some(&args.input)),
                ]);
                (files, FileArg::bytes("--output", &args.output), args.force)
            }
            Self::Run(args) => {
                let files = inputs([
                    args.circuit.file(),
                    ("--evaluation", Some(&args.evaluation)),
                    ("--input", Some(&args.input)),
                ]);
                (files, FileArg::bytes("--output", &args.output), args.force)
            }
            #[cfg(feature = "client")]
            Self::Decrypt(args) => {
                let files =
                    inputs([("--secret", Some(&args.secret)), ("--input", Some(&args.input))]);
                (files, FileArg::text("--output", &args.output), args.force)
            }
        };
        files.push(output);
        FileArgs { files, force }
    }
}

impl WideCommand {
    fn files(&self) -> FileArgs {
        match self {
            Self::Plan(_) => FileArgs::default(),
            #[cfg(feature = "client")]
            Self::Keygen(args) => new_keys(&args.secret, &args.evaluation, args.force),
            #[cfg(feature = "client")]
            Self::Encrypt(args) => args.files.files(),
            Self::Lookup(args) => {
                let mut files = inputs([
                    ("--evaluation", Some(args.evaluation.as_path())),
                    ("--dictionary", args.dictionary.as_deref()),
                    ("--pieces", args.pieces.as_deref()),
                    ("--sum", args.sum.as_deref()),
                    ("--input", Some(&args.input)),
                ]);
                files.extend(args.products.iter().map(|path| FileArg::input("--product", path)));
                files.push(FileArg::bytes("--output", &args.output));
                FileArgs { files, force: args.force }
            }
            #[cfg(feature = "client")]
            Self::Decrypt(args) => args.files.files(),
        }
    }
}

impl IntegersCommand {
    fn files(&self) -> FileArgs {
        match self {
            Self::Plan(_) => FileArgs::default(),
            #[cfg(feature = "client")]
            Self::Keygen(args) => new_keys(&args.secret, &args.evaluation, args.force),
            #[cfg(feature = "client")]
            Self::Encrypt(args) => args.files.files(),
            Self::Run(args) => {
                let mut files = inputs([
                    ("--evaluation", Some(args.evaluation.as_path())),
                    ("--condition", args.condition.as_deref()),
                    ("--amount", args.amount.as_deref()),
                    ("--pieces", args.pieces.as_deref()),
                ]);
                files.extend(args.inputs.iter().map(|path| FileArg::input("--input", path)));
                files.push(FileArg::bytes("--output", &args.output));
                FileArgs { files, force: args.force }
            }
            #[cfg(feature = "client")]
            Self::Decrypt(args) => args.files(),
        }
    }
}
