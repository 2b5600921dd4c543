//! Where the boxes and arrows of a picture go: in layers, every arrow downwards (Sugiyama, Tagawa & Toda 1981).
//!
//! Each box stands one layer above the highest of those it points to. Arrows over several layers bend at a point in
//! each. Sweeps up and down then move what stands in a layer towards the middle of what it is joined to.

use std::collections::BTreeMap;

/// Between the boxes of a layer, and between layers.
const GAP: (f64, f64) = (24.0, 44.0);
const SWEEPS: usize = 12;

/// A drawing: where the middle of each box is, and the points that each arrow passes.
pub(super) struct Layout {
    pub(super) boxes: Vec<(f64, f64)>,
    pub(super) arrows: Vec<Vec<(f64, f64)>>,
    pub(super) size: (f64, f64),
}

/// A box, or a point where an arrow passes a layer.
struct Item {
    layer: usize,
    width: f64,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Lays out boxes of these sizes; each arrow leads from an earlier box to a later one.
pub(super) fn layout(sizes: &[(f64, f64)], arrows: &[(usize, usize)]) -> Layout {
    // Counted from the bottom first: arrows come in any order, boxes with all their targets behind them.
    let mut heights = vec![0usize; sizes.len()];
    let mut targets = vec![Vec::new(); sizes.len()];
    for &(from, to) in arrows {
        targets[from].push(to);
    }
    for from in (0..sizes.len()).rev() {
        heights[from] = targets[from]
            .iter()
            .map(|&to| heights[to] + 1)
            .max()
            .unwrap_or(0);
    }
    let top = heights.iter().copied().max().unwrap_or(0);
    let item = |layer, width| Item {
        layer,
        width,
        x: 0.0,
        above: Vec::new(),
        below: Vec::new(),
    };
    let mut items: Vec<_> = sizes
        .iter()
        .zip(&heights)
        .map(|(size, height)| item(top - height, size.0))
        .collect();

    // Arrows that lead the same way share their bends.
    let mut bends: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for &(from, to) in arrows {
        bends.entry((from, to)).or_insert_with(|| {
            let mut last = from;
            let mut path = Vec::new();
            for layer in items[from].layer + 1..items[to].layer {
                items.push(item(layer, 0.0));
                let bend = items.len() - 1;
                items[last].below.push(bend);
                items[bend].above.push(last);
                path.push(bend);
                last = bend;
            }
            items[last].below.push(to);
            items[to].above.push(last);
            path
        });
    }
    let mut layers = vec![Vec::new(); top + 1];
    for (i, item) in items.iter().enumerate() {
        layers[item.layer].push(i);
    }
    layers
        .iter()
        .for_each(|layer| spread(layer, &mut items, |i, _| i as f64));
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        for step in 1..=top {
            let layer = &mut layers[if down { step } else { top - step }];
            let wish = |i: usize, items: &[Item]| {
                let joined = if down {
                    &items[i].above
                } else {
                    &items[i].below
                };
                let sum: f64 = joined.iter().map(|&other| items[other].x).sum();
                if joined.is_empty() {
                    items[i].x
                } else {
                    sum / joined.len() as f64
                }
            };
            layer.sort_by(|&a, &b| wish(a, &items).total_cmp(&wish(b, &items)));
            spread(layer, &mut items, wish);
        }
    }

    let left = |item: &Item| item.x - item.width / 2.0;
    let start = items.iter().map(left).fold(f64::INFINITY, f64::min) - GAP.0;
    items.iter_mut().for_each(|item| item.x -= start);
    let width = items
        .iter()
        .map(|item| item.x + item.width / 2.0)
        .fold(0.0, f64::max)
        + GAP.0;
    let tall = |layer: &Vec<usize>| {
        let boxes = layer.iter().filter_map(|&i| sizes.get(i));
        boxes.map(|size| size.1).fold(0.0, f64::max)
    };
    let mut bottom = GAP.0;
    let middles: Vec<_> = layers
        .iter()
        .map(|layer| {
            let middle = bottom + tall(layer) / 2.0;
            bottom += tall(layer) + GAP.1;
            middle
        })
        .collect();
    let at = |i: usize| (items[i].x, middles[items[i].layer]);
    let arrow = |&(from, to): &(usize, usize)| {
        let edge = |i: usize, side: f64| (at(i).0, at(i).1 + side * sizes[i].1 / 2.0);
        let bends = bends[&(from, to)].iter().map(|&bend| at(bend));
        let mut path = vec![edge(from, 1.0)];
        path.extend(bends);
        path.push(edge(to, -1.0));
        path
    };
    Layout {
        arrows: arrows.iter().map(arrow).collect(),
        boxes: (0..sizes.len()).map(at).collect(),
        size: (width, bottom - GAP.1 + GAP.0),
    }
}

/// Puts a layer's items as near to where they wish to be as their order and widths allow.
fn spread(layer: &[usize], items: &mut [Item], wish: impl Fn(usize, &[Item]) -> f64) {
    let wishes: Vec<_> = layer.iter().map(|&i| wish(i, items)).collect();
    let mut free = f64::NEG_INFINITY;
    let mut pushed = 0.0;
    for (&i, &wish) in layer.iter().zip(&wishes) {
        let half = items[i].width / 2.0;
        items[i].x = (free + half).max(wish);
        free = items[i].x + half + GAP.0;
        pushed += items[i].x - wish;
    }
    // All were pushed to the right: on average, they go where they wish.
    let back = pushed / layer.len().max(1) as f64;
    layer.iter().for_each(|&i| items[i].x -= back);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes of a layer stand apart, and arrows lead down.
    #[test]
    fn nothing_overlaps() {
        let count = 60;
        let arrows: Vec<_> = (1..count)
            .flat_map(|to| [(to / 2, to), (to - 1, to), (to * 7 % to.max(1), to)])
            .collect();
        let sizes: Vec<_> = (0..count)
            .map(|i| (30.0 + (i % 5) as f64 * 20.0, 20.0 + (i % 3) as f64 * 15.0))
            .collect();
        let layout = layout(&sizes, &arrows);
        for (i, a) in layout.boxes.iter().enumerate() {
            assert!(a.0 - sizes[i].0 / 2.0 > 0.0 && a.0 + sizes[i].0 / 2.0 < layout.size.0);
            for (j, b) in layout.boxes.iter().enumerate().take(i) {
                let apart = (a.0 - b.0).abs() - (sizes[i].0 + sizes[j].0) / 2.0;
                let above = (a.1 - b.1).abs() - (sizes[i].1 + sizes[j].1) / 2.0;
                assert!(apart > GAP.0 - 1e-9 || above > GAP.1 - 1e-9, "{i} and {j}");
            }
        }
        for path in &layout.arrows {
            assert!(path.windows(2).all(|points| points[0].1 < points[1].1));
        }
    }

    #[test]
    fn one_box_and_none() {
        assert_eq!(
            layout(&[(10.0, 10.0)], &[]).boxes,
            [(GAP.0 + 5.0, GAP.0 + 5.0)]
        );
        assert!(layout(&[], &[]).boxes.is_empty());
    }
}
