//! A layer with hooks: functions that see what goes in and out, forward and backward.

use super::{Layer, Module, Parameter, ParameterMut};
use crate::element::Element;
use crate::graph::{
    Call as OnGradient, Cotangents, Hook, Rule, Saved, anomaly, parents, pass_under_way,
};
use crate::ops::examples::{dims_of_marked, of_gradient};
use crate::shape::{Dims, Shape};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};
use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A layer with hooks. PyTorch: the hooks of `nn.Module`.
///
/// It is the layer inside in all else: the same input and output, the same names of parameters, the same state of
/// training; fields of the layer are reached through it. Hooks are called in this order, those of one kind in the order
/// in which they were registered:
///
/// 1. [forward pre-hooks](Self::register_forward_pre_hook), each on the input that the one before left;
/// 2. the layer;
/// 3. [forward hooks](Self::register_forward_hook), with that input and the output that the one before left;
/// 4. in backward, [backward pre-hooks](Self::register_full_backward_pre_hook), with the gradient of the output;
/// 5. the layer's backward;
/// 6. [backward hooks](Self::register_full_backward_hook), with the gradients of input and output.
///
/// A layer takes inputs of many types, any batch size, say. A hook is for the one that its parameters name, and is not
/// called for others. What it returns in place of what it was given has the same type, or does not compile.
///
/// A hook may register and remove hooks, itself too: that counts from the next call on. One that runs the layer it
/// hangs on runs itself again. Where it panics, the layer stays usable. Hooks of a clone are the same, and removed apart.
///
/// ```
/// use shapeproof::nn::Hooked;
/// use shapeproof::prelude::*;
/// use std::sync::{Arc, Mutex};
///
/// let rng = &mut Rng::seed(0);
/// let model = (Hooked::new(Linear::<4, 8>::new(rng)), Tanh, Linear::<8, 2>::new(rng));
/// let means = Arc::new(Mutex::new(Vec::new()));
/// let log = means.clone();
/// let hook = model.0.register_forward_hook(move |_: &Tensor<2, shape![16, 4]>, y| {
///     log.lock().unwrap().push(y.mean().item());
/// });
/// model.forward(&Tensor::<2, shape![16, 4]>::ones());
/// hook.remove();
/// model.forward(&Tensor::<2, shape![16, 4]>::ones());
/// assert_eq!(means.lock().unwrap().len(), 1);
/// assert_eq!(model.parameter_names(), ["0.weight", "0.bias", "2.weight", "2.bias"]);
/// assert_eq!(model.0.weight.dims(), [8, 4]);
/// ```
pub struct Hooked<M> {
    module: M,
    hooks: Arc<Mutex<Hooks>>,
}

/// Hooks in the order in which they came. Each is a `Call` for some types of input and output.
#[derive(Clone)]
struct Hooks {
    next: u64,
    calls: Vec<(u64, Arc<dyn Any + Send + Sync>)>,
}

#[allow(clippy::type_complexity)] // functions of one or two tensors
enum Call<X, Y> {
    BeforeForward(Box<dyn Fn(&X) -> Option<X> + Send + Sync>),
    AfterForward(Box<dyn Fn(&X, &Y) -> Option<Y> + Send + Sync>),
    BeforeBackward(Box<dyn Fn(&Y) -> Option<Y> + Send + Sync>),
    AfterBackward(Box<dyn Fn(Option<&X>, &Y) -> Option<X> + Send + Sync>),
}

/// The calls for these types, as they stand when the layer is called.
type Calls<X, Y> = Arc<[Arc<Call<X, Y>>]>;

/// A poisoned lock is no reason to stop: nobody panics while holding one of these.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M> Hooked<M> {
    /// A layer without hooks so far.
    pub fn new(module: M) -> Self {
        let (next, calls) = (0, Vec::new());
        Hooked {
            module,
            hooks: Arc::new(Mutex::new(Hooks { next, calls })),
        }
    }

    /// The layer without its hooks.
    pub fn into_inner(self) -> M {
        self.module
    }

    /// Calls `hook` with the input before the layer is; it may return another input to go on with. PyTorch:
    /// `Module.register_forward_pre_hook`.
    ///
    /// ```
    /// # use shapeproof::nn::Hooked;
    /// # use shapeproof::prelude::*;
    /// let layer = Hooked::new(Relu);
    /// layer.register_forward_pre_hook(|x: &Tensor<1, shape![2]>| -x);
    /// assert_eq!(layer.forward(&Tensor::from([1.0f32, -2.0])).to_array(), [0.0, 2.0]);
    /// ```
    pub fn register_forward_pre_hook<X: Hookable, T: Replaces<X>, F>(&self, hook: F) -> ModuleHook
    where
        M: Layer<X, Output: Hookable<Element = X::Element>>,
        F: Fn(&X) -> T + Send + Sync + 'static,
    {
        self.register(Call::<X, M::Output>::BeforeForward(Box::new(move |x| {
            hook(x).replacement()
        })))
    }

    /// Calls `hook` with input and output after the layer; it may return another output to go on with. PyTorch:
    /// `Module.register_forward_hook`.
    ///
    /// ```
    /// # use shapeproof::nn::Hooked;
    /// # use shapeproof::prelude::*;
    /// let layer = Hooked::new(Linear::<2, 3>::new(&mut Rng::seed(0)));
    /// layer.register_forward_hook(|_: &Tensor<1, shape![2]>, y| y * 0.0);
    /// assert_eq!(layer.forward(&Tensor::from([1.0, 2.0])).to_array(), [0.0; 3]);
    /// ```
    pub fn register_forward_hook<X: Hookable, T: Replaces<M::Output>, F>(
        &self,
        hook: F,
    ) -> ModuleHook
    where
        M: Layer<X, Output: Hookable<Element = X::Element>>,
        F: Fn(&X, &M::Output) -> T + Send + Sync + 'static,
    {
        self.register(Call::<X, M::Output>::AfterForward(Box::new(move |x, y| {
            hook(x, y).replacement()
        })))
    }

    /// Calls `hook` in backward with the gradient of the output, before the layer's backward; it may return another
    /// gradient to go on with. PyTorch: `Module.register_full_backward_pre_hook`.
    ///
    /// ```
    /// # use shapeproof::nn::Hooked;
    /// # use shapeproof::prelude::*;
    /// let layer = Hooked::new(Tanh);
    /// layer.register_full_backward_pre_hook::<Tensor<1, shape![2]>, _, _>(|grad| grad.clamp(-1.0, 1.0));
    /// let x = Tensor::from([0.0f32, 0.0]).tracked();
    /// (layer.forward(&x) * 5.0).sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [1.0, 1.0]);
    /// ```
    pub fn register_full_backward_pre_hook<X: Hookable, T: Replaces<M::Output>, F>(
        &self,
        hook: F,
    ) -> ModuleHook
    where
        M: Layer<X, Output: Hookable<Element = X::Element>>,
        F: Fn(&M::Output) -> T + Send + Sync + 'static,
    {
        self.register(Call::<X, M::Output>::BeforeBackward(Box::new(
            move |grad| hook(grad).replacement(),
        )))
    }

    /// Calls `hook` in backward with the gradients of input and output, once that of the input is complete; it may
    /// return another gradient of the input to go on with. PyTorch: `Module.register_full_backward_hook`.
    ///
    /// Where the input is not tracked there is `None` in place of its gradient, the hook is called as soon as that of
    /// the output is there, and what it returns has no effect. Hooks run in [`no_grad`](crate::graph::no_grad).
    ///
    /// ```
    /// # use shapeproof::nn::Hooked;
    /// # use shapeproof::prelude::*;
    /// let layer = Hooked::new(Tanh);
    /// layer.register_full_backward_hook(|dx: Option<&Tensor<1, shape![2]>>, dy| dx.map(|dx| dx * dy));
    /// let x = Tensor::from([0.0f32, 0.0]).tracked();
    /// (layer.forward(&x) * 5.0).sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [25.0, 25.0]);
    /// ```
    pub fn register_full_backward_hook<X: Hookable, T: Replaces<X>, F>(&self, hook: F) -> ModuleHook
    where
        M: Layer<X, Output: Hookable<Element = X::Element>>,
        F: Fn(Option<&X>, &M::Output) -> T + Send + Sync + 'static,
    {
        self.register(Call::<X, M::Output>::AfterBackward(Box::new(
            move |dx, dy| hook(dx, dy).replacement(),
        )))
    }

    fn register<X: Hookable, Y: Hookable>(&self, call: Call<X, Y>) -> ModuleHook {
        let mut hooks = lock(&self.hooks);
        hooks.next += 1;
        let id = hooks.next;
        hooks.calls.push((id, Arc::new(call)));
        ModuleHook {
            hooks: Arc::downgrade(&self.hooks),
            id,
        }
    }

    fn calls<X: Hookable, Y: Hookable>(&self) -> Calls<X, Y> {
        let hooks = lock(&self.hooks);
        let calls = hooks.calls.iter().map(|(_, call)| call.clone());
        calls.filter_map(|call| call.downcast().ok()).collect()
    }
}

/// A tensor, of any rank, shape and elements.
pub trait Hookable: Sized + Send + Sync + 'static {
    /// Its elements.
    type Element: Element;

    #[doc(hidden)]
    fn from_raw(raw: Raw<Self::Element>) -> Self;
    #[doc(hidden)]
    fn as_raw(&self) -> &Raw<Self::Element>;
    #[doc(hidden)]
    fn sizes() -> Dims;
}

impl<const R: usize, S: Shape<R>, E: Element> Hookable for Tensor<R, S, E> {
    type Element = E;

    fn from_raw(raw: Raw<E>) -> Self {
        Tensor::from_raw(raw)
    }
    fn as_raw(&self) -> &Raw<E> {
        &self.raw
    }
    fn sizes() -> Dims {
        S::DIMS
    }
}

/// What a hook may return in place of an `X`: nothing, an `X`, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "a hook does not return a `{Self}` in place of a `{X}`",
    label = "this closure looks on, or returns another one of the same type",
    note = "what takes the place of a tensor, or of its gradient, has its shape: return nothing, a `{X}`, or an `Option` of one"
)]
pub trait Replaces<X> {
    #[doc(hidden)]
    fn replacement(self) -> Option<X>;
}

impl<X> Replaces<X> for () {
    fn replacement(self) -> Option<X> {
        None
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Replaces<Tensor<R, S, E>> for Tensor<R, S, E> {
    fn replacement(self) -> Option<Self> {
        Some(self)
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Replaces<Tensor<R, S, E>>
    for Option<Tensor<R, S, E>>
{
    fn replacement(self) -> Self {
        self
    }
}

impl<M, X: Hookable> Layer<X> for Hooked<M>
where
    M: Layer<X, Output: Hookable<Element = X::Element>>,
{
    type Output = M::Output;

    fn forward(&self, input: &X) -> M::Output {
        let calls = self.calls::<X, M::Output>();
        if calls.is_empty() {
            return self.module.forward(input);
        }
        let mut x = X::from_raw(input.as_raw().clone());
        for call in &*calls {
            if let Call::BeforeForward(hook) = &**call {
                x = hook(&x).unwrap_or(x);
            }
        }
        let looks_back = |call: &Arc<Call<X, M::Output>>| {
            matches!(**call, Call::BeforeBackward(_) | Call::AfterBackward(_))
        };
        let back = calls.iter().any(looks_back).then(|| Back {
            calls: calls.clone(),
            waiting: Mutex::new(Vec::new()),
        });
        let back = back.map(Arc::new);
        if let Some(back) = &back {
            x = back.before(&x);
        }
        let mut y = self.module.forward(&x);
        for call in &*calls {
            if let Call::AfterForward(hook) = &**call {
                y = hook(&x, &y).unwrap_or(y);
            }
        }
        match back {
            Some(back) => back.behind(&x, &y),
            None => y,
        }
    }
}

/// What the backward hooks of one call of a layer share.
struct Back<X: Hookable, Y> {
    calls: Calls<X, Y>,
    /// Gradients of the output that wait for that of the input, and the pass that each is of.
    waiting: Mutex<Vec<(PassId, Y)>>,
}

type PassId = (std::thread::ThreadId, u64);

impl<X: Hookable, Y: Hookable<Element = X::Element>> Back<X, Y> {
    /// The input as a node of its own, whose gradient is the one with respect to this use of it.
    fn before(self: &Arc<Self>, x: &X) -> X {
        let back = self.clone();
        passed(x, move |dx| {
            let Some(dy) = back.take() else {
                return dx;
            };
            let mut dx = X::from_raw(dx);
            back.each(|call| {
                if let Call::AfterBackward(hook) = call
                    && let Some(replacement) = hook(Some(&dx), &dy)
                {
                    dx = X::from_raw(replacement.as_raw().detached());
                }
            });
            dx.as_raw().clone()
        })
    }

    /// The output as a node of its own.
    fn behind(self: Arc<Self>, x: &X, y: &Y) -> Y {
        let input_is_tracked = x.as_raw().node.is_some();
        passed(y, move |dy| {
            let mut dy = Y::from_raw(dy);
            self.each(|call| {
                if let Call::BeforeBackward(hook) = call
                    && let Some(replacement) = hook(&dy)
                {
                    dy = Y::from_raw(replacement.as_raw().detached());
                }
            });
            let raw = dy.as_raw().clone();
            if input_is_tracked {
                self.put(dy);
            } else {
                self.each(|call| {
                    if let Call::AfterBackward(hook) = call {
                        hook(None, &dy);
                    }
                });
            }
            raw
        })
    }

    fn each(&self, mut visit: impl FnMut(&Call<X, Y>)) {
        self.calls.iter().for_each(|call| visit(call));
    }

    /// Keeps the gradient of the output until the pass that is under way comes to the input.
    fn put(&self, dy: Y) {
        let thread = std::thread::current().id();
        let mut waiting = lock(&self.waiting);
        // A pass may end before it comes to the input: one for the gradients of parameters alone, or in a panic.
        pass_under_way(|passes| {
            waiting.retain(|((owner, pass), _)| *owner != thread || passes.contains(pass));
            waiting.extend(passes.last().map(|&pass| ((thread, pass), dy)));
        });
    }

    fn take(&self) -> Option<Y> {
        let thread = std::thread::current().id();
        let pass = pass_under_way(|passes| passes.last().copied())?;
        let mut waiting = lock(&self.waiting);
        let place = waiting.iter().position(|(id, _)| *id == (thread, pass))?;
        Some(waiting.swap_remove(place).1)
    }
}

/// The same tensor as a node of its own, whose gradient goes through `edit`.
fn passed<X: Hookable>(
    x: &X,
    edit: impl Fn(Raw<X::Element>) -> Raw<X::Element> + Send + Sync + 'static,
) -> X {
    let raw = x.as_raw();
    let mark = raw.values.mark();
    let dims = dims_of_marked(X::sizes(), mark);
    let node = parents([raw.node.as_ref()]).map(|parents| parents.record(dims, Passed));
    if let Some(node) = &node {
        Hook::register(node, OnGradient::Before(of_gradient(mark, edit)));
    }
    let values = raw.values.clone();
    anomaly::reads(&values);
    X::from_raw(Raw { values, node }.examined(X::sizes()))
}

struct Passed;

impl<E: Element> Rule<E> for Passed {
    fn name(&self) -> &'static str {
        "hooked"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, grad);
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

impl<M: Module<E>, E: Element> Module<E> for Hooked<M> {
    fn visit(&self, path: &str, visit: &mut dyn FnMut(&str, Parameter<'_, E>)) {
        self.module.visit(path, visit);
    }
    fn visit_mut(&mut self, path: &str, visit: &mut dyn FnMut(&str, ParameterMut<'_, E>)) {
        self.module.visit_mut(path, visit);
    }
    fn visit_modes(&mut self, path: &str, visit: &mut dyn FnMut(&str, &mut bool)) {
        self.module.visit_modes(path, visit);
    }
}

impl<M> Deref for Hooked<M> {
    type Target = M;
    fn deref(&self) -> &M {
        &self.module
    }
}

impl<M> DerefMut for Hooked<M> {
    fn deref_mut(&mut self) -> &mut M {
        &mut self.module
    }
}

impl<M: Clone> Clone for Hooked<M> {
    fn clone(&self) -> Self {
        let hooks = lock(&self.hooks).clone();
        Hooked {
            module: self.module.clone(),
            hooks: Arc::new(Mutex::new(hooks)),
        }
    }
}

impl<M: fmt::Debug> fmt::Debug for Hooked<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooked")
            .field("module", &self.module)
            .field("hooks", &lock(&self.hooks).calls.len())
            .finish()
    }
}

/// A handle to a hook that was registered on a layer, to remove it with.
///
/// Dropping the handle leaves the hook in place; the hook goes with the layer.
#[derive(Clone)]
pub struct ModuleHook {
    hooks: Weak<Mutex<Hooks>>,
    id: u64,
}

impl ModuleHook {
    /// Removes the hook. A second time, or where the layer is gone, it does nothing.
    ///
    /// Graphs that were recorded before keep their backward hooks.
    ///
    /// ```
    /// # use shapeproof::nn::Hooked;
    /// # use shapeproof::prelude::*;
    /// let layer = Hooked::new(Relu);
    /// let hook = layer.register_forward_hook(|_: &Tensor<0, ()>, y| y * 2.0);
    /// assert_eq!(layer.forward(&Tensor::scalar(1.0f32)).item(), 2.0);
    /// hook.remove();
    /// assert_eq!(layer.forward(&Tensor::scalar(1.0f32)).item(), 1.0);
    /// ```
    pub fn remove(&self) {
        if let Some(hooks) = self.hooks.upgrade() {
            let mut guard = lock(&hooks);
            let place = guard.calls.iter().position(|(id, _)| *id == self.id);
            let removed = place.map(|place| guard.calls.remove(place));
            // What it holds may run code of the user's when it is dropped.
            drop(guard);
            drop(removed);
        }
    }
}

impl fmt::Debug for ModuleHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleHook").field("id", &self.id).finish()
    }
}
