//! Random programs: reverse mode, forward mode and differences of values agree, and so do programs mapped over
//! examples and run on one at a time.
//!
//! `cargo test --test random_programs` runs a few thousand of them. For more:
//! `PROGRAMS=100000 cargo test --release --test random_programs`.

use shapeproof::autograd::{Function, apply, value_and_grad, vmap};
use shapeproof::dual::Dual;
use shapeproof::prelude::*;
use std::env;
use std::marker::PhantomData;

/// Programs that are run unless `PROGRAMS` says otherwise.
const PROGRAMS: usize = 3000;
const STEP: f64 = 1e-3;

type Matrix<E> = Tensor<2, shape![2, 3], E>;
type Row<E> = Tensor<1, shape![3], E>;
type Column<E> = Tensor<2, shape![2, 1], E>;
type Number<E> = Tensor<0, (), E>;

/// What a program works with: tensors of four shapes that broadcast to the first. Each starts with one.
#[derive(Clone)]
struct State<E: Element> {
    matrices: Vec<Matrix<E>>,
    rows: Vec<Row<E>>,
    columns: Vec<Column<E>>,
    numbers: Vec<Number<E>>,
    /// Whether every result is calmed.
    always: bool,
}

const INPUTS: usize = 6 + 3 + 2 + 1;

impl<E: Element> State<E> {
    fn new(inputs: &[E], tracked: bool) -> Self {
        let (matrix, rest) = inputs.split_at(6);
        let (row, rest) = rest.split_at(3);
        let (column, number) = rest.split_at(2);
        fn leaf<const R: usize, S: Shape<R>, E: Element>(
            values: &[E],
            tracked: bool,
        ) -> Tensor<R, S, E> {
            let x = Tensor::from_slice(values).unwrap();
            if tracked { x.tracked() } else { x }
        }
        State {
            matrices: vec![leaf(matrix, tracked)],
            rows: vec![leaf(row, tracked)],
            columns: vec![leaf(column, tracked)],
            numbers: vec![leaf(number, tracked)],
            always: false,
        }
    }
}

/// One operation: which, and the places of its operands among the tensors of their shapes.
#[derive(Clone, Copy, Debug)]
struct Step {
    operation: usize,
    places: [usize; 3],
}

/// Keeps values moderate, so that differences have digits left; the same in every mode. A program that is mapped does
/// it always, since it cannot look.
fn calm<const R: usize, S: Shape<R>, E: Element>(
    always: bool,
    x: Tensor<R, S, E>,
) -> Tensor<R, S, E> {
    let large = always || x.as_slice().iter().any(|x| x.abs() > E::of(3.0));
    if large { x.sin() } else { x }
}

/// A function of one tensor of any shape, of ten.
fn unary<const R: usize, S: Shape<R>, E: Element>(
    which: usize,
    x: &Tensor<R, S, E>,
) -> Tensor<R, S, E> {
    match which % 10 {
        0 => x.tanh(),
        1 => x.sin() * x,
        2 => x.sigmoid(),
        3 => x.softplus(),
        4 => x.square(),
        5 => (x.square() + E::one()).ln(),
        6 => x.gelu(),
        7 => (x * E::of(0.5)).exp(),
        8 => (x.square() + E::of(0.5)).rsqrt(),
        _ => -x,
    }
}

const OPERATIONS: usize = 27;
/// An operation that is wrong, and never drawn.
const PLANTED: usize = OPERATIONS;

impl<E: Element> State<E> {
    fn run(&mut self, step: Step) {
        let always = self.always;
        let [i, j, k] = step.places;
        let (a, b) = (
            &self.matrices[i % self.matrices.len()],
            &self.matrices[j % self.matrices.len()],
        );
        let row = &self.rows[j % self.rows.len()];
        let column = &self.columns[k % self.columns.len()];
        let number = &self.numbers[k % self.numbers.len()];
        let bounded = |x: &Tensor<2, shape![2, 3], E>| x.softplus() + E::one();
        match step.operation {
            0 | 1 => self.matrices.push(calm(always, unary(k, a))),
            2 => self.rows.push(calm(always, unary(k, row))),
            3 => self.columns.push(calm(always, unary(j, column))),
            4 => self.numbers.push(calm(always, unary(j, number))),
            5 => self.matrices.push(calm(always, a + b)),
            6 => self.matrices.push(calm(always, a * b)),
            7 => self.matrices.push(calm(always, a - b)),
            8 => self.matrices.push(calm(always, a / bounded(b))),
            9 => self.matrices.push(calm(always, a * row)),
            10 => self.matrices.push(calm(always, row - a)),
            11 => self.matrices.push(calm(always, a + column)),
            12 => self.matrices.push(calm(always, column * row)),
            13 => self.matrices.push(calm(always, a * number)),
            14 => self.rows.push(calm(always, a.sum_axis::<0>())),
            15 => self.rows.push(calm(always, a.mean_axis::<0>() * row)),
            16 => self.columns.push(calm(always, a.sum_keepdim::<1>())),
            17 => self.columns.push(calm(always, a.var_keepdim::<1>(0))),
            18 => self.numbers.push(calm(always, a.mean() + number)),
            19 => self.matrices.push(calm(always, a.softmax::<1>() * b)),
            20 => self.rows.push(calm(always, a.logsumexp_axis::<0>())),
            21 => self
                .matrices
                .push(calm(always, a.matmul_t(b).matmul(a) * E::of(0.25))),
            22 => self
                .columns
                .push(calm(always, a.matmul(row).reshape::<shape![2, 1]>())),
            23 => self
                .matrices
                .push(calm(always, a.t().reshape::<shape![2, 3]>())),
            24 => self
                .rows
                .push(calm(always, a.select_at::<0>(j % 2).unwrap())),
            25 => self
                .matrices
                .push(calm(always, a.flip::<1>() + b.cumsum::<1>())),
            PLANTED => self.matrices.push(apply(Planted(PhantomData), a)),
            _ => self
                .numbers
                .push(calm(always, row.dot(&a.sum_axis::<0>()) * E::of(0.5))),
        }
    }

    /// A number that depends on everything: weights tell elements and tensors apart.
    fn loss(&self) -> Tensor<0, (), E> {
        fn weighted<const R: usize, S: Shape<R>, E: Element>(
            xs: &[Tensor<R, S, E>],
            weight: f64,
        ) -> Tensor<0, (), E> {
            let weights = |n: usize, i: usize| E::of(weight * (1.0 + (n * 7 + i * 3) as f64 % 5.0));
            let total = xs.iter().enumerate().map(|(n, x)| {
                let values: Vec<_> = (0..x.numel()).map(|i| weights(n, i)).collect();
                (x * Tensor::<R, S, E>::from_vec(values).unwrap()).sum()
            });
            total.reduce(|sum, x| sum + x).unwrap()
        }
        weighted(&self.matrices, 0.1)
            + weighted(&self.rows, 0.2)
            + weighted(&self.columns, 0.3)
            + weighted(&self.numbers, 0.4)
    }
}

/// A program of a few steps, all of it from one number.
fn program(rng: &mut Rng) -> Vec<Step> {
    let steps = 2 + rng.below(12);
    (0..steps)
        .map(|_| Step {
            operation: rng.below(OPERATIONS),
            places: [rng.below(60), rng.below(60), rng.below(60)],
        })
        .collect()
}

fn run<E: Element>(program: &[Step], inputs: &[E], tracked: bool) -> (State<E>, Tensor<0, (), E>) {
    let start = State::new(inputs, tracked);
    let mut state = start.clone();
    program.iter().for_each(|&step| state.run(step));
    (start, state.loss())
}

/// What is wrong with the derivatives of a program at some point along some direction.
fn fault(program: &[Step], x: &[f64; INPUTS], v: &[f64; INPUTS]) -> Option<String> {
    let (start, loss) = run(program, x, true);
    loss.backward();
    let mut grads: Vec<f64> = Vec::new();
    grads.extend(start.matrices[0].grad().unwrap().as_slice());
    grads.extend(start.rows[0].grad().unwrap().as_slice());
    grads.extend(start.columns[0].grad().unwrap().as_slice());
    grads.extend(start.numbers[0].grad().unwrap().as_slice());
    let reverse: f64 = grads.iter().zip(v).map(|(g, v)| g * v).sum();
    let size = grads.iter().fold(1.0, |max: f64, g| max.max(g.abs()));

    let duals: Vec<_> = x.iter().zip(v).map(|(&x, &v)| Dual::new(x, v)).collect();
    let forward = run(program, &duals, false).1.item();
    if (forward.value - loss.item()).abs() > 1e-12 * loss.item().abs().max(1.0) {
        return Some(format!(
            "value {} forward, {} in reverse",
            forward.value,
            loss.item()
        ));
    }
    if (forward.tangent - reverse).abs() > 1e-10 * size {
        return Some(format!(
            "derivative {} forward, {reverse} in reverse",
            forward.tangent
        ));
    }

    let at = |step: f64| {
        let moved: Vec<_> = x.iter().zip(v).map(|(x, v)| x + step * v).collect();
        run(program, &moved, false).1.item()
    };
    let weights = [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)];
    let difference = |step: f64| {
        let parts = weights.map(|(n, weight)| weight * (at(n * step) - at(-n * step)));
        parts.iter().sum::<f64>() / (60.0 * step)
    };
    // Two steps: where they differ, a value was calmed at one point and not at its neighbour, or the function bends
    // too much for differences to say anything.
    let (wide, narrow) = (difference(STEP), difference(STEP / 2.0));
    let sure = (wide - narrow).abs() <= 1e-7 * size;
    if sure && (narrow - reverse).abs() > 1e-6 * size {
        return Some(format!("derivative {reverse}, difference {narrow}"));
    }
    (!sure).then(|| UNSURE.to_string())
}

/// What is wrong with the loss of a program and its gradients where it is mapped over three examples: over the inputs
/// whose bits are set, while the others are the same for all.
fn mapped_fault(program: &[Step], bits: usize, rng: &mut Rng) -> Option<String> {
    type Many<T> = (
        Tensor<3, shape![3, 2, 3], T>,
        Matrix3<T>,
        Tensor<3, shape![3, 2, 1], T>,
        Row<T>,
    );
    type Matrix3<T> = Tensor<2, shape![3, 3], T>;
    let many: Many<f64> = (
        Tensor::randn(rng),
        Tensor::randn(rng),
        Tensor::randn(rng),
        Tensor::randn(rng),
    );
    let gradients = |inputs: (&Matrix<f64>, &Row<f64>, &Column<f64>, &Number<f64>)| {
        let loss = |(matrix, row, column, number)| {
            let mut state = State {
                matrices: vec![matrix],
                rows: vec![row],
                columns: vec![column],
                numbers: vec![number],
                always: true,
            };
            program.iter().for_each(|&step| state.run(step));
            state.loss()
        };
        value_and_grad(loss, inputs)
    };
    let example = |i: usize| {
        let of = |bit: usize| if bits >> bit & 1 == 1 { i } else { 0 };
        (
            many.0.select_at::<0>(of(0)).unwrap(),
            many.1.select_at::<0>(of(1)).unwrap(),
            many.2.select_at::<0>(of(2)).unwrap(),
            many.3.select_at::<0>(of(3)).unwrap(),
        )
    };
    let same = example(0);
    let (losses, grads) = vmap(
        |(a, b, c, d)| {
            let of = |bit: usize| bits >> bit & 1 == 1;
            gradients((
                if of(0) { &a } else { &same.0 },
                if of(1) { &b } else { &same.1 },
                if of(2) { &c } else { &same.2 },
                if of(3) { &d } else { &same.3 },
            ))
        },
        (&many.0, &many.1, &many.2, &many.3),
    );
    for i in 0..3 {
        let (a, b, c, d) = &example(i);
        let (loss, right) = gradients((a, b, c, d));
        let mut pairs = vec![(losses.select_at::<0>(i).unwrap().to_vec(), loss.to_vec())];
        pairs.push((
            grads.0.select_at::<0>(i).unwrap().to_vec(),
            right.0.to_vec(),
        ));
        pairs.push((
            grads.1.select_at::<0>(i).unwrap().to_vec(),
            right.1.to_vec(),
        ));
        pairs.push((
            grads.2.select_at::<0>(i).unwrap().to_vec(),
            right.2.to_vec(),
        ));
        pairs.push((
            grads.3.select_at::<0>(i).unwrap().to_vec(),
            right.3.to_vec(),
        ));
        let size = pairs
            .iter()
            .flat_map(|(_, right)| right)
            .fold(1.0, |max: f64, g| max.max(g.abs()));
        let differ = |(found, right): &(Vec<f64>, Vec<f64>)| {
            found
                .iter()
                .zip(right)
                .any(|(a, b)| (a - b).abs() > 1e-10 * size)
        };
        if let Some((found, right)) = pairs.iter().find(|pair| differ(pair)) {
            return Some(format!(
                "example {i} of inputs {bits:04b}: {found:?}, not {right:?}"
            ));
        }
    }
    None
}

#[test]
fn programs_are_mapped() {
    let mut wrong = Vec::new();
    for seed in 0..programs() as u64 {
        let rng = &mut Rng::seed(seed);
        let program = program(rng);
        let bits = rng.below(16);
        if let Some(fault) = mapped_fault(&program, bits, rng) {
            wrong.push(format!("program {seed}: {fault}\n{program:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong, such as {}",
        wrong.len(),
        wrong[0]
    );
}

/// How many programs are run.
fn programs() -> usize {
    env::var("PROGRAMS").map_or(PROGRAMS, |count| {
        count.parse().expect("PROGRAMS is a number")
    })
}

const UNSURE: &str = "differences say nothing";

#[test]
fn three_ways_to_a_derivative_agree() {
    let programs = programs();
    let (mut wrong, mut unsure) = (Vec::new(), 0);
    for seed in 0..programs as u64 {
        let rng = &mut Rng::seed(seed);
        let program = program(rng);
        let draw = |rng: &mut Rng| -> [f64; INPUTS] {
            let numbers = Tensor::<1, shape![INPUTS], f64>::uniform(-1.5, 1.5, rng);
            numbers.to_array()
        };
        let (x, v) = (draw(rng), draw(rng));
        match fault(&program, &x, &v) {
            Some(fault) if fault == UNSURE => unsure += 1,
            Some(fault) => wrong.push(format!("program {seed}: {fault}\n{program:?}")),
            None => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {programs} are wrong, such as {}",
        wrong.len(),
        wrong[0]
    );
    assert!(
        unsure * 20 < programs,
        "differences said nothing about {unsure} of {programs} programs"
    );
}

/// x, with a gradient that is a little too large.
struct Planted<E>(PhantomData<fn() -> E>);

impl<E: Element> Function for Planted<E> {
    const NAME: &'static str = "planted";
    type Inputs = Matrix<E>;
    type Output = Matrix<E>;
    type Saved = ();

    fn forward(&self, x: Matrix<E>) -> (Matrix<E>, ()) {
        (x, ())
    }
    fn backward(&self, (): &(), grad: Matrix<E>) -> Matrix<E> {
        grad * E::of(1.0 + 1e-6)
    }
}

#[test]
fn a_gradient_that_is_wrong_by_little_is_seen() {
    let (x, v) = ([0.5; INPUTS], [1.0; INPUTS]);
    let step = |operation| Step {
        operation,
        places: [0, 0, 0],
    };
    assert_eq!(fault(&[step(0), step(5)], &x, &v), None);
    let fault = fault(&[step(0), step(PLANTED), step(5)], &x, &v).unwrap();
    assert!(
        fault.starts_with("derivative ") && fault.ends_with(" in reverse"),
        "{fault}"
    );
}
