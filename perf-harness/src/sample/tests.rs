use super::*;

fn sample() -> Sample {
    let mut latency = LatencyHistogram::new();
    for millis in 1..=100 {
        latency.record(Duration::from_millis(millis));
    }
    Sample {
        sent: 100,
        ok: 100,
        elapsed: Duration::from_secs(2),
        latency,
        server: Some(Usage {
            cpu: Some(Duration::from_millis(50)),
            peak_memory: Some(1 << 20),
        }),
        ..Sample::default()
    }
}

#[test]
fn throughput_counts_good_replies_over_the_window() {
    assert_eq!(sample().value(Metric::Throughput), Some(50.0));
}

#[test]
fn cpu_is_nanoseconds_a_good_reply() {
    assert_eq!(sample().value(Metric::Cpu), Some(500_000.0));
}

#[test]
fn a_round_without_good_replies_has_no_values() {
    let empty = Sample::default();
    for metric in Metric::ALL {
        assert_eq!(empty.value(metric), None, "{metric}");
    }
}

#[test]
fn a_round_without_usage_has_no_cost() {
    let sample = Sample {
        server: None,
        ..sample()
    };
    assert_eq!(sample.value(Metric::Cpu), None);
    assert_eq!(sample.value(Metric::Memory), None);
    assert_eq!(sample.server_cores(), None);
}
