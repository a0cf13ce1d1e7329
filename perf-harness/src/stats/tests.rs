use super::*;

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 5e-4 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn the_median_of_an_even_number_is_between_the_middle_two() {
    assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
}

#[test]
fn no_values_and_no_numbers_have_no_median() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[1.0, f64::NAN]), None);
    assert_eq!(median(&[f64::INFINITY]), None);
}

#[test]
fn student_quantiles_are_those_of_the_published_tables() {
    for (degrees, p, t) in [
        (1, 0.99, 31.821),
        (2, 0.99, 6.965),
        (3, 0.95, 2.353),
        (4, 0.95, 2.132),
        (7, 0.99, 2.998),
        (10, 0.975, 2.228),
        (30, 0.99, 2.457),
    ] {
        close(student_quantile(degrees, p), t);
    }
}

#[test]
fn the_prediction_interval_widens_with_few_values() {
    let wide = prediction_interval(&[-1.0, 0.0, 1.0], 0.01).unwrap();
    close(wide.high, 6.965 * (4.0_f64 / 3.0).sqrt());
    close(wide.low, -wide.high);
    assert_eq!(prediction_interval(&[1.0], 0.01), None);
}

#[test]
fn a_shift_is_within_its_interval() {
    let before = [1.0, 1.1, 0.9, 1.05, 0.95];
    let after: Vec<f64> = before.iter().map(|value| value + 3.0).collect();
    let interval = shift_interval(&before, &after, 0.01).unwrap();
    assert!(interval.low < 3.0 && interval.high > 3.0);
    assert!(interval.low > 2.8 && interval.high < 3.2);
}

#[test]
fn one_wild_round_among_ten_does_not_widen_the_interval_without_bound() {
    let before = [0.0, 0.01, -0.01, 0.02, -0.02];
    let mut after: Vec<f64> = before.iter().chain(&before).copied().collect();
    after[0] = 2.3;
    let interval = shift_interval(&before, &after, 0.01).unwrap();
    assert!(interval.high < 0.05, "{interval:?}");
}

#[test]
fn a_value_that_is_no_number_gives_no_interval() {
    let five = [1.0, 2.0, 3.0, 4.0, 5.0];
    let mut broken = five;
    broken[2] = f64::NAN;
    assert_eq!(shift_interval(&five, &broken, 0.01), None);
}

/// Under no shift the interval misses zero at most twice alpha of the time, whatever the shape.
#[test]
fn the_rank_interval_keeps_its_error_rate_under_heavy_tails() {
    let mut state = 7_u64;
    let mut uniform = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut missed = 0;
    for _ in 0..20_000 {
        let mut draw = || {
            (0..5)
                .map(|_| (std::f64::consts::PI * (uniform() - 0.5)).tan())
                .collect::<Vec<_>>()
        };
        let interval = shift_interval(&draw(), &draw(), 0.01).unwrap();
        missed += u32::from(interval.low > 0.0 || interval.high < 0.0);
    }
    assert!(missed < 440, "{missed} of 20000, expected 318");
}
