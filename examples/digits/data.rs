//! Reads the digits from their file into typed tensors and checks every number on the way.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use shapeproof::prelude::*;

/// Pictures in the data file.
pub const DIGITS: usize = 1797;
/// Pixels in a picture, 8 rows of 8.
pub const PIXELS: usize = 64;
/// The digits 0 to 9.
pub const CLASSES: usize = 10;

/// The darkest pixel in the file: it counts the inked dots in a block of 4 × 4.
const DARKEST: u8 = 16;

/// `N` pictures, pixels scaled to 0..=1, and which digit each one shows.
///
/// The label type admits no number from [`CLASSES`] on, so a loss can never look up a class that
/// does not exist.
pub struct Digits<const N: usize> {
    pub images: Tensor<2, shape![N, PIXELS]>,
    pub labels: Indices<1, shape![N], CLASSES>,
}

impl<const N: usize> Digits<N> {
    /// Copies the pictures at `rows`, in that order.
    pub fn pick<const M: usize>(&self, rows: &[usize; M]) -> Digits<M> {
        let pixels = self.images.as_slice();
        let image = |row: usize| &pixels[row * PIXELS..][..PIXELS];
        let images: Vec<f32> = rows.iter().flat_map(|&row| image(row)).copied().collect();
        let labels = rows
            .iter()
            .map(|&row| self.labels.as_slice()[row])
            .collect();
        Digits {
            images: Tensor::from_vec(images).expect("M rows of 64 pixels"),
            labels: Indices::from_vec(labels).expect("labels that were checked before"),
        }
    }
}

/// Reads the digits, or says in one sentence what is wrong with the file and where.
pub fn load(path: &Path) -> Result<Digits<DIGITS>, String> {
    let name = path.display();
    let file = File::open(path).map_err(|e| format!("cannot open {name}: {e}"))?;
    let (mut images, mut labels) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(BufReader::new(GzDecoder::new(file)).lines()) {
        let line = line.map_err(|e| format!("{name}, line {number}: cannot unpack: {e}"))?;
        let label = parse(&line, &mut images).map_err(|e| format!("{name}, line {number}: {e}"))?;
        labels.push(label);
    }
    let count = labels.len();
    let wrong_count = || format!("{name}: holds {count} digits, expected {DIGITS}");
    Ok(Digits {
        images: Tensor::from_vec(images).map_err(|_| wrong_count())?,
        labels: Indices::from_vec(labels).map_err(|_| wrong_count())?,
    })
}

/// Appends a line's 64 pixels to `images` and returns its label.
fn parse(line: &str, images: &mut Vec<f32>) -> Result<usize, String> {
    let fields: Vec<&str> = line.split(',').collect();
    if fields.len() != PIXELS + 1 {
        return Err(format!(
            "holds {} numbers, expected 65: 64 pixels and a label",
            fields.len()
        ));
    }
    let number = |column: usize, what: &str, highest: u8| {
        let field = fields[column];
        let value = field
            .trim()
            .parse()
            .ok()
            .filter(|&value: &u8| value <= highest);
        value.ok_or_else(|| {
            format!(
                "column {}: `{field:.12}` is not a {what} of 0 to {highest}",
                column + 1
            )
        })
    };
    for column in 0..PIXELS {
        images.push(f32::from(number(column, "pixel", DARKEST)?) / f32::from(DARKEST));
    }
    Ok(number(PIXELS, "label", CLASSES as u8 - 1)?.into())
}
