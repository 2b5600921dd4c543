//! Deep and wide graphs: each rule runs once, and every node is met once. Counted, not timed.

use shapeproof::autograd::{Function, apply, grad};
use shapeproof::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

type Number = Tensor<0, (), f64>;

/// The same number; counts its backward.
struct Counted(Arc<AtomicUsize>);

impl Function for Counted {
    const NAME: &'static str = "counted";
    type Inputs = Number;
    type Output = Number;
    type Saved = ();

    fn forward(&self, x: Number) -> (Number, ()) {
        (x, ())
    }
    fn backward(&self, (): &(), grad: Number) -> Number {
        self.0.fetch_add(1, Ordering::Relaxed);
        grad
    }
}

/// Runs `body` with a function that counts, and what it has counted since, on a small stack.
fn counting(body: impl FnOnce(&dyn Fn(&Number) -> Number, &dyn Fn() -> usize) + Send + 'static) {
    let small = thread::Builder::new().stack_size(512 << 10);
    let run = || {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = |x: &Number| apply(Counted(runs.clone()), x);
        body(&counted, &|| runs.swap(0, Ordering::Relaxed));
    };
    small.spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_million_in_a_row() {
    const DEPTH: usize = 1_000_000;
    counting(|counted, runs| {
        let x = Number::scalar(3.0).tracked();
        let mut middle = None;
        let y = (0..DEPTH).fold(x.clone(), |y, i| {
            if i == DEPTH - 10 {
                middle = Some(y.clone());
            }
            counted(&y)
        });
        // To a tensor ten nodes away, and no further.
        let slope = grad(&y, &middle.expect("it was met"));
        assert_eq!((slope.item(), runs()), (1.0, 10));
        let census = y.node().unwrap().census();
        assert_eq!((census.leaves, census.intermediates), (1, DEPTH));
        y.backward();
        assert_eq!((x.grad().unwrap().item(), runs()), (1.0, DEPTH));
        assert_eq!(y.node().unwrap().census().freed, 1);
    });
}

/// Of a leaf, of a result, and of both in one tree, where 2¹⁷ paths lead to each.
#[test]
fn a_hundred_thousand_uses() {
    const USES: usize = 100_000;
    counting(|counted, runs| {
        let x = Number::scalar(3.0).tracked();
        let result = counted(&x);
        for shared in [&x, &result] {
            let uses: Vec<_> = (0..USES).map(|_| counted(shared)).collect();
            let in_a_row = uses[1..].iter().fold(uses[0].clone(), |sum, y| sum + y);
            in_a_row.backward_retaining();
            let own = usize::from(!std::ptr::eq(shared, &x));
            assert_eq!(
                (x.grad().unwrap().item(), runs()),
                (USES as f64, USES + own)
            );
            x.zero_grad();
            let mut level = uses;
            while level.len() > 1 {
                level = level
                    .chunks(2)
                    .map(|pair| pair.iter().skip(1).fold(pair[0].clone(), |a, b| a + b))
                    .collect();
            }
            level[0].backward_retaining();
            assert_eq!(
                (x.grad().unwrap().item(), runs()),
                (USES as f64, USES + own)
            );
            x.zero_grad();
        }
        // Each doubles what reaches the one before: as many nodes as steps, not as paths.
        let tower = (0..1000).fold(x.clone(), |y, _| counted(&((&y + &y) * 0.5)));
        tower.backward();
        assert_eq!((x.grad().unwrap().item(), runs()), (1.0, 1000));
    });
}
