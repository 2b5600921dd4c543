//! A network for images as a struct of tuples, in code that is generic over the batch and the element.

use shapeproof::nn::{Conv2d, ConvTranspose2d, Dropout, Flatten, MaxPool2d, Relu, Sigmoid};
use shapeproof::prelude::*;
use shapeproof::shape::{Pool, Same, Spread};

type Block<const I: usize, const O: usize, E> = (Conv2d<I, O, 3, Same, E>, Relu, MaxPool2d<Pool<2>>);

struct Cnn<const C: usize, E: Element> {
    blocks: (Block<C, 8, E>, Block<8, 16, E>),
    head: (Flatten<784>, Dropout, Linear<784, 10, E>),
    decoder: (ConvTranspose2d<16, 8, 2, Spread<2>, E>, Relu, ConvTranspose2d<8, C, 2, Spread<2>, E>, Sigmoid),
}

impl<const C: usize, E: Element> Module<E> for Cnn<C, E> {
    fields!(E: blocks, head, decoder);
}

impl<const C: usize, E: Element> Cnn<C, E> {
    fn new(rng: &mut Rng) -> Self {
        Cnn {
            blocks: (
                (Conv2d::new(rng), Relu, MaxPool2d(Pool)),
                (Conv2d::new(rng), Relu, MaxPool2d(Pool)),
            ),
            head: (Flatten, Dropout::new(0.5, rng), Linear::new(rng)),
            decoder: (ConvTranspose2d::new(rng), Relu, ConvTranspose2d::new(rng), Sigmoid),
        }
    }

    fn forward<B: Axis>(
        &self,
        x: &Tensor<4, (B, Dim<C>, Dim<28>, Dim<28>), E>,
    ) -> (Tensor<2, (B, Dim<10>), E>, Tensor<4, (B, Dim<C>, Dim<28>, Dim<28>), E>) {
        let features = self.blocks.forward(x);
        (self.head.forward(&features), self.decoder.forward(&features))
    }
}

fn main() {
    let mut model = Cnn::<3, f64>::new(&mut Rng::seed(0));
    let x = Tensor::<4, shape![2, 3, 28, 28], f64>::ones();
    let (logits, picture) = model.forward(&x);
    (logits.sum() + picture.sum()).backward();
    assert_eq!((logits.dims(), picture.dims()), ([2, 10], x.dims()));
    assert_eq!(model.parameter_names().len(), 10);
    model.set_training(false);
    assert_eq!(model.forward(&x).0, model.forward(&x).0);
}
