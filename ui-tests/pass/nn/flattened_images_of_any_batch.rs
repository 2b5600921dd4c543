//! Images become vectors inside a tuple of layers, in code that is generic over the batch, the element and the classes.

use shapeproof::nn::{Conv2d, Flatten, Relu};
use shapeproof::prelude::*;
use shapeproof::tensor::WholeNumber;

type Classifier<const CLASSES: usize, E> = (Conv2d<1, 2, 5, shapeproof::shape::Valid, E>, Relu, Flatten<32>, Linear<32, CLASSES, E>);

fn loss<const B: usize, const CLASSES: usize, T: WholeNumber, E: Element>(
    model: &Classifier<CLASSES, E>,
    images: &Tensor<4, (Dim<B>, One, Dim<8>, Dim<8>), E>,
    labels: &[T],
) -> Tensor<0, (), E> {
    let labels = Indices::<1, shape![B], CLASSES>::from_slice(labels).unwrap();
    model.forward(images).cross_entropy(&labels)
}

fn main() {
    let rng = &mut Rng::seed(0);
    let model: Classifier<3, f64> = (Conv2d::new(rng), Relu, Flatten, Linear::new(rng));
    let images = Tensor::<4, shape![2, 1, 8, 8], f64>::randn(rng);
    assert_eq!(loss(&model, &images, &[0u8, 2]).item(), loss(&model, &images, &[0i64, 2]).item());
}
