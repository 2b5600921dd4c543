//! The graph and its backward pass: what is recorded and saved, where gradients end up, and what later
//! changes cannot touch.

use shapeproof::graph::{NodeView, enable_grad, is_recording, no_grad};
use shapeproof::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

type Number = Tensor<0, (), f64>;
type Line = Tensor<1, shape![3], f64>;
type Matrix = Tensor<2, shape![3, 4], f64>;

/// The text of the panic that `body` ends in.
#[track_caller]
fn panic_text<T>(body: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(body)).err().expect("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast_ref::<&str>().unwrap_or(&"").to_string(),
    }
}

/// The gradient; there must be one.
#[track_caller]
fn grad<const R: usize, S: Shape<R>>(x: &Tensor<R, S, f64>) -> S::Array<f64> {
    x.grad().expect("a gradient").to_array()
}

fn line() -> Line {
    Tensor::from([1.0, 2.0, 3.0]).tracked()
}

mod accumulation {
    use super::*;

    #[test]
    fn gradients_add_up_until_they_are_zeroed() {
        let x = line();
        assert!(x.grad().is_none());
        for times in 1..=3 {
            x.square().sum().backward();
            assert_eq!(grad(&x), [2.0, 4.0, 6.0].map(|g| g * f64::from(times)));
        }
        x.zero_grad();
        assert!(x.grad().is_none());
        x.sum().backward();
        assert_eq!(grad(&x), [1.0; 3]);
    }

    #[test]
    fn what_a_loss_does_not_depend_on_has_no_gradient() {
        let (x, y) = (line(), line());
        x.sum().backward();
        assert!(y.grad().is_none());
        // A gradient of zero is not none.
        (&y * 0.0).sum().backward();
        assert_eq!(grad(&y), [0.0; 3]);
        assert!(Line::ones().grad().is_none());
    }

    #[test]
    fn diamonds_and_repeated_operands() {
        let x = line();
        let a = x.square();
        let b = &a + &a;
        let c = &b * &a;
        let d = &c - &b * &c + &a;
        d.sum().backward();
        // d = 2a² − 4a³ + a with a = x²
        let right = |x: f64| {
            let a = x * x;
            (4.0 * a - 12.0 * a * a + 1.0) * 2.0 * x
        };
        assert_eq!(grad(&x), [1.0, 2.0, 3.0].map(right));
    }

    #[test]
    fn two_to_the_sixty_paths_are_walked_in_sixty_steps() {
        let x = Number::scalar(1.0).tracked();
        let mut y = x.clone();
        for _ in 0..60 {
            y = &y + &y;
        }
        y.backward();
        assert_eq!(grad(&x), 2f64.powi(60));
    }

    #[test]
    fn a_loss_may_be_a_leaf() {
        let x = Number::scalar(5.0).tracked();
        x.backward();
        x.backward();
        assert_eq!(grad(&x), 2.0);
        let y = line();
        y.backward_with(&Tensor::from([1.0, 2.0, 3.0]));
        assert_eq!(grad(&y), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_clone_is_the_same_leaf_and_a_cloned_parameter_is_another() {
        let x = line();
        x.clone().sum().backward();
        assert_eq!(grad(&x), [1.0; 3]);
        let p = Param::<1, shape![3], f64>::ones();
        p.sum().backward();
        let q = p.clone();
        assert!(q.grad().is_none());
        q.sum().backward();
        q.sum().backward();
        assert_eq!((grad(&p), grad(&q)), ([1.0; 3], [2.0; 3]));
    }

    #[test]
    fn a_sum_does_not_change_what_was_read_before() {
        let x = line();
        x.sum().backward();
        let first = x.grad().unwrap();
        x.sum().backward();
        assert_eq!(first.to_array(), [1.0; 3]);
        assert_eq!(grad(&x), [2.0; 3]);
    }
}

mod passes {
    use super::*;

    #[test]
    fn the_second_over_a_freed_graph_is_refused_before_it_touches_anything() {
        let (x, w) = (line(), line());
        let y = x.square();
        let (first, second) = ((&y * 2.0).sum(), y.exp());
        first.backward();
        let before = grad(&x);

        // w and the new nodes come before the freed part in every order of walking.
        let new = w.square();
        new.retain_grad();
        let loss = (&new + &second * &w).sum();
        let text = panic_text(|| loss.backward());
        assert_eq!(
            text,
            "backward reached a result of shape [3] whose graph an earlier backward has freed; use \
             `backward_retaining` for all passes over a graph but the last"
        );
        assert_eq!(grad(&x), before);
        assert!(w.grad().is_none() && new.grad().is_none());
        panic_text(|| loss.backward_retaining());
        assert!(w.grad().is_none());

        // What does not reach the freed part still works, once.
        new.sum().backward();
        assert_eq!(grad(&w), [2.0, 4.0, 6.0]);
    }

    #[test]
    fn retaining_keeps_the_graph_for_the_next() {
        let x = line();
        let loss = (x.exp().ln() * &x).sum();
        for times in 1..=3 {
            loss.backward_retaining();
            for (g, x) in grad(&x).into_iter().zip([1.0, 2.0, 3.0]) {
                assert!((g - f64::from(times) * 2.0 * x).abs() < 1e-12);
            }
        }
        loss.backward();
        let text = panic_text(|| loss.backward());
        assert!(text.contains("freed"), "{text}");
    }

    #[test]
    fn a_shared_part_may_be_kept_by_one_loss_and_freed_by_another() {
        let x = line();
        let shared = x.square();
        let (a, b, c) = (shared.sum(), (&shared * 3.0).sum(), shared.mean());
        a.backward_retaining();
        b.backward();
        assert_eq!(grad(&x), [8.0, 16.0, 24.0]);
        panic_text(|| c.backward());
        panic_text(|| a.backward());
        assert_eq!(grad(&x), [8.0, 16.0, 24.0]);
        // Values and new graphs on detached values go on.
        assert_eq!(shared.to_array(), [1.0, 4.0, 9.0]);
        let fresh = shared.detach().tracked();
        fresh.sum().backward();
        assert_eq!(grad(&fresh), [1.0; 3]);
    }

    #[test]
    fn seeds_of_any_shape() {
        let x = Matrix::ones().tracked();
        let seed: Matrix = Tensor::<1, shape![12], f64>::arange(0.0, 1.0).reshape::<shape![3, 4]>();
        let y = &x * 2.0;
        y.backward_with_retaining(&seed);
        assert_eq!(x.grad().unwrap(), &seed * 2.0);
        y.backward_with(&-&seed);
        assert_eq!(x.grad().unwrap(), Matrix::zeros());
        panic_text(|| y.backward_with(&seed));

        let z = Number::scalar(3.0).tracked();
        z.square().backward_with(&Tensor::scalar(0.5));
        assert_eq!(grad(&z), 3.0);

        // The graph behind a seed stays out of it.
        let seed = Number::scalar(2.0).tracked();
        z.square().backward_with(&(&seed * 1.0));
        assert!(seed.grad().is_none());
        assert_eq!(grad(&z), 15.0);
    }

    #[test]
    fn on_what_is_not_tracked_is_refused_with_the_reason() {
        let text = panic_text(|| Number::ones().backward());
        assert_eq!(
            text,
            "backward on a tensor that is not tracked: no parameter or `tracked()` tensor took part in it, \
             or `no_grad` was on"
        );
        let x = line();
        panic_text(|| no_grad(|| x.sum()).backward());
        panic_text(|| Line::ones().backward_with(&Tensor::ones()));
        assert!(x.grad().is_none());
    }

    #[test]
    fn inside_no_grad_a_graph_recorded_before_works() {
        let x = line();
        let loss = x.square().sum();
        no_grad(|| loss.backward());
        assert_eq!(grad(&x), [2.0, 4.0, 6.0]);
    }
}

mod tracking {
    use super::*;

    #[test]
    fn inputs_have_no_node() {
        let (a, b) = (Matrix::ones(), Matrix::ones());
        let results = [
            &a + &b,
            &a * 2.0,
            a.exp(),
            a.softmax::<1>(),
            a.clone() / b.clone(),
            a.gt(0.0).select(&a, &b),
        ];
        for x in &results {
            assert!(!x.is_tracked() && x.node().is_none() && x.grad().is_none());
        }
        let scalars = [a.sum(), a.mse(&b), a.var(1), a.max()];
        assert!(scalars.iter().all(|x| x.node().is_none()));
        assert!(a.matmul(&b.t()).node().is_none());
        assert_eq!(format!("{:?}", a.sum()), "Tensor(input, shape (), 12.0)");
    }

    #[test]
    fn an_operand_that_is_not_tracked_gets_no_node_from_one_that_is() {
        let (x, input) = (line(), Line::ones());
        let y = &x * &input;
        assert!(y.is_tracked() && input.node().is_none());
        let parents = y.node().unwrap().parents();
        assert_eq!(parents.len(), 1);
        assert_eq!(
            (parents[0].op(), parents[0].id()),
            ("leaf", x.node().unwrap().id())
        );
        y.sum().backward();
        assert!(input.grad().is_none());
    }

    #[test]
    fn the_graph_is_there_to_be_looked_at() {
        let x = line();
        let w = Param::<1, shape![3], f64>::ones();
        let y = (&x * &w).exp().sum();
        let sum = y.node().unwrap();
        assert_eq!((sum.op(), sum.dims()), ("sum", &[][..]));
        let exp = &sum.parents()[0];
        assert_eq!((exp.op(), exp.dims()), ("exp", &[3][..]));
        let mul = &exp.parents()[0];
        let ids: Vec<_> = mul.parents().iter().map(NodeView::id).collect();
        assert_eq!(ids, [x.node().unwrap().id(), w.node().unwrap().id()]);
        assert!(ids.iter().all(|&id| id < mul.id()) && mul.id() < exp.id() && exp.id() < sum.id());
        assert_eq!(mul.saved()[1].values(), [1.0; 3]);
        assert_eq!(mul.saved()[1].bytes(), 24);
        assert_eq!(
            format!("{mul:?}"),
            format!("NodeView {{ id: {}, op: \"mul\", dims: [3] }}", mul.id())
        );

        y.backward();
        for node in [&sum, exp, mul] {
            assert_eq!(node.op(), "freed");
            assert!(node.saved().is_empty() && node.parents().is_empty());
        }
        assert_eq!(sum.dims().len(), 0);
        assert_eq!(
            (x.node().unwrap().op(), w.node().unwrap().op()),
            ("leaf", "leaf")
        );
        assert!(y.is_tracked());
        assert_eq!(
            format!("{y:?}"),
            format!("Tensor(freed, shape (), {:?})", y.item())
        );
    }

    #[test]
    fn tracked_starts_afresh() {
        let x = line();
        let y = x.square().tracked();
        assert_eq!(y.node().unwrap().op(), "leaf");
        (&y * 2.0).sum().backward();
        assert_eq!(grad(&y), [2.0; 3]);
        assert!(x.grad().is_none());
        // So does a parameter.
        let p = Param::new(x.square());
        p.sum().backward();
        assert!(x.grad().is_none());
        assert_eq!(grad(&p), [1.0; 3]);
        // And each time anew.
        let z = y.clone().tracked();
        assert!(z.grad().is_none());
        assert_ne!(z.node().unwrap().id(), y.node().unwrap().id());
    }

    #[test]
    fn detach_shares_values_and_nothing_else() {
        let x = line();
        let y = x.square();
        let d = y.detach();
        assert_eq!(d.as_slice().as_ptr(), y.as_slice().as_ptr());
        assert!(!d.is_tracked() && y.is_tracked());
        (&y * &d).sum().backward();
        assert_eq!(grad(&x), [2.0, 16.0, 54.0]); // x²·2x, not 4x³
        assert!(x.detach().grad().is_none() && x.grad().is_some());
        assert!(!Param::<0, (), f64>::ones().value().is_tracked());
    }

    #[test]
    fn results_keep_a_gradient_if_told_to() {
        let x = line();
        let (y, z) = (&x * 2.0, x.exp());
        y.retain_grad();
        let loss = (y.square() + &z).sum();
        loss.backward_retaining();
        assert_eq!(grad(&y), [4.0, 8.0, 12.0]);
        assert!(z.grad().is_none());
        // It adds up like a leaf's, and is forgotten like one.
        loss.backward_retaining();
        assert_eq!(grad(&y), [8.0, 16.0, 24.0]);
        y.zero_grad();
        loss.backward();
        assert_eq!(grad(&y), [4.0, 8.0, 12.0]);
        // The whole gradient, over all uses.
        let y = &x * 1.0;
        y.retain_grad();
        (&y + &y * &y).sum().backward();
        assert_eq!(grad(&y), [3.0, 5.0, 7.0]);

        let text = panic_text(|| Line::ones().retain_grad());
        assert!(text.contains("not tracked"), "{text}");
        x.retain_grad(); // a leaf does anyway
    }

    #[test]
    fn recording_is_switched_off_and_on_and_nests() {
        let x = line();
        assert!(is_recording());
        no_grad(|| {
            assert!(!is_recording());
            assert!(!x.square().is_tracked());
            enable_grad(|| {
                assert!(x.square().is_tracked());
                no_grad(|| assert!(!x.square().is_tracked()));
                assert!(is_recording());
            });
            // Leaves are leaves all the same.
            assert!(x.is_tracked() && Line::ones().tracked().is_tracked());
            assert!(Param::<0, (), f64>::ones().is_tracked());
        });
        assert_eq!(no_grad(|| 7), 7);
        assert!(x.square().is_tracked());
    }

    #[test]
    fn compound_assignment_is_recorded_like_the_operator() {
        let x = line();
        let mut y = x.square();
        y += &x;
        y *= 2.0;
        y -= Line::ones();
        y /= &x;
        y.sum().backward();
        // y = 2x + 2 − 1/x
        for (g, x) in grad(&x).into_iter().zip([1.0, 2.0, 3.0]) {
            assert!((g - (2.0 + 1.0 / (x * x))).abs() < 1e-12);
        }
    }
}

mod ownership {
    use super::*;

    #[test]
    fn writing_to_a_result_takes_it_out_of_its_graph() {
        let x = line();
        let mut y = x.square();
        let before = y.clone();
        y.as_mut_slice()[0] = 100.0;
        assert!(!y.is_tracked() && before.is_tracked());
        assert_eq!((y[[0]], before[[0]]), (100.0, 1.0));
        before.sum().backward();
        assert_eq!(grad(&x), [2.0, 4.0, 6.0]);
        // By index too; and a leaf stays the leaf it is.
        let mut y = x.square();
        y[[1]] = 0.0;
        assert!(!y.is_tracked());
        let mut x = x;
        x[[0]] = 10.0;
        assert!(x.is_tracked());
        assert_eq!(grad(&x), [2.0, 4.0, 6.0]);
        x.square().sum().backward();
        assert_eq!(grad(&x), [22.0, 8.0, 12.0]);
        // A freed result was a result.
        let mut y = x.square();
        y.sum().backward();
        y.as_mut_slice()[0] = 1.0;
        assert!(!y.is_tracked());
    }

    #[test]
    fn a_graph_keeps_the_value_that_a_parameter_had() {
        let mut w = Param::<1, shape![3], f64>::new(Tensor::from([1.0, 2.0, 3.0]));
        let first = w.square().sum();
        w.as_mut_slice().fill(10.0);
        let second = w.square().sum();
        w.set(&Tensor::from([-1.0; 3]));
        let third = w.powi(3).sum();
        w.as_mut_slice().fill(f64::NAN);
        assert_eq!(
            [first.item(), second.item(), third.item()],
            [14.0, 300.0, -3.0]
        );
        first.backward();
        assert_eq!(grad(&w), [2.0, 4.0, 6.0]);
        second.backward();
        assert_eq!(grad(&w), [22.0, 24.0, 26.0]);
        third.backward();
        assert_eq!(grad(&w), [25.0, 27.0, 29.0]);
    }

    #[test]
    fn an_optimizer_steps_between_forward_and_backward() {
        let mut model = Linear::<3, 2, f64>::new(&mut Rng::seed(0));
        let x = Tensor::from([[1.0, 2.0, 3.0]]).stretch::<0>();
        let loss = |model: &Linear<3, 2, f64>| model.forward(&x).tanh().square().sum();
        let delayed = loss(&model);
        loss(&model).backward();
        let right = model.weight.grad().unwrap();
        let mut optimizer = Sgd::new(&model, Default::default());
        optimizer.step(&mut model);
        model.zero_grad();
        delayed.backward();
        assert_eq!(model.weight.grad().unwrap(), right);
    }

    /// Chains by value, where each result may take over its operand's memory, against the same by
    /// reference.
    #[test]
    fn memory_that_backward_needs_is_not_reused() {
        let start: Line = Tensor::from([0.5, 1.0, 1.5]);
        let (x, y) = (start.clone().tracked(), start.clone().tracked());
        let by_value = {
            let a = x.exp() * 2.0;
            let b = a.clone() + 1.0;
            let c = -(b * a);
            let d = (c.tanh() - 1.0) * x.sqrt();
            let e = d.square() / (x.exp() + x.ln());
            3.0 / (e.clone() * e + 1.0)
        };
        let by_reference = {
            let a = &y.exp() * 2.0;
            let b = &a + 1.0;
            let c = -&(&b * &a);
            let d = &(&c.tanh() - 1.0) * &y.sqrt();
            let e = &d.square() / &(&y.exp() + &y.ln());
            3.0 / &(&(&e * &e) + 1.0)
        };
        assert_eq!(by_value, by_reference);
        by_value.sum().backward();
        by_reference.sum().backward();
        assert_eq!(grad(&x), grad(&y));
        assert_eq!(x, start);
    }

    /// Every operation, with its operands and its result overwritten after forward.
    #[test]
    fn nothing_that_was_saved_can_be_overwritten() {
        let a: Matrix = Tensor::<1, shape![12], f64>::linspace(0.3, 2.2).reshape::<shape![3, 4]>();
        let b: Matrix = (3.0 - &a).exp();
        let run = |op: super::operations::Operation, tracked: [bool; 2], spoil: bool| {
            let track = |x: &Matrix, tracked| {
                if tracked {
                    x.clone().tracked()
                } else {
                    x.clone()
                }
            };
            // Memory of its own for either, so that nothing is shared by chance.
            let copy = |x: &Matrix| Matrix::from_slice(x.as_slice()).unwrap();
            let (mut a, mut b) = (track(&copy(&a), tracked[0]), track(&copy(&b), tracked[1]));
            let result = op(&a, &b, spoil);
            if spoil {
                a.as_mut_slice().fill(f64::NAN);
                b.as_mut_slice().fill(f64::NAN);
            }
            if result.loss.is_tracked() {
                result.loss.backward();
            }
            [a.grad(), b.grad()].map(|g| g.map(|g| g.to_vec()))
        };
        for (name, op) in super::operations::all() {
            for tracked in [[true, false], [false, true], [true, true]] {
                let right = run(op, tracked, false);
                assert_eq!(run(op, tracked, true), right, "{name} {tracked:?}");
                let finite = |g: &Vec<f64>| g.iter().all(|g| g.is_finite());
                assert!(right.iter().flatten().all(finite), "{name}: {right:?}");
            }
        }
    }

    /// What an operation saves, with its left operand tracked, its right one, and both. The left one
    /// alone is an operand of most.
    #[test]
    fn nothing_is_saved_that_no_gradient_needs() {
        const UNARY: [(&str, &str); 86] = [
            ("add_number", "number"),
            ("sub_number", "number"),
            ("number_sub", "number"),
            ("mul_number", "number"),
            ("div_number", "number"),
            ("number_div", "input number"),
            ("neg", ""),
            ("exp", "output"),
            ("exp_m1", "output"),
            ("ln", "input"),
            ("ln_1p", "input"),
            ("abs", "input"),
            ("sin", "input"),
            ("cos", "input"),
            ("tan", "output"),
            ("clamp", "input low high"),
            ("clamp_min", "input low"),
            ("clamp_max", "input high"),
            ("square", "input"),
            ("sqrt", "output"),
            ("rsqrt", "output"),
            ("recip", "output"),
            ("powi", "input n"),
            ("powf", "input p"),
            ("tanh", "output"),
            ("sigmoid", "output"),
            ("relu", "output"),
            ("leaky_relu", "input slope"),
            ("elu", "input alpha"),
            ("gelu", "input"),
            ("gelu_tanh", "input"),
            ("silu", "input"),
            ("softplus", "input"),
            ("softplus_beta", "input beta"),
            ("sum", ""),
            ("mean", ""),
            ("var", "input shift"),
            ("std", "input shift output"),
            ("max", "positions"),
            ("min", "positions"),
            ("logsumexp", "input output"),
            ("softmax", "output"),
            ("log_softmax", "output"),
            ("cross_entropy", "probabilities targets"),
            ("embedding", "rows"),
            ("gather", "places"),
            ("softsign", "input"),
            ("hardtanh", "input low high"),
            ("relu6", "output"),
            ("hardsigmoid", "input"),
            ("hardswish", "input"),
            ("threshold", "input limit value"),
            ("nan_to_num", "input nan positive negative"),
            ("mish", "input"),
            ("selu", "input"),
            ("celu", "input alpha"),
            ("floor", ""),
            ("ceil", ""),
            ("round", ""),
            ("trunc", ""),
            ("fract", ""),
            ("sign", ""),
            ("erf", "input"),
            ("erfc", "input"),
            ("log2", "input"),
            ("log10", "input"),
            ("exp2", "output"),
            ("logit", "input"),
            ("log_sigmoid", "input"),
            ("asin", "input"),
            ("acos", "input"),
            ("atan", "input"),
            ("sinh", "input"),
            ("cosh", "input"),
            ("asinh", "input"),
            ("acosh", "input"),
            ("atanh", "input"),
            ("prod", "input"),
            ("norm", "input output p"),
            ("cumsum", ""),
            ("cumprod", "input output"),
            ("logcumsumexp", "input output"),
            ("cummax", "places"),
            ("cummin", "places"),
            ("narrow", ""),
            ("entry", ""),
        ];
        const LAYOUT: [&str; 3] = ["reshape", "permute", "broadcast_to"];
        const BINARY: [(&str, [&str; 3]); 18] = [
            ("add", ["", "", ""]),
            ("sub", ["", "", ""]),
            ("mul", ["rhs", "lhs", "lhs rhs"]),
            ("div", ["rhs", "lhs rhs", "lhs rhs"]),
            ("maximum", ["lhs rhs"; 3]),
            ("minimum", ["lhs rhs"; 3]),
            ("pow", ["lhs rhs"; 3]),
            ("matmul", ["rhs", "lhs", "lhs rhs"]),
            ("linear", ["weight", "input", "input weight"]),
            ("mask_select", ["mask"; 3]),
            ("mse", ["difference"; 3]),
            ("atan2", ["lhs rhs"; 3]),
            ("hypot", ["lhs rhs"; 3]),
            ("logaddexp", ["lhs rhs"; 3]),
            ("fmod", ["", "lhs rhs", "lhs rhs"]),
            ("remainder", ["", "lhs rhs", "lhs rhs"]),
            ("concat", ["sizes"; 3]),
            ("stack", ["sizes"; 3]),
        ];
        let mut right: BTreeMap<&str, [&str; 3]> = BTreeMap::from(BINARY);
        right.insert("mae", ["difference"; 3]);
        right.extend(UNARY.map(|(name, saved)| (name, [saved, "", saved])));
        right.extend(LAYOUT.map(|name| (name, [""; 3])));

        let (mut seen, mut wrong) = (HashSet::new(), Vec::new());
        let x: Matrix = Tensor::<1, shape![12], f64>::linspace(0.3, 2.2).reshape::<shape![3, 4]>();
        for (name, op) in super::operations::all() {
            for (i, [l, r]) in [[true, false], [false, true], [true, true]]
                .into_iter()
                .enumerate()
            {
                let a = if l { x.clone().tracked() } else { x.clone() };
                let b = if r { x.clone().tracked() } else { x.clone() };
                let Some(node) = op(&a, &b, false).node else {
                    assert!(!l, "{name} of a tracked operand is not recorded");
                    continue;
                };
                if name == "a * a" {
                    continue; // whose right operand is its left one
                }
                let saved: Vec<_> = node.saved().iter().map(|field| field.name()).collect();
                // Two operations are called select.
                let expected = right
                    .get(name)
                    .or(right.get(node.op()))
                    .unwrap_or_else(|| panic!("{} has no row", node.op()));
                if saved.join(" ") != expected[i] {
                    wrong.push(format!("{name} with {l} and {r} saves {saved:?}"));
                }
                seen.extend([name, node.op()]);
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        let missing: Vec<_> = right.keys().filter(|op| !seen.contains(*op)).collect();
        assert!(missing.is_empty(), "no operation {missing:?}");
    }
}

/// The operations of the library on two matrices of 3 × 4.
mod operations {
    use super::*;

    pub struct Outcome {
        pub node: Option<NodeView<f64>>,
        pub loss: Number,
    }

    /// Runs an operation; its result is overwritten afterwards if `spoil`.
    pub type Operation = fn(a: &Matrix, b: &Matrix, spoil: bool) -> Outcome;

    fn outcome<const R: usize, S: Shape<R>>(mut y: Tensor<R, S, f64>, spoil: bool) -> Outcome {
        let kept = y.clone();
        let node = y.node();
        if spoil {
            y.as_mut_slice().fill(f64::NAN);
        }
        let loss = kept.square().sum();
        Outcome { node, loss }
    }

    macro_rules! operations {
        ($($name:literal |$a:ident, $b:pat_param| $body:expr;)*) => {
            pub fn all() -> Vec<(&'static str, Operation)> {
                vec![$(($name, |$a, $b, spoil| outcome($body, spoil))),*]
            }
        };
    }

    fn labels() -> Indices<1, shape![3], 4> {
        Indices::from_array([3, 0, 3]).unwrap()
    }

    operations! {
        "a + b" |a, b| a + b;
        "a - b" |a, b| a - b;
        "a * b" |a, b| a * b;
        "a / b" |a, b| a / b;
        "a * a" |a, _| a * a;
        "a by value" |a, b| a.clone() * b.clone();
        "row" |a, b| a * b.max_axis::<0>();
        "column" |a, b| a / b.max_keepdim::<1>();
        "a.maximum(b)" |a, b| a.maximum(b);
        "a.minimum(b)" |a, b| a.minimum(b);
        "a.pow(b)" |a, b| a.pow(b);
        "a + 2" |a, _| a + 2.0;
        "a - 2" |a, _| a - 2.0;
        "2 - a" |a, _| 2.0 - a;
        "a * 2" |a, _| a * 2.0;
        "a / 2" |a, _| a / 2.0;
        "2 / a" |a, _| 2.0 / a;
        "-a" |a, _| -a;
        "exp" |a, _| a.exp();
        "exp_m1" |a, _| a.exp_m1();
        "ln" |a, _| a.ln();
        "ln_1p" |a, _| a.ln_1p();
        "abs" |a, _| a.abs();
        "sin" |a, _| a.sin();
        "cos" |a, _| a.cos();
        "tan" |a, _| a.tan();
        "clamp" |a, _| a.clamp(0.5, 1.5);
        "clamp_min" |a, _| a.clamp_min(0.5);
        "clamp_max" |a, _| a.clamp_max(1.5);
        "square" |a, _| a.square();
        "sqrt" |a, _| a.sqrt();
        "rsqrt" |a, _| a.rsqrt();
        "recip" |a, _| a.recip();
        "powi" |a, _| a.powi(3);
        "powf" |a, _| a.powf(1.5);
        "tanh" |a, _| a.tanh();
        "sigmoid" |a, _| a.sigmoid();
        "relu" |a, _| (a - 1.0).relu();
        "leaky_relu" |a, _| a.leaky_relu(0.1);
        "elu" |a, _| a.elu(1.0);
        "gelu" |a, _| a.gelu();
        "gelu_tanh" |a, _| a.gelu_tanh();
        "silu" |a, _| a.silu();
        "softplus" |a, _| a.softplus();
        "softplus_beta" |a, _| a.softplus_beta(2.0);
        "sum" |a, _| a.sum();
        "sum_axis" |a, _| a.sum_axis::<0>();
        "mean_keepdim" |a, _| a.mean_keepdim::<1>();
        "var" |a, _| a.var(1);
        "var_axis" |a, _| a.var_axis::<0>(1);
        "std" |a, _| a.std_axis::<1>(0);
        "max" |a, _| a.max_axis::<1>();
        "min" |a, _| a.min();
        "logsumexp" |a, _| a.logsumexp_axis::<0>();
        "softmax" |a, _| a.softmax::<1>();
        "log_softmax" |a, _| a.log_softmax::<0>();
        "cross_entropy" |a, _| a.cross_entropy(&labels());
        "mse" |a, b| a.mse(b);
        "mae" |a, b| a.mae(b);
        "matmul" |a, b| a.matmul(&b.t());
        "matmul_t" |a, b| a.matmul_t(b);
        "linear" |a, b| a.linear(b, &b.max_axis::<1>());
        "matrix and vector" |a, b| a.matmul(&b.max_axis::<0>());
        "vector and matrix" |a, b| a.max_axis::<1>().matmul(b);
        "batches" |a, b| a.reshape::<shape![3, 2, 2]>().matmul(&b.reshape::<shape![3, 2, 2]>());
        "select" |a, b| a.gt(1.0).select(a, b);
        "select from a row" |a, b| a.gt(1.0).select(a, &b.max_axis::<0>());
        "embedding" |a, _| a.embedding(&Indices::<1, shape![4], 3>::from_array([2, 0, 2, 2]).unwrap());
        "gather" |a, _| a.gather::<1>(&Indices::<2, shape![3, 2], 4>::from_array([[0, 0], [3, 1], [2, 2]]).unwrap());
        "reshape" |a, _| a.reshape::<shape![2, 6]>();
        "flatten" |a, _| a.flatten::<12>();
        "t" |a, _| a.t();
        "permute" |a, _| a.permute::<1, 0>();
        "unsqueeze" |a, _| a.unsqueeze::<1>();
        "broadcast_to" |a, _| a.broadcast_to::<shape![2, 3, 4]>();
        "concat" |a, b| (a, b).concat::<1>();
        "concat of rows" |a, b| (a, b, a).concat::<0>();
        "stack" |a, b| [a, b].stack::<2>();
        "narrow" |a, _| a.narrow::<1, 1, 2>();
        "narrow that shares" |a, _| a.narrow::<0, 1, 2>();
        "split" |a, _| a.split::<0, shape![1, 2]>().1;
        "entry" |a, _| a.select::<1, 2>();
        "row that shares" |a, _| a.narrow::<0, 0, 1>() * 1.0;
        "prod" |a, _| a.prod_axis::<0>();
        "norm" |a, _| a.norm_axis::<1>(3.0);
        "cumsum" |a, _| a.cumsum::<0>();
        "cumprod" |a, _| a.cumprod::<1>();
        "logcumsumexp" |a, _| a.logcumsumexp::<1>();
        "cummax" |a, _| a.cummax::<1>().0;
        "cummin" |a, _| a.cummin::<0>().0;
        "a.atan2(b)" |a, b| a.atan2(b);
        "a.hypot(b)" |a, b| a.hypot(b);
        "a.logaddexp(b)" |a, b| a.logaddexp(b);
        "a.fmod(b)" |a, b| (a * 4.0).fmod(b);
        "a.remainder(b)" |a, b| (a * 4.0).remainder(b);
        "softsign" |a, _| a.softsign();
        "hardtanh" |a, _| a.hardtanh(0.5, 1.5);
        "relu6" |a, _| a.relu6();
        "hardsigmoid" |a, _| a.hardsigmoid();
        "hardswish" |a, _| a.hardswish();
        "threshold" |a, _| a.threshold(1.0, 0.5);
        "nan_to_num" |a, _| a.nan_to_num(0.0, 1.0, -1.0);
        "mish" |a, _| a.mish();
        "selu" |a, _| a.selu();
        "celu" |a, _| a.celu(1.5);
        "floor" |a, _| a.floor();
        "ceil" |a, _| a.ceil();
        "round" |a, _| a.round();
        "trunc" |a, _| a.trunc();
        "fract" |a, _| a.fract();
        "sign" |a, _| a.sign();
        "erf" |a, _| a.erf();
        "erfc" |a, _| a.erfc();
        "log2" |a, _| a.log2();
        "log10" |a, _| a.log10();
        "exp2" |a, _| a.exp2();
        "logit" |a, _| (a / 3.0).logit();
        "log_sigmoid" |a, _| a.log_sigmoid();
        "asin" |a, _| (a / 3.0).asin();
        "acos" |a, _| (a / 3.0).acos();
        "atan" |a, _| a.atan();
        "sinh" |a, _| a.sinh();
        "cosh" |a, _| a.cosh();
        "asinh" |a, _| a.asinh();
        "acosh" |a, _| (a + 1.0).acosh();
        "atanh" |a, _| (a / 3.0).atanh();
    }
}

mod size {
    use super::*;

    /// Runs `body` on a stack on which nothing may recurse deeply.
    fn on_a_small_stack(body: impl FnOnce() + Send + 'static) {
        let small = thread::Builder::new().stack_size(512 << 10);
        small.spawn(body).unwrap().join().unwrap();
    }

    #[test]
    fn a_chain_of_a_million_nodes() {
        on_a_small_stack(|| {
            let x = Tensor::<0, ()>::scalar(1.0).tracked();
            let chain = || {
                let mut y = x.clone();
                for _ in 0..1_000_000 {
                    y += 1.0;
                }
                y
            };
            let y = chain();
            y.backward();
            assert_eq!(x.grad().unwrap().item(), 1.0);
            drop(y);
            drop(chain());
        });
    }

    #[test]
    fn a_chain_that_is_kept_by_its_middle() {
        on_a_small_stack(|| {
            let x = Number::scalar(1.0).tracked();
            let mut y = x.clone();
            let mut middle = None;
            for i in 0..100_000 {
                y = &y * 1.0 + &x;
                if i == 50_000 {
                    middle = Some(y.clone());
                }
            }
            y.backward_retaining();
            drop(y);
            let middle = middle.unwrap();
            middle.backward();
            assert_eq!(grad(&x), 100_001.0 + 50_002.0);
            drop(middle);
        });
    }

    #[test]
    fn a_hundred_thousand_uses_of_one_leaf() {
        on_a_small_stack(|| {
            let x = Number::scalar(3.0).tracked();
            let mut level: Vec<_> = (0..100_000).map(|_| &x * 1.0).collect();
            while level.len() > 1 {
                level = level
                    .chunks(2)
                    .map(|pair| match pair {
                        [a, b] => a + b,
                        rest => rest[0].clone(),
                    })
                    .collect();
            }
            level[0].backward();
            assert_eq!(grad(&x), 100_000.0);
            // And of one result, whose rule runs once.
            let y = x.square();
            let mut sum = &y * 1.0;
            for _ in 1..50_000 {
                sum += &y;
            }
            x.zero_grad();
            sum.backward();
            assert_eq!(grad(&x), 50_000.0 * 6.0);
        });
    }

    #[test]
    fn a_graph_has_one_node_for_each_operation() {
        let x = Number::scalar(1.0).tracked();
        let mut y = x.clone();
        for _ in 0..1000 {
            y = &y * &y + &x * 0.5;
        }
        let (mut seen, mut left) = (HashSet::new(), vec![y.node().unwrap()]);
        while let Some(node) = left.pop() {
            if seen.insert(node.id()) {
                left.extend(node.parents());
            }
        }
        assert_eq!(seen.len(), 3 * 1000 + 1);
    }
}
