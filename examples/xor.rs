//! The smallest network that learns something no straight line can: exclusive or.
//!
//! ```text
//! cargo run --example xor
//! ```

use shapeproof::prelude::*;

fn main() {
    let inputs = Tensor::from([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
    let wanted = Tensor::from([[0.0], [1.0], [1.0], [0.0]]);

    // A tuple of layers is a network; each layer's output must be the next one's input.
    let mut rng = Rng::seed(0);
    let mut network = (
        Linear::<2, 16>::new(&mut rng),
        Tanh,
        Linear::<16, 1>::new(&mut rng),
        Sigmoid,
    );
    let mut optimizer = Adam::new(
        &network,
        AdamConfig {
            lr: 0.05,
            ..Default::default()
        },
    );

    for step in 0..=500 {
        let loss = network.forward(&inputs).mse(&wanted);
        if step % 100 == 0 {
            println!("step {step:3}   loss {:.6}", loss.item());
        }
        loss.backward();
        optimizer.step(&mut network);
        network.zero_grad();
    }

    println!("\n a   b   a xor b   predicted");
    let predicted = network.forward(&inputs);
    for row in 0..4 {
        let [a, b] = [inputs[[row, 0]], inputs[[row, 1]]];
        println!(
            "{a:2} {b:3} {:9} {:11.3}",
            wanted[[row, 0]],
            predicted[[row, 0]]
        );
    }
}
