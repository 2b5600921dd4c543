//! What does not compile, what the compiler says to it, and what does compile.
//!
//! Each file under `ui-tests/fail` is a program with one mistake, each file under `ui-tests/pass` a
//! program that compiles and runs. rustc's words for a mistake stand beside it in a `.stderr` file,
//! pinned to the compiler of `rust-toolchain.toml`, and all of them together in `ui-tests/README.md`.
//!
//! ```text
//! cargo test --test ui                                compares everything
//! cargo test --test ui -- mistakes trybuild=matmul/   compiles only what has `matmul/` in its path
//! TRYBUILD=overwrite cargo test --test ui             rewrites .stderr files: read them before you commit them
//! BLESS=1 cargo test --test ui gallery                rewrites ui-tests/README.md
//! ```
//!
//! A new case starts with a header of `//!` lines, first the rule, then `The way out:`, and has a row in
//! `tests/ui/cases.rs`. It names what it imports: after a glob import rustc prints names with their paths.

#[path = "ui/case.rs"]
mod case;
#[path = "ui/cases.rs"]
mod cases;
#[path = "ui/gallery.rs"]
mod gallery;

use case::{Case, names, split_header};
use cases::{CASES, EVALUATED};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Longer errors are not read.
const MAX_ERROR_LINES: usize = 40;
/// More code hides the mistake.
const MAX_CODE_LINES: usize = 18;

#[test]
fn mistakes_do_not_compile() {
    let tests = trybuild::TestCases::new();
    for row in CASES.iter().filter(|row| row.code != EVALUATED) {
        tests.compile_fail(format!("ui-tests/fail/{}.rs", row.name));
    }
}

/// Constants are evaluated when a program is built; a test that has to pass makes trybuild build.
#[test]
fn programs_run_and_constants_are_evaluated() {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs.rs");
    fs::write(&all, programs()).unwrap();
    let tests = trybuild::TestCases::new();
    tests.pass(all);
    for row in CASES.iter().filter(|row| row.code == EVALUATED) {
        tests.compile_fail(format!("ui-tests/fail/{}.rs", row.name));
    }
}

/// All programs that compile as one, each in a module of its own: trybuild compiles one after another.
fn programs() -> String {
    let (mut modules, mut calls) = (String::new(), String::new());
    for name in names("ui-tests/pass", "rs") {
        let source = fs::read_to_string(format!("ui-tests/pass/{name}.rs")).unwrap();
        let (_, code) = split_header(&source);
        let (module, code) = (
            name.replace('/', "_"),
            code.replace("fn main()", "pub fn main()"),
        );
        modules += &format!("mod {module} {{\n{code}\n}}\n");
        calls += &format!("    {module}::main();\n");
    }
    format!("{modules}fn main() {{\n{calls}}}\n")
}

#[test]
fn every_case_has_a_row() {
    let rows: BTreeSet<String> = CASES.iter().map(|row| row.name.to_string()).collect();
    assert_eq!(rows.len(), CASES.len(), "a case has two rows");
    let files = names("ui-tests/fail", "rs");
    let without_row: Vec<_> = files.difference(&rows).collect();
    let without_file: Vec<_> = rows.difference(&files).collect();
    assert!(
        without_row.is_empty() && without_file.is_empty(),
        "cases without a row in tests/ui/cases.rs: {without_row:?}; rows without a case: {without_file:?}"
    );
    let errors = names("ui-tests/fail", "stderr");
    assert_eq!(errors, files, "an error without its case, or the reverse");
}

#[test]
fn every_case_is_explained_and_short() {
    let mut faults = Vec::new();
    for row in CASES {
        let case = Case::read(row);
        let mut check = |holds: bool, fault: &str| {
            if !holds {
                faults.push(format!("{}: {fault}", row.name));
            }
        };
        check(
            !case.rule.is_empty(),
            "no header of `//!` lines with the rule",
        );
        check(
            !case.way_out.is_empty(),
            "no line `//! The way out:` in the header",
        );
        let lines = case
            .code
            .lines()
            .filter(|line| !line.trim().is_empty())
            .count();
        check(lines <= MAX_CODE_LINES, "too much code for one mistake");
    }
    for name in names("ui-tests/pass", "rs") {
        let source = fs::read_to_string(format!("ui-tests/pass/{name}.rs")).unwrap();
        if !source.starts_with("//! ") {
            faults.push(format!("pass/{name}: no header of `//!` lines"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn errors_state_the_fact_in_decimals_and_nothing_else() {
    let mut faults = Vec::new();
    for row in CASES {
        let case = Case::read(row);
        let mut check = |holds: bool, fault: String| {
            if !holds {
                faults.push(format!("{}: {fault}", row.name));
            }
        };
        let heads: Vec<&str> = case
            .error
            .lines()
            .filter(|line| line.starts_with("error"))
            .collect();
        check(
            heads.len() == 1,
            format!("{} errors from one mistake", heads.len()),
        );
        let prefix = match row.code {
            "" => "error: ".to_string(),
            code => format!("error[{code}]: "),
        };
        check(
            heads.iter().all(|head| head.starts_with(&prefix)),
            format!("not `{prefix}`"),
        );
        let numbers = case.numbers_in_words();
        for size in row.sizes.split_whitespace() {
            check(numbers.contains(size), format!("does not name {size}"));
        }
        for noise in ["UInt<", "typenum", "$CARGO", "$RUST"] {
            check(!case.error.contains(noise), format!("contains `{noise}`"));
        }
        check(
            !case.has_absolute_path(),
            "contains an absolute path".to_string(),
        );
        let lines = case.error.lines().count();
        check(
            lines <= MAX_ERROR_LINES,
            format!("{lines} lines, at most {MAX_ERROR_LINES}"),
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn gallery_shows_every_case() {
    let (path, wanted) = ("ui-tests/README.md", gallery::page());
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, wanted).unwrap();
        return;
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    let place = found.lines().zip(wanted.lines()).position(|(a, b)| a != b);
    assert!(
        found == wanted,
        "{path} differs from what the cases say, from line {} on; BLESS=1 rewrites it",
        place.unwrap_or(found.lines().count().min(wanted.lines().count())) + 1
    );
}
