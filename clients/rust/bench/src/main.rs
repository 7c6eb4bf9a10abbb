// SPDX-License-Identifier: MIT
//! Benchmarks of wheel-tokio and of tokio's timer.
//!
//! bench row ROW WORKERS ROUNDS    CPU nanoseconds per loop, interleaved, medians
//! bench count ROW TIMER LOOPS     the same loops once, for a tool that counts instructions
//! bench late TIMER COUNT          cost and lateness of COUNT expiries within a second
//! bench lone TIMER COUNT          cost of COUNT expiries, one after the other
//! bench pending TIMER COUNT       memory and idle wake-ups with COUNT pending timers

mod late;
mod measure;
mod pending;
mod rows;

use std::env;

use rows::{Row, Timer};

fn row(name: &str) -> Row {
    rows::find(name).unwrap_or_else(|| panic!("no row '{}'", name))
}

fn timer(name: &str) -> Timer {
    match name {
        "none" => Timer::None,
        "tokio" => Timer::Tokio,
        "wheel" => Timer::Wheel,
        _ => panic!("no timer '{}'", name),
    }
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| panic!("no number '{}'", text))
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();

    match words[..] {
        ["row", name, workers, rounds] => measure::run(&row(name), number(workers), number(rounds)),
        ["count", name, kind, loops] => measure::count(&row(name), timer(kind), number(loops)),
        ["late", kind, count] => late::run(timer(kind), number(count)),
        ["lone", kind, count] => late::lone(timer(kind), number(count)),
        ["pending", kind, count] => pending::run(timer(kind), number(count)),
        _ => panic!("see the head of main.rs"),
    }
}
