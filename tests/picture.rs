//! Graphs as text, as pictures, and as something to walk.

use shapeproof::graph::{Census, NodeState, Picture};
use shapeproof::prelude::*;
use shapeproof::rand_core::Rng as _;

fn number(x: f64) -> Tensor<0, (), f64> {
    Tensor::scalar(x).tracked()
}

#[test]
fn a_graph_in_the_language_of_graphviz() {
    let x = Tensor::from([1.0f64, 2.0]).tracked();
    let y = &x * &x;
    let loss = y.sum();
    loss.backward_retaining();
    let picture = Picture::of(&loss).name("x", &x).name("loss", &loss);
    let right = r##"digraph {
    node [shape=box, style=filled];
    n0 [label="x\n(2)\nvalue 1  2\ngrad 2  4", fillcolor="#d9ead3"];
    n1 [label="mul\n(2)", fillcolor="#dae8fc"];
    n2 [label="loss = sum\nvalue 5", fillcolor="#fff2cc"];
    n0 -> n1;
    n0 -> n1;
    n1 -> n2;
}
"##;
    assert_eq!(picture.to_dot(), right);
}

#[test]
fn a_graph_in_the_language_of_mermaid() {
    let (x, y) = (number(2.0), number(0.0625));
    let right = r##"flowchart TD
    n0["a #lt;b#gt; #quot;c#quot; #35;1<br>value 2"]
    style n0 fill:#d9ead3
    n1["leaf"]
    style n1 fill:#d9ead3
    n2["add"]
    style n2 fill:#fff2cc
    n0 --> n2
    n1 --> n2
"##;
    let picture = Picture::of(&(&x + &y)).name("a <b> \"c\" #1", &x);
    assert_eq!(picture.to_mermaid(), right);
    assert!(
        Picture::of(&(&x + &y))
            .name("\\ \"", &y)
            .to_dot()
            .contains(r#"label="\\ \"\n"#)
    );
}

#[test]
fn numbers_are_short() {
    let shown = |values: [f64; 3]| {
        let x = Tensor::from(values).tracked();
        let dot = Picture::of(&x).name("x", &x).to_dot();
        dot.split("value ")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .to_string()
    };
    assert_eq!(shown([0.0, -1.0, 0.125]), "0  -1  0.125");
    assert_eq!(
        shown([1e-7, 123456.789, 1e9]),
        "1.00e-7  123456.789  1.00e9"
    );
    assert_eq!(shown([f64::NAN, f64::INFINITY, -0.5]), "NaN  inf  -0.5");
    let long = Tensor::<1, shape![100], f64>::ones().tracked();
    assert!(
        Picture::of(&long)
            .name("x", &long)
            .to_dot()
            .contains("value 1  1  1  1  …")
    );
}

/// What a backward pass has freed is the end of what there is to see.
#[test]
fn freed_graphs_and_leaves() {
    let x = number(1.0);
    let y = x.sin();
    y.backward();
    let dot = Picture::of(&y).to_dot();
    assert!(dot.contains("\"freed\"") && !dot.contains("leaf"));
    assert!(Picture::of(&x).to_dot().contains("n0 [label=\"leaf"));
}

#[test]
#[should_panic(expected = "there is no graph behind it")]
fn plain_data_has_no_graph() {
    Picture::of(&Tensor::scalar(1.0f32));
}

#[test]
#[should_panic(expected = "`w` is not part of the graph that is drawn")]
fn a_name_for_what_is_not_there() {
    let _ = Picture::of(&number(1.0)).name("w", &number(2.0));
}

/// Text that means something in XML is written as text.
#[test]
fn svg_is_whole_and_escaped() {
    let x = number(2.0);
    let svg = Picture::of(&(&x * &x)).name("a<b> & \"c\"", &x).to_svg();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("a&lt;b&gt; &amp; \"c\""), "{svg}");
    assert!(!svg.contains("a<b>"));
}

/// A hundred boxes in a row, and one result with a hundred operands.
#[test]
fn long_and_wide_graphs_are_drawn() {
    let x = number(1.0);
    let long = (0..100).fold(x.clone(), |y, _| y.sin());
    let wide = (0..100)
        .map(|i| &x * f64::from(i))
        .fold(x.clone(), |sum, y| sum + y);
    for graph in [&long, &wide] {
        let svg = Picture::of(graph).to_svg();
        assert!(svg.matches("<rect").count() >= 100);
    }
}

type Line = Tensor<1, shape![3], f64>;
type Weight = Param<1, shape![3], f64>;

/// The first lines of all boxes, in order.
fn titles(picture: &Picture) -> Vec<String> {
    let mermaid = picture.to_mermaid();
    let boxes = mermaid.lines().filter_map(|line| line.split_once("[\""));
    boxes
        .map(|(_, text)| text.split(['<', '"']).next().unwrap().to_string())
        .collect()
}

#[test]
fn a_model_is_drawn_module_by_module() {
    let rng = &mut Rng::seed(0);
    let model = vec![
        (Linear::<3, 3, f64>::new(rng), Linear::<3, 3, f64>::new(rng)),
        (Linear::new(rng), Linear::new(rng)),
    ];
    let x = Line::ones().tracked();
    let block = |x: &Line, i: usize| x + model[i].1.forward(&model[i].0.forward(x).tanh());
    let loss = block(&block(&x, 0), 1).sum();
    let picture = |depth| {
        Picture::of(&loss)
            .name("x", &x)
            .name("loss", &loss)
            .collapse(&model, depth)
    };
    assert_eq!(
        titles(&picture(1)),
        ["x", "module 0", "module 1", "loss = sum"]
    );
    assert_eq!(
        titles(&picture(9)),
        [
            "x",
            "module 0.0",
            "module 0.1",
            "module 1.0",
            "module 1.1",
            "loss = sum"
        ]
    );
    assert_eq!(titles(&picture(0)), ["x", "the model", "loss = sum"]);
    assert!(
        picture(1)
            .to_mermaid()
            .contains("4 parameters, 24 numbers<br>(3)")
    );
    // x reaches both products and the sum behind them: one arrow for each box.
    assert_eq!(picture(1).to_mermaid().matches("-->").count(), 3);
    assert!(
        picture(2).to_svg().contains("module 0.0") && picture(2).to_dot().contains("module 0.0")
    );
    // What is in a box of several has no name of its own any more.
    assert!(std::panic::catch_unwind(|| picture(1).name("w", &model[0].0.bias)).is_err());
    picture(1).name("loss", &loss);
}

#[test]
fn what_is_named_or_shared_stays() {
    let model = (Weight::ones(), (Weight::ones(), Weight::ones()));
    let x = Line::ones().tracked();
    let a = &x * &model.0;
    let b = (&a + &model.1.0).exp();
    let c = (&b + &model.1.1).exp();
    let d = &c * &model.0;
    let picture = Picture::of(&d).name("b", &b).collapse(&model, 1);
    // `b` stands between two parts of module 1, and the parameter `0` belongs to two.
    assert_eq!(
        titles(&picture),
        [
            "leaf",
            "leaf",
            "the model",
            "module 1",
            "b = exp",
            "module 1",
            "the model"
        ]
    );
    assert!(picture.to_mermaid().contains("1 parameter, 3 numbers"));
}

#[test]
fn chains_are_told_once() {
    let x = Line::ones().tracked();
    let w = Weight::ones();
    let own = (0..10).fold(x.clone(), |y, _| (&y + &Line::ones().tracked()).sin());
    let picture = Picture::of(&own).name("x", &x).collapse_chains();
    assert!(
        picture
            .to_mermaid()
            .contains("add, sin<br>10 times<br>10 leaves<br>(3)"),
        "{}",
        picture.to_mermaid()
    );
    assert_eq!(titles(&picture).len(), 2);
    // A leaf that all share is no chain's own, and short chains stay.
    let shared = (0..10).fold(x.clone(), |y, _| (&y + &w).sin());
    assert_eq!(titles(&Picture::of(&shared).collapse_chains()).len(), 22);
    let short = x.sin().cos().exp();
    assert_eq!(titles(&Picture::of(&short).collapse_chains()).len(), 4);
    let branch = x.sin().cos().exp().tanh();
    let both = &branch + &branch;
    assert_eq!(
        titles(&Picture::of(&both).collapse_chains()),
        ["sin, cos, exp, tanh, add"]
    );
    let long = (0..100_000).fold(x.clone(), |y, _| y.sin());
    assert_eq!(
        titles(&Picture::of(&long).name("x", &x).collapse_chains()),
        ["x", "sin"]
    );
}

/// However modules and operations are mixed, groups never lie in a circle, and every box is drawn.
#[test]
fn groups_of_random_graphs_have_an_order() {
    for seed in 0..60 {
        let rng = &mut Rng::seed(seed);
        let model: Vec<[Weight; 2]> = (0..4).map(|_| [Weight::ones(), Weight::ones()]).collect();
        let mut values = vec![Line::ones().tracked()];
        let mut named = Vec::new();
        for _ in 0..40 {
            let mut draw = |n: usize| (rng.next_u64() % n as u64) as usize;
            let (a, b) = (draw(values.len()), draw(values.len()));
            let weight = &model[draw(4)][draw(2)];
            let next = match draw(4) {
                0 => &values[a] * weight,
                1 => &values[a] + &values[b],
                2 => values[a].sin(),
                _ => &values[values.len() - 1] * weight,
            };
            if draw(6) == 0 {
                named.push(next.clone());
            }
            values.push(next);
        }
        let loss = values
            .iter()
            .skip(1)
            .fold(values[0].clone(), |sum, y| sum + y);
        let mut picture = Picture::of(&loss);
        for tensor in &named {
            picture = picture.name("named", tensor);
        }
        for collapsed in [
            picture.clone().collapse(&model, 1),
            picture.collapse_chains(),
        ] {
            assert!(
                titles(&collapsed)
                    .iter()
                    .filter(|title| title.starts_with("named"))
                    .count()
                    == named.len()
            );
            collapsed.to_svg();
        }
    }
}

#[test]
fn nodes_are_counted_by_state() {
    let x = Line::ones().tracked();
    let w = Weight::ones();
    let y = (&x * &w).exp();
    let z = y.sqrt();
    let node = z.node().unwrap();
    // The product saves both operands; `exp` and `sqrt` their results.
    let right = Census {
        leaves: 2,
        leaf_numbers: 6,
        intermediates: 3,
        freed: 0,
        saved_bytes: 4 * 3 * 8,
    };
    assert_eq!(node.census(), right);
    assert_eq!(
        node.reachable()
            .iter()
            .map(|node| node.op())
            .collect::<Vec<_>>(),
        ["leaf", "leaf", "mul", "exp", "sqrt"]
    );
    // What two operations have saved counts once.
    let both = (&y * &y).sum();
    assert_eq!(both.node().unwrap().census().saved_bytes, 3 * 3 * 8);
    z.sum().backward();
    assert_eq!(
        node.census(),
        Census {
            freed: 1,
            ..Census::default()
        }
    );
    assert_eq!(node.state(), NodeState::Freed);
    let leaf = x.node().unwrap();
    assert_eq!((leaf.state(), leaf.leaves().len()), (NodeState::Leaf, 1));
    assert_eq!(
        leaf.census(),
        Census {
            leaves: 1,
            leaf_numbers: 3,
            ..Census::default()
        }
    );
}
