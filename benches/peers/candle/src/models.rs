//! Models and a step of their training, which returns the loss before it.

use crate::{tensor, tensor_of, variable};
use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::{AdamW, Conv2d, LayerNorm, Linear, Module, Optimizer, ParamsAdamW, SGD, loss, ops};
use peer_measure::{labels, weight};

/// The parameters of a model while it is made.
#[derive(Default)]
struct Parameters(Vec<Var>);

impl Parameters {
    fn add(&mut self, values: Tensor) -> Tensor {
        self.0.push(variable(&values));
        self.0.last().expect("just pushed").as_tensor().clone()
    }

    fn zeros(&mut self, len: usize) -> Tensor {
        self.add(unit_norm(len).1)
    }

    fn linear(&mut self, seed: u32, inputs: usize, outputs: usize) -> Linear {
        let weight = tensor_of(weight(seed, outputs, inputs), &[outputs, inputs]);
        Linear::new(self.add(weight), Some(self.zeros(outputs)))
    }

    fn conv(&mut self, seed: u32, inputs: usize, outputs: usize) -> Conv2d {
        let scale = ((inputs * 25) as f32).sqrt().recip();
        let weight = self.add(tensor(seed, &[outputs, inputs, 5, 5], scale));
        Conv2d::new(weight, Some(self.zeros(outputs)), Default::default())
    }

    fn norm(&mut self, len: usize) -> LayerNorm {
        let (gain, bias) = unit_norm(len);
        LayerNorm::new(self.add(gain), self.add(bias), 1e-5)
    }

    fn adam(self) -> AdamW {
        let config = ParamsAdamW {
            weight_decay: 0.0,
            ..Default::default()
        };
        AdamW::new(self.0, config).expect("moments as large as parameters")
    }

    fn sgd(self) -> SGD {
        SGD::new(self.0, 0.01).expect("it keeps nothing else")
    }
}

/// Ones and zeros.
pub fn unit_norm(len: usize) -> (Tensor, Tensor) {
    let ones = Tensor::ones(len, DType::F32, &Device::Cpu).expect("a shape");
    let zeros = ones.zeros_like().expect("the same shape");
    (ones, zeros)
}

fn training(
    loss: impl Fn() -> Result<Tensor>,
    mut optimizer: impl Optimizer,
) -> impl FnMut() -> Tensor {
    let mut step = move || {
        let loss = loss()?;
        optimizer.backward_step(&loss)?;
        Ok::<_, candle_core::Error>(loss)
    };
    move || step().expect("shapes fit")
}

fn classes(batch: usize) -> Tensor {
    let classes = labels(batch).into_iter().map(|y| y as u32).collect();
    Tensor::from_vec::<_, u32>(classes, batch, &Device::Cpu).expect("one for each example")
}

fn tiny_by<O: Optimizer>(optimizer: impl FnOnce(Parameters) -> O) -> impl FnMut() -> Tensor {
    let mut parameters = Parameters::default();
    let first = parameters.linear(1, 2, 16);
    let second = parameters.linear(2, 16, 16);
    let third = parameters.linear(3, 16, 1);
    let (x, y) = (tensor(4, &[32, 2], 1.0), tensor(5, &[32, 1], 1.0));
    let loss = move || {
        let h = first.forward(&x)?.tanh()?;
        let h = second.forward(&h)?.tanh()?;
        loss::mse(&third.forward(&h)?, &y)
    };
    training(loss, optimizer(parameters))
}

pub fn tiny() -> impl FnMut() -> Tensor {
    tiny_by(Parameters::adam)
}

pub fn tiny_sgd() -> impl FnMut() -> Tensor {
    tiny_by(Parameters::sgd)
}

pub fn mnist() -> impl FnMut() -> Tensor {
    classifier(64, &[784, 128, 10])
}

pub fn wide() -> impl FnMut() -> Tensor {
    classifier(128, &[784, 512, 512, 10])
}

fn classifier(batch: usize, sizes: &[usize]) -> impl FnMut() -> Tensor {
    let mut parameters = Parameters::default();
    let layers = sizes.windows(2).zip(1..);
    let mut layers: Vec<Linear> = layers
        .map(|(size, seed)| parameters.linear(seed, size[0], size[1]))
        .collect();
    let last = layers.pop().expect("at least one layer");
    let (x, y) = (tensor(4, &[batch, sizes[0]], 1.0), classes(batch));
    let loss = move || {
        let mut h = x.clone();
        for layer in &layers {
            h = layer.forward(&h)?.relu()?;
        }
        loss::cross_entropy(&last.forward(&h)?, &y)
    };
    training(loss, parameters.adam())
}

/// candle gives each place of a window a quarter of its gradient; four times as much comes in here.
fn max_pool(x: &Tensor) -> Result<Tensor> {
    let y = x.max_pool2d(2)?;
    (&y * 4.0)? - (y.detach() * 3.0)?
}

pub fn cnn() -> impl FnMut() -> Tensor {
    let mut parameters = Parameters::default();
    let first = parameters.conv(1, 1, 16);
    let second = parameters.conv(2, 16, 32);
    let last = parameters.linear(3, 512, 10);
    let (x, y) = (tensor(4, &[64, 1, 28, 28], 1.0), classes(64));
    let loss = move || {
        let h = max_pool(&first.forward(&x)?.relu()?)?;
        let h = max_pool(&second.forward(&h)?.relu()?)?;
        loss::cross_entropy(&last.forward(&h.flatten_from(1)?)?, &y)
    };
    training(loss, parameters.sgd())
}

/// candle's layer norm and softmax of one pass have no gradient: these are its ones that have.
pub fn transformer() -> impl FnMut() -> (Tensor, Tensor) {
    let mut parameters = Parameters::default();
    let (before_attention, before_hidden) = (parameters.norm(128), parameters.norm(128));
    let queries_keys_values = parameters.linear(1, 128, 384);
    let attended = parameters.linear(2, 128, 128);
    let up = parameters.linear(3, 128, 512);
    let down = parameters.linear(4, 512, 128);
    let x = variable(&tensor(5, &[8, 64, 128], 1.0));

    fn norm(norm: &LayerNorm, x: &Tensor) -> Result<Tensor> {
        let bias = norm.bias().expect("made with one");
        ops::layer_norm_slow(x, norm.weight(), bias, norm.eps() as f32)
    }
    let heads = |part: &Tensor| part.reshape((8, 64, 4, 32))?.transpose(1, 2)?.contiguous();
    let pass = move || {
        let parts = queries_keys_values
            .forward(&norm(&before_attention, &x)?)?
            .chunk(3, D::Minus1)?;
        let (q, k, v) = (heads(&parts[0])?, heads(&parts[1])?, heads(&parts[2])?);
        let scores = (q.matmul(&k.t()?)? / 32f64.sqrt())?;
        let seen = ops::softmax(&scores, D::Minus1)?.matmul(&v)?;
        let seen = seen.transpose(1, 2)?.reshape((8, 64, 128))?;
        let y = (x.as_tensor() + attended.forward(&seen)?)?;
        let hidden = up.forward(&norm(&before_hidden, &y)?)?.gelu_erf()?;
        let y = (&y + down.forward(&hidden)?)?;
        let mut grads = y.sqr()?.mean_all()?.backward()?;
        let mut slope = |of: &Tensor| grads.remove(of).expect("it has a gradient");
        Ok::<_, candle_core::Error>((slope(&x), slope(queries_keys_values.weight())))
    };
    move || pass().expect("shapes fit")
}
