use super::*;
use crate::target::programs::{BURN, GROWTH, Program};
use crate::target::tree::Mark;

/// What a worker uses while it is told to do `orders`, after it has done what is `before`.
fn usage_of(before: &[&str], orders: &[&str]) -> Usage {
    let mut worker = Program::worker();
    before.iter().for_each(|order| worker.tell(order));
    let source = UsageSource::Processes(Tree::new(worker.id(), Mark::unique()));
    let window = source.open();
    orders.iter().for_each(|order| worker.tell(order));
    window.close().unwrap()
}

/// CPU time in the window; it also holds the starts of the children.
fn assert_burnt(times: u32, usage: Usage) {
    let cpu = usage.cpu.unwrap();
    // A child that ended is known in ticks of 10 ms, cut off twice.
    let cut = Duration::from_millis(20);
    assert!(
        cpu + cut >= BURN * times && cpu < BURN * (times + 1),
        "{cpu:?}"
    );
}

#[test]
fn cpu_time_is_that_of_the_window() {
    assert_burnt(1, usage_of(&["burn"], &["burn"]));
}

#[test]
fn a_living_child_is_counted() {
    assert_burnt(
        1,
        usage_of(
            &["burn in a child that stays"],
            &["burn in a child that stays"],
        ),
    );
}

#[test]
fn a_child_that_ended_within_the_window_is_counted() {
    assert_burnt(
        2,
        usage_of(
            &["burn in a child that ends"],
            &["burn", "burn in a child that ends"],
        ),
    );
}

#[test]
fn a_child_that_ended_is_counted_from_the_opening_only() {
    assert_burnt(
        1,
        usage_of(
            &["burn in a child that stays"],
            &["burn", "end the children"],
        ),
    );
}

#[test]
fn a_peak_within_the_window_is_seen() {
    let peak = usage_of(&[], &["grow"]).peak_memory.unwrap();
    assert!(peak > GROWTH as u64, "{peak}");
}

#[test]
fn a_peak_before_the_window_is_forgotten() {
    let peak = usage_of(&["grow"], &["burn"]).peak_memory.unwrap();
    assert!(peak > 0 && peak < GROWTH as u64, "{peak}");
}

#[test]
fn a_program_that_is_gone_has_no_usage() {
    let worker = Program::worker();
    let tree = Tree::new(worker.id(), Mark::unique());
    drop(worker);
    let source = UsageSource::Processes(tree);
    let usage = source.open().close().unwrap();
    assert_eq!(usage, Usage::default());
}
