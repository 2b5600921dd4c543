//! Pictures of a graph: text for Graphviz and Mermaid, and SVG.

use super::layers::layout;
use super::view::NodeView;
use crate::element::Element;
use crate::nn::Module;
use crate::shape::Shape;
use crate::tensor::Tensor;
use std::collections::HashMap;
use std::fmt::Write;

/// A picture of the graph behind a tensor: a box for each leaf and operation, an arrow for each operand.
///
/// Operands that are not tracked take no part in the graph and are not drawn. Values are shown for tensors that
/// have been named, and gradients where there are any.
///
/// ```
/// use shapeproof::graph::Picture;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::scalar(2.0f32).tracked();
/// let w = Tensor::scalar(-3.0f32).tracked();
/// let y = &x * &w;
/// let z = y.tanh();
/// z.backward_retaining();
/// let picture = Picture::of(&z).name("x", &x).name("w", &w).name("y", &y);
/// let mermaid = picture.to_mermaid();
/// assert!(mermaid.starts_with("flowchart TD\n"));
/// assert!(mermaid.contains("value -6"));
/// ```
#[derive(Clone, Debug)]
pub struct Picture {
    /// Operands before their results.
    pub(super) boxes: Vec<Node>,
    /// From operand to result, by places in `boxes`.
    pub(super) arrows: Vec<(usize, usize)>,
    /// The place of each node's box.
    pub(super) places: HashMap<u64, usize>,
}

/// What is drawn of a node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) op: &'static str,
    pub(super) name: Option<String>,
    pub(super) dims: Vec<usize>,
    pub(super) value: Option<String>,
    pub(super) grad: Option<String>,
    /// What the box stands for, if for several nodes.
    pub(super) group: Option<Vec<String>>,
}

impl Node {
    pub(super) fn is_leaf(&self) -> bool {
        self.op == "leaf" && self.group.is_none()
    }

    /// What stands in the box: a name with the operation, the shape, and numbers if there are any.
    fn lines(&self) -> Vec<String> {
        let title = match &self.name {
            Some(name) if self.is_leaf() => name.clone(),
            Some(name) => format!("{name} = {}", self.op),
            None => self.op.to_string(),
        };
        let sizes: Vec<_> = self.dims.iter().map(usize::to_string).collect();
        let mut lines = match &self.group {
            Some(lines) => lines.clone(),
            None => vec![title],
        };
        if !sizes.is_empty() {
            lines.push(format!("({})", sizes.join(", ")));
        }
        lines.extend(self.value.iter().map(|value| format!("value {value}")));
        lines.extend(self.grad.iter().map(|grad| format!("grad {grad}")));
        lines
    }
}

impl Picture {
    /// The graph behind `result`, without names.
    ///
    /// # Panics
    /// If the result is not tracked: there is no graph behind it.
    #[track_caller]
    pub fn of<const R: usize, S: Shape<R>, E: Element>(result: &Tensor<R, S, E>) -> Self {
        let root = result.node().unwrap_or_else(|| {
            panic!("a picture of a tensor that is not tracked: there is no graph behind it")
        });
        // By number, which is the order in which they were made.
        let nodes = root.reachable();
        let places: HashMap<_, _> = nodes.iter().map(NodeView::id).zip(0..).collect();
        let arrows = nodes.iter().enumerate().flat_map(|(to, node)| {
            let parents = node.parents().into_iter();
            let places = &places;
            parents.map(move |parent| (places[&parent.id()], to))
        });
        Picture {
            arrows: arrows.collect(),
            boxes: nodes.iter().map(drawn).collect(),
            places,
        }
    }

    /// Names a tensor of the graph, and shows its values.
    ///
    /// # Panics
    /// If the tensor is not part of the graph.
    #[track_caller]
    pub fn name<const R: usize, S: Shape<R>, E: Element>(
        mut self,
        name: &str,
        tensor: &Tensor<R, S, E>,
    ) -> Self {
        let id = tensor.node().map(|node| node.id());
        let Some(&place) = id.and_then(|id| self.places.get(&id)) else {
            panic!("`{name}` is not part of the graph that is drawn");
        };
        self.boxes[place].name = Some(name.to_string());
        self.boxes[place].value = Some(numbers(tensor.as_slice()));
        self
    }

    /// Names the parameters of a model as [`Module::parameter_names`] does; those that the graph does not use are
    /// left out.
    ///
    /// ```
    /// # use shapeproof::graph::Picture;
    /// # use shapeproof::prelude::*;
    /// let model = (Linear::<2, 3>::new(&mut Rng::seed(0)), Tanh);
    /// let y = model.forward(&Tensor::<2, shape![4, 2]>::ones());
    /// assert!(Picture::of(&y).model(&model).to_dot().contains("0.weight"));
    /// ```
    pub fn model<E: Element>(mut self, model: &impl Module<E>) -> Self {
        model.visit("", &mut |name, parameter| {
            if let Some(&place) = parameter.id().and_then(|id| self.places.get(&id)) {
                self.boxes[place].name = Some(name.to_string());
            }
        });
        self
    }

    /// The picture in the language of Graphviz.
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph {\n    node [shape=box, style=filled];\n");
        for (i, node) in self.boxes.iter().enumerate() {
            let escaped = |line: String| line.replace('\\', "\\\\").replace('"', "\\\"");
            let lines: Vec<_> = node.lines().into_iter().map(escaped).collect();
            let (text, colour) = (lines.join("\\n"), self.colour(i));
            writeln!(dot, "    n{i} [label=\"{text}\", fillcolor=\"{colour}\"];").unwrap();
        }
        for (from, to) in &self.arrows {
            writeln!(dot, "    n{from} -> n{to};").unwrap();
        }
        dot.push_str("}\n");
        dot
    }

    /// The picture in the language of Mermaid, which Markdown pages show.
    pub fn to_mermaid(&self) -> String {
        let mut mermaid = String::from("flowchart TD\n");
        for (i, node) in self.boxes.iter().enumerate() {
            let escaped = |line: String| {
                line.replace('#', "#35;")
                    .replace('"', "#quot;")
                    .replace('<', "#lt;")
                    .replace('>', "#gt;")
            };
            let lines: Vec<_> = node.lines().into_iter().map(escaped).collect();
            let (text, colour) = (lines.join("<br>"), self.colour(i));
            writeln!(mermaid, "    n{i}[\"{text}\"]").unwrap();
            writeln!(mermaid, "    style n{i} fill:{colour}").unwrap();
        }
        for (from, to) in &self.arrows {
            writeln!(mermaid, "    n{from} --> n{to}").unwrap();
        }
        mermaid
    }

    /// The picture as SVG, in layers from the leaves down to the result.
    pub fn to_svg(&self) -> String {
        const LETTER: f64 = 7.8;
        const LINE: f64 = 17.0;
        const MARGIN: f64 = 7.0;
        let texts: Vec<_> = self.boxes.iter().map(Node::lines).collect();
        let size = |lines: &Vec<String>| {
            let letters = lines.iter().map(|line| line.chars().count()).max();
            let (width, height) = (letters.unwrap_or(0) as f64, lines.len() as f64);
            (width * LETTER + 2.0 * MARGIN, height * LINE + 2.0 * MARGIN)
        };
        let sizes: Vec<_> = texts.iter().map(size).collect();
        let layout = layout(&sizes, &self.arrows);

        let (width, height) = layout.size;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"monospace\" font-size=\"13\" text-anchor=\"middle\">\n\
             <marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        for path in &layout.arrows {
            let (x, y) = path[0];
            write!(
                svg,
                "<path fill=\"none\" stroke=\"#555\" marker-end=\"url(#tip)\" d=\"M{x:.1} {y:.1}"
            )
            .unwrap();
            for points in path.windows(2) {
                let ((x0, y0), (x1, y1)) = (points[0], points[1]);
                let middle = (y0 + y1) / 2.0;
                write!(
                    svg,
                    "C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}"
                )
                .unwrap();
            }
            svg.push_str("\"/>\n");
        }
        for (i, (lines, &(x, y))) in texts.iter().zip(&layout.boxes).enumerate() {
            let (width, height) = sizes[i];
            let (left, top, colour) = (x - width / 2.0, y - height / 2.0, self.colour(i));
            writeln!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\" \
                 fill=\"{colour}\" stroke=\"#555\"/>"
            )
            .unwrap();
            for (n, line) in lines.iter().enumerate() {
                let base = top + MARGIN + LINE * (n as f64 + 0.75);
                let line = line
                    .replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('>', "&gt;");
                writeln!(svg, "<text x=\"{x:.1}\" y=\"{base:.1}\">{line}</text>").unwrap();
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Leaves, operations, groups and the result each have their colour.
    fn colour(&self, i: usize) -> &'static str {
        if self.boxes[i].group.is_some() {
            "#e1d5e7"
        } else if self.boxes[i].is_leaf() {
            "#d9ead3"
        } else if i + 1 == self.boxes.len() {
            "#fff2cc"
        } else {
            "#dae8fc"
        }
    }
}

fn drawn<E: Element>(node: &NodeView<E>) -> Node {
    Node {
        op: node.op(),
        name: None,
        dims: node.dims().to_vec(),
        value: None,
        group: None,
        grad: node.grad().map(|grad| numbers(&grad)),
    }
}

/// The first few numbers, with three digits.
fn numbers<E: Element>(values: &[E]) -> String {
    const SHOWN: usize = 4;
    let number = |x: &E| {
        let x = x.to_f64().unwrap_or(f64::NAN);
        let rounded = format!("{x:.3}");
        if x != 0.0 && !(1e-3..1e6).contains(&x.abs()) {
            return format!("{x:.2e}");
        }
        rounded
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_string()
    };
    let mut shown: Vec<_> = values.iter().take(SHOWN).map(number).collect();
    if values.len() > SHOWN {
        shown.push("…".to_string());
    }
    shown.join("  ")
}
