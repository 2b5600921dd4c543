//! A mode that stops at the first value that is not finite, and says which operation made it and where it was called.
//!
//! Off, it costs a look at one number that all threads share, for each operation. On, each result is read once more,
//! and each recorded operation notes its callers.

use super::node::NodeRef;
use super::rule::{Rule, Saved};
use super::site::Site;
use crate::element::Element;
use crate::shape::{Dims, Share};
use crate::tensor::Raw;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The scopes on all threads in which somebody looks.
static SCOPES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What this thread looks for.
    static SOUGHT: Cell<Option<Sought>> = const { Cell::new(None) };
    /// What is known of the operands of the operation under way.
    static OPERANDS: Cell<Operands> = const { Cell::new(Operands::Unknown) };
    /// Where data came in that was not finite, in the outermost scope.
    static DATA: RefCell<Vec<Site>> = const { RefCell::new(Vec::new()) };
}

/// More places where data came in do not help.
const PLACES: usize = 3;

/// The values at which to stop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    /// NaN.
    Nan,
    /// NaN and both infinities.
    NotFinite,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    Unknown,
    Fine,
    Bad,
}

/// Runs `body`, and panics at the first operation whose result holds NaN or an infinity, or whose backward turns a
/// finite gradient into one. PyTorch: `autograd.detect_anomaly`; JAX: `debug_nans` with `debug_infs`.
///
/// The message names the operation, the place of the value, and where the operation was called: the innermost place
/// outside of this library. For backward that is the place of the forward call, if that was inside the mode too. It
/// says whether the operation made the value of finite operands or was given such values, and where data came in that
/// held them. Backward also stops at a seed, at what a hook returns, and at a sum of gradients.
///
/// Line numbers need debug information, of which `debug = "line-tables-only"` in the profile of `Cargo.toml` is enough;
/// without it the message has the name of the calling function, if that.
///
/// As [`no_grad`](crate::graph::no_grad), the mode belongs to the calling thread, nests, and ends with `body`, be it by
/// a panic. After one that was caught, parameters and tensors are as usable as before. The mode is for finding a fault,
/// since it makes small operations many times slower; off, it costs nothing that can be measured.
///
/// Where infinities are meant, as in masks for attention, [`detect_nan`] looks for NaN alone.
///
/// # Panics
/// At the first value that is not finite.
///
/// ```should_panic
/// use shapeproof::graph::detect_anomaly;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::from([1.0f32, 0.0]).tracked();
/// // `ln` returned -inf of finite operands, at number 1 of a result of shape [2]; called at src/main.rs:7:18, in `main`
/// detect_anomaly(|| (&x * x.ln()).sum().backward());
/// ```
pub fn detect_anomaly<T>(body: impl FnOnce() -> T) -> T {
    seeking(Sought::NotFinite, body)
}

/// [`detect_anomaly`] that looks for NaN alone, where infinities are meant. JAX: `debug_nans`.
///
/// # Panics
/// At the first NaN.
///
/// ```
/// use shapeproof::graph::detect_nan;
/// use shapeproof::prelude::*;
///
/// let scores = Tensor::from([1.0f32, f32::NEG_INFINITY]).tracked();
/// let weights = detect_nan(|| scores.softmax::<0>());
/// assert_eq!(weights.to_array(), [1.0, 0.0]);
/// ```
pub fn detect_nan<T>(body: impl FnOnce() -> T) -> T {
    seeking(Sought::Nan, body)
}

fn seeking<T>(sought: Sought, body: impl FnOnce() -> T) -> T {
    /// Puts back what was looked for before.
    struct Restore(Option<Sought>);
    impl Drop for Restore {
        fn drop(&mut self) {
            SOUGHT.with(|sought| sought.set(self.0));
            SCOPES.fetch_sub(1, Ordering::Relaxed);
            if self.0.is_none() {
                DATA.with(|data| data.borrow_mut().clear());
            }
        }
    }
    SCOPES.fetch_add(1, Ordering::Relaxed);
    let _restore = Restore(SOUGHT.with(|before| before.replace(Some(sought))));
    OPERANDS.with(|operands| operands.set(Operands::Unknown));
    body()
}

/// True if somebody looks, on whatever thread: what decides in the common case.
#[inline]
pub(crate) fn on() -> bool {
    SCOPES.load(Ordering::Relaxed) != 0
}

/// What this thread looks for.
pub(super) fn sought() -> Option<Sought> {
    if on() { SOUGHT.with(Cell::get) } else { None }
}

impl Sought {
    /// The first value that is looked for, and its place.
    pub(super) fn first<E: Element>(self, values: &[E]) -> Option<(usize, E)> {
        let found = match self {
            Sought::Nan => values.iter().position(|x| x.is_nan()),
            Sought::NotFinite => values.iter().position(|x| !x.is_finite()),
        };
        found.map(|place| (place, values[place]))
    }
}

/// Notes an operand of the operation under way.
#[inline]
pub(crate) fn reads<E: Element>(values: &[E]) {
    if on() {
        look_at_operand(values);
    }
}

#[cold]
#[inline(never)]
fn look_at_operand<E: Element>(values: &[E]) {
    if SOUGHT.with(Cell::get).is_some() {
        // Infinities among the operands explain a NaN.
        let bad = Sought::NotFinite.first(values).is_some();
        OPERANDS.with(|operands| {
            operands.set(if bad || operands.get() == Operands::Bad {
                Operands::Bad
            } else {
                Operands::Fine
            });
        });
    }
}

/// Forgets the operands of an operation whose result is no tensor.
#[inline]
pub(crate) fn forget() {
    if on() {
        OPERANDS.with(|operands| operands.set(Operands::Unknown));
    }
}

/// Notes data that comes in.
#[cold]
#[inline(never)]
pub(crate) fn data<E: Element>(values: &[E]) {
    if SOUGHT.with(Cell::get).is_some() && Sought::NotFinite.first(values).is_some() {
        DATA.with(|data| {
            let mut data = data.borrow_mut();
            if data.len() < PLACES {
                data.push(Site::here());
            }
        });
    }
}

/// Looks at the result of an operation, and notes who called it.
///
/// # Panics
/// If the result holds what is looked for.
#[cold]
#[inline(never)]
pub(crate) fn result<E: Element>(raw: &Raw<E>, dims: Dims) {
    let Some(sought) = SOUGHT.with(Cell::get) else {
        return;
    };
    let operands = OPERANDS.with(|operands| operands.replace(Operands::Unknown));
    if let Some(node) = &raw.node {
        if node.is_leaf() {
            return;
        }
        node.set_site(Site::here);
    }
    let Some((place, value)) = sought.first(&raw.values) else {
        return;
    };
    let site = Site::here();
    let rule = raw.node.as_ref().and_then(|node| {
        node.recorded(|recorded| {
            recorded
                .rule()
                .map(|rule| (rule.name(), saved_bad(rule, |name| name != "output")))
        })
        .flatten()
    });
    let (name, bad) = match rule {
        Some((name, bad)) => (Some(name.to_string()), bad),
        None => (site.operation(), false),
    };
    let name = name.map_or("an operation".to_string(), |name| format!("`{name}`"));
    let of = if bad || operands == Operands::Bad {
        ", but was given values that are not finite: look where those come from"
    } else if operands == Operands::Fine {
        " of finite operands"
    } else {
        "; whether its operands were finite is not known"
    };
    let data: String = DATA.with(|data| {
        let came = |site: &Site| format!("; data that is not finite came in {site}");
        data.borrow().iter().map(came).collect()
    });
    let numel = dims.iter().product::<usize>();
    let (place, example) = match raw.values.mark().share() {
        Share::Each => (place % numel, format!(" in example {}", place / numel)),
        _ => (place, String::new()),
    };
    panic!(
        "{name} returned {value}{of}, at number {place} of a result of shape {dims:?}{example}; called {site}{data}"
    );
}

/// True if the rule saved something that is not finite, in a field of such a name.
fn saved_bad<E: Element>(rule: &dyn Rule<E>, counts: impl Fn(&str) -> bool) -> bool {
    let mut bad = false;
    rule.saved(&mut |name, saved| match saved {
        Saved::Values(values) if counts(name) => {
            bad |= Sought::NotFinite.first(values).is_some();
        }
        Saved::Number(number) => bad |= !number.is_finite(),
        _ => {}
    });
    bad
}

/// A rule in backward.
#[derive(Clone, Copy, Default)]
pub(super) struct Running {
    name: &'static str,
    /// It has saved values that are not finite.
    saved_bad: bool,
}

impl Running {
    pub(super) fn of<E: Element>(rule: &dyn Rule<E>) -> Self {
        Running {
            name: rule.name(),
            saved_bad: saved_bad(rule, |_| true),
        }
    }
}

/// What made a gradient that is not finite.
pub(super) enum Source {
    /// What backward was started from.
    Seed,
    /// This rule, for operand `i`, of finite gradients.
    Rule(Running, usize),
    /// A sum of finite gradients.
    Sum,
    /// A hook.
    Hook,
}

/// # Panics
/// Always: says what made a gradient that is looked for. `node` is that of the operation to blame.
#[cold]
pub(super) fn bad_gradient<E: Element>(
    source: Source,
    node: &NodeRef<E>,
    dims: Dims,
    (place, value): (usize, E),
) -> ! {
    let at = format!("{value}, at number {place} of a gradient of shape {dims:?}");
    let called = match node.site() {
        Some(site) => format!("its forward was called {site}"),
        None if node.is_leaf() => "it is a leaf".to_string(),
        None => "its forward ran outside of the mode, so where is not known".to_string(),
    };
    let op = || node.recorded(|recorded| recorded.rule().map_or("leaf", Rule::name));
    match source {
        Source::Seed => panic!("backward was started from {at}"),
        Source::Rule(Running { name, saved_bad }, i) => {
            let why = if saved_bad {
                ", but was given values that are not finite in forward"
            } else {
                ""
            };
            panic!(
                "backward of `{name}` turned a finite gradient into {at}, for operand {i}{why}; {called}"
            )
        }
        Source::Sum => panic!(
            "finite gradients that reach `{}` sum up to {at}; {called}",
            op().unwrap_or("a result")
        ),
        Source::Hook => panic!(
            "a hook on `{}` returned {at}; {called}",
            op().unwrap_or("a result")
        ),
    }
}
