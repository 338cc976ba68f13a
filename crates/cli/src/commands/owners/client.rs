//! Owners' parts of a secret key, their messages, and the sums of these messages.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::bits::{JointDecryption, Parameters, PartialDecryption};
use cryptable::owners::{
    EvaluationKeyShares, JointAgreement, JointResult, JointSecret, JointSession, Owners,
    ThresholdSecret,
};
use cryptable::{Progress, PublicKey, ReadOptions};
use cryptable_wire::{MappedFile, ObjectType, peek_header};
use serde_json::json;
use zeroize::Zeroizing;

use super::super::decrypt;
use crate::args::owners::{AgreeArgs, CombineArgs, DealArgs, ReceiveArgs, SessionArgs, ShareArgs};
use crate::args::{DecryptArgs, Global};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input, progress};

/// Default limits of a decryption: the base-2 logarithm of the statistical distance, and the number of ciphertexts.
const DEFAULT_DECRYPTION: (f64, u64) = (-40.0, 65_536);

/// Draws a session.
pub fn session(global: Global, args: &SessionArgs) -> Result<()> {
    let start = Instant::now();
    check_new(&args.output, args.force)?;
    let owners = Owners::new(args.owners).context("--owners is from 2 to 16")?;
    let modulus = args.bits.map(|bits| 1 << bits).or(args.modulus);
    let modulus = modulus.context("--bits or --modulus is required")?;
    let session = match args.insecure_toy {
        true => JointSession::insecure_toy(owners, modulus)?,
        false => JointSession::new(owners, modulus, args.output_bits)?,
    };
    let bytes = atomic_file::write(&args.output, Access::Public, &session.to_bytes(), args.force)?;
    let files = vec![Written { path: &args.output, bytes, goes: "to all owners" }];
    summary(global, &format!("a session of {owners} owners"), None, files, start)
}

/// Draws an owner's secret and writes its shares.
///
/// # Errors
/// If there is no such owner, or writing fails. No new file is left then.
pub fn share(global: Global, args: &ShareArgs) -> Result<()> {
    let start = Instant::now();
    args.outputs().into_iter().try_for_each(|path| check_new(path, args.force))?;
    let session = read_session(global, &args.session)?;
    let mut secret = JointSecret::generate(&session, args.owner)?;
    let public = |path: &PathBuf| atomic_file::create(path, Access::Public);
    let mut first = public(&args.first)?;
    let (mut keys, mut commitment) = (public(&args.keys)?, public(&args.commitment)?);
    let committed = progress::shown(global, "shares", |moved| {
        secret.write_shares(&mut first, &mut keys, Progress::new(moved))
    })?;
    commitment.write_all(&committed)?;
    // The secret is written last, as in key generation, so that it exists nowhere before its shares are complete.
    let mut file = atomic_file::create(&args.secret, Access::Private)?;
    file.write_all(&secret.to_bytes())?;
    let sizes = AtomicFile::commit_all(vec![first, keys, commitment, file], args.force)?;
    let goes = [
        "first share, to all owners after all commitments",
        "key share, to whoever combines after all commitments",
        "commitment, to all owners",
        "secret; keep it",
    ];
    let files = written(args.outputs(), sizes, &goes);
    let owners = session.owners();
    summary(global, &format!("shares of owner {} of {owners}", args.owner), None, files, start)
}

/// Agrees to commitments, saves the secret, and writes the owner's second share.
///
/// # Errors
/// If messages of an owner are missing, duplicated, or not those that it committed to; if the secret agreed to others before.
pub fn agree(global: Global, args: &AgreeArgs) -> Result<()> {
    let start = Instant::now();
    check_new(&args.second, args.force)?;
    let is_file = atomic_file::target_of(&args.secret)?.is_some_and(|it| it.is_file());
    ensure!(
        is_file,
        "--secret {}: it is rewritten, so it must be a file",
        input_file::name(&args.secret)
    );
    let mut secret = read_secret(global, &args.secret)?;
    let (commitments, first) = (map_all(&args.commitments)?, map_all(&args.first)?);
    let agreement = JointAgreement::new(&secret.session(), &contents(&commitments))?;
    let was_agreed = secret.to_bytes();
    secret.agree(&agreement)?;
    let mut second = atomic_file::create(&args.second, Access::Public)?;
    // The secret is saved before the second share exists, since an agreement cannot be undone.
    let agreed = secret.to_bytes();
    if *agreed != *was_agreed {
        atomic_file::write(&args.secret, Access::Private, &agreed, true)?;
    }
    progress::shown(global, "second share", |moved| {
        let progress = Progress::new(moved);
        secret.write_second_share(&agreement, &contents(&first), &mut second, progress)
    })?;
    check_unchanged([&commitments, &first])?;
    let bytes = second.commit(args.force)?;
    let goes = "second share, to whoever combines";
    let files = vec![Written { path: &args.second, bytes, goes }];
    let what = format!("second share of owner {}", secret.owner());
    summary(global, &what, Some(&agreement), files, start)
}

/// Deals shares of an owner's secret to holders.
///
/// # Errors
/// If the secret has not agreed yet, there are fewer holders than owners, or writing fails. No new file is left then.
pub fn deal(global: Global, args: &DealArgs) -> Result<()> {
    let start = Instant::now();
    args.dealt.iter().try_for_each(|path| check_new(path, args.force))?;
    let secret = read_secret(global, &args.secret)?;
    let holders = Owners::new(args.dealt.len() as u32).context("--dealt takes 2 to 16 files")?;
    let write = |(path, holder): (&PathBuf, u32)| {
        let mut file = atomic_file::create(path, Access::Private)?;
        file.write_all(&secret.deal(holders, holder)?)?;
        Ok(file)
    };
    let files = args.dealt.iter().zip(1..).map(write).collect::<Result<Vec<_>>>()?;
    let sizes = AtomicFile::commit_all(files, args.force)?;
    let goes = "dealt share, to the holder of this place in the list and nobody else";
    let paths = args.dealt.iter().map(PathBuf::as_path);
    let files = written(paths, sizes, &vec![goes; args.dealt.len()]);
    let (owner, threshold) = (secret.owner(), secret.session().owners());
    let what = format!("owner {owner} dealt to {holders} holders, any {threshold} of whom decrypt");
    summary(global, &what, None, files, start)
}

/// Sums the shares that all owners dealt to a holder, which makes its share of the secret key.
pub fn receive(global: Global, args: &ReceiveArgs) -> Result<()> {
    let start = Instant::now();
    check_new(&args.secret, args.force)?;
    let read = |path: &PathBuf| key_input::read_secret_file(path);
    let dealt = args.dealt.iter().map(read).collect::<Result<Vec<_>>>()?;
    let dealt: Vec<&[u8]> = dealt.iter().map(|file| file.as_slice()).collect();
    let secret = ThresholdSecret::of_dealt(&dealt, global.read_options()).context("--dealt")?;
    args.dealt.iter().for_each(|path| report::note(global, input_file::exposure(path).as_ref()));
    let bytes = atomic_file::write(&args.secret, Access::Private, &secret.to_bytes(), args.force)?;
    let files = vec![Written { path: &args.secret, bytes, goes: "secret; keep it" }];
    let (holder, holders, threshold) = (secret.holder(), secret.holders(), secret.threshold());
    let what = format!("share of holder {holder} of {holders}, any {threshold} of whom decrypt");
    summary(global, &what, None, files, start)
}

/// Sums all shares, which makes the keys.
///
/// # Errors
/// If messages of an owner are missing, duplicated, or do not belong together. No new file is left then.
pub fn combine(global: Global, args: &CombineArgs) -> Result<()> {
    let start = Instant::now();
    args.outputs().into_iter().try_for_each(|path| check_new(path, args.force))?;
    let session = read_session(global, &args.session)?;
    let commitments = map_all(&args.commitments)?;
    let agreement = JointAgreement::new(&session, &contents(&commitments))?;
    let (first, keys, second) =
        (map_all(&args.first)?, map_all(&args.keys)?, map_all(&args.second)?);
    let create = |path: &PathBuf| atomic_file::create(path, Access::Public);
    let mut public = create(&args.public)?;
    let (mut values, mut bits) = (create(&args.evaluation)?, create(&args.bits_evaluation)?);
    public.write_all(&PublicKey::of_owners(&agreement, &contents(&first))?.to_bytes())?;
    let all = [&first, &keys, &second].map(|files| contents(files));
    let shares = EvaluationKeyShares { first: &all[0], keys: &all[1], second: &all[2] };
    progress::shown(global, "joint keys", |moved| {
        agreement.write_evaluation_keys(shares, &mut values, &mut bits, Progress::new(moved))
    })?;
    check_unchanged([&commitments, &first])?;
    check_unchanged([&keys, &second])?;
    let sizes = AtomicFile::commit_all(vec![values, bits, public], args.force)?;
    let goes = [
        "evaluation key of values, to the server",
        "evaluation key of bits, to the server",
        "public key; give it to anyone",
    ];
    let files = written(args.outputs(), sizes, &goes);
    let what = format!("keys of {} owners", session.owners());
    summary(global, &what, Some(&agreement), files, start)
}

/// Returns whether a file holds an owner's part of a secret key, or a holder's share of one.
pub fn is_secret(bytes: &[u8]) -> bool {
    is_of(bytes, ObjectType::PackedOwnerSecret) || is_of(bytes, ObjectType::ThresholdSecret)
}

fn is_of(bytes: &[u8], object_type: ObjectType) -> bool {
    peek_header(bytes).is_ok_and(|it| it.object_type == object_type)
}

/// Writes an owner's part of the decryption, for `decrypt` with an owner's secret.
pub fn write_part(global: Global, args: &DecryptArgs, secret: &[u8]) -> Result<()> {
    let start = Instant::now();
    decrypt::no_options_of_values(args, "results of several owners, whose values --part gives")?;
    ensure!(args.schema.is_none(), "--schema: parts of a decryption have no columns");
    let options = global.read_options();
    let name = input_file::name;
    let failed = |path| format!("cannot read {}", name(path));
    let secret = match is_of(secret, ObjectType::ThresholdSecret) {
        true => ThresholdSecret::from_bytes(secret, options).map(Part::Holder),
        false => JointSecret::from_bytes(secret, options).map(Part::Owner),
    };
    let secret = secret.with_context(|| failed(args.secret()))?;
    report::note(global, input_file::exposure(args.secret()).as_ref());
    let (mut log2_distance, mut ciphertexts) = DEFAULT_DECRYPTION;
    log2_distance = args.flooding.log2_distance.unwrap_or(log2_distance);
    ciphertexts = args.flooding.decryptions.unwrap_or(ciphertexts);
    let together = &args.flooding.together;
    let (part, who, parameters) = secret.planned(log2_distance, ciphertexts, together)?;
    let mut file = atomic_file::create(&args.output, Access::Public)?;
    for_each_result(&args.input, options, |result| {
        for part in part(result)? {
            file.write_all(&part.to_bytes(&parameters)?)?;
        }
        Ok(())
    })?;
    let bytes = file.commit(true)?;
    let goes = "part of the decryption, to whoever may see the results";
    let files = vec![Written { path: &args.output, bytes, goes }];
    let what = format!("part of {who}, hidden to 2^{log2_distance} over {ciphertexts} ciphertexts");
    summary(global, &what, None, files, start)
}

/// A secret that takes part in a decryption: an owner's secret, or a holder's share of all of them.
enum Part {
    Owner(JointSecret),
    Holder(ThresholdSecret),
}

/// A function that makes the messages of a decryption of a result.
type MakePart<'a> = Box<dyn Fn(&JointResult) -> cryptable::Result<Vec<PartialDecryption>> + 'a>;

impl Part {
    /// Plans decryptions by the owners or holders that decrypt together. Returns a function that makes this party's messages,
    /// a description of the party, and the parameters of messages.
    fn planned(
        &self,
        log2_distance: f64,
        ciphertexts: u64,
        together: &[u32],
    ) -> Result<(MakePart<'_>, String, Parameters)> {
        match self {
            Self::Owner(secret) => {
                ensure!(
                    together.is_empty(),
                    "--together: all owners decrypt by these secrets; owners deal makes shares for fewer"
                );
                let (owner, owners) = (secret.owner(), secret.session().owners());
                let parameters = secret.session().bits().parameters().clone();
                let plan = JointDecryption::new(&parameters, owners, log2_distance, ciphertexts)?;
                let part = move |result: &JointResult| secret.partial_decryptions(result, &plan);
                Ok((Box::new(part), format!("owner {owner} of {owners}"), parameters))
            }
            Self::Holder(secret) => {
                let threshold = secret.threshold();
                ensure!(
                    !together.is_empty(),
                    "--together: name the {threshold} holders who decrypt, such as --together {}",
                    (1..=threshold.count()).map(|it| it.to_string()).collect::<Vec<_>>().join(",")
                );
                let quorum = secret.quorum(together).context("--together")?;
                let plan = secret.plan(log2_distance, ciphertexts)?;
                let part =
                    move |result: &JointResult| result.parts_of_holder(secret, &plan, quorum);
                let who = format!("holder {} with {quorum}", secret.holder());
                Ok((Box::new(part), who, secret.parameters().clone()))
            }
        }
    }
}

/// Combines the parts of all owners, for `decrypt --part`.
pub fn combine_parts(global: Global, args: &DecryptArgs) -> Result<()> {
    let start = Instant::now();
    ensure!(args.schema.is_none(), "--schema: results of several owners have no columns");
    ensure!(args.canaries.is_none(), "--canaries: results of several owners are not checked");
    ensure!(args.layout.is_none(), "--as: results of several owners are whole values");
    ensure!(args.imaginary.is_none(), "--imaginary: results of several owners are integers");
    let files = map_all(&args.parts)?;
    let mut rests = contents(&files);
    let (mut values, mut modulus) = (Zeroizing::new(Vec::new()), None);
    for_each_result(&args.input, global.read_options(), |result| {
        let mut parts = Vec::new();
        for (rest, path) in rests.iter_mut().zip(&args.parts) {
            let name = || input_file::name(path);
            let (part, following) = result.read_part(rest).with_context(name)?;
            parts.push(part);
            *rest = following;
        }
        let expected = *modulus.get_or_insert(result.modulus());
        ensure!(result.modulus() == expected, "results modulo {expected} and {}", result.modulus());
        values.extend(Zeroizing::new(result.combine(&parts)?).iter());
        Ok(())
    })?;
    if let Some((_, path)) = rests.iter().zip(&args.parts).find(|(rest, _)| !rest.is_empty()) {
        bail!("{}: it has parts of more results", input_file::name(path));
    }
    let modulus = modulus.context("there are no results")?;
    decrypt::write_values(global, args, &values, modulus.into(), start)
}

/// Reads the results of a file, one after the other.
fn for_each_result(
    path: &Path,
    options: ReadOptions,
    mut handle: impl FnMut(&JointResult) -> Result<()>,
) -> Result<()> {
    let file = key_input::map(path)?;
    let name = || input_file::name(path);
    let mut rest: &[u8] = file.as_ref();
    while !rest.is_empty() {
        let read = JointResult::read_first(rest, options);
        let (result, following) = read.with_context(|| format!("cannot read {}", name()))?;
        handle(&result).with_context(name)?;
        rest = following;
    }
    file.check_unchanged().with_context(name)
}

fn read_session(global: Global, path: &Path) -> Result<JointSession> {
    let options = global.read_options();
    key_input::read_mapped(path, |file| JointSession::from_bytes((**file).as_ref(), options))
}

fn read_secret(global: Global, path: &Path) -> Result<JointSecret> {
    let bytes = key_input::read_secret_file(path)?;
    let name = input_file::name(path);
    ensure!(
        is_secret(&bytes),
        "{name}: not an owner's part of a secret key; owners share makes one"
    );
    let read = JointSecret::from_bytes(&bytes, global.read_options());
    let secret = read.with_context(|| format!("cannot read {name}"))?;
    report::note(global, input_file::exposure(path).as_ref());
    Ok(secret)
}

/// Maps all files of one kind.
fn map_all(paths: &[PathBuf]) -> Result<Vec<MappedFile>> {
    paths.iter().map(|path| key_input::map(path)).collect()
}

fn contents(files: &[MappedFile]) -> Vec<&[u8]> {
    files.iter().map(AsRef::as_ref).collect()
}

/// Checks that nobody changed files since they were mapped.
fn check_unchanged(files: [&Vec<MappedFile>; 2]) -> Result<()> {
    let mut all = files.into_iter().flatten();
    all.try_for_each(MappedFile::check_unchanged).context("a message of an owner changed")
}

/// Checks that a file does not exist yet, or may be replaced.
fn check_new(path: &Path, force: bool) -> Result<()> {
    atomic_file::check_new(path, force, "")
}

/// A file that was written, and its recipient.
struct Written<'a> {
    path: &'a Path,
    bytes: u64,
    goes: &'static str,
}

fn written<'a>(
    outputs: impl IntoIterator<Item = &'a Path>,
    sizes: Vec<u64>,
    goes: &[&'static str],
) -> Vec<Written<'a>> {
    let files = outputs.into_iter().zip(sizes).zip(goes);
    files.map(|((path, bytes), goes)| Written { path, bytes, goes }).collect()
}

fn summary(
    global: Global,
    what: &str,
    agreement: Option<&JointAgreement>,
    files: Vec<Written<'_>>,
    start: Instant,
) -> Result<()> {
    let time = start.elapsed().as_secs_f64();
    let of_file = |it: &Written| json!({ "path": it.path.to_string_lossy(), "bytes": it.bytes });
    let of_files: Vec<_> = files.iter().map(of_file).collect();
    let mut fields = json!({ "what": what, "files": of_files, "seconds": time });
    let mut text = format!("{what}, {}", seconds(time));
    if let Some(key_id) = agreement.map(|it| it.key_id().to_string()) {
        text += &format!("\n  joint key {key_id}: the same for all owners");
        fields["key_id"] = key_id.into();
    }
    for Written { path, bytes: size, goes } in &files {
        let path = atomic_file::name(path);
        text += &format!("\n  {path}: {goes}, {}", bytes(*size));
    }
    report::told(global, fields, text)
}
