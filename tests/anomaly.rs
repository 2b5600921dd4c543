//! The mode that stops at the first value that is not finite, and what it says.

use shapeproof::autograd::{Function, apply, checkpoint, grad};
use shapeproof::graph::{detect_anomaly, detect_nan};
use shapeproof::nn::Hooked;
use shapeproof::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

type Line = Tensor<1, shape![3], f64>;
const INF: f64 = f64::INFINITY;

/// The text of the panic that `body` ends in.
#[track_caller]
fn panic_text<T>(body: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(body)).err().expect("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast_ref::<&str>().unwrap_or(&"").to_string(),
    }
}

fn line(values: [f64; 3]) -> Line {
    Tensor::from(values).tracked()
}

/// The text says this, and was called at this line where there is debug information.
#[track_caller]
fn says(text: &str, start: &str, line: u32) {
    assert!(
        text.starts_with(start),
        "{text:?} does not start with {start:?}"
    );
    let place = format!("anomaly.rs:{line}:");
    let here = text.contains(&place) || text.contains("line-tables-only");
    assert!(here, "{text:?} does not name line {line}");
    assert!(
        text.contains("in `anomaly::"),
        "{text:?} does not name the caller"
    );
}

#[test]
fn the_first_operation_is_named_in_forward() {
    let x = line([1.0, 0.0, 2.0]);
    let at = line!() + 1;
    let text = panic_text(|| detect_anomaly(|| x.ln().exp().sum()));
    says(
        &text,
        "`ln` returned -inf of finite operands, at number 1 of a result of shape [3]; called ",
        at,
    );
    // Without a graph too: by the name of the method.
    let at = line!() + 1;
    let text = panic_text(|| detect_anomaly(|| no_grad(|| x.ln().exp())));
    says(
        &text,
        "`ln` returned -inf of finite operands, at number 1 of",
        at,
    );
    let at = line!() + 1;
    let text = panic_text(|| detect_anomaly(|| &x.detach() / &Line::zeros()));
    says(
        &text,
        "`div` returned inf of finite operands, at number 0 of",
        at,
    );
    let mut y = x.detach();
    let at = line!() + 1;
    let text = panic_text(|| detect_anomaly(|| y /= 0.0));
    says(&text, "`div_", at);
}

#[test]
fn every_kind_of_operation_is_watched() {
    let big = line([1e200; 3]);
    let text = |body: fn(&Line)| panic_text(|| detect_anomaly(|| body(&big)));
    assert!(text(|x| drop(x.square())).starts_with("`square` returned inf of finite operands"));
    assert!(text(|x| drop(x * x)).starts_with("`mul` returned inf of finite operands"));
    assert!(text(|x| drop(x.exp())).starts_with("`exp` returned inf of finite operands"));
    assert!(text(|x| drop((x * 1e108).sum())).starts_with("`sum` returned inf of finite operands"));
    assert!(text(|x| drop(x.matmul(x))).starts_with("`matmul` returned inf of finite operands"));
    assert!(
        text(|x| drop((x * 1e108).cumsum::<0>())).starts_with("`cumsum` returned inf of finite")
    );
    assert!(text(|x| drop(x.prod())).starts_with("`prod` returned inf"));
    assert!(
        text(|x| drop(x.detach().prod())).starts_with("`prod` returned inf of finite operands")
    );
    assert!(text(|x| drop(x.norm(1.0) * x)).starts_with("`mul` returned inf of finite operands"));
}

#[test]
fn who_merely_reads_is_not_blamed() {
    let bad = line([1.0, f64::NAN, 2.0]);
    let at = line!() + 1;
    let text = panic_text(|| detect_anomaly(|| bad.exp()));
    let given =
        ", but was given values that are not finite: look where those come from, at number 1";
    says(&text, &format!("`exp` returned NaN{given}"), at);
    let weights = Param::<1, shape![3], f64>::new(Tensor::from([INF, 0.0, 0.0]));
    let text = panic_text(|| detect_anomaly(|| &weights + &Line::ones()));
    assert!(
        text.starts_with("`add` returned inf, but was given values that are not finite"),
        "{text}"
    );
    for body in [
        |x: &Line| drop(x.reshape::<shape![3, 1]>()),
        |x: &Line| drop((x, x).concat::<0>()),
        |x: &Line| drop([x, x].stack::<0>()),
        |x: &Line| drop(x.sum_axes::<axes![0]>()),
        |x: &Line| drop(x.flip::<0>()),
    ] {
        let text = panic_text(|| detect_anomaly(|| body(&bad)));
        assert!(
            text.contains(" returned NaN, but was given values that are not finite"),
            "{text}"
        );
    }
    // What was looked at for a mask or for places is no operand of the next operation.
    let text = panic_text(|| {
        detect_anomaly(|| {
            assert!(bad.is_nan().any());
            bad.argmax_axis::<0>();
            Line::zeros().ln()
        })
    });
    assert!(
        text.starts_with("`ln` returned -inf of finite operands"),
        "{text}"
    );
    // Data that comes in inside of the mode is not a fault of its own; where it came in is told.
    let came = line!() + 3;
    let text = panic_text(|| {
        detect_anomaly(|| {
            let data = Line::from([0.0, f64::NAN, 0.0]);
            data.sum()
        })
    });
    says(
        &text,
        "`sum` returned NaN, but was given values that are not finite",
        came + 1,
    );
    assert!(
        text.contains("; data that is not finite came in "),
        "{text}"
    );
    says(&text, "`sum`", came);
    // Nothing is said as long as nobody computes with it.
    detect_anomaly(|| Line::from([INF; 3]).tracked().detach());
}

#[test]
fn the_first_operation_is_named_in_backward() {
    let x = line([1.0, 0.0, 4.0]);
    detect_anomaly(|| {
        let at = line!() + 1;
        let y = x.sqrt();
        let loss = y.sum();
        let text = panic_text(|| loss.backward());
        says(
            &text,
            "backward of `sqrt` turned a finite gradient into inf, at number 1 of a gradient of shape [3], for \
             operand 0; its forward was called ",
            at,
        );
    });
    let loss = x.sqrt().sum();
    let text = panic_text(|| detect_anomaly(|| grad(&loss, &x)));
    assert!(
        text.ends_with("its forward ran outside of the mode, so where is not known"),
        "{text}"
    );
}

/// Not an operation: the seed, a hook, a sum of gradients.
#[test]
fn other_sources_in_backward() {
    let x = line([1.0, 2.0, 3.0]);
    let y = detect_anomaly(|| x.square());
    let text = panic_text(|| detect_anomaly(|| y.backward_with_retaining(&Line::full(f64::NAN))));
    assert_eq!(
        text,
        "backward was started from NaN, at number 0 of a gradient of shape [3]"
    );
    let hook = y.register_hook(|grad| grad / 0.0);
    let text = panic_text(|| detect_anomaly(|| y.backward_with_retaining(&Line::ones())));
    assert!(text.starts_with("`div` returned inf"), "{text}");
    hook.remove();
    let hook = y.register_hook(|grad| {
        let mut bad = grad.clone();
        bad.as_mut_slice()[2] = INF;
        bad
    });
    let text = panic_text(|| detect_anomaly(|| y.backward_with_retaining(&Line::ones())));
    assert!(text.starts_with("a hook on `square` returned inf, at number 2 of a gradient of shape [3]; its forward was called "), "{text}");
    hook.remove();
    let z = &y + &y;
    let text = panic_text(|| detect_anomaly(|| z.backward_with_retaining(&Line::full(1e308))));
    assert!(
        text.starts_with("finite gradients that reach `square` sum up to inf, at number 0"),
        "{text}"
    );
    x.zero_grad();
    detect_anomaly(|| z.sum().backward());
    assert_eq!(x.grad().unwrap().to_array(), [4.0, 8.0, 12.0]);
}

#[test]
fn gradients_that_are_added_in_place() {
    let x = line([0.0, 1.0, 2.0]);
    let list = Indices::<1, shape![2], 3>::from_array([0, 0]).unwrap();
    let picked = x.index_select::<0>(&list);
    let text = panic_text(|| detect_anomaly(|| picked.backward_with(&Tensor::full(1e308))));
    assert!(
        text.starts_with(
            "backward of `index_select` turned a finite gradient into inf, at number 0"
        ),
        "{text}"
    );
}

#[test]
fn the_engine_is_usable_afterwards_and_the_mode_is_over() {
    let (x, w) = (line([1.0, 0.0, 4.0]), line([1.0; 3]));
    let loss = (x.sqrt() * &w).sum();
    panic_text(|| detect_anomaly(|| loss.backward_retaining()));
    x.zero_grad();
    w.zero_grad();
    loss.backward();
    assert_eq!(x.grad().unwrap().to_array(), [0.5, INF, 0.25]);
    assert_eq!(w.grad().unwrap().to_array(), [1.0, 0.0, 2.0]);
    assert_eq!(x.detach().ln().to_array()[1], -INF);
}

#[test]
fn scopes_nest() {
    let x = line([0.0; 3]);
    detect_nan(|| {
        x.ln();
        panic_text(|| detect_anomaly(|| x.ln()));
        x.ln();
        let text = panic_text(|| x.ln() * 0.0);
        assert!(
            text.starts_with("`mul_number` returned NaN, but was given values"),
            "{text}"
        );
        detect_nan(|| x.ln());
    });
    detect_anomaly(|| {
        detect_nan(|| x.ln());
        panic_text(|| x.ln());
    });
    x.ln();
}

#[test]
fn masks_of_infinity_are_no_fault_where_only_nan_is() {
    let scores = line([1.0, 2.0, 3.0]);
    let mask = Tensor::from([0.0, -INF, 0.0]);
    let weights = detect_nan(|| {
        let weights = (&scores + &mask).softmax::<0>();
        weights.square().sum().backward();
        weights
    });
    assert_eq!(weights.as_slice()[1], 0.0);
    assert_eq!(scores.grad().unwrap().as_slice()[1], 0.0);
    let text = panic_text(|| detect_nan(|| (&scores + Line::full(-INF)) - Line::full(-INF)));
    assert!(
        text.starts_with("`sub` returned NaN, but was given values that are not finite"),
        "{text}"
    );
}

#[test]
fn other_threads_are_left_alone() {
    let x = line([0.0; 3]);
    detect_anomaly(|| {
        thread::scope(|scope| {
            scope.spawn(|| x.ln().sum().backward());
            scope.spawn(|| panic_text(|| detect_anomaly(|| x.ln())));
        });
        x.exp();
    });
    // A graph that another thread recorded in the mode knows where.
    let at = line!() + 1;
    let y = thread::scope(|scope| scope.spawn(|| detect_anomaly(|| x.sqrt())).join().unwrap());
    let text = panic_text(|| detect_anomaly(|| y.sum().backward()));
    says(&text, "backward of `sqrt` turned", at);
}

#[test]
fn inside_checkpoints_and_operations_of_ones_own() {
    struct Broken;
    impl Function for Broken {
        const NAME: &'static str = "broken";
        type Inputs = Line;
        type Output = Line;
        type Saved = ();
        fn forward(&self, x: Line) -> (Line, ()) {
            let mut y = x;
            y.as_mut_slice()[0] += 1.0;
            (y, ())
        }
        fn backward(&self, (): &(), mut grad: Line) -> Line {
            grad.as_mut_slice()[2] = f64::NAN;
            grad
        }
    }
    let x = line([1.0, 2.0, 3.0]);
    let at = line!() + 1;
    let text = panic_text(|| detect_anomaly(|| apply(Broken, &x).sum().backward()));
    says(
        &text,
        "backward of `broken` turned a finite gradient into NaN, at number 2",
        at,
    );

    let zeros = line([0.0; 3]);
    let at = line!() + 2;
    let text =
        panic_text(|| detect_anomaly(|| checkpoint(|x: Line| x.sqrt(), &zeros).sum().backward()));
    says(
        &text,
        "backward of `sqrt` turned a finite gradient into inf",
        at,
    );
}

#[test]
fn hooks_on_layers() {
    let layer = Hooked::new(Linear::<3, 2, f64>::new(&mut Rng::seed(0)));
    layer.register_full_backward_hook(|dx: Option<&Line>, _| dx.map(|_| Line::full(f64::NAN)));
    let x = line([1.0, 2.0, 3.0]);
    let at = line!() + 1;
    let text = panic_text(|| detect_anomaly(|| layer.forward(&x).sum().backward()));
    says(
        &text,
        "a hook on `hooked` returned NaN, at number 0 of a gradient of shape [3]; its forward was called ",
        at,
    );
    let bad = line([1.0, f64::NAN, 3.0]);
    let text = panic_text(|| detect_anomaly(|| layer.forward(&bad)));
    assert!(
        text.starts_with("`hooked` returned NaN, but was given values that are not finite"),
        "{text}"
    );
}

/// What is found does not change what is computed.
#[test]
fn a_training_loop_comes_out_the_same() {
    fn run() -> Vec<f64> {
        let rng = &mut Rng::seed(1);
        let x = Tensor::<2, shape![8, 3], f64>::randn(rng);
        let mut w = Param::<2, shape![3, 2], f64>::new(Tensor::randn(rng));
        for _ in 0..20 {
            w.zero_grad();
            x.matmul(&w).tanh().square().mean().backward();
            let step = w.grad().unwrap() * 0.1;
            w -= step;
        }
        w.to_vec()
    }
    assert_eq!(detect_anomaly(run), run());
}
