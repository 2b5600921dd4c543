//! Tensors that hold many examples: their values, sizes and gradients, from one level of maps to the next.

use super::layout::broadcast_to;
use crate::element::Element;
use crate::graph::level::{Levels, examples, mark_at, read};
use crate::shape::{AxisPair, Cotangent, Dims, Plan, Share, Split};
use crate::storage::{Buffer, Mark, Plain};
use crate::tensor::Raw;
use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// The tensor with a part for each example of a level, and of those around it.
pub(crate) fn at_depth<E: Element>(x: &Raw<E>, depth: usize) -> Raw<E> {
    let mark = x.values.mark();
    let from = mark.depth();
    if mark == mark_at(depth) {
        return x.clone();
    }
    assert!(from <= depth, "values of many examples stay with them");
    let (share, before) = match mark.share() {
        // Every example has a gradient of its own: none is summed on the way back.
        Share::Repeated => (Share::Repeated, 1),
        _ => (Share::Shared, mark.copies()),
    };
    let level = if share == Share::Repeated {
        from
    } else {
        depth
    };
    let copies = examples(level) / before;
    let inner = x.values.len() / before;
    let numel = before * copies * inner;
    let axis = |size, lhs| AxisPair {
        size,
        lhs,
        rhs: Cotangent::Keep,
    };
    let plan = made_once([before, copies, inner, share as usize], || {
        let inside =
            Plan::collect(&[axis(inner, Cotangent::Keep)]).mapped(copies, share, Share::Each);
        inside.mapped(before, Share::Each, Share::Each)
    });
    let mut raw = broadcast_to(x, plan, dims_of(&[numel]));
    raw.values = raw.values.marked(mark_at(level));
    at_depth(&raw, depth)
}

/// The values with a part for each example of a level, and of those around it.
pub(crate) fn values_at_depth<T: Plain>(x: &Buffer<T>, depth: usize) -> Buffer<T> {
    if x.mark() == mark_at(depth) {
        return x.clone();
    }
    assert!(
        x.mark().depth() <= depth,
        "values of many examples stay with them"
    );
    let before = x.mark().copies();
    let (copies, inner) = (examples(depth) / before, x.len() / before);
    let place = |k: usize| x[k / (copies * inner) * inner + k % inner];
    let numel = before * copies * inner;
    let values = match inner {
        0 => Buffer::dirty(0),
        _ => Buffer::from_fn(numel, place),
    };
    values.marked(mark_at(depth))
}

/// The gradient of a tensor with this mark, from one that has a part for each example: summed over the examples that
/// share the tensor.
pub(crate) fn grad_of<E: Element>(grad: &Buffer<E>, mark: Mark) -> Buffer<E> {
    let depth = mark.depth();
    if grad.mark().depth() <= depth {
        return values_at_depth(grad, depth).marked(Mark::NONE);
    }
    let (all, kept) = (grad.mark().copies(), examples(depth));
    let split = Split {
        outer: kept,
        len: all / kept,
        inner: grad.len() / all,
    };
    crate::kernel::sum_axis(grad, split)
}

/// The gradient that a backward pass starts with: ones, unless another is given.
#[track_caller]
pub(crate) fn seed_of<E: Element>(root: &Raw<E>, seed: Option<&Raw<E>>) -> Buffer<E> {
    let mark = root.values.mark();
    match seed {
        None => {
            let numel = root
                .node
                .as_ref()
                .map_or(root.values.len(), |node| node.numel());
            Buffer::filled(numel, E::one())
        }
        Some(seed) if mark.is_none() => read(&seed.values).clone(),
        Some(seed) => values_at_depth(&seed.values, mark.depth()).marked(Mark::NONE),
    }
}

/// The sizes of a tensor whose type shows `dims`, as its node has them.
pub(crate) fn dims_of_marked(dims: Dims, mark: Mark) -> Dims {
    if mark.is_none() {
        return dims;
    }
    lifted(dims, examples(mark.depth()))
}

/// A plan whose operands have this mark.
pub(crate) fn plan_of_marked(plan: &'static Plan, mark: Mark) -> &'static Plan {
    match mark.copies() {
        1 => plan,
        copies => made_once([address(plan), copies, 0, 0], || {
            plan.mapped(copies, Share::Each, Share::Each)
        }),
    }
}

/// The sizes of so many examples together.
pub(super) fn lifted(dims: Dims, examples: usize) -> Dims {
    let mut all = dims.to_vec();
    match all.first_mut() {
        Some(outermost) => *outermost *= examples,
        None => all.push(examples),
    }
    dims_of(&all)
}

/// These sizes for as long as the program runs. There are as many as it maps shapes, and each is kept once.
pub(crate) fn dims_of(dims: &[usize]) -> Dims {
    static ALL: Mutex<Option<HashSet<&'static [usize]>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_with(HashSet::new);
    all.get(dims).copied().unwrap_or_else(|| {
        let dims: &'static [usize] = Box::leak(dims.into());
        all.insert(dims);
        dims
    })
}

/// What `make` makes, for as long as the program runs; the same for the same key.
pub(crate) fn made_once<T: Any + Sync>(key: [usize; 4], make: impl FnOnce() -> T) -> &'static T {
    type All = HashMap<(TypeId, [usize; 4]), &'static (dyn Any + Sync)>;
    static ALL: Mutex<Option<All>> = Mutex::new(None);
    let key = (TypeId::of::<T>(), key);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_with(HashMap::new);
    let made = *all
        .entry(key)
        .or_insert_with(|| Box::leak(Box::new(make())));
    let made: &'static dyn Any = made;
    made.downcast_ref().expect("the key has the type")
}

/// Where a constant lies: constants of one address are one.
pub(crate) fn address<T>(constant: &'static T) -> usize {
    std::ptr::from_ref(constant) as usize
}

/// A function of a tensor's gradient as one of gradients without a mark, which a backward pass may call when the maps
/// that are under way now have ended.
#[allow(clippy::type_complexity)] // a function
pub(crate) fn of_gradient<E: Element>(
    mark: Mark,
    call: impl Fn(Raw<E>) -> Raw<E> + Send + Sync + 'static,
) -> Box<dyn Fn(Buffer<E>) -> Buffer<E> + Send + Sync> {
    let mark = mark.each();
    if mark.is_none() {
        return Box::new(move |grad| read(&call(Raw::input(grad)).values).clone());
    }
    let levels = Levels::now();
    Box::new(move |grad| {
        levels.within(|| {
            let grad = call(Raw::input(grad.marked(mark)));
            values_at_depth(&grad.values, mark.depth()).marked(Mark::NONE)
        })
    })
}
