//! Hooks on layers: their order, what they may replace, what they see in backward, and that all else is as without.

use shapeproof::autograd::{checkpoint, grad};
use shapeproof::nn::{Dropout, Hooked, Layer, ModuleHook};
use shapeproof::optim::SgdConfig;
use shapeproof::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

type Line = Tensor<1, shape![2], f64>;
type Log = Arc<Mutex<Vec<String>>>;

fn line(values: [f64; 2]) -> Line {
    Tensor::from(values).tracked()
}

fn log() -> (Log, impl Fn(String) + Clone + Send + Sync + 'static) {
    let log = Log::default();
    let note = log.clone();
    (log, move |text| note.lock().unwrap().push(text))
}

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

/// x², and the input is used twice.
#[derive(Clone, Debug)]
struct Square;

impl<const R: usize, S: Shape<R>, E: Element> Layer<Tensor<R, S, E>> for Square {
    type Output = Tensor<R, S, E>;
    fn forward(&self, x: &Tensor<R, S, E>) -> Tensor<R, S, E> {
        x * x
    }
}

#[test]
fn the_order_is_the_documented_one() {
    let layer = Hooked::new(Square);
    let (log, note) = log();
    macro_rules! noting {
        ($what:literal) => {{
            let note = note.clone();
            move |values: &Line| note(format!("{} {:?}", $what, values.to_array()))
        }};
    }
    let (first, second, third, fourth) = (
        noting!("back 1"),
        noting!("back 2"),
        noting!("after 1"),
        noting!("after 2"),
    );
    layer.register_full_backward_hook(move |dx: Option<&Line>, _| first(dx.unwrap()));
    layer.register_forward_hook(move |_: &Line, y| third(y));
    layer.register_full_backward_pre_hook::<Line, _, _>(noting!("back before"));
    layer.register_forward_pre_hook(noting!("before 1"));
    layer.register_forward_pre_hook(noting!("before 2"));
    layer.register_forward_hook(move |_: &Line, y| fourth(y));
    layer.register_full_backward_hook(move |dx: Option<&Line>, _| second(dx.unwrap()));
    let x = line([1.0, 3.0]);
    let y = layer.forward(&x);
    assert_eq!(
        taken(&log),
        [
            "before 1 [1.0, 3.0]",
            "before 2 [1.0, 3.0]",
            "after 1 [1.0, 9.0]",
            "after 2 [1.0, 9.0]"
        ]
    );
    (y * 10.0).sum().backward();
    assert_eq!(
        taken(&log),
        [
            "back before [10.0, 10.0]",
            "back 1 [20.0, 60.0]",
            "back 2 [20.0, 60.0]"
        ]
    );
    assert_eq!(x.grad().unwrap().to_array(), [20.0, 60.0]);
}

#[test]
fn each_goes_on_with_what_the_one_before_left() {
    let layer = Hooked::new(Square);
    layer.register_forward_pre_hook(|x: &Line| x + 1.0);
    layer.register_forward_pre_hook(|x: &Line| x * 2.0);
    layer.register_forward_hook(|x: &Line, y| y + x);
    layer.register_forward_hook(|_: &Line, y| Some(y * 10.0));
    layer.register_forward_hook(|_: &Line, _| None::<Line>);
    let x = line([1.0, 2.0]);
    let y = layer.forward(&x);
    // 10(u² + u) with u = 2(x + 1)
    assert_eq!(y.to_array(), [200.0, 420.0]);
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [180.0, 260.0]);

    let layer = Hooked::new(Square);
    layer.register_full_backward_pre_hook::<Line, _, _>(|dy| dy * 3.0);
    layer.register_full_backward_pre_hook::<Line, _, _>(|dy| dy + 1.0);
    layer.register_full_backward_hook(|dx: Option<&Line>, dy| Some(dx? + dy));
    layer.register_full_backward_hook(|dx: Option<&Line>, _| dx.map(|dx| dx * 10.0));
    let x = line([1.0, 2.0]);
    layer.forward(&x).sum().backward();
    // dy = 3·1 + 1, dx = 10(2x·dy + dy)
    assert_eq!(x.grad().unwrap().to_array(), [120.0, 200.0]);
}

#[test]
fn a_gradient_is_that_of_this_use_of_the_input() {
    let layer = Hooked::new(Square);
    let (log, note) = log();
    layer.register_full_backward_hook(move |dx: Option<&Line>, dy| {
        note(format!("{:?} {:?}", dx.unwrap().to_array(), dy.to_array()));
    });
    let x = line([1.0, 2.0]);
    // Two calls, and a use besides: each call has its own gradients.
    (layer.forward(&x) * 2.0 + layer.forward(&x) * 3.0 + &x * 100.0)
        .sum()
        .backward();
    let mut seen = taken(&log);
    seen.sort();
    assert_eq!(seen, ["[4.0, 8.0] [2.0, 2.0]", "[6.0, 12.0] [3.0, 3.0]"]);
    assert_eq!(x.grad().unwrap().to_array(), [110.0, 120.0]);
    // One after the other.
    layer
        .forward(&layer.forward(&line([1.0, 2.0])))
        .sum()
        .backward();
    assert_eq!(
        taken(&log),
        ["[2.0, 8.0] [1.0, 1.0]", "[4.0, 32.0] [2.0, 8.0]"]
    );
}

#[test]
fn without_a_gradient_of_the_input() {
    let layer = Hooked::new(Linear::<2, 2, f64>::new(&mut Rng::seed(0)));
    let (log, note) = log();
    layer.register_full_backward_hook(move |dx: Option<&Line>, dy| {
        note(format!("{} {:?}", dx.is_none(), dy.to_array()));
        Line::full(1e9)
    });
    let y = layer.forward(&Tensor::from([1.0, 2.0]));
    y.sum().backward();
    assert_eq!(taken(&log), ["true [1.0, 1.0]"]);
    assert_eq!(layer.weight.grad().unwrap().to_array(), [[1.0, 2.0]; 2]);
    // Nothing is recorded here, and nothing is called.
    no_grad(|| layer.forward(&line([1.0, 2.0])));
    Hooked::clone(&layer).forward(&Tensor::from([1.0, 2.0]));
    assert!(taken(&log).is_empty());
}

#[test]
fn handles_remove_and_clones_go_their_own_way() {
    let layer = Hooked::new(Square);
    let x = Line::from([1.0, 2.0]);
    let hook = layer.register_forward_hook(|_: &Line, y| y + 1.0);
    layer.register_forward_hook(|_: &Line, y| y * 2.0);
    let copy = layer.clone();
    assert_eq!(layer.forward(&x).to_array(), [4.0, 10.0]);
    hook.remove();
    hook.clone().remove();
    assert_eq!(layer.forward(&x).to_array(), [2.0, 8.0]);
    assert_eq!(copy.forward(&x).to_array(), [4.0, 10.0]);
    assert_eq!(format!("{layer:?}"), "Hooked { module: Square, hooks: 1 }");
    let module = layer.into_inner();
    assert_eq!(module.forward(&x).to_array(), [1.0, 4.0]);
    hook.remove();
}

#[test]
fn a_hook_is_for_the_input_that_it_names() {
    let layer = Hooked::new(Square);
    layer.register_forward_hook(|_: &Line, y| y * 10.0);
    layer.register_forward_hook(|_: &Tensor<0, (), f64>, y| y * 100.0);
    assert_eq!(layer.forward(&Line::ones()).to_array(), [10.0; 2]);
    assert_eq!(layer.forward(&Tensor::<0, (), f64>::ones()).item(), 100.0);
    assert_eq!(
        layer
            .forward(&Tensor::<1, shape![3], f64>::ones())
            .to_array(),
        [1.0; 3]
    );
    assert_eq!(
        layer
            .forward(&Tensor::<1, shape![2], f32>::ones())
            .to_array(),
        [1.0; 2]
    );
}

#[test]
fn hooks_may_register_and_remove_hooks_and_start_passes() {
    let layer = Arc::new(Hooked::new(Square));
    let own: Arc<OnceLock<ModuleHook>> = Arc::default();
    let (weak, handle) = (Arc::downgrade(&layer), own.clone());
    let hook = layer.register_forward_hook(move |_: &Line, y| {
        handle.get().unwrap().remove();
        weak.upgrade()
            .unwrap()
            .register_forward_hook(|_: &Line, y| y * 10.0);
        y + 1.0
    });
    own.set(hook).unwrap();
    assert_eq!(layer.forward(&Line::ones()).to_array(), [2.0; 2]);
    assert_eq!(layer.forward(&Line::ones()).to_array(), [10.0; 2]);

    // A pass through another graph, and one through the layer itself, from within backward.
    let layer = Arc::new(Hooked::new(Square));
    let (log, note) = log();
    let weak = Arc::downgrade(&layer);
    layer.register_full_backward_hook(move |dx: Option<&Line>, dy| {
        let (dx, dy) = (dx.unwrap(), dy.to_array());
        note(format!("{:?} {dy:?}", dx.to_array()));
        if dy[0] > 1.0 {
            let inner = line([5.0, 6.0]);
            enable_grad(|| weak.upgrade().unwrap().forward(&inner).sum()).backward();
            assert_eq!(inner.grad().unwrap().to_array(), [10.0, 12.0]);
        }
    });
    let x = line([1.0, 2.0]);
    (layer.forward(&x) * 2.0).sum().backward();
    assert_eq!(
        taken(&log),
        ["[4.0, 8.0] [2.0, 2.0]", "[10.0, 12.0] [1.0, 1.0]"]
    );
    assert_eq!(x.grad().unwrap().to_array(), [4.0, 8.0]);
}

/// A pass that does not come to the input leaves nothing behind for the next one.
#[test]
fn passes_for_parameters_alone_and_several_passes() {
    let layer = Hooked::new(Linear::<2, 2, f64>::new(&mut Rng::seed(0)));
    let (log, note) = log();
    layer.register_full_backward_hook(move |dx: Option<&Line>, dy| {
        note(format!("{} {:?}", dx.is_some(), dy.to_array()));
    });
    let x = line([1.0, 2.0]);
    let y = layer.forward(&x);
    for scale in [2.0, 3.0] {
        grad(&(&y * scale).sum(), &layer.weight);
    }
    assert!(taken(&log).is_empty());
    (&y * 5.0).sum().backward_retaining();
    (&y * 7.0).sum().backward_retaining();
    assert_eq!(taken(&log), ["true [5.0, 5.0]", "true [7.0, 7.0]"]);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for scale in 0..100 {
                    (&y * f64::from(scale)).sum().backward_retaining();
                }
            });
        }
    });
    let mut seen = taken(&log);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 100);
}

#[test]
fn a_panic_in_a_hook_leaves_the_layer_usable() {
    let layer = Hooked::new(Square);
    let x = line([1.0, 2.0]);
    let forward = layer.register_forward_hook(|_: &Line, _| {
        if true {
            panic!("forward")
        }
    });
    assert!(catch_unwind(AssertUnwindSafe(|| layer.forward(&x))).is_err());
    forward.remove();
    let backward = layer.register_full_backward_hook(|_: Option<&Line>, _| {
        if true {
            panic!("backward")
        }
    });
    let y = layer.forward(&x);
    assert!(catch_unwind(AssertUnwindSafe(|| y.sum().backward())).is_err());
    backward.remove();
    layer.forward(&x).sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [2.0, 4.0]);
}

#[test]
fn names_training_and_optimizers_are_those_of_the_layer() {
    let rng = &mut Rng::seed(0);
    let plain = (Linear::<2, 3>::new(rng), Dropout::new(0.5, rng));
    let mut hooked = Hooked::new((Hooked::new(plain.0.clone()), plain.1.clone()));
    hooked
        .0
        .register_forward_hook(|_: &Tensor<1, shape![2]>, _| ());
    hooked
        .0
        .register_full_backward_hook(|_: Option<&Tensor<1, shape![2]>>, _| ());
    assert_eq!(
        Module::<f32>::parameter_names(&hooked),
        Module::<f32>::parameter_names(&plain)
    );
    assert_eq!(Module::<f32>::parameter_count(&hooked), 9);
    let x = Tensor::<1, shape![2]>::ones();
    assert_eq!(hooked.forward(&x), plain.forward(&x));
    Module::<f32>::set_training(&mut hooked, false);
    assert_eq!(hooked.forward(&x), plain.0.forward(&x));

    let mut optimizer = Sgd::new(
        &hooked,
        SgdConfig {
            lr: 0.1,
            ..Default::default()
        },
    );
    let before = hooked.0.bias.to_array();
    hooked.forward(&x).sum().backward();
    optimizer.step(&mut hooked);
    assert_eq!(hooked.0.bias.to_array(), before.map(|b| b - 0.1));
    Module::<f32>::zero_grad(&hooked);
    assert!(hooked.0.bias.grad().is_none());
    hooked.0.bias.as_mut_slice()[0] = 7.0;
    assert_eq!(hooked.0.bias.to_array()[0], 7.0);
}

#[test]
fn inside_a_checkpoint_hooks_run_again() {
    let layer = Arc::new(Hooked::new(Square));
    let (log, note) = log();
    let second = note.clone();
    layer.register_forward_hook(move |_: &Line, _| note("forward".into()));
    layer.register_full_backward_hook(move |dx: Option<&Line>, _| {
        second(format!("{:?}", dx.unwrap().to_array()))
    });
    let x = line([1.0, 2.0]);
    let inside = layer.clone();
    checkpoint(move |x: Line| inside.forward(&x), &x)
        .sum()
        .backward();
    assert_eq!(taken(&log), ["forward", "forward", "[2.0, 4.0]"]);
    assert_eq!(x.grad().unwrap().to_array(), [2.0, 4.0]);
}

#[test]
fn what_may_cross_threads_is_send_and_sync() {
    fn crosses<T: Send + Sync>(_: &T) {}
    let layer = Hooked::new(Square);
    crosses(&layer.register_forward_hook(|_: &Line, _| ()));
    crosses(&layer);
}
