//! Replies of any bytes, cut in any way: see `fuzzing::reply` for what must hold.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| perf_harness::fuzzing::reply(data));
