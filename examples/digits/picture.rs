//! Draws the two pictures of a training run as SVG files.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::{CLASSES, Confusion, Epoch};

const INK: RGBColor = RGBColor(38, 42, 51);
const MUTED: RGBColor = RGBColor(118, 124, 136);
const GRID: RGBColor = RGBColor(229, 231, 235);
/// Blue and orange stay apart in every common form of colour blindness.
const BLUE: RGBColor = RGBColor(31, 111, 190);
const ORANGE: RGBColor = RGBColor(222, 110, 18);

/// Where the logarithmic axis of losses has a line and a number, as far as it reaches.
const TICKS: [f32; 12] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
];

/// The loss on the training and on the held-out digits after each epoch.
pub fn loss_curves(path: &Path, epochs: &[Epoch]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (880, 540)).into_drawing_area();
    root.fill(&WHITE)?;
    root.draw(&Text::new(
        "Loss after each epoch",
        (426, 34),
        centred(24, INK),
    ))?;

    let last = epochs.len() - 1;
    let training: Vec<f32> = epochs.iter().map(|epoch| epoch.training.loss).collect();
    let held_out: Vec<f32> = epochs.iter().map(|epoch| epoch.held_out.loss).collect();
    let losses = || training.iter().chain(&held_out).copied();
    let low = losses().fold(f32::MAX, f32::min);
    let high = losses().fold(0.0, f32::max);
    // A logarithmic axis, or the later epochs would all lie on the floor.
    let range = low / 1.5..high * 1.5;
    let ticks = TICKS
        .into_iter()
        .filter(|tick| range.contains(tick))
        .collect();
    let loss_axis = range.clone().log_scale().with_key_points(ticks);

    let mut chart = ChartBuilder::on(&root)
        .margin(24)
        .margin_top(64)
        .margin_right(120)
        .x_label_area_size(52)
        .y_label_area_size(68)
        .build_cartesian_2d(0.0..last as f32, loss_axis)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(MUTED)
        .x_desc("epoch (0 = before training)")
        .y_desc("mean cross-entropy (log scale)")
        .x_label_formatter(&|epoch| format!("{epoch:.0}"))
        .y_label_formatter(&|loss| loss.to_string())
        .x_labels(last.min(10) + 1)
        .axis_desc_style(text(16, INK))
        .label_style(text(14, MUTED))
        .draw()?;

    let curves = [
        ("training", BLUE, &training),
        ("held out", ORANGE, &held_out),
    ];
    for (name, colour, losses) in curves {
        let points = losses.iter().enumerate();
        chart.draw_series(LineSeries::new(
            points.map(|(epoch, &loss)| (epoch as f32, loss)),
            colour.stroke_width(3),
        ))?;
        // The name stands at the curve's end, where a legend would send the eye back and forth;
        // a little off, so that two curves that end together still have two names.
        let aside = if losses[last] > training[last] { -8 } else { 8 };
        let beside = text(16, colour).pos(Pos::new(HPos::Left, VPos::Center));
        chart.draw_series([EmptyElement::at((last as f32, losses[last]))
            + Circle::new((0, 0), 4, colour.filled())
            + Text::new(name, (12, aside), beside)])?;
    }
    root.present()?;
    Ok(())
}

/// How often each digit (a row) was read as each digit (a column): hits blue, mistakes orange.
pub fn confusion(path: &Path, counts: &Confusion) -> Result<(), Box<dyn Error>> {
    const CELL: i32 = 52;
    const LEFT: i32 = 96;
    const TOP: i32 = 124;
    const SIDE: i32 = CELL * CLASSES as i32;

    let root = SVGBackend::new(path, ((LEFT + SIDE + 40) as u32, (TOP + SIDE + 36) as u32))
        .into_drawing_area();
    root.fill(&WHITE)?;

    let all: usize = counts.iter().flatten().sum();
    let right: usize = (0..CLASSES).map(|digit| counts[digit][digit]).sum();
    let title = format!("{right} of {all} held-out digits read correctly");
    let middle = |cell: usize| cell as i32 * CELL + CELL / 2;
    root.draw(&Text::new(title, (LEFT + SIDE / 2, 34), centred(24, INK)))?;
    root.draw(&Text::new(
        "read as",
        (LEFT + SIDE / 2, 76),
        centred(16, INK),
    ))?;
    let sideways = centred(16, INK).transform(FontTransform::Rotate270);
    root.draw(&Text::new("written", (32, TOP + SIDE / 2), sideways))?;

    for (written, row) in counts.iter().enumerate() {
        let y = TOP + middle(written);
        let x = LEFT + middle(written);
        root.draw(&Text::new(
            written.to_string(),
            (LEFT - 24, y),
            centred(16, MUTED),
        ))?;
        root.draw(&Text::new(
            written.to_string(),
            (x, TOP - 20),
            centred(16, MUTED),
        ))?;

        let of_this_digit = row.iter().sum::<usize>().max(1);
        for (read, &count) in row.iter().enumerate() {
            let share = count as f64 / of_this_digit as f64;
            // A single mistake must be seen at once: its colour starts well above white.
            let (hue, strength) = match count {
                0 => (GRID, 0.35),
                _ if read == written => (BLUE, 0.15 + 0.85 * share.powi(2)),
                _ => (ORANGE, (0.35 + 3.0 * share).min(1.0)),
            };
            let x = LEFT + middle(read);
            let half = CELL / 2 - 1;
            root.draw(&Rectangle::new(
                [(x - half, y - half), (x + half, y + half)],
                hue.mix(strength).filled(),
            ))?;
            if count > 0 {
                let colour = if strength > 0.75 { WHITE } else { INK };
                root.draw(&Text::new(count.to_string(), (x, y), centred(16, colour)))?;
            }
        }
    }
    root.present()?;
    Ok(())
}

fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}

fn centred(size: u32, colour: RGBColor) -> TextStyle<'static> {
    text(size, colour).pos(Pos::new(HPos::Center, VPos::Center))
}
