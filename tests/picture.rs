//! Graphs as text, as pictures, and as something to walk.

use shapeproof::graph::Picture;
use shapeproof::prelude::*;

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
