//! One case as the tests and the gallery see it: its header, its code and its error.

use super::cases::Row;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub struct Case {
    /// The rule that is broken, from the header.
    pub rule: String,
    /// How to do it instead, from the header.
    pub way_out: String,
    /// The program without its header.
    pub code: String,
    /// What the compiler says.
    pub error: String,
}

impl Case {
    pub fn read(row: &Row) -> Case {
        let read = |extension: &str| {
            let path = format!("ui-tests/fail/{}.{extension}", row.name);
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
        };
        let source = read("rs");
        let (header, code) = split_header(&source);
        let (rule, way_out) = header
            .split_once("\n\nThe way out: ")
            .unwrap_or((&header, ""));
        Case {
            rule: rule.to_string(),
            way_out: way_out.to_string(),
            code,
            error: read("stderr"),
        }
    }

    /// The numbers that the compiler itself names: not those in code that it quotes, nor line numbers.
    pub fn numbers_in_words(&self) -> BTreeSet<&str> {
        self.error
            .lines()
            .filter(|line| {
                let text = line.trim_start();
                !text.starts_with("-->") && !text.starts_with(|c: char| c.is_ascii_digit())
            })
            .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'))
            .filter(|word| word.chars().all(|c| c.is_ascii_digit()))
            .collect()
    }

    /// Whether a word starts with a slash. rustc also draws spans with slashes, which stand alone, and
    /// quotes comments, which start with two.
    pub fn has_absolute_path(&self) -> bool {
        let starts = |word: &str| {
            let word = word.trim_start_matches(['`', '"', '\'', '(', '<', '&']);
            word.starts_with('/') && word[1..].starts_with(|c: char| c.is_alphanumeric())
        };
        self.error.split_whitespace().any(starts)
    }
}

/// The text of the leading `//!` lines, and what follows them.
pub fn split_header(source: &str) -> (String, String) {
    let lines = source.lines().take_while(|line| line.starts_with("//!"));
    let header: Vec<&str> = lines.map(|line| line[3..].trim()).collect();
    let code: Vec<&str> = source.lines().skip(header.len()).collect();
    (header.join("\n"), code.join("\n").trim().to_string())
}

/// The files below `root` with this extension, without it: `matmul/inner_axes_differ`.
pub fn names(root: &str, extension: &str) -> BTreeSet<String> {
    fn collect(folder: &Path, prefix: &str, extension: &str, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_str().expect("a name in ASCII");
            if path.is_dir() {
                collect(&path, &format!("{prefix}{name}/"), extension, names);
            } else if let Some(stem) = name.strip_suffix(&format!(".{extension}")) {
                names.insert(format!("{prefix}{stem}"));
            }
        }
    }
    let mut found = BTreeSet::new();
    collect(Path::new(root), "", extension, &mut found);
    found
}
