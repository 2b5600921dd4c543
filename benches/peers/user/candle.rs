use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{AdamW, Module, Optimizer, VarBuilder, VarMap, linear, loss};

const HIDDEN: usize = 16;

fn main() -> Result<()> {
    let map = VarMap::new();
    let builder = VarBuilder::from_varmap(&map, DType::F32, &Device::Cpu);
    let first = linear(2, HIDDEN, builder.pp("first"))?;
    let second = linear(HIDDEN, HIDDEN, builder.pp("second"))?;
    let third = linear(HIDDEN, 1, builder.pp("third"))?;
    let mut adam = AdamW::new_lr(map.all_vars(), 1e-3)?;
    let x = Tensor::randn(0f32, 1.0, (32, 2), &Device::Cpu)?;
    let y = Tensor::ones((32, 1), DType::F32, &Device::Cpu)?;
    for _ in 0..100 {
        let hidden = second.forward(&first.forward(&x)?.tanh()?)?.tanh()?;
        let loss = loss::mse(&third.forward(&hidden)?, &y)?;
        adam.backward_step(&loss)?;
        println!("{}", loss.to_scalar::<f32>()?);
    }
    Ok(())
}
