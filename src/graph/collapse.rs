//! Large pictures made small: what belongs to one module, or to one chain, as one box.

use super::picture::{Node, Picture};
use crate::element::Element;
use crate::nn::Module;
use std::collections::BTreeSet;

/// Shorter chains are as easy to read box by box.
const CHAIN: usize = 4;
/// The longest part that is found to repeat.
const PERIOD: usize = 32;
/// As many operations of a part are named in its box.
const NAMED: usize = 6;

impl Picture {
    /// Draws each module of a model as one box: its parameters, and the operations on them.
    ///
    /// `depth` counts the parts of parameters' names: with 1, `blocks.0.weight` belongs to `blocks`, and with 2 to
    /// `blocks.0`. What has no parameters belongs to the module whose result it takes up last. Tensors that have been
    /// [named](Self::name) stay boxes of their own, as do parameters that several modules share.
    ///
    /// ```
    /// use shapeproof::graph::Picture;
    /// use shapeproof::prelude::*;
    ///
    /// let rng = &mut Rng::seed(0);
    /// let model = (Linear::<2, 8>::new(rng), Tanh, Linear::<8, 1>::new(rng));
    /// let loss = model.forward(&Tensor::<2, shape![4, 2]>::ones()).square().mean();
    /// let picture = Picture::of(&loss).name("loss", &loss).collapse(&model, 1);
    /// let mermaid = picture.to_mermaid();
    /// assert!(mermaid.contains("module 0<br>linear, tanh<br>2 parameters, 24 numbers"));
    /// assert_eq!(mermaid.matches("style").count(), 3); // two modules and the loss
    /// ```
    pub fn collapse<E: Element>(self, model: &impl Module<E>, depth: usize) -> Self {
        let mut modules = vec![None; self.boxes.len()];
        model.visit("", &mut |name, parameter| {
            if let Some(&place) = parameter.id().and_then(|id| self.places.get(&id)) {
                let parts: Vec<_> = name.split('.').collect();
                let path = &parts[..depth.min(parts.len() - 1)];
                modules[place] = Some(path.join("."));
            }
        });
        let (groups, titles) = self.by_module(&modules);
        self.contract(&groups, |picture, group, members| {
            picture.module_box(&titles[group], &modules, members)
        })
    }

    /// Draws each long chain of operations, in which each takes up only the one before beside leaves of its own, as one
    /// box; what repeats in it is told once. Tensors that have been [named](Self::name) stay boxes of their own.
    ///
    /// ```
    /// use shapeproof::graph::Picture;
    /// use shapeproof::prelude::*;
    ///
    /// let x = Tensor::<1, shape![3]>::ones().tracked();
    /// let y = (0..100).fold(x.clone(), |y, _| (y * 0.5).sin());
    /// let mermaid = Picture::of(&y).name("x", &x).collapse_chains().to_mermaid();
    /// assert!(mermaid.contains("mul_number, sin<br>100 times"));
    /// ```
    pub fn collapse_chains(self) -> Self {
        let groups = self.by_chain();
        self.contract(&groups, Picture::chain_box)
    }

    /// The operands and the results of each box.
    fn neighbours(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let mut operands = vec![Vec::new(); self.boxes.len()];
        let mut results = vec![Vec::new(); self.boxes.len()];
        for &(from, to) in &self.arrows {
            operands[to].push(from);
            results[from].push(to);
        }
        (operands, results)
    }

    /// True if the box may be drawn as a part of another one. Names given by a model do not count.
    fn is_free(&self, place: usize) -> bool {
        self.boxes[place].value.is_none()
    }

    /// The group of each box, and the modules that the groups are of.
    fn by_module(&self, modules: &[Option<String>]) -> (Vec<Option<usize>>, Vec<String>) {
        let (operands, results) = self.neighbours();
        let mut groups: Vec<Option<usize>> = vec![None; self.boxes.len()];
        let mut titles: Vec<String> = Vec::new();
        // The groups that each one takes up something of.
        let mut sources: Vec<BTreeSet<usize>> = Vec::new();
        // The groups behind each box, where that box has none of its own.
        let mut behind = vec![BTreeSet::new(); self.boxes.len()];
        for to in 0..self.boxes.len() {
            let (mut taken, mut around) = (BTreeSet::new(), BTreeSet::new());
            for &from in &operands[to] {
                match groups[from] {
                    Some(group) => drop(taken.insert(group)),
                    None => around.extend(behind[from].iter().copied()),
                }
            }
            if self.boxes[to].is_leaf() {
                continue;
            }
            let own = operands[to].iter().find_map(|&from| modules[from].as_ref());
            let last = operands[to]
                .iter()
                .filter(|&&from| groups[from].is_some())
                .max();
            let last = last.and_then(|&from| groups[from]);
            let title = own
                .cloned()
                .or_else(|| last.map(|group| titles[group].clone()));
            if let Some(title) = title.filter(|_| self.is_free(to)) {
                // What comes from a group by way of something outside of it cannot join it: each would be before the
                // other.
                let others = taken.iter().filter(|&&group| Some(group) != last);
                let outside: Vec<_> = others.chain(&around).copied().collect();
                let joins = last
                    .filter(|&group| titles[group] == title)
                    .filter(|&group| !outside.iter().any(|&other| reaches(&sources, other, group)));
                let group = joins.unwrap_or_else(|| {
                    titles.push(title);
                    sources.push(BTreeSet::new());
                    titles.len() - 1
                });
                groups[to] = Some(group);
                taken.extend(around);
                sources[group].extend(taken.into_iter().filter(|&other| other != group));
            } else {
                taken.extend(around);
                behind[to] = taken;
            }
        }
        self.take_leaves(&mut groups, &results, |leaf| modules[leaf].is_some());
        (groups, titles)
    }

    fn by_chain(&self) -> Vec<Option<usize>> {
        let (operands, results) = self.neighbours();
        let is_link = |place: usize| !self.boxes[place].is_leaf() && self.is_free(place);
        let mut groups = vec![None; self.boxes.len()];
        let mut count = 0;
        for start in 0..self.boxes.len() {
            if groups[start].is_some() || !is_link(start) {
                continue;
            }
            let mut chain = vec![start];
            loop {
                let last = chain[chain.len() - 1];
                let next = results[last].first().copied();
                let next = next.filter(|&next| {
                    let alone = results[last].iter().all(|&other| other == next);
                    let mut others = operands[next].iter().filter(|&&from| from != last);
                    let own = |from: &usize| {
                        self.boxes[*from].is_leaf()
                            && self.is_free(*from)
                            && results[*from].iter().all(|&other| other == next)
                    };
                    alone && is_link(next) && others.all(own)
                });
                match next {
                    Some(next) => chain.push(next),
                    None => break,
                }
            }
            if chain.len() >= CHAIN {
                chain.iter().for_each(|&place| groups[place] = Some(count));
                count += 1;
            }
        }
        self.take_leaves(&mut groups, &results, |_| true);
        groups
    }

    /// Adds leaves that one group alone uses to it.
    fn take_leaves(
        &self,
        groups: &mut [Option<usize>],
        results: &[Vec<usize>],
        may: impl Fn(usize) -> bool,
    ) {
        for leaf in 0..self.boxes.len() {
            if self.boxes[leaf].is_leaf() && self.is_free(leaf) && may(leaf) {
                let mut users = results[leaf].iter().map(|&to| groups[to]);
                if let Some(group) = users.next().flatten()
                    && users.all(|other| other == Some(group))
                {
                    groups[leaf] = Some(group);
                }
            }
        }
    }

    /// The picture with a box for each group, which `draw` makes of its members.
    fn contract(
        self,
        groups: &[Option<usize>],
        draw: impl Fn(&Picture, usize, &[usize]) -> Node,
    ) -> Self {
        let mut members = vec![Vec::new(); groups.len()];
        for (place, group) in groups.iter().enumerate() {
            if let Some(group) = group {
                members[*group].push(place);
            }
        }
        // Each box by the last of the nodes that it stands for.
        let stands = |place: usize| match groups[place] {
            Some(group) => *members[group].last().expect("a group has members"),
            None => place,
        };
        let mut arrows = BTreeSet::new();
        let mut kept = Vec::new();
        let (mut pending, mut results) = (vec![0; groups.len()], vec![Vec::new(); groups.len()]);
        for &(from, to) in &self.arrows {
            let (from, to) = (stands(from), stands(to));
            // Two arrows between the same boxes mean something where neither is a group.
            let grouped = groups[from].is_some() || groups[to].is_some();
            if from != to && (!grouped || arrows.insert((from, to))) {
                kept.push((from, to));
                results[from].push(to);
                pending[to] += 1;
            }
        }
        // Operands before their results, else in the old order.
        let standing = (0..groups.len()).filter(|&place| stands(place) == place);
        let mut ready: BTreeSet<usize> = standing.filter(|&place| pending[place] == 0).collect();
        let (mut boxes, mut new_places) = (Vec::new(), vec![None; groups.len()]);
        while let Some(place) = ready.pop_first() {
            new_places[place] = Some(boxes.len());
            boxes.push(match groups[place] {
                Some(group) => draw(&self, group, &members[group]),
                None => self.boxes[place].clone(),
            });
            for &to in &results[place] {
                pending[to] -= 1;
                if pending[to] == 0 {
                    ready.insert(to);
                }
            }
        }
        let new_place =
            |place: usize| new_places[place].expect("groups do not go round in a circle");
        let arrow = |&(from, to): &(usize, usize)| (new_place(from), new_place(to));
        let places = self
            .places
            .iter()
            .filter(|&(_, &place)| groups[place].is_none());
        Picture {
            arrows: kept.iter().map(arrow).collect(),
            places: places.map(|(&id, &place)| (id, new_place(place))).collect(),
            boxes,
        }
    }

    fn module_box(&self, title: &str, modules: &[Option<String>], members: &[usize]) -> Node {
        let mut lines = vec![if title.is_empty() {
            "the model".to_string()
        } else {
            format!("module {title}")
        }];
        lines.extend(self.told(members));
        let parameters = members.iter().filter(|&&place| modules[place].is_some());
        let sizes = parameters.map(|&place| self.boxes[place].dims.iter().product::<usize>());
        let sizes: Vec<_> = sizes.collect();
        if !sizes.is_empty() {
            let numbers: usize = sizes.iter().sum();
            lines.push(format!(
                "{}, {}",
                counted(sizes.len(), "parameter"),
                counted(numbers, "number")
            ));
        }
        self.group_box(lines, members)
    }

    fn chain_box(&self, _: usize, members: &[usize]) -> Node {
        let mut lines = self.told(members);
        let leaves = members
            .iter()
            .filter(|&&place| self.boxes[place].is_leaf())
            .count();
        if leaves > 0 {
            lines.push(counted(leaves, "leaf"));
        }
        self.group_box(lines, members)
    }

    fn group_box(&self, lines: Vec<String>, members: &[usize]) -> Node {
        let last = &self.boxes[*members.last().expect("a group has members")];
        Node {
            group: Some(lines),
            ..last.clone()
        }
    }

    /// The operations of a group: all of them if they are few, what repeats if they do.
    fn told(&self, members: &[usize]) -> Vec<String> {
        let ops: Vec<_> = members
            .iter()
            .filter(|&&place| !self.boxes[place].is_leaf())
            .map(|&place| self.boxes[place].op)
            .collect();
        let repeats = |&period: &usize| (period..ops.len()).all(|i| ops[i] == ops[i - period]);
        let period = (1..=PERIOD.min(ops.len() / 2)).find(repeats);
        // A part that has begun to repeat, and ends in the middle, is told in full.
        let period = period.filter(|period| ops.len().is_multiple_of(*period));
        let part = &ops[..period.unwrap_or(ops.len())];
        let mut lines = if part.len() <= NAMED {
            vec![part.join(", ")]
        } else {
            vec![format!(
                "{}, … {}",
                part[..NAMED - 1].join(", "),
                part[part.len() - 1]
            )]
        };
        if part.len() > NAMED {
            lines.push(counted(part.len(), "operation"));
        }
        if let Some(period) = period {
            lines.push(format!("{} times", ops.len() / period));
        }
        lines
    }
}

/// True if `group` takes up something of `source`, by way of others too.
fn reaches(sources: &[BTreeSet<usize>], group: usize, source: usize) -> bool {
    let mut met = BTreeSet::from([group]);
    let mut open = vec![group];
    while let Some(group) = open.pop() {
        if group == source {
            return true;
        }
        open.extend(sources[group].iter().filter(|&&next| met.insert(next)));
    }
    false
}

/// `1 leaf`, `2 leaves`
fn counted(count: usize, what: &str) -> String {
    match (count, what) {
        (1, what) => format!("1 {what}"),
        (count, "leaf") => format!("{count} leaves"),
        (count, what) => format!("{count} {what}s"),
    }
}
