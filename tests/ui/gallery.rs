//! `ui-tests/README.md`, written from the cases.

use super::case::{Case, names, split_header};
use super::cases::CASES;
use std::fmt::Write;
use std::fs;

/// The folders in the order of the page: heading, and what the reader learns there.
const SECTIONS: &[(&str, &str, &str)] = &[
    (
        "shape",
        "Shapes and types",
        "The shape of a tensor is part of its type, so functions, arrays and comparisons check it.",
    ),
    (
        "broadcast",
        "Broadcasting",
        "Two shapes are aligned at their last axis; each pair of axes is equal, or one of them is `One`, or missing.",
    ),
    (
        "fuse",
        "Fused expressions",
        "Tensors that are fused broadcast as with operators, and the closure computes with what stands for their numbers.",
    ),
    (
        "broadcast_to",
        "Stretching to a shape",
        "The same rule with one side fixed: only the tensor stretches, never the target.",
    ),
    (
        "stretch",
        "`Dim<1>` and `One`",
        "Both have size 1; only `One` stretches, and changing one into the other is always written out.",
    ),
    (
        "reduce",
        "Reductions",
        "A reduction takes one axis away, or keeps it as `One`.",
    ),
    (
        "matmul",
        "Matrix products",
        "Rows meet columns: the inner axes are equal, the axes before the matrix broadcast.",
    ),
    (
        "diagonal",
        "Diagonals",
        "A square matrix has a diagonal, and a vector is that of one.",
    ),
    (
        "einsum",
        "Axes with names",
        "A label is one axis, of one size, wherever it stands.",
    ),
    (
        "attention",
        "Attention",
        "Queries meet keys of their width, and each key has its value.",
    ),
    (
        "permute",
        "Axes that trade places",
        "A permutation names each axis once.",
    ),
    (
        "squeeze",
        "Axes that go",
        "An axis can be dropped if its size is 1.",
    ),
    (
        "unsqueeze",
        "Axes that come",
        "A new axis is `One`, and there is room for six.",
    ),
    (
        "reshape",
        "Reshaping",
        "A reshape keeps the number of elements.",
    ),
    (
        "halve",
        "Halves",
        "An axis of even size is cut into two halves.",
    ),
    (
        "flatten",
        "Flattening",
        "All elements in one axis, whose size is written or follows from the type that is wanted.",
    ),
    (
        "join",
        "Joining",
        "Tensors that lie side by side have equal axes, apart from the one that they are joined along.",
    ),
    (
        "cut",
        "Cutting",
        "What is cut out of an axis lies inside it, and parts make it up.",
    ),
    (
        "arrange",
        "Padding, repeating, windows",
        "The size of what comes out is computed from the size that goes in; windows and reflections must fit.",
    ),
    (
        "index",
        "Indices",
        "Whole numbers that index something carry their bound in their type.",
    ),
    (
        "conv",
        "Convolutions",
        "How often a window fits an axis is the size of the result.",
    ),
    (
        "select",
        "Masks",
        "A mask has the shape of the comparison that made it.",
    ),
    (
        "loss",
        "Losses",
        "Predictions and targets must fit exactly: a loss never broadcasts.",
    ),
    (
        "backward",
        "Gradients",
        "Backward starts from a single number, or from a seed of the tensor's shape.",
    ),
    (
        "nn",
        "Layers and models",
        "The widths of layers are types: what one returns, the next takes.",
    ),
    (
        "optim",
        "Optimizers",
        "An optimizer belongs to one type of model.",
    ),
    (
        "element",
        "Elements",
        "Elements are `f32` or `f64`, and nothing converts them silently.",
    ),
    (
        "generic",
        "Generic code",
        "Code for every rank, size and element type says so in its bounds, and is checked once for all of them.",
    ),
];

const INTRODUCTION: &str = "\
<!-- Written by tests/ui.rs from the files beside it; BLESS=1 cargo test --test ui gallery writes it anew. -->

# What the compiler says

Each mistake on this page is a program in `fail/` that does not compile; `cargo test` compares rustc's words for it with those below.
First comes the rule, then the way out, the code, and the error.

The first line of an error is the fact, the line under the code the place; its notes are the rule and the way out again.
`Dim<32>` is an axis of 32 entries, `One` the axis of one entry that stretches to whatever stands opposite.
Names are short because the programs import them one by one; after `use shapeproof::prelude::*` rustc writes `shapeproof::Tensor` for `Tensor`.
Errors of code E0080 are found by `cargo build`, all others by `cargo check` too.
";

pub fn page() -> String {
    let mut page = String::from(INTRODUCTION);
    page.push('\n');
    for (folder, title, _) in SECTIONS {
        let count = cases_in(folder).count();
        writeln!(page, "- [{title}](#{}): {count}", anchor(title)).unwrap();
    }
    page.push_str("- [What does compile](#what-does-compile)\n");

    for row in CASES {
        let folder = row.name.split('/').next().unwrap();
        assert!(
            SECTIONS.iter().any(|section| section.0 == folder),
            "no section for the folder `{folder}` in tests/ui/gallery.rs"
        );
    }
    for (folder, title, lesson) in SECTIONS {
        write!(page, "\n## {title}\n\n{lesson}\n").unwrap();
        for row in cases_in(folder) {
            let case = Case::read(row);
            let heading = sentence(row.name);
            write!(
                page,
                "\n### {heading}\n\n{}\n\n**The way out:** {}\n\n```rust\n{}\n```\n\n```text\n{}\n```\n",
                case.rule,
                case.way_out,
                without_imports(&case.code),
                case.error.trim_end(),
            )
            .unwrap();
        }
    }

    page.push_str("\n## What does compile\n\nPrograms in `pass/`, most of them generic; `cargo test` builds and runs them.\n\n| program | what it shows |\n|---|---|\n");
    for name in names("ui-tests/pass", "rs") {
        let source = fs::read_to_string(format!("ui-tests/pass/{name}.rs")).unwrap();
        let (header, _) = split_header(&source);
        let lesson = header
            .lines()
            .next()
            .unwrap_or_default()
            .replace('|', "\\|");
        writeln!(page, "| [{name}](pass/{name}.rs) | {lesson} |").unwrap();
    }
    page
}

fn cases_in(folder: &str) -> impl Iterator<Item = &'static super::cases::Row> {
    CASES.iter().filter(move |row| {
        row.name
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
    })
}

/// `matmul/inner_axes_differ` reads "Inner axes differ".
fn sentence(name: &str) -> String {
    let words = name.rsplit('/').next().unwrap().replace('_', " ");
    words[..1].to_uppercase() + &words[1..]
}

/// How GitHub links to a heading.
fn anchor(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || *c == ' ' || *c == '-';
    title
        .to_lowercase()
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

fn without_imports(code: &str) -> String {
    let lines = code.lines().filter(|line| !line.starts_with("use "));
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}
