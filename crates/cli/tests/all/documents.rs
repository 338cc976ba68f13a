//! Documents: relative links lead to files and headings, paths in code exist, the book has all of its pages, and commands
//! have the options that are shown.
#![cfg(feature = "client")]
// Names are those of the repository's own files.
#![allow(clippy::disallowed_methods)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Folders with documents, beside those of the repository's root.
const FOLDERS: [&str; 5] = ["comparisons", "crates", "docs", "examples", "scripts"];

/// Folder of the book's pages.
const BOOK: &str = "docs/book/src";

/// Parts of a document that checks need.
#[derive(Default)]
struct Document {
    links: Vec<String>,
    anchors: BTreeSet<String>,
    code: Vec<String>,
    shell: Vec<String>,
}

impl Document {
    fn parse(text: &str) -> Self {
        let mut document = Self::default();
        let (mut heading, mut in_shell) = (None::<String>, false);
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    document.anchors.extend(heading.take().map(|title| anchor(&title)));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    in_shell = matches!(kind, CodeBlockKind::Fenced(name) if &*name == "sh");
                    document.shell.push(String::new());
                }
                Event::End(TagEnd::CodeBlock) => in_shell = false,
                Event::Text(words) if in_shell => {
                    document.shell.last_mut().unwrap().push_str(&words);
                }
                Event::Text(words) => heading.iter_mut().for_each(|title| title.push_str(&words)),
                Event::Code(words) => {
                    heading.iter_mut().for_each(|title| title.push_str(&words));
                    document.code.push(words.into_string());
                }
                _ => {}
            }
        }
        document
    }

    /// Reads a document as readers of the book see it, with included files.
    fn read(path: &Path) -> Self {
        let text = read(path);
        let included = includes(path, &text).filter(|file| is_document(file));
        Self::parse(&included.map(|file| read(&file)).fold(text.clone(), |all, part| all + &part))
    }
}

/// Returns the anchor of a heading, as repositories' hosts and mdBook make it.
fn anchor(title: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
    title.trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// Adds the documents of a folder and, if `is_deep` is set, those below it, except built ones.
fn add_documents(folder: &Path, is_deep: bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            let is_built = name.starts_with(['.', '_']) || name == "html" || name == "target";
            if is_deep && !is_built {
                add_documents(&path, true, found);
            }
        } else if is_document(&path) {
            found.push(path);
        }
    }
}

fn documents() -> Vec<PathBuf> {
    let (root, mut found) = (repository(), Vec::new());
    add_documents(&root, false, &mut found);
    for folder in FOLDERS {
        add_documents(&root.join(folder), true, &mut found);
    }
    found
}

fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    add_documents(&repository().join(BOOK), true, &mut found);
    found
}

/// Returns the files that a page includes, completely or in part.
fn includes<'a>(page: &'a Path, text: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
    let names = text.split("{{#include ").skip(1).filter_map(|rest| rest.split(['}', ':']).next());
    names.map(|name| page.parent().unwrap().join(name.trim()))
}

/// Returns path and anchor of a link within the repository; `None` for other links.
fn relative(link: &str) -> Option<(&str, &str)> {
    let is_elsewhere = link.contains("://") || link.starts_with("mailto:");
    (!is_elsewhere).then(|| link.split_once('#').unwrap_or((link, "")))
}

/// Returns a path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut done, part| {
        match part {
            Component::ParentDir => _ = done.pop(),
            Component::CurDir => {}
            other => done.push(other),
        }
        done
    })
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut wrong = Vec::new();
    for path in documents() {
        for link in Document::parse(&read(&path)).links {
            let Some((file, heading)) = relative(&link) else { continue };
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let has_heading =
                || !is_document(&target) || Document::read(&target).anchors.contains(heading);
            if !target.exists() || !heading.is_empty() && !has_heading() {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn paths_in_code_exist() {
    let (root, mut wrong) = (repository(), Vec::new());
    let is_path = |code: &str| {
        let letters = |letter: char| letter.is_ascii_alphanumeric() || "_-./".contains(letter);
        code.chars().all(letters)
            && FOLDERS
                .iter()
                .any(|folder| code.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    };
    for path in documents() {
        let code = Document::parse(&read(&path)).code.into_iter();
        let lost = code.filter(|code| is_path(code) && !root.join(code).exists());
        wrong.extend(lost.map(|code| format!("{}: {code}", path.display())));
    }
    assert_none(&wrong);
}

#[test]
fn the_book_has_all_of_its_pages() {
    let book = repository().join(BOOK);
    let summary = book.join("SUMMARY.md");
    let listed = Document::parse(&read(&summary)).links.into_iter().map(|link| book.join(link));
    let listed: BTreeSet<PathBuf> = listed.collect();
    let all: BTreeSet<PathBuf> = pages().into_iter().filter(|page| *page != summary).collect();
    assert_eq!(listed, all);
}

/// Checks that links of included documents also work from the place of the page that includes them. `make book` puts links
/// to `BOOK_LINKS` beside the pages.
#[test]
fn the_book_includes_what_it_names() {
    let (root, mut wrong) = (repository(), Vec::new());
    let book = root.join(BOOK);
    let makefile = read(&root.join("Makefile"));
    let linked = makefile.lines().find_map(|line| line.strip_prefix("BOOK_LINKS := ")).unwrap();
    for page in pages() {
        let text = read(&page);
        for file in includes(&page, &text) {
            if !file.exists() {
                wrong.push(format!("{}: {}", page.display(), file.display()));
                continue;
            }
            let links =
                if is_document(&file) { Document::parse(&read(&file)).links } else { vec![] };
            for (target, _) in links.iter().filter_map(|link| relative(link)) {
                let place = normal(&page.parent().unwrap().join(target));
                let serves = |name: &str| {
                    place.starts_with(book.join(name))
                        && root.join(place.strip_prefix(&book).unwrap()).exists()
                };
                if !place.exists() && !linked.split_whitespace().any(serves) {
                    wrong.push(format!("{} includes a link to {target}", page.display()));
                }
            }
        }
    }
    assert_none(&wrong);
}

/// Returns the program's help for a command; empty if there is none.
fn help(command: &[String]) -> String {
    let program = env!("CARGO_BIN_EXE_cryptable");
    let output = Command::new(program).args(command).arg("--help").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the command lines of this program in a script, each as the words after the program's name.
fn command_lines(script: &str) -> Vec<Vec<String>> {
    let script = script.replace("\\\n", " ");
    let commands = script.lines().flat_map(|line| {
        let line = line.split(" #").next().unwrap_or("");
        line.split(['|', ';', '&', '(']).map(str::trim)
    });
    let programs = ["cryptable ", "cryptable-server "];
    commands
        .map(|command| command.trim_start_matches("$ "))
        .filter_map(|command| programs.iter().find_map(|program| command.strip_prefix(program)))
        .map(|words| words.split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
fn commands_have_the_options_that_are_shown() {
    let mut helps: BTreeMap<Vec<String>, String> = BTreeMap::new();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in documents() {
        for words in Document::parse(&read(&path)).shell.iter().flat_map(|text| command_lines(text))
        {
            // Commands are lists of subcommands; some exist only with certain features.
            let mut command = Vec::new();
            for word in words.iter().filter(|word| !word.starts_with('-')) {
                let known = helps.entry(command.clone()).or_insert_with(|| help(&command));
                let listed = known.split("Commands:\n").nth(1).unwrap_or("");
                let names = listed.lines().take_while(|line| !line.is_empty());
                if names.filter_map(|line| line.split_whitespace().next()).any(|name| name == word)
                {
                    command.push(word.clone());
                }
            }
            let is_optional = |word: &String| match word.as_str() {
                "bench" => true,
                "serve" => !cfg!(feature = "serve"),
                "remote" => !cfg!(feature = "remote"),
                _ => false,
            };
            if words.iter().any(is_optional) {
                continue;
            }
            count += 1;
            let known = helps.entry(command.clone()).or_insert_with(|| help(&command));
            let options = words.iter().filter(|word| word.starts_with("--") && word.len() > 2);
            let unknown = options.filter(|word| {
                let option = word.split('=').next().unwrap();
                !known.split([' ', '\n', ',', '[', '<', '>', ']']).any(|listed| listed == option)
            });
            wrong.extend(unknown.map(|word| format!("{}: {words:?}: {word}", path.display())));
            if command.is_empty() {
                wrong.push(format!("{}: {words:?}: no command", path.display()));
            }
        }
    }
    assert_none(&wrong);
    assert!(count > 50, "{count} commands were found");
}

/// Runs the commands of a page in an empty folder, except those that build the program, and then `last`; returns the
/// output.
fn run_page(page: &str, last: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let shell = Document::parse(&read(&repository().join(page))).shell.concat();
    let is_run = |line: &&str| !line.starts_with("cargo ") && !line.starts_with("make ");
    let script: Vec<&str> = shell.lines().filter(is_run).chain([last]).collect();
    let programs = Path::new(env!("CARGO_BIN_EXE_cryptable")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-ec", &script.join("\n")]).current_dir(&folder);
    let output = command.env("PATH", path).env("CRYPTABLE_CALIBRATION", "off").output().unwrap();
    assert!(output.status.success(), "{page}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn first_pages_run_as_they_are() {
    let printed = run_page("README.md", "cat scored.csv");
    assert!(printed.ends_with("name,age,risk\nAda,36,4\nBen,7,0\nCleo,70,8\n"), "{printed}");
    let printed = run_page("docs/book/src/start/command_line.md", "");
    assert!(printed.ends_with("name,age,group\nAda,36,1\nBen,7,0\nCleo,70,2\n"), "{printed}");
}

#[test]
fn tests_that_the_audit_names_exist() {
    let page = read(&repository().join("docs/audit.md"));
    let mut count = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let tests = row.split('|').nth(2).unwrap();
        let mut source = String::new();
        for name in tests.split('`').skip(1).step_by(2) {
            if name.contains('/') {
                source = read(&repository().join(name));
            } else if !name.contains(' ') {
                let is_there =
                    ["fn ", "def "].iter().any(|word| source.contains(&format!("{word}{name}(")));
                assert!(is_there, "{name} is not where this line says: {row}");
                count += 1;
            }
        }
    }
    assert!(count > 40, "{count} tests");
}
