//! The grammar of `owners`.

#[cfg(feature = "client")]
use std::path::Path;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::common::OutputArgs;
use super::lookup::TableArgs;

/// Subcommands of `owners`.
#[derive(Debug, Subcommand)]
pub enum OwnersCommand {
    /// Begin joint keys: write the parameters and masks that all owners use
    #[cfg(feature = "client")]
    #[command(after_help = SESSION)]
    Session(SessionArgs),
    /// Generate an owner's part of the secret key, its commitment and its shares
    #[cfg(feature = "client")]
    #[command(after_help = SHARE)]
    Share(ShareArgs),
    /// Agree to the commitments of all owners, once, and write an owner's second share
    #[cfg(feature = "client")]
    #[command(after_help = AGREE)]
    Agree(AgreeArgs),
    /// Deal shares of an owner's secret to holders; with N owners, any N holders can then decrypt
    #[cfg(feature = "client")]
    #[command(after_help = DEAL)]
    Deal(DealArgs),
    /// Add up the shares that all owners dealt to a holder, to get its share of the secret key
    #[cfg(feature = "client")]
    #[command(after_help = RECEIVE)]
    Receive(ReceiveArgs),
    /// Combine the shares of all owners into a public key and evaluation keys; needs no secret
    #[cfg(feature = "client")]
    #[command(after_help = COMBINE)]
    Combine(CombineArgs),
    /// Look up encrypted values under joint keys, for owners to decrypt together; needs no secret
    #[command(after_help = LOOKUP)]
    Lookup(JointLookupArgs),
}

/// Arguments of `owners session`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("input").required(true))]
pub struct SessionArgs {
    /// Number of owners, each of whom gets a part of the secret key
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=16))]
    pub owners: u32,
    /// Width of the inputs of tables in bits
    #[arg(long, value_name = "B", group = "input", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub bits: Option<u32>,
    /// Input modulus of tables: values are 0 .. P - 1
    #[arg(long, value_name = "P", group = "input", value_parser = clap::value_parser!(u64).range(2..=1 << 16))]
    pub modulus: Option<u64>,
    /// Width of the outputs in bits for which the fastest parameters are chosen; tables with other outputs are served,
    /// too
    #[arg(long, value_name = "B", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=32))]
    pub output_bits: u32,
    /// File for the session
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    /// INSECURE parameters of small rings, for tests of this program
    #[arg(long, hide = true)]
    pub insecure_toy: bool,
}

/// Arguments of `owners share`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct ShareArgs {
    /// Session from `owners session`
    #[arg(long, value_name = "FILE")]
    pub session: PathBuf,
    /// Number of this owner, counted from 1
    #[arg(long, value_name = "N")]
    pub owner: u32,
    /// File for the owner's part of the secret key, which stays with the owner
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// File for the commitment, which goes to all owners at once
    #[arg(long, value_name = "FILE")]
    pub commitment: PathBuf,
    /// File for the first share, which goes to all owners once all commitments have arrived
    #[arg(long, value_name = "FILE")]
    pub first: PathBuf,
    /// File for the key share, which goes to whoever runs `owners combine`, once all commitments have arrived
    #[arg(long, value_name = "FILE")]
    pub keys: PathBuf,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `owners agree`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct AgreeArgs {
    /// The owner's part of the secret key, which records what it agrees to
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// Commitments of all owners, in any order
    #[arg(long = "commitment", value_name = "FILE", required = true, num_args = 1..)]
    pub commitments: Vec<PathBuf>,
    /// First shares of all owners, in any order
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub first: Vec<PathBuf>,
    /// File for the second share, which goes to whoever runs `owners combine`
    #[arg(long, value_name = "FILE")]
    pub second: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `owners deal`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct DealArgs {
    /// The owner's part of the secret key, after `owners agree`
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// Files for the dealt shares, one per holder in order, each of which only its holder may read
    #[arg(long = "dealt", value_name = "FILE", required = true, num_args = 1..=16)]
    pub dealt: Vec<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `owners receive`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct ReceiveArgs {
    /// Dealt shares of all owners for this holder, in any order
    #[arg(long = "dealt", value_name = "FILE", required = true, num_args = 1..)]
    pub dealt: Vec<PathBuf>,
    /// File for the holder's share of the secret key, which stays with the holder
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `owners combine`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct CombineArgs {
    /// Session from `owners session`
    #[arg(long, value_name = "FILE")]
    pub session: PathBuf,
    /// Commitments of all owners, in any order
    #[arg(long = "commitment", value_name = "FILE", required = true, num_args = 1..)]
    pub commitments: Vec<PathBuf>,
    /// First shares of all owners, in any order
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub first: Vec<PathBuf>,
    /// Key shares of all owners, in any order
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub keys: Vec<PathBuf>,
    /// Second shares of all owners, in any order
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub second: Vec<PathBuf>,
    /// File for the public key, with which anyone can encrypt
    #[arg(long, value_name = "FILE")]
    pub public: PathBuf,
    /// File for the evaluation key of values
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// File for the evaluation key of bits, into which results are converted before owners decrypt them
    #[arg(long, value_name = "FILE")]
    pub bits_evaluation: PathBuf,
    /// Overwrite existing key files
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `owners lookup`.
#[derive(Args, Debug)]
pub struct JointLookupArgs {
    /// Joint evaluation key of values
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// Joint evaluation key of bits
    #[arg(long, value_name = "FILE")]
    pub bits_evaluation: PathBuf,
    /// Table: .csv with one output per line or lines `input,output`, or .npy
    #[arg(long, value_name = "FILE")]
    pub table: PathBuf,
    #[command(flatten)]
    pub reading: TableArgs,
    /// File of ciphertexts; results are for all owners to decrypt together
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Degree to which an owner's part of a decryption hides its part of the secret key; all owners use the same numbers.
#[cfg(feature = "client")]
#[derive(Args, Clone, Debug)]
pub struct FloodingArgs {
    /// With an owner's secret: log2 of the statistical distance from what the results alone reveal, over all
    /// --decryptions [default: -40]
    #[arg(long, value_name = "L", allow_hyphen_values = true, conflicts_with = "parts", value_parser = log2_distance)]
    pub log2_distance: Option<f64>,
    /// With an owner's secret: maximum number of ciphertexts of bits that are ever decrypted under the joint key;
    /// results of 8 bits use 8 of them per 65,536 values [default: 65536]
    #[arg(long, value_name = "N", conflicts_with = "parts", value_parser = clap::value_parser!(u64).range(1..))]
    pub decryptions: Option<u64>,
    /// With a holder's share of a secret key: numbers of all holders who decrypt together, including this one,
    /// separated by commas
    #[arg(long, value_name = "NUMBERS", conflicts_with = "parts", value_delimiter = ',')]
    pub together: Vec<u32>,
}

#[cfg(feature = "client")]
impl FloodingArgs {
    /// Returns whether no option is given.
    pub fn is_default(&self) -> bool {
        self.log2_distance.is_none() && self.decryptions.is_none() && self.together.is_empty()
    }
}

#[cfg(feature = "client")]
fn log2_distance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|log2| (-128.0..=-40.0).contains(log2));
    number.ok_or_else(|| "it must be a number from -128 to -40".into())
}

#[cfg(feature = "client")]
impl ShareArgs {
    /// Returns the files that are written, in the order in which they are renamed into place.
    pub fn outputs(&self) -> [&Path; 4] {
        [&self.first, &self.keys, &self.commitment, &self.secret].map(PathBuf::as_path)
    }
}

#[cfg(feature = "client")]
impl CombineArgs {
    /// Returns the files that are written, in the order in which they are renamed into place.
    pub fn outputs(&self) -> [&Path; 3] {
        [&self.evaluation, &self.bits_evaluation, &self.public].map(PathBuf::as_path)
    }
}

/// Help of `owners`.
#[cfg(feature = "client")]
pub const OVERVIEW: &str = "\
Examples, for three owners of whom ann is the first:
  cryptable owners session --owners 3 --bits 8 --output session
  cryptable owners share --session session --owner 1 --secret ann.secret \\
    --commitment ann.commitment --first ann.first --keys ann.keys
  cryptable owners agree --secret ann.secret --commitment *.commitment --first *.first \\
    --second ann.second
  cryptable owners combine --session session --commitment *.commitment --first *.first \\
    --keys *.keys --second *.second --public public.key --evaluation server.key \\
    --bits-evaluation bits.key
  cryptable encrypt --public public.key --input ages.csv --output ages.ct
  cryptable owners lookup --evaluation server.key --bits-evaluation bits.key --table risks.csv \\
    --input ages.ct --output risks.joint
  cryptable decrypt --secret ann.secret --input risks.joint --output ann.part
  cryptable decrypt --part ann.part bob.part eve.part --input risks.joint --output risks.csv

Each owner has a part of the secret key, and nobody has all of it; all owners decrypt together.";

/// Help of `owners`.
#[cfg(not(feature = "client"))]
pub const OVERVIEW: &str = LOOKUP;

/// Help of `owners session`.
#[cfg(feature = "client")]
const SESSION: &str = "\
Examples:
  cryptable owners session --owners 3 --bits 8 --output session
  cryptable owners session --owners 2 --modulus 120 --output-bits 4 --output session

Anyone may begin a session; it is public, and all owners must use the same one.";

/// Help of `owners share`.
#[cfg(feature = "client")]
const SHARE: &str = "\
Examples:
  cryptable owners share --session session --owner 1 --secret ann.secret \\
    --commitment ann.commitment --first ann.first --keys ann.keys

Send the commitment at once, and both shares only after the commitments of all owners have arrived:
an owner who saw the shares of others before committing to its own could choose the joint key.";

/// Help of `owners agree`.
#[cfg(feature = "client")]
const AGREE: &str = "\
Examples:
  cryptable owners agree --secret ann.secret --commitment *.commitment --first *.first \\
    --second ann.second

Both lists include the owner's own files. Compare the key identifier with the other owners over
another channel before you send the second share. A secret agrees only once: two second shares for
different commitments would reveal it, so never restore an older copy of its file.";

/// Help of `owners combine`.
#[cfg(feature = "client")]
const COMBINE: &str = "\
Examples:
  cryptable owners combine --session session --commitment *.commitment --first *.first \\
    --keys *.keys --second *.second --public public.key --evaluation server.key \\
    --bits-evaluation bits.key

All shares are public, and so are the keys made from them; give the public key to encrypt --public.";

/// Help of `owners deal`.
#[cfg(feature = "client")]
const DEAL: &str = "\
Examples, for three owners and five holders:
  cryptable owners deal --secret ann.secret --dealt ann.to1 ann.to2 ann.to3 ann.to4 ann.to5

Any three of the five can then decrypt, and any two learn nothing. Every owner deals to every
holder; owners can be holders, too, with numbers of their own. Send each file to its holder over a
channel that nobody else can read, then delete the file. If you run the command again, it writes the
same files; with more files, it deals to more holders.";

/// Help of `owners receive`.
#[cfg(feature = "client")]
const RECEIVE: &str = "\
Examples, for the fourth of five holders:
  cryptable owners receive --dealt ann.to4 bob.to4 eve.to4 --secret dan.secret
  cryptable decrypt --secret dan.secret --together 1,4,5 --input risks.joint --output dan.part

Holders 1, 4 and 5 do the same; decrypt --part then puts their three parts together.";

/// Help of `owners lookup`.
const LOOKUP: &str = "\
Examples:
  cryptable owners lookup --evaluation server.key --bits-evaluation bits.key --table risks.csv \\
    --input ages.ct --output risks.joint

Results can only be decrypted, by all owners together. Add values before the lookup: cryptable sum
uses the same evaluation key.";
