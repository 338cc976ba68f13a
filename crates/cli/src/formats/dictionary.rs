//! Dictionaries, also called code books: words and the values that represent them.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::extension;
use super::records::{Records, quoted};
use crate::atomic_file::{self, Access};
use crate::input_file;
use crate::suggestion::did_you_mean;

/// Largest number of words, which is that of entries of the largest table.
const MAX_WORDS: usize = 1 << 24;

/// First line of a dictionary in CSV.
const HEADER: [&str; 2] = ["word", "code"];

/// A dictionary that is stored in a file.
#[derive(Debug)]
pub struct Dictionary {
    path: PathBuf,
    codes: HashMap<String, u64>,
    words: BTreeMap<u64, String>,
    /// Whether new words get codes.
    may_grow: bool,
    has_grown: bool,
}

impl Dictionary {
    /// Reads a dictionary: a JSON object of words and codes, or CSV with lines `word,code`. If it may grow, the file
    /// need not exist.
    pub fn open(path: &Path, may_grow: bool) -> Result<Self> {
        let (codes, words) = (HashMap::new(), BTreeMap::new());
        let mut book = Self { path: path.to_path_buf(), codes, words, may_grow, has_grown: false };
        if may_grow {
            let is_file = atomic_file::target_of(path)?.is_some();
            ensure!(is_file, "{}: only a regular file can be extended", input_file::name(path));
            if !path.exists() {
                return Ok(book);
            }
        }
        if !may_grow && !input_file::is_stdin(path) && !path.exists() {
            bail!(
                "{}: there is no such dictionary; encrypt --dictionary FILE --extend starts one",
                input_file::name(path)
            );
        }
        match extension(path).as_str() {
            "csv" => book.read_csv()?,
            _ => book.read_json()?,
        }
        Ok(book)
    }

    fn read_json(&mut self) -> Result<()> {
        let name = input_file::name(&self.path);
        let failed = || format!("cannot read {name} as a dictionary");
        let reader = BufReader::new(input_file::open(&self.path)?);
        let object: BTreeMap<String, u64> = serde_json::from_reader(reader).with_context(failed)?;
        for (word, code) in object {
            self.insert(word, code).with_context(failed)?;
        }
        Ok(())
    }

    fn read_csv(&mut self) -> Result<()> {
        let path = self.path.clone();
        let name = input_file::name(&path);
        let mut records = Records::new(input_file::open(&path)?, &path, None)?;
        while records.advance()? {
            let line = records.line();
            ensure!(records.width() == 2, "{name} line {line}: a dictionary has lines `word,code`");
            let word = records.text(0)?.to_owned();
            if line == 1 && word == HEADER[0] && records.text(1)? == HEADER[1] {
                continue;
            }
            let code = records.integer(1).and_then(|code| u64::try_from(code).ok());
            let code = code.with_context(|| {
                let found = quoted(records.text(1).unwrap_or_default());
                format!("{name} line {line}: {found} is not a code: codes are integers from 0 on")
            })?;
            self.insert(word, code).with_context(|| format!("{name} line {line}"))?;
        }
        Ok(())
    }

    fn insert(&mut self, word: String, code: u64) -> Result<()> {
        ensure!(self.words.len() < MAX_WORDS, "more than {MAX_WORDS} words");
        if let Some(other) = self.words.get(&code) {
            bail!("code {code} stands for {} and for {}", quoted(other), quoted(&word));
        }
        if let Some(other) = self.codes.insert(word.clone(), code) {
            bail!("{} has the codes {other} and {code}", quoted(&word));
        }
        self.words.insert(code, word);
        Ok(())
    }

    /// Returns whether the dictionary contains a word.
    pub fn knows(&self, word: &str) -> bool {
        self.codes.contains_key(word)
    }

    /// Returns the code of a word. A new word gets the next code if the dictionary may grow. `place` describes where
    /// the word was found.
    pub fn code(&mut self, word: &str, modulus: u64, place: impl Fn() -> String) -> Result<u64> {
        let book = input_file::name(&self.path);
        let next = self.words.last_key_value().map_or(0, |(code, _)| code + 1);
        let code = match self.codes.get(word) {
            Some(&code) => code,
            None if self.may_grow => next,
            None => {
                let hint = did_you_mean(word, self.codes.keys().map(String::as_str));
                bail!("{}: {} is not in the dictionary {book}{hint}", place(), quoted(word))
            }
        };
        ensure!(
            code < modulus,
            "{}: {} has the code {code} in the dictionary {book}, which is not below the modulus {modulus}; \
             `keygen --bits {}` makes keys with room for it",
            place(),
            quoted(word),
            u64::BITS - code.leading_zeros()
        );
        if !self.knows(word) {
            self.insert(word.to_owned(), code)?;
            self.has_grown = true;
        }
        Ok(code)
    }

    /// Returns the word with a code.
    #[cfg(feature = "client")]
    pub fn word(&self, code: u64) -> Result<&str> {
        let word = self.words.get(&code).map(String::as_str);
        word.with_context(|| {
            format!("the dictionary {} has no code {code}", input_file::name(&self.path))
        })
    }

    /// Writes the dictionary to its file if it has grown.
    pub fn save(&self) -> Result<()> {
        if !self.has_grown {
            return Ok(());
        }
        let mut file = atomic_file::create(&self.path, Access::Public)?;
        if extension(&self.path) == "csv" {
            let mut writer = csv::Writer::from_writer(&mut file);
            writer.write_record(HEADER)?;
            for (code, word) in &self.words {
                writer.write_record([word.as_str(), &code.to_string()])?;
            }
            writer.flush()?;
        } else {
            // One word per line, in the order of codes.
            let mut before = "{";
            for (code, word) in &self.words {
                write!(file, "{before}\n  {}: {code}", serde_json::to_string(word)?)?;
                before = ",";
            }
            writeln!(file, "\n}}")?;
        }
        file.commit(true)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_grow_and_come_back() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a.json", "a.csv"] {
            let path = directory.path().join(name);
            assert!(Dictionary::open(&path, false).is_err());
            let mut book = Dictionary::open(&path, true).unwrap();
            let code = |book: &mut Dictionary, word| book.code(word, 2, || "here".into());
            assert_eq!(code(&mut book, "x, \"y\"").unwrap(), 0);
            assert_eq!(code(&mut book, "z").unwrap(), 1);
            assert_eq!(code(&mut book, "z").unwrap(), 1);
            let error = code(&mut book, "w").unwrap_err().to_string();
            assert!(error.starts_with("here: \"w\" has the code 2"), "{error}");
            book.save().unwrap();
            let mut book = Dictionary::open(&path, false).unwrap();
            assert_eq!((book.word(0).unwrap(), book.word(1).unwrap()), ("x, \"y\"", "z"));
            assert!(book.word(2).is_err());
            let error = code(&mut book, "w").unwrap_err().to_string();
            assert!(error.starts_with("here: \"w\" is not in the dictionary"), "{error}");
        }
    }

    #[test]
    fn books_with_two_meanings_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let error = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            format!("{:#}", Dictionary::open(&path, false).unwrap_err())
        };
        assert!(
            error("a.json", "{\"a\": 1, \"b\": 1}")
                .contains("code 1 stands for \"a\" and for \"b\"")
        );
        assert!(error("b.csv", "a,1\na,2\n").contains("b.csv line 2: \"a\" has the codes 1 and 2"));
        assert!(error("c.csv", "word,code\na,-1\n").contains("line 2: \"-1\" is not a code"));
        assert!(error("d.json", "[1]").contains("d.json as a dictionary"));
    }
}
