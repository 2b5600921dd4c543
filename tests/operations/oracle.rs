//! Values and gradients agree with the oracle's, computed elsewhere in f64 (tests/oracle).

use crate::table::{Real, families};
use serde_json::Value;
use shapeproof::prelude::*;
use std::collections::BTreeMap;

/// How many times the first-order effect of one rounding of every input a result may be off.
///
/// An operation of n steps that are each correct to a unit or two stays below it; a formula that
/// cancels, or a float of half the width on the way, does not.
const ROUNDINGS: f64 = 16.0;

#[test]
fn f64_agrees_with_the_oracle() {
    check::<f64>();
}

#[test]
fn f32_agrees_with_the_oracle() {
    check::<f32>();
}

fn check<E: Real>() {
    let mut wrong = Vec::new();
    for (family, rows) in families::<E>() {
        let path = format!(
            "{}/tests/oracle/fixtures/{family}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let cases: Vec<Value> =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut cases: BTreeMap<String, Value> = cases
            .into_iter()
            .map(|case| (case["name"].as_str().unwrap().to_string(), case))
            .collect();
        for row in rows {
            let case = cases
                .remove(&row.name)
                .unwrap_or_else(|| panic!("{family}: no case for `{}`", row.name));
            let inputs: Vec<Vec<E>> = list(&case["inputs"])
                .iter()
                .map(|input| numbers(&input["data"]).into_iter().map(E::of).collect())
                .collect();
            let seed: Vec<E> = numbers(&case["seed"]).into_iter().map(E::of).collect();
            let outcome = (row.run)(&inputs, &vec![true; inputs.len()], &|_| seed.clone());
            let dims: Vec<usize> = numbers(&case["output"]["dims"])
                .iter()
                .map(|&n| n as usize)
                .collect();
            assert_eq!(outcome.dims, dims, "{}", row.name);
            let mut compare = |what: &str, got: &[E], want: &Value, scale: &Value| {
                if let Some(fault) = differs(got, &numbers(want), &numbers(scale)) {
                    wrong.push(format!("{}: {what}{fault}", row.name));
                }
            };
            compare(
                "value",
                &outcome.values,
                &case["output"]["data"],
                &case["output_scale"],
            );
            let wanted = list(&case["grads"]).iter().zip(list(&case["grad_scales"]));
            for (i, (grad, (want, scale))) in outcome.grads.iter().zip(wanted).enumerate() {
                match grad {
                    Some(grad) => compare(&format!("gradient {i}"), grad, want, scale),
                    None => assert!(want.is_null(), "{}: input {i} has no gradient", row.name),
                }
            }
        }
        assert!(
            cases.is_empty(),
            "{family}: cases without a row: {:?}",
            cases.keys()
        );
    }
    assert!(
        wrong.is_empty(),
        "{} differ from the oracle:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The first number that is further off than rounding explains.
fn differs<E: Element>(got: &[E], want: &[f64], scale: &[f64]) -> Option<String> {
    if got.len() != want.len() {
        return Some(format!(": {} numbers, not {}", got.len(), want.len()));
    }
    let largest = want.iter().fold(
        0.0,
        |m: f64, x| if x.is_finite() { m.max(x.abs()) } else { m },
    );
    (0..got.len()).find_map(|k| {
        let (got, want) = (got[k].to_f64().unwrap(), want[k]);
        let unit = E::epsilon().to_f64().unwrap() * (scale[k] + largest);
        let off = (got - want).abs() / unit;
        let agree = got == want || (got.is_nan() && want.is_nan()) || off <= ROUNDINGS;
        (!agree).then(|| format!("[{k}] is {got:e}, not {want:e}: {off:.1} roundings off"))
    })
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// Numbers of a fixture; infinities and NaN are written as text.
fn numbers(value: &Value) -> Vec<f64> {
    list(value)
        .iter()
        .map(|x| match x {
            Value::String(text) => text.parse().expect("nan, inf or -inf"),
            number => number.as_f64().expect("a number"),
        })
        .collect()
}
