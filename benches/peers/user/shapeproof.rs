use shapeproof::prelude::*;

const HIDDEN: usize = 16;

fn main() {
    let mut rng = Rng::seed(0);
    let mut model = (
        Linear::<2, HIDDEN>::new(&mut rng),
        Tanh,
        Linear::<HIDDEN, HIDDEN>::new(&mut rng),
        Tanh,
        Linear::<HIDDEN, 1>::new(&mut rng),
    );
    let mut adam = Adam::new(&model, AdamConfig::default());
    let x = Tensor::<2, shape![32, 2]>::randn(&mut rng);
    let y = Tensor::<2, (Dim<32>, Dim<1>)>::ones();
    for _ in 0..100 {
        model.zero_grad();
        let loss = model.forward(&x).mse(&y);
        loss.backward();
        adam.step(&mut model);
        println!("{}", loss.item());
    }
}
