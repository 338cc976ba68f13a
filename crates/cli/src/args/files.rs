//! Which files each command reads and writes.

use std::path::{Path, PathBuf};

use clap::Args;

use super::aes::AesCommand;
#[cfg(feature = "client")]
use super::aes::AesKeySource;
use super::bridge::BridgeRunArgs;
use super::circuit::{CircuitCommand, NetlistArgs};
#[cfg(feature = "client")]
use super::client::{DecryptArgs, DemoArgs, Demonstration, EncryptArgs, Format, KeygenArgs};
use super::compare::CompareArgs;
#[cfg(feature = "client")]
use super::encrypt_table::EncryptTableArgs;
use super::foreign::ForeignCommand;
use super::frames::RunArgs;
#[cfg(feature = "client")]
use super::frames::SchemaCommand;
use super::integers::IntegersArgs;
use super::jobs::Job;
use super::lookup::{LookupArgs, TableArgs};
use super::rekey::RekeyCommand;
#[cfg(feature = "remote")]
use super::remote::{ConnectionArgs, RemoteCommand};
#[cfg(feature = "serve")]
use super::serve::{ServeArgs, ServeCommand, TableCommand};
use super::sum::SumArgs;
use super::wide::WideLookupArgs;
use super::{Cli, Command, PlanArgs};
use crate::guard::{FileArg, FileArgs};

impl Cli {
    /// All files that the command reads and writes.
    pub fn files(&self) -> FileArgs {
        match &self.command {
            Command::Plan(args) => args.files(),
            #[cfg(feature = "client")]
            Command::Keygen(args) => args.files(),
            #[cfg(feature = "client")]
            Command::Encrypt(args) => args.files(),
            #[cfg(feature = "client")]
            Command::EncryptTable(args) => args.files(),
            Command::Lookup(args) => args.files(),
            Command::Sum(args) => args.files(),
            Command::Run(args) => args.files(&[]),
            #[cfg(feature = "client")]
            Command::Schema(args) => args.command.files(),
            Command::Rekey(args) => args.command.files(),
            Command::Owners(args) => args.command.files(),
            #[cfg(feature = "client")]
            Command::Decrypt(args) => args.files(),
            Command::Aes(args) => args.command.files(),
            Command::Circuit(args) => args.command.files(),
            Command::Foreign(args) => args.command.files(),
            Command::Compare(args) => args.files(),
            // The key says how many digits there are, and the command then checks their files.
            Command::Digits(args) => args.files(&args.outputs(0)),
            Command::Automaton(args) => args.files(),
            Command::Bridge(args) => args.files(),
            Command::Integers(args) => args.files(),
            Command::Wide(args) => args.files(),
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

impl<F: Args> Job<F> {
    /// Returns the files that are read.
    fn inputs(&self) -> Vec<FileArg> {
        match self {
            Self::Circuit { job, .. } => inputs([netlist("NETLIST", job.netlist.as_deref())]),
            _ => Vec::new(),
        }
    }
}

impl PlanArgs {
    fn files(&self) -> FileArgs {
        let (mut files, output) = match &self.job {
            Some(job) => (job.inputs(), &job.files().output),
            None => (inputs([("--table", self.parameters.table.as_deref())]), &self.file.output),
        };
        files.extend(output.as_deref().map(|path| FileArg::bytes("--output", path)));
        FileArgs { files, force: false }
    }
}

#[cfg(feature = "client")]
impl KeygenArgs {
    fn files(&self) -> FileArgs {
        let mut files = match &self.job {
            Some(job) => job.inputs(),
            None => inputs([
                ("--table", self.parameters.table.as_deref()),
                ("--plan", self.plan.as_deref()),
            ]),
        };
        let keys = self.key_files();
        files.push(FileArg::new_key("--secret", &keys.secret));
        files.push(FileArg::new_key("--evaluation", &keys.evaluation));
        files.extend(keys.public.as_deref().map(|path| FileArg::new_key("--public", path)));
        FileArgs { files, force: keys.force }
    }
}

#[cfg(feature = "client")]
impl EncryptArgs {
    fn files(&self) -> FileArgs {
        let fixed = self.dictionary.as_deref().filter(|_| !self.extend);
        let mut files = inputs([
            ("--secret", self.secret.as_deref()),
            ("--public", self.public.as_deref()),
            ("--input", Some(&self.input)),
            ("--dictionary", fixed),
            ("--schema", self.schema.as_deref()),
            netlist("--circuit", self.circuit.circuit.as_deref()),
        ]);
        files.extend(dictionary("--dictionary", self.dictionary.as_deref(), self.extend));
        files.push(FileArg::bytes("--output", &self.output));
        files.extend(self.canaries.files());
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

impl RunArgs {
    /// Returns the files that are read and written, among them those that the pipeline names.
    pub fn files(&self, named: &[PathBuf]) -> FileArgs {
        let mut files = inputs([
            ("--evaluation", Some(self.evaluation.as_path())),
            ("PIPELINE", Some(&self.pipeline)),
            ("--input", Some(&self.input)),
        ]);
        files.extend(named.iter().map(|path| FileArg::input("PIPELINE", path)));
        files.push(FileArg::bytes("--output", &self.output));
        FileArgs { files, force: self.force }
    }
}

#[cfg(feature = "client")]
impl SchemaCommand {
    fn files(&self) -> FileArgs {
        let Self::Suggest(args) = self;
        let mut files = inputs([("FILE", Some(args.input.as_path()))]);
        files.push(FileArg::text("--output", &args.output));
        FileArgs { files, force: args.force }
    }
}

impl RekeyCommand {
    fn files(&self) -> FileArgs {
        match self {
            #[cfg(feature = "client")]
            Self::Keygen(args) => {
                let mut files =
                    inputs([("--secret", Some(args.secret.as_path())), ("--to", Some(&args.to))]);
                files.push(FileArg::new_key("--output", &args.output));
                FileArgs { files, force: args.force }
            }
            Self::Apply(args) => {
                let mut files = inputs([("--key", Some(args.key.as_path()))]);
                files.extend(args.files.files());
                FileArgs { files, force: args.files.force }
            }
        }
    }
}

impl ForeignCommand {
    fn files(&self) -> FileArgs {
        match self {
            #[cfg(feature = "client")]
            Self::Keygen(args) => {
                let mut files = inputs([("--secret", Some(args.secret.as_path()))]);
                files.push(FileArg::new_key("--evaluation", &args.evaluation));
                FileArgs { files, force: args.force }
            }
            Self::Gate(args) => {
                let mut files = inputs([("--evaluation", Some(args.evaluation.as_path()))]);
                files.extend(args.inputs.iter().map(|path| FileArg::input("--input", path)));
                files.push(FileArg::bytes("--output", &args.output));
                FileArgs { files, force: args.force }
            }
        }
    }
}

impl TableArgs {
    /// The dictionaries.
    pub(super) fn files(&self) -> Vec<FileArg> {
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
                    ("--bits-evaluation", args.bits_evaluation.as_deref()),
                    ("--input", args.input.as_deref()),
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
        let mut files = inputs([("--evaluation", Some(self.evaluation.as_path()))]);
        files.extend(self.inputs.iter().map(|path| FileArg::input("--input", path)));
        files.extend(self.imaginary.iter().map(|path| FileArg::input("--imaginary", path)));
        files.extend(self.reading.files());
        #[cfg(feature = "client")]
        files.extend(inputs([("--rerandomize", self.rerandomize.as_deref())]));
        files.extend(self.tables.iter().map(|path| FileArg::input("--table", path)));
        files.extend(self.outputs.iter().map(|path| FileArg::bytes("--output", path)));
        FileArgs { files, force: self.force }
    }
}

#[cfg(feature = "client")]
impl DecryptArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([
            ("--secret", self.secret.as_deref()),
            ("--input", Some(&self.input)),
            ("--join", self.join.as_deref()),
            ("--dictionary", self.dictionary.as_deref()),
            ("--schema", self.schema.as_deref()),
            ("--canaries", self.canaries.as_deref()),
            ("--table", self.table.as_deref()),
            ("--expected", self.expected.as_deref()),
        ]);
        files.extend(super::owners::all("--part", &self.parts));
        files.push(values(&self.output, self.format));
        files.extend(self.imaginary.as_deref().map(|path| values(path, self.format)));
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
            Self::EncryptKey(args) => {
                let files = inputs([
                    ("--secret", args.secret.as_deref()),
                    ("--public", args.public.as_deref()),
                    args.source.file(),
                ]);
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
                    ("--input", Some(&args.files.input)),
                    ("--table", args.table.as_deref()),
                ]);
                (files, FileArg::bytes("--output", &args.files.output), args.files.force)
            }
        };
        files.push(output);
        FileArgs { files, force }
    }
}

impl CompareArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([
            ("--evaluation", Some(self.evaluation.as_path())),
            ("--function", self.function.as_deref()),
        ]);
        files.extend(self.inputs.iter().map(|path| FileArg::input("--input", path)));
        files.push(FileArg::bytes("--output", &self.output));
        FileArgs { files, force: self.force }
    }
}

impl BridgeRunArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([
            ("--evaluation", Some(self.evaluation.as_path())),
            ("--second-table", self.second_table.as_deref()),
        ]);
        files.extend(self.inputs.iter().map(|path| FileArg::input("--input", path)));
        files.extend(self.tables.iter().map(|path| FileArg::input("--table", path)));
        files.push(FileArg::bytes("--output", &self.output));
        FileArgs { files, force: self.force }
    }
}

/// A netlist, unless it is a circuit of this program.
fn netlist<'a>(option: &'static str, path: Option<&'a Path>) -> (&'static str, Option<&'a Path>) {
    (option, path.filter(|path| path.exists()))
}

impl NetlistArgs {
    fn file(&self) -> (&'static str, Option<&Path>) {
        netlist("NETLIST", Some(&self.netlist))
    }
}

impl CircuitCommand {
    fn files(&self) -> FileArgs {
        let (mut files, output, force) = match self {
            #[cfg(feature = "client")]
            Self::Test(args) => {
                let mut files = inputs([args.circuit.file(), ("--inputs", Some(&args.inputs))]);
                files.extend(args.output.as_deref().map(|path| FileArg::text("--output", path)));
                return FileArgs { files, force: args.force };
            }
            Self::Run(args) => {
                let files = inputs([
                    args.circuit.file(),
                    ("--evaluation", Some(&args.evaluation)),
                    ("--input", Some(&args.input)),
                ]);
                (files, FileArg::bytes("--output", &args.output), args.force)
            }
        };
        files.push(output);
        FileArgs { files, force }
    }
}

impl WideLookupArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([
            ("--evaluation", Some(self.evaluation.as_path())),
            ("--dictionary", self.dictionary.as_deref()),
            ("--pieces", self.pieces.as_deref()),
            ("--sum", self.sum.as_deref()),
            ("--input", Some(&self.input)),
        ]);
        files.extend(self.products.iter().map(|path| FileArg::input("--product", path)));
        files.push(FileArg::bytes("--output", &self.output));
        FileArgs { files, force: self.force }
    }
}

impl IntegersArgs {
    fn files(&self) -> FileArgs {
        let mut files = inputs([
            ("--evaluation", Some(self.evaluation.as_path())),
            ("--condition", self.condition.as_deref()),
            ("--amount", self.amount.as_deref()),
            ("--pieces", self.pieces.as_deref()),
        ]);
        files.extend(self.inputs.iter().map(|path| FileArg::input("--input", path)));
        files.push(FileArg::bytes("--output", &self.output));
        FileArgs { files, force: self.force }
    }
}
