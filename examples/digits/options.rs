//! The program's options, read from its command line.

use std::path::PathBuf;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/digits.csv.gz");
const EPOCHS: usize = 40;
const EPOCHS_SHORT: usize = 2;

pub const HELP: &str = "\
Trains a small network to read handwritten digits.

  cargo run --release --example digits -- [OPTIONS]

  --data PATH   the digits (default: examples/data/digits.csv.gz)
  --seed N      of the first weights and the order of the minibatches (default: 0)
  --short       train for two epochs only
  --help        print this text";

pub struct Options {
    pub data: PathBuf,
    pub seed: u64,
    pub epochs: usize,
    pub help: bool,
}

impl Options {
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options {
            data: DATA.into(),
            seed: 0,
            epochs: EPOCHS,
            help: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--data" => options.data = value()?.into(),
                "--seed" => {
                    let seed = value()?;
                    options.seed = seed
                        .parse()
                        .map_err(|_| format!("--seed takes a whole number, not `{seed}`"))?;
                }
                "--short" => options.epochs = EPOCHS_SHORT,
                "--help" => options.help = true,
                _ => return Err(format!("unknown option `{argument}`, see --help")),
            }
        }
        Ok(options)
    }
}
