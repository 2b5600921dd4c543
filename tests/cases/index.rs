//! Lookups: repeated indices add up, and none is out of range.

use super::check::{Number, by_place, exactly, grad, of};
use shapeproof::prelude::*;

both! {
    // pytorch/pytorch#1631
    fn an_entry_picked_twice<E>() {
        let x: Tensor<1, shape![1], E> = of(&[0.1]);
        let x = x.tracked();
        let twice = Indices::<1, shape![2], 1>::from_array([0, 0]).unwrap();
        let seed: Tensor<1, shape![2], E> = of(&[0.2, 0.3]);
        x.gather::<0>(&twice).backward_with(&seed);
        super::check::near(&grad(&x), [0.5]);
        let x = x.detach().fixed::<0>().tracked();
        x.gather::<0>(&twice).backward_with(&seed);
        super::check::near(&grad(&x), [0.5]);

        let x: Tensor<2, shape![2, 2], E> = of(&[1.0, 2.0, 3.0, 4.0]);
        let x = x.tracked();
        let indices = Indices::<2, shape![2, 2], 2>::from_array([[0, 0], [1, 0]]).unwrap();
        let y = x.gather::<1>(&indices);
        exactly(&y, [1.0, 1.0, 4.0, 3.0]);
        y.backward_with(&of(&[1.0, 2.0, 3.0, 4.0]));
        exactly(&grad(&x), [3.0, 0.0, 4.0, 3.0]);
        // Along the first axis.
        x.zero_grad();
        let y = x.gather::<0>(&indices);
        exactly(&y, [1.0, 2.0, 3.0, 2.0]);
        y.backward_with(&of(&[1.0, 2.0, 3.0, 4.0]));
        exactly(&grad(&x), [1.0, 6.0, 3.0, 0.0]);
    }

    // pytorch/pytorch#28716
    fn a_row_looked_up_hundreds_of_times<E>() {
        let table = Tensor::<2, shape![10, 8], E>::ones().tracked();
        let rows = |counts: [f64; 10]| counts.into_iter().flat_map(|c| [c; 8]).collect::<Vec<_>>();
        let many = Indices::<1, shape![769], 10>::from_slice(&[0; 769]).unwrap();
        table.embedding(&many).sum().backward();
        exactly(&grad(&table), rows([769.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        table.zero_grad();
        let mix = Indices::<1, shape![5], 10>::from_array([0, 3, 3, 0, 9]).unwrap();
        table.embedding(&mix).sum().backward();
        exactly(&grad(&table), rows([2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]));

        // A row that pads and does not learn.
        table.zero_grad();
        let padded = table.embedding_padded::<0>(&many);
        assert_eq!(padded, table.embedding(&many));
        padded.sum().backward();
        exactly(&grad(&table), [0.0; 80]);
        let fewer = Indices::<1, shape![768], 10>::from_slice(&[0; 768]).unwrap();
        table.embedding_padded::<0>(&fewer).sum().backward();
        table.embedding_padded::<0>(&mix).sum().backward();
        exactly(&grad(&table), rows([0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]));

        // The same as two tables.
        table.zero_grad();
        let mut pads = [[true]; 10];
        pads[0] = [false];
        let learns = Mask::<2, shape![10, 1]>::from_array(pads).broadcast_to::<shape![10, 8]>();
        let frozen = learns.select(&table, &table.detach());
        assert_eq!(frozen, table);
        (frozen.embedding(&many).sum() + frozen.embedding(&mix).sum()).backward();
        exactly(&grad(&table), rows([0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
    }
}

// microsoft/onnxruntime#28311, apache/tvm#20297
#[test]
fn an_index_out_of_range_does_not_exist() {
    type Few = Indices<1, shape![1], 5>;
    let text = |result: Result<Few, _>| match result {
        Ok(indices) => format!("{indices:?}"),
        Err::<_, shapeproof::error::IndexError>(error) => error.to_string(),
    };
    assert_eq!(
        text(Few::from_slice(&[5])),
        "index 5 at place 0 is not in 0..5"
    );
    assert_eq!(
        text(Few::from_slice(&[1u64 << 40])),
        "index 1099511627776 at place 0 is not in 0..5"
    );
    assert_eq!(
        text(Few::from_slice(&[-1])),
        "index -1 at place 0 is not in 0..5"
    );
    assert_eq!(
        text(Few::from_slice(&[i128::MIN])),
        format!("index {} at place 0 is not in 0..5", i128::MIN)
    );
    assert_eq!(
        text(Few::from_slice(&[u128::MAX])),
        format!("index {} at place 0 is not in 0..5", u128::MAX)
    );
    assert!(Few::from_slice(&[4u8]).is_ok());
    // Nothing is below 0.
    assert!(Indices::<1, shape![1], 0>::from_slice(&[0]).is_err());
    assert!(Indices::<1, shape![0], 0>::from_slice::<usize>(&[]).is_ok());
}

/// The same rule where the list is known only when the program runs.
#[test]
fn a_list_that_names_no_entry() {
    let x = Tensor::from([10.0f32, 20.0, 30.0, 40.0, 50.0]);
    let text = |list: &[i64]| match x.take::<0, 1>(list) {
        Ok(y) => format!("{y:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(text(&[5]), "index 5 at place 0 is not in 0..5");
    assert_eq!(
        text(&[1 << 40]),
        "index 1099511627776 at place 0 is not in 0..5"
    );
    assert_eq!(text(&[-1]), "index -1 at place 0 is not in 0..5");
    assert_eq!(text(&[0, 1]), "2 values for shape (1), which has 1 element");
    assert_eq!(x.take::<0, 1>(&[4u8]).unwrap().to_array(), [50.0]);
}

/// Every length of table, looked up back and forth, by gather and by embedding.
#[test]
fn every_row_of_every_length() {
    fn body<const N: usize, E: Number>() {
        let table: Tensor<2, shape![N, 2], E> = by_place(|i| i as f64);
        let table = table.tracked();
        let there_and_back: Vec<usize> = (0..N).chain((0..N).rev()).chain([N - 1]).collect();
        let rows = |n: &dyn Fn(usize) -> f64| (0..N).flat_map(|i| [n(i); 2]).collect::<Vec<_>>();
        let uses = |i: usize| if i == N - 1 { 3.0 } else { 2.0 };
        // The number of indices is no power of two, and longer than the table.
        let indices = Indices::<1, shape![141], N>::from_vec(
            there_and_back.iter().copied().cycle().take(141).collect(),
        )
        .unwrap();
        let y = table.embedding(&indices);
        let expected = indices.as_slice().iter().flat_map(|&i| [2 * i, 2 * i + 1]);
        exactly(&y, expected.map(|v| v as f64).collect::<Vec<_>>());
        y.sum().backward();
        let mut counts = vec![0.0; N];
        indices.as_slice().iter().for_each(|&i| counts[i] += 1.0);
        exactly(&grad(&table), rows(&|i| counts[i]));
        table.zero_grad();

        let column = table.sum_axis::<1>().unsqueeze::<0>();
        let all: Vec<usize> = there_and_back;
        let first = Indices::<2, shape![1, N], N>::from_slice(&all[N..2 * N]).unwrap();
        let picked = column.gather::<1>(&first);
        exactly(
            &picked,
            (0..N).rev().map(|i| (4 * i + 1) as f64).collect::<Vec<_>>(),
        );
        let again = Indices::<2, shape![1, N], N>::from_slice(&all[..N]).unwrap();
        let last = Indices::<2, shape![1, 1], N>::from_slice(&[N - 1]).unwrap();
        (picked.sum() + column.gather::<1>(&again).sum() + column.gather::<1>(&last).sum())
            .backward();
        exactly(&grad(&table), rows(&uses));
    }
    every_length!(body);
}
