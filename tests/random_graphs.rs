//! Two hundred random two-layer graphs, with broadcasting, reuse and diamonds, agree with the oracle to 1e-12.
//!
//! A graph is a list of instructions over registers (tests/oracle/graphs.py wrote them). Registers
//! differ in type, so each instruction is a `match` over the shapes that it may meet.

use serde_json::Value;
use shapeproof::prelude::*;

/// Of the largest number of the same gradient; the generator has sorted out the graphs that are too
/// badly conditioned for that.
const TOLERANCE: f64 = 1e-12;

macro_rules! registers {
    ($($Kind:ident: $rank:literal $shape:tt)*) => {
        /// A tensor of any of the shapes.
        #[derive(Clone)]
        enum Register {
            $($Kind(Tensor<$rank, shape! $shape, f64>)),*
        }
        $(impl From<Tensor<$rank, shape! $shape, f64>> for Register {
            fn from(x: Tensor<$rank, shape! $shape, f64>) -> Register {
                Register::$Kind(x)
            }
        })*
        /// One operation for whatever shape the register has.
        macro_rules! each {
            ($register:expr, $x:ident => $body:expr) => {
                match $register {
                    $(Register::$Kind($x) => Register::from($body)),*
                }
            };
        }
    };
}
registers! {
    Batch: 3 [2, 4, 3]
    X: 2 [4, 3]
    Row: 1 [3]
    Flat: 2 [1, 3]
    Column: 2 [4, 1]
    Scalar: 0 []
    W1: 2 [3, 5]
    Bias: 1 [5]
    W2: 2 [5, 2]
    W3: 2 [5, 3]
    H: 2 [4, 5]
    Deep: 3 [2, 4, 5]
    Y: 2 [4, 2]
}

/// The pairs of shapes that stretch to one of the shapes.
macro_rules! pairs {
    ($a:expr, $b:expr, $x:ident, $y:ident => $body:expr) => {
        pairs!(@arms ($a, $b) $x $y $body;
            [Batch X W1 W2 W3 Row Flat Column Scalar Bias H Deep Y]
            Scalar Batch, Scalar X, Scalar Row, Scalar Flat, Scalar Column, Scalar W1, Scalar Bias, Scalar W2,
            Scalar W3, Scalar H, Scalar Deep, Scalar Y,
            Batch X, Batch Row, Batch Flat, Batch Column,
            X Row, X Flat, X Column,
            Row Flat, Row Column, Row W3,
            Flat Column, Flat W3,
            Column Bias, Column H, Column Deep, Column Y,
            Bias W1, Bias H, Bias Deep,
            H Deep)
    };
    (@arms $pair:tt $x:ident $y:ident $body:expr; [$($S:ident)*] $($A:ident $B:ident),*) => {
        match $pair {
            $((Register::$S($x), Register::$S($y)) => Register::from($body),)*
            $(
                (Register::$A($x), Register::$B($y)) => Register::from($body),
                (Register::$B($x), Register::$A($y)) => Register::from($body),
            )*
            _ => unreachable!("the generator pairs shapes that stretch"),
        }
    };
}

/// How an operator receives its operands. Results are the same; what is written in place is not.
#[derive(Clone, Copy)]
enum Style {
    /// `&a + &b`
    Lent,
    /// `a + b`, where nothing else holds what is needed for the last time.
    GivenAway,
}

fn unary(op: &str, x: &Register, number: Option<f64>) -> Register {
    let number = || number.expect("a number");
    match op {
        "neg" => each!(x, x => -x),
        "tanh" => each!(x, x => x.tanh()),
        "sigmoid" => each!(x, x => x.sigmoid()),
        "sin" => each!(x, x => x.sin()),
        "cos" => each!(x, x => x.cos()),
        "exp" => each!(x, x => x.exp()),
        "square" => each!(x, x => x.square()),
        "cube" => each!(x, x => x.powi(3)),
        "gelu" => each!(x, x => x.gelu()),
        "gelu_tanh" => each!(x, x => x.gelu_tanh()),
        "silu" => each!(x, x => x.silu()),
        "softplus" => each!(x, x => x.softplus()),
        "relu" => each!(x, x => x.relu()),
        "leaky_relu" => each!(x, x => x.leaky_relu(0.1)),
        "abs" => each!(x, x => x.abs()),
        "sqrt" => each!(x, x => x.sqrt()),
        "ln" => each!(x, x => x.ln()),
        "recip" => each!(x, x => x.recip()),
        "add_number" => each!(x, x => x + number()),
        "mul_number" => each!(x, x => x * number()),
        "number_sub" => each!(x, x => number() - x),
        "mean" => each!(x, x => x.mean()),
        "sum" => each!(x, x => x.sum()),
        _ => shaped(op, x),
    }
}

/// Operations that name an axis or a shape.
fn shaped(op: &str, x: &Register) -> Register {
    use Register::*;
    match (op, x) {
        ("sum_axis_0", Batch(x)) => x.sum_axis::<0>().into(),
        ("sum_axis_0", X(x)) => x.sum_axis::<0>().into(),
        ("sum_axis_0", Deep(x)) => x.sum_axis::<0>().into(),
        ("mean_axis_0", Batch(x)) => x.mean_axis::<0>().into(),
        ("mean_axis_0", H(x)) => x.mean_axis::<0>().into(),
        ("mean_axis_0", Deep(x)) => x.mean_axis::<0>().into(),
        ("mean_keepdim_0", X(x)) => x.mean_keepdim::<0>().into(),
        ("mean_keepdim_1", X(x)) => x.mean_keepdim::<1>().into(),
        ("mean_keepdim_1", Y(x)) => x.mean_keepdim::<1>().into(),
        ("sum_keepdim_1", X(x)) => x.sum_keepdim::<1>().into(),
        ("sum_keepdim_1", H(x)) => x.sum_keepdim::<1>().into(),
        ("var_keepdim_1", X(x)) => x.var_keepdim::<1>(0).into(),
        ("max_keepdim_1", X(x)) => x.max_keepdim::<1>().into(),
        ("max_keepdim_1", H(x)) => x.max_keepdim::<1>().into(),
        ("min_axis_0", X(x)) => x.min_axis::<0>().into(),
        ("logsumexp_axis_0", X(x)) => x.logsumexp_axis::<0>().into(),
        ("softmax_1", X(x)) => x.softmax::<1>().into(),
        ("softmax_1", H(x)) => x.softmax::<1>().into(),
        ("softmax_1", Y(x)) => x.softmax::<1>().into(),
        ("softmax_2", Batch(x)) => x.softmax::<2>().into(),
        ("log_softmax_0", X(x)) => x.log_softmax::<0>().into(),
        ("log_softmax_0", H(x)) => x.log_softmax::<0>().into(),
        ("stretch_rows", Row(x)) => x.broadcast_to::<shape![4, 3]>().into(),
        ("stretch_rows", Column(x)) => x.broadcast_to::<shape![4, 3]>().into(),
        ("unsqueeze_0", Row(x)) => x.unsqueeze::<0>().into(),
        ("squeeze_0", Flat(x)) => x.squeeze::<0>().into(),
        ("transpose", W1(x)) => x.t().into(),
        ("transpose", W3(x)) => x.t().into(),
        _ => unreachable!("the generator knows no `{op}` of this shape"),
    }
}

fn binary(op: &str, a: Register, b: Register, style: Style) -> Register {
    match (op, style) {
        ("add", Style::Lent) => pairs!(&a, &b, x, y => x + y),
        ("add", Style::GivenAway) => pairs!(a, b, x, y => x + y),
        ("sub", Style::Lent) => pairs!(&a, &b, x, y => x - y),
        ("sub", Style::GivenAway) => pairs!(a, b, x, y => x - y),
        ("mul", Style::Lent) => pairs!(&a, &b, x, y => x * y),
        ("mul", Style::GivenAway) => pairs!(a, b, x, y => x * y),
        ("maximum", _) => pairs!(&a, &b, x, y => x.maximum(y)),
        ("minimum", _) => pairs!(&a, &b, x, y => x.minimum(y)),
        _ => product(op, &a, &b),
    }
}

fn product(op: &str, a: &Register, b: &Register) -> Register {
    use Register::*;
    match (op, a, b) {
        ("matmul", X(a), W1(b)) => a.matmul(b).into(),
        ("matmul", Batch(a), W1(b)) => a.matmul(b).into(),
        ("matmul", Row(a), W1(b)) => a.matmul(b).into(),
        ("matmul", Row(a), Row(b)) => a.matmul(b).into(),
        ("matmul", Bias(a), Bias(b)) => a.matmul(b).into(),
        ("matmul", H(a), W2(b)) => a.matmul(b).into(),
        ("matmul_t", X(a), W3(b)) => a.matmul_t(b).into(),
        ("matmul_t", Batch(a), W3(b)) => a.matmul_t(b).into(),
        _ => unreachable!("the generator knows no `{op}` of these shapes"),
    }
}

fn select(operands: &[Register]) -> Register {
    match operands {
        [
            Register::X(a),
            Register::X(b),
            Register::X(c),
            Register::X(d),
        ] => a.gt(b).select(c, d).into(),
        _ => unreachable!("the generator chooses among registers of one shape"),
    }
}

struct Graph {
    leaves: Vec<Vec<f64>>,
    program: Vec<Instruction>,
}

struct Instruction {
    op: String,
    operands: Vec<usize>,
    number: Option<f64>,
}

/// The leaves, in the order of the fixture.
fn leaves(values: &[Vec<f64>]) -> Vec<Register> {
    macro_rules! all {
        ($($shape:tt)*) => {{
            let mut next = values.iter();
            vec![$(Register::from(
                TensorOf::<shape! $shape, f64>::from_slice(next.next().expect("ten leaves"))
                    .expect("as many values as the shape has")
                    .tracked()
            )),*]
        }};
    }
    all! { [2, 4, 3] [4, 3] [3] [1, 3] [4, 1] [] [3, 5] [5] [5, 2] [5, 3] }
}

/// The loss and the gradients of the leaves.
fn replay(graph: &Graph, style: Style) -> (f64, Vec<Option<Vec<f64>>>) {
    let leaves = leaves(&graph.leaves);
    let mut registers: Vec<Option<Register>> = leaves.iter().cloned().map(Some).collect();
    for (
        i,
        Instruction {
            op,
            operands,
            number,
        },
    ) in graph.program.iter().enumerate()
    {
        let mut values: Vec<Register> = operands
            .iter()
            .map(|&at| {
                registers[at]
                    .clone()
                    .expect("a register that was not given away")
            })
            .collect();
        if let Style::GivenAway = style {
            for &at in operands {
                let needed = graph.program[i + 1..]
                    .iter()
                    .any(|later| later.operands.contains(&at));
                if !needed {
                    registers[at] = None;
                }
            }
        }
        registers.push(Some(match values.len() {
            1 => unary(op, &values[0], *number),
            2 => {
                let b = values.pop().expect("two operands");
                binary(op, values.remove(0), b, style)
            }
            _ => select(&values),
        }));
    }
    let Some(Some(Register::Scalar(loss))) = registers.pop() else {
        panic!("a graph ends in its loss");
    };
    loss.backward();
    let grads = leaves
        .iter()
        .map(|leaf| {
            let values;
            each!(leaf, x => {
                values = x.grad().map(|grad| grad.to_vec());
                x.clone()
            });
            values
        })
        .collect();
    (loss.item(), grads)
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect()
}

fn read(case: &Value) -> Graph {
    let instruction = |value: &Value| {
        let parts = value.as_array().expect("an instruction");
        Instruction {
            op: parts[0].as_str().expect("an operation").to_string(),
            // Registers are whole numbers, constants are written with a point.
            operands: parts[1..]
                .iter()
                .filter_map(Value::as_u64)
                .map(|at| at as usize)
                .collect(),
            number: parts[1..]
                .iter()
                .find(|x| x.is_f64())
                .and_then(Value::as_f64),
        }
    };
    Graph {
        leaves: case["leaves"]
            .as_array()
            .expect("leaves")
            .iter()
            .map(numbers)
            .collect(),
        program: case["program"]
            .as_array()
            .expect("a program")
            .iter()
            .map(instruction)
            .collect(),
    }
}

#[test]
fn two_hundred_graphs_agree() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/oracle/fixtures/random_graphs.json"
    );
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(cases.len(), 200);
    let mut wrong = Vec::new();
    for case in &cases {
        let graph = read(case);
        for (style, how) in [(Style::Lent, "lent"), (Style::GivenAway, "given away")] {
            let name = format!("{}, operands {how}", case["name"].as_str().unwrap());
            let (loss, grads) = replay(&graph, style);
            let wanted = case["loss"].as_f64().unwrap();
            if (loss - wanted).abs() > TOLERANCE * wanted.abs() || loss.is_nan() {
                wrong.push(format!("{name}: loss {loss:e}, not {wanted:e}"));
            }
            for (i, (grad, want)) in grads
                .iter()
                .zip(case["grads"].as_array().unwrap())
                .enumerate()
            {
                match grad {
                    None if want.is_null() => {}
                    Some(grad) if !want.is_null() => {
                        let want = numbers(want);
                        let largest = want.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                        let off = grad
                            .iter()
                            .zip(&want)
                            .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                        let finite = grad.iter().all(|x| x.is_finite());
                        if off > TOLERANCE * largest || !finite || grad.len() != want.len() {
                            wrong.push(format!(
                                "{name}: gradient {i} is off by {:e}",
                                off / largest
                            ));
                        }
                    }
                    _ => wrong.push(format!(
                        "{name}: gradient {i}: {} where it should not be",
                        if grad.is_some() { "one" } else { "none" }
                    )),
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
