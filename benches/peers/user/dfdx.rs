use dfdx::optim::Adam;
use dfdx::prelude::*;

const HIDDEN: usize = 16;

type Model = (
    (Linear<2, HIDDEN>, Tanh),
    (Linear<HIDDEN, HIDDEN>, Tanh),
    Linear<HIDDEN, 1>,
);

fn main() {
    let device = Cpu::default();
    let mut model = device.build_module::<Model, f32>();
    let mut grads = model.alloc_grads();
    let mut adam = Adam::new(&model, Default::default());
    let x = device.sample_normal::<Rank2<32, 2>>();
    let y = device.ones::<Rank2<32, 1>>();
    for _ in 0..100 {
        let loss = mse_loss(model.forward_mut(x.trace(grads)), y.clone());
        println!("{}", loss.array());
        grads = loss.backward();
        adam.update(&mut model, &grads).unwrap();
        model.zero_grads(&mut grads);
    }
}
