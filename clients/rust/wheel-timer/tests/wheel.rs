// SPDX-License-Identifier: MIT
//! The wheel, compared with a sorted list.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use wheel_timer::{Key, Wheel};

const MS: Duration = Duration::from_millis(1);

fn polled<T>(wheel: &mut Wheel<T>, now: Instant) -> Vec<T> {
    let mut values = Vec::new();

    wheel.poll(now, |_, value| values.push(value));
    values
}

#[test]
fn timers_expire_in_order_and_not_early() {
    let (mut wheel, start) = (Wheel::new().unwrap(), Instant::now());

    assert_eq!(wheel.next(), None);
    wheel.insert(start + MS * 30, 3).unwrap();
    wheel.insert(start + MS * 10, 1).unwrap();
    wheel.insert(start + MS * 10, 2).unwrap();
    assert!(wheel.next().unwrap() <= start + MS * 11);
    assert_eq!(polled(&mut wheel, start + MS * 9), []);
    assert_eq!(polled(&mut wheel, start + MS * 11), [1, 2]);
    assert_eq!(polled(&mut wheel, start + MS * 31), [3]);
    assert!(wheel.is_empty() && wheel.next().is_none());
}

#[test]
fn a_timer_of_the_past_expires_in_the_next_poll() {
    let (mut wheel, start) = (Wheel::new().unwrap(), Instant::now());

    assert_eq!(polled(&mut wheel, start + MS * 50), []);
    wheel.insert(start, 1).unwrap();
    assert!(wheel.next().unwrap() <= start + MS * 52);
    assert_eq!(polled(&mut wheel, start + MS * 52), [1]);
}

#[test]
fn a_key_names_one_timer() {
    let (mut wheel, start) = (Wheel::new().unwrap(), Instant::now());
    let first = wheel.insert(start + MS, "first").unwrap();

    assert_eq!(wheel.get(first), Some(&"first"));
    assert_eq!(wheel.cancel(first), Some("first"));
    let second = wheel.insert(start + MS, "second").unwrap();
    assert_eq!((wheel.cancel(first), wheel.reset(first, start), wheel.get(first)), (None, false, None));
    assert_eq!(polled(&mut wheel, start + MS * 3), ["second"]);
    assert_eq!((wheel.cancel(second), wheel.len()), (None, 0));
}

#[test]
fn a_far_deadline_does_not_overflow() {
    let (mut wheel, start) = (Wheel::new().unwrap(), Instant::now());
    let key = wheel.insert(start + Duration::from_secs(86_400 * 365 * 400), 1).unwrap();

    assert_eq!(polled(&mut wheel, start + Duration::from_secs(86_400 * 365)), []);
    assert_eq!(wheel.cancel(key), Some(1));
}

#[test]
fn values_are_dropped_with_the_wheel() {
    let value = std::rc::Rc::new(());
    let mut wheel = Wheel::new().unwrap();

    wheel.insert(Instant::now() + MS, value.clone()).unwrap();
    drop(wheel);
    assert_eq!(std::rc::Rc::strong_count(&value), 1);
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// SEED= replays a run.
#[test]
fn random_operations_equal_a_sorted_list() {
    let seed = std::env::var("SEED").map_or(Instant::now().elapsed().as_nanos() as u64 | 1, |text| text.parse().unwrap());
    let (mut wheel, start, mut state) = (Wheel::new().unwrap(), Instant::now(), seed);
    let mut model: BTreeMap<u64, (Key, u64)> = BTreeMap::new();
    let mut now = 0;

    println!("SEED={}", seed);
    for number in 0..20_000 {
        let pick = random(&mut state);
        let key = model.iter().nth(pick as usize % model.len().max(1) % 50).map(|(n, entry)| (*n, entry.0));
        let at = now + random(&mut state) % 2_000;
        match (pick >> 32) % 8 {
            0..=3 => {
                let key = wheel.insert(start + MS * at as u32, number).unwrap();
                model.insert(number, (key, at));
            }
            4 => {
                if let Some((number, key)) = key {
                    assert_eq!(wheel.cancel(key), Some(number));
                    model.remove(&number);
                }
            }
            5 => {
                if let Some((number, key)) = key {
                    assert!(wheel.reset(key, start + MS * at as u32));
                    model.get_mut(&number).unwrap().1 = at;
                }
            }
            _ => {
                now += random(&mut state) % 20;
                let mut due = polled(&mut wheel, start + MS * now as u32);
                due.iter().for_each(|number| assert!(model[number].1 <= now, "early"));
                // A tick begins at any time of a millisecond, and a timer is at least one tick in the future.
                due.extend(polled(&mut wheel, start + MS * (now + 2) as u32));
                now += 2;
                due.iter().for_each(|number| drop(model.remove(number)));
                assert!(model.values().all(|(_, at)| *at + 2 > now), "late");
            }
        }
        assert_eq!(wheel.len(), model.len());
    }
}
