//! Where in the user's program the library was called.

use std::backtrace::Backtrace;
use std::env::current_dir;
use std::fmt;
use std::sync::Arc;

/// A place in the user's program, as a list of callers. Names and lines are looked up when it is shown.
#[derive(Clone)]
pub(super) struct Site(Arc<Backtrace>);

/// A function on the way, from the innermost on.
struct Frame<'a> {
    function: &'a str,
    /// File, line and column, where there is debug information.
    at: Option<&'a str>,
}

impl Site {
    #[inline(never)]
    pub(super) fn here() -> Self {
        Site(Arc::new(Backtrace::force_capture()))
    }

    /// The method that made the result: the innermost one that is no plumbing.
    pub(super) fn operation(&self) -> Option<String> {
        // By name, and by file where inlined functions have short names.
        const PLUMBING: &[&str] = &[
            "::anomaly::",
            "::site::",
            "::examined",
            "::argument::",
            "::lift::",
            "::compiled::",
        ];
        const FILES: &[&str] = &[
            "/graph/anomaly.rs",
            "/graph/site.rs",
            "/ops/argument.rs",
            "/ops/lift.rs",
            "/ops/compiled.rs",
            "/tensor/mod.rs",
        ];
        let text = self.0.to_string();
        let mut inside = frames(&text)
            .into_iter()
            .skip_while(|frame| !frame.is_inside())
            .take_while(Frame::is_inside);
        inside
            .find(|frame| {
                let named = PLUMBING.iter().any(|part| frame.function.contains(part));
                let filed = |at: &str| FILES.iter().any(|file| at.contains(file));
                frame.is_own() && !named && !frame.at.is_some_and(filed)
            })
            .and_then(|frame| last_name(frame.function))
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ADVICE: &str =
            "for lines, set `debug = \"line-tables-only\"` in the profile of Cargo.toml";
        let text = self.0.to_string();
        let mut frames = frames(&text)
            .into_iter()
            .skip_while(|frame| !frame.is_own())
            .skip_while(Frame::is_inside);
        match frames.next() {
            Some(Frame {
                function,
                at: Some(at),
            }) => write!(f, "at {at}, in `{function}`"),
            Some(Frame { function, at: None }) => write!(f, "in `{function}` ({ADVICE})"),
            None => write!(f, "at an unknown place ({ADVICE})"),
        }
    }
}

/// The frames in the text of a backtrace:
///
/// ```text
///    5: shapeproof::ops::elementary::<impl shapeproof::tensor::Tensor<R,S,E>>::ln
///              at ./src/ops/unary.rs:157:17
///       model::forward
///              at ./src/main.rs:7:18
/// ```
fn frames(text: &str) -> Vec<Frame<'_>> {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        if let (Some(at), Some(last)) = (line.strip_prefix("at "), frames.last_mut()) {
            last.at = Some(at);
            continue;
        }
        let function = match line.split_once(": ") {
            Some((number, function)) if number.bytes().all(|b| b.is_ascii_digit()) => function,
            _ => line,
        };
        frames.push(Frame { function, at: None });
    }
    frames
}

impl Frame<'_> {
    /// True for functions of this library: by their names, and by their files, since functions that were inlined have
    /// short names.
    fn is_own(&self) -> bool {
        const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/");
        self.is_of(env!("CARGO_CRATE_NAME"))
            || self.at.is_some_and(|at| match at.strip_prefix("./") {
                // The standard library shortens paths under the current directory.
                Some(rest) => current_dir().is_ok_and(|dir| dir.join(rest).starts_with(SOURCES)),
                None => at.starts_with(SOURCES),
            })
    }

    /// True for functions of this library, of the standard library, and of the threads that large kernels run on.
    fn is_inside(&self) -> bool {
        const CRATES: &[&str] = &["core", "std", "alloc", "rayon_core", "__rustc"];
        let standard = self.at.is_some_and(|at| at.starts_with("/rustc/"));
        standard || self.is_own() || CRATES.iter().any(|name| self.is_of(name))
    }

    fn is_of(&self, name: &str) -> bool {
        let function = self.function.trim_start_matches(['<', '&', '*', '[', '(']);
        let start = ["mut ", "dyn "]
            .into_iter()
            .fold(function, |function, word| {
                function.strip_prefix(word).unwrap_or(function)
            });
        start
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with("::"))
    }
}

/// `ln` for `shapeproof::<impl shapeproof::Tensor<R, S, E>>::ln::<1>`
fn last_name(function: &str) -> Option<String> {
    let mut depth = 0;
    let mut names = vec![String::new()];
    for c in function.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ':' if depth == 0 => names.push(String::new()),
            _ if depth == 0 => names.last_mut().expect("never empty").push(c),
            _ => {}
        }
    }
    names
        .into_iter()
        .rfind(|name| !name.is_empty() && !name.contains('{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart() {
        let text = concat!(
            "   0: shapeproof::graph::site::Site::here\n             at ./src/graph/site.rs:20:5\n",
            "   1: <shapeproof::tensor::Tensor<R,S,E> as core::ops::arith::Add<E>>::add\n",
            "   2: ln<1, f64>\n             at ",
            env!("CARGO_MANIFEST_DIR"),
            "/src/ops/unary.rs:9:9\n",
            "      model::forward\n             at ./examples/main.rs:7:18\n",
            "   3: call<f64>\n             at /rustc/5980/library/core/src/option.rs:1:1\n",
            "   4: main\n",
        );
        let frames = frames(text);
        let found: Vec<_> = frames
            .iter()
            .map(|frame| (frame.function, frame.is_own(), frame.is_inside()))
            .collect();
        assert_eq!(
            found,
            [
                ("shapeproof::graph::site::Site::here", true, true),
                (
                    "<shapeproof::tensor::Tensor<R,S,E> as core::ops::arith::Add<E>>::add",
                    true,
                    true
                ),
                ("ln<1, f64>", true, true),
                ("model::forward", false, false),
                ("call<f64>", false, true),
                ("main", false, false),
            ]
        );
        assert_eq!(frames[3].at, Some("./examples/main.rs:7:18"));
    }

    #[test]
    fn whose_a_function_is() {
        let inside = |function| Frame { function, at: None }.is_inside();
        assert!(inside("shapeproof::ops::sum"));
        assert!(inside(
            "<&mut shapeproof::Tensor<1, S> as core::fmt::Debug>::fmt"
        ));
        assert!(inside(
            "<&dyn core::ops::function::Fn<()> as core::ops::function::FnOnce<()>>::call_once"
        ));
        assert!(!inside("shapeproof_user::main"));
        assert!(!inside(
            "<user::Scale as shapeproof::autograd::custom::Function>::forward"
        ));
        assert!(!inside("user::map::<shapeproof::tensor::Tensor<1, S>>"));
    }

    #[test]
    fn names_of_methods() {
        let name = |function| last_name(function).unwrap_or_default();
        assert_eq!(
            name("shapeproof::ops::<impl shapeproof::Tensor<R,S,E>>::ln"),
            "ln"
        );
        assert_eq!(
            name("<shapeproof::Tensor<2, S>>::sum_axis::<1>"),
            "sum_axis"
        );
        assert_eq!(name("ln<2, (), f64>"), "ln");
        assert_eq!(name("shapeproof::ops::exp::{closure#0}"), "exp");
        assert_eq!(
            name("<&shapeproof::Tensor<R,S,E> as core::ops::arith::Mul<E>>::mul"),
            "mul"
        );
    }
}
