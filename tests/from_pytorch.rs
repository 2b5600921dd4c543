//! The page "from PyTorch and NumPy" lists every operation by the name it has there.
//!
//! `src/from_pytorch.md` is made from the docs of the operations, which state those names; this test fails
//! where the page is out of date or an operation states none. `BLESS=1 cargo test --test from_pytorch`
//! writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Methods that neither library has.
const NO_COUNTERPART: &[&str] = &[
    // Exchange `One` and `Dim<1>`, which only this library tells apart.
    "fixed", "stretch",
];

/// What lines of code start with that are no rows of a table.
const KEYWORDS: &[&str] = &[
    "pub",
    "fn ",
    "let ",
    "const ",
    "type ",
    "struct ",
    "enum ",
    "trait ",
    "impl",
    "macro_rules",
];

/// What a macro is a method of.
const MACRO: &str = "a macro";

/// A documented item of a source file.
struct Item {
    name: String,
    /// The type or trait it is a method of, or none for a type.
    of: Option<String>,
    docs: String,
}

#[test]
fn the_page_is_complete() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/from_pytorch.md");
    let right = write_page();
    if env::var_os("BLESS").is_some() {
        fs::write(&page, &right).unwrap();
    }
    let found = fs::read_to_string(&page).unwrap_or_default();
    assert!(
        found == right,
        "src/from_pytorch.md is out of date: BLESS=1 cargo test --test from_pytorch"
    );
}

#[test]
fn every_operation_states_its_name_elsewhere() {
    let mut without = Vec::new();
    for (_, items) in files("src/ops") {
        let items = items.into_iter().filter(|item| item.of.is_some());
        without.extend(
            items
                .filter(|item| names(&item.docs).is_empty())
                .map(|item| item.name),
        );
    }
    without.retain(|name| !NO_COUNTERPART.contains(&name.as_str()));
    assert!(
        without.is_empty(),
        "without `PyTorch:` or `NumPy:` in their docs: {without:?}"
    );
}

#[test]
fn names_are_read_off_the_docs() {
    let names_of = |docs| names(docs);
    assert_eq!(names_of("The sum. PyTorch: `sum`. More `code`."), ["sum"]);
    assert_eq!(
        names_of("PyTorch: `gather`; NumPy: `take_along_axis`."),
        ["gather", "take_along_axis"]
    );
    assert_eq!(names_of("PyTorch: `elu`, whose `alpha` is 1."), ["elu"]);
    assert!(names_of("None at all, `sum`.").is_empty());
}

fn write_page() -> String {
    let mut page = String::from(
        "What an operation of PyTorch or NumPy is called here.\n\n\
         Shapes and axes that are arguments there are types here: `x.sum(dim=1)` is `x.sum_axis::<1>()`, and\n\
         with `keepdim=True` it is `x.sum_keepdim::<1>()`. Operators and comparisons broadcast as they do there,\n\
         along axes that are `One`.\n\n\
         `nn.Sequential(a, b)` is the tuple `(a, b)`, and `nn.ModuleList` a vector or an array of layers.\n\
         `x.view(..)` and `x.reshape(..)` are `x.reshape::<shape![..]>()`, `x[i]` is `x.select_at::<0>(i)`, and `len(x)`\n\
         stands in the type. A tensor has no device: all of them are in memory.\n",
    );
    for folder in [
        "src/ops",
        "src/tensor",
        "src/autograd",
        "src/graph",
        "src/nn",
        "src/optim",
    ] {
        let module = folder.trim_start_matches("src/");
        for (title, items) in files(folder) {
            let mut rows = BTreeMap::new();
            for item in &items {
                for name in names(&item.docs) {
                    rows.entry((name.to_lowercase(), name, item.name.clone()))
                        .or_insert(item);
                }
            }
            if rows.is_empty() {
                continue;
            }
            let title = title.trim_end_matches('.');
            write!(page, "\n# {title}\n\n| there | here | |\n|---|---|---|\n").unwrap();
            for ((_, name, here), item) in rows {
                let link = match item.of.as_deref() {
                    Some(MACRO) => format!("[`{here}!`](crate::{here}!)"),
                    // Functions of a module; its types are no more than that here.
                    _ if matches!(module, "autograd" | "graph") => {
                        format!("[`{here}`](crate::{module}::{here})")
                    }
                    // A trait of layers is reached by its module, tensors from the root.
                    Some(of) if folder == "src/nn" => {
                        format!("[`{here}`](crate::{module}::{of}::{here})")
                    }
                    Some(of) => format!("[`{here}`](crate::{of}::{here})"),
                    None => format!("[`{here}`](crate::{module}::{here})"),
                };
                let sentence = item
                    .docs
                    .split(". ")
                    .next()
                    .unwrap_or_default()
                    .trim_end_matches('.');
                // Links inside a sentence are relative to where it stands.
                let sentence = sentence
                    .replace(
                        "](Self::",
                        &format!("](crate::{}::", item.of.as_deref().unwrap_or("Tensor")),
                    )
                    .replace("](Tensor::", "](crate::Tensor::")
                    .replace("](Selects::", "](crate::Selects::")
                    .replace('|', "\\|");
                writeln!(
                    page,
                    "| `{}` | {link} | {sentence} |",
                    name.replace('|', "\\|")
                )
                .unwrap();
            }
        }
    }
    page
}

/// The names that follow `PyTorch:` or `NumPy:`, in order: quoted words with nothing but commas between.
fn names(docs: &str) -> Vec<String> {
    let mut names = Vec::new();
    for library in ["PyTorch: ", "NumPy: "] {
        for (start, _) in docs.match_indices(library) {
            let mut rest = &docs[start + library.len()..];
            while let Some((name, after)) = rest
                .strip_prefix('`')
                .and_then(|quoted| quoted.split_once('`'))
            {
                names.push(name.to_string());
                rest = after.strip_prefix(", ").unwrap_or_default();
            }
        }
    }
    names
}

/// The files of a folder in order: the first sentence of each, and its documented items.
fn files(folder: &str) -> Vec<(String, Vec<Item>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| read(&fs::read_to_string(path).unwrap()))
        .collect()
}

/// The name that code starts with.
fn word(code: &str) -> String {
    code.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

fn read(source: &str) -> (String, Vec<Item>) {
    let title = source
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("//! "))
        .unwrap_or_default();
    let (mut docs, mut of, mut items) = (String::new(), "Tensor".to_string(), Vec::new());
    let mut in_trait = false;
    for line in source.lines() {
        let code = line.trim_start();
        if let Some(name) = line.strip_prefix("pub trait ") {
            in_trait = true;
            of = word(name);
        } else if line == "}" {
            in_trait = false;
        } else if code.starts_with("impl<") && !code.contains(" for ") {
            of = ["Mask", "Indices", "Hooked"]
                .into_iter()
                .find(|of| line.contains(&format!(" {of}<")))
                .unwrap_or("Tensor")
                .to_string();
        }
        if let Some(text) = code.strip_prefix("///") {
            docs.push_str(text);
        } else if code == "#[doc(hidden)]" {
            docs.clear();
        } else if !code.starts_with("#[") {
            let docs = std::mem::take(&mut docs);
            let public = code.starts_with("pub fn ")
                || code.starts_with("pub struct ")
                || in_trait && code.starts_with("fn ");
            // A row of a table starts with the name; a struct of a table with a capital one.
            let row = !KEYWORDS.iter().any(|keyword| code.starts_with(keyword));
            let name = word(
                code.trim_start_matches("pub ")
                    .trim_start_matches("fn ")
                    .trim_start_matches("struct "),
            );
            let is_type = name.starts_with(char::is_uppercase);
            let stated = !names(&docs).is_empty();
            if let Some(name) = code.strip_prefix("macro_rules! ").filter(|_| stated) {
                items.push(Item {
                    name: name.trim_end_matches(" {").to_string(),
                    of: Some(MACRO.to_string()),
                    docs: docs.trim().replace("  ", " "),
                });
            } else if !docs.is_empty()
                && !name.is_empty()
                && (public && line.starts_with("    ") || row && stated || public && stated)
            {
                items.push(Item {
                    name,
                    of: (!is_type).then(|| of.clone()),
                    docs: docs.trim().replace("  ", " "),
                });
            }
        }
    }
    (title.to_string(), items)
}
