//! Behind `Flatten::<F>` there are `F` features.
//!
//! The way out: the first number of the layer after it is that of `Flatten`.

use shapeproof::nn::{Conv2d, Flatten, Layer, Linear};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let rng = &mut Rng::seed(0);
    let model = (
        Conv2d::<1, 6, 5>::new(rng),
        Flatten::<3456>,
        Linear::<3546, 10>::new(rng),
    );
    let _ = model.forward(&Tensor::<4, shape![32, 1, 28, 28]>::ones());
}
