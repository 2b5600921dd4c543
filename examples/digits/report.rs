//! What the user sees: the table that grows while the network trains, the result, the pictures.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::{CLASSES, Confusion, Epoch, picture};

/// Prints a row for each epoch, above a progress bar if a person is watching.
pub struct Table {
    rows: Vec<Epoch>,
    bar: ProgressBar,
}

impl Table {
    pub fn new(steps: usize) -> Self {
        println!("\n              loss                accuracy");
        println!("epoch   training  held out   training  held out");
        let style = "{bar:46.cyan/dim} {pos}/{len} minibatches, {eta} left";
        let style = ProgressStyle::with_template(style).expect("a valid template");
        Table {
            rows: Vec::new(),
            bar: ProgressBar::new(steps as u64).with_style(style),
        }
    }

    /// One more minibatch is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    pub fn push(&mut self, epoch: Epoch) {
        let row = format!(
            "{:5} {:10.4} {:9.4} {:8.1} % {:7.1} %",
            self.rows.len(),
            epoch.training.loss,
            epoch.held_out.loss,
            100.0 * epoch.training.accuracy,
            100.0 * epoch.held_out.accuracy,
        );
        self.bar.suspend(|| println!("{row}"));
        self.rows.push(epoch);
    }

    pub fn finish(self) -> Vec<Epoch> {
        self.bar.finish_and_clear();
        self.rows
    }
}

pub fn result(counts: &Confusion, elapsed: Duration) {
    let all: usize = counts.iter().flatten().sum();
    let right: usize = (0..CLASSES).map(|digit| counts[digit][digit]).sum();
    let percent = 100.0 * right as f64 / all as f64;
    println!("\n{right} of {all} held-out digits read correctly: {percent:.1} %");
    println!("{:.1} seconds", elapsed.as_secs_f64());
}

/// Draws the pictures into the project's target/ and says where they are.
pub fn pictures(epochs: &[Epoch], counts: &Confusion) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let losses = folder.join("digits-loss.svg");
    let confusion = folder.join("digits-confusion.svg");
    let cannot_draw = |error| format!("cannot draw into {}: {error}", folder.display());
    picture::loss_curves(&losses, epochs).map_err(cannot_draw)?;
    picture::confusion(&confusion, counts).map_err(cannot_draw)?;
    println!("{}\n{}", losses.display(), confusion.display());
    Ok(())
}
