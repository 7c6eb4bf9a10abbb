// SPDX-License-Identifier: MIT
//! Benchmarks of wheel-tokio and tokio's timer, interleaved in one process.
//!
//! bench ROW WORKERS ROUNDS [TASKS LOOPS]: prints a line of medians. See `rows()`.

mod measure;
mod rows;

use std::env;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize, default: usize| {
        arguments.get(at).map_or(default, |text| text.parse().expect("a number"))
    };
    let name = arguments.get(0).map_or("list", String::as_str);

    match rows::find(name) {
        Some(row) => measure::run(&row, number(1, 2), number(2, 11), number(3, 1000), number(4, 1000)),
        None => rows::list(),
    }
}
