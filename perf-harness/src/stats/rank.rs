//! How far one group of values is shifted against another, by ranks alone.

use super::Interval;

/// The range of shifts of `after` against `before` that a Mann–Whitney test at level `alpha` a
/// side does not refuse; `None` when the groups are too small for that level.
///
/// The ends are order statistics of all pairwise differences (Hollander and Wolfe, Nonparametric
/// Statistical Methods, section 4.3, after Moses). No distribution is assumed, a single wild
/// round moves it little, and three rounds against three can never exclude anything at 1 %.
#[must_use]
pub fn shift_interval(before: &[f64], after: &[f64], alpha: f64) -> Option<Interval> {
    let refused = refused_ranks(before.len(), after.len(), alpha)?;
    let mut shifts: Vec<f64> = after
        .iter()
        .flat_map(|after| before.iter().map(move |before| after - before))
        .collect();
    if shifts.iter().any(|shift| !shift.is_finite()) {
        return None;
    }
    shifts.sort_by(f64::total_cmp);
    Some(Interval {
        low: shifts[refused],
        high: shifts[shifts.len() - 1 - refused],
    })
}

/// The largest k with P(U ≤ k) ≤ alpha under no shift; `None` when even U = 0 is too likely.
fn refused_ranks(before: usize, after: usize, alpha: f64) -> Option<usize> {
    if before == 0 || after == 0 {
        return None;
    }
    let counts = orderings_by_u(before, after);
    let total: f64 = counts.iter().sum();
    let mut cumulated = 0.0;
    let within = counts.iter().take_while(|count| {
        cumulated += **count;
        cumulated / total <= alpha
    });
    within.count().checked_sub(1)
}

/// How many orderings of two groups have each value of Mann and Whitney's U, from 0 to n·m.
///
/// Recurrence of Mann and Whitney (1947): the largest value is either of the second group, and
/// then beats all n of the first, or of the first, and beats none.
fn orderings_by_u(n: usize, m: usize) -> Vec<f64> {
    let mut table = vec![vec![1.0]; m + 1];
    for rows in 1..=n {
        let mut next = vec![vec![1.0]];
        for columns in 1..=m {
            let with_second = &next[columns - 1];
            let with_first = &table[columns];
            let count = |u: usize| {
                let beaten = u.checked_sub(rows).and_then(|u| with_second.get(u));
                beaten.unwrap_or(&0.0) + with_first.get(u).unwrap_or(&0.0)
            };
            next.push((0..=rows * columns).map(count).collect());
        }
        table = next;
    }
    table.swap_remove(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orderings_are_counted_as_in_the_published_tables() {
        assert_eq!(orderings_by_u(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0]);
        let five = orderings_by_u(5, 5);
        assert!((five.iter().sum::<f64>() - 252.0).abs() < 1e-9);
        assert_eq!(refused_ranks(5, 5, 0.01), Some(1));
        assert_eq!(refused_ranks(10, 5, 0.01), Some(6));
        assert_eq!(refused_ranks(8, 8, 0.01), Some(9));
    }

    #[test]
    fn three_rounds_a_side_exclude_nothing_at_one_percent() {
        assert_eq!(refused_ranks(3, 3, 0.01), None);
        assert_eq!(shift_interval(&[1.0; 3], &[9.0; 3], 0.01), None);
    }
}
