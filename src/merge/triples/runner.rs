//! Random cases that are the same in every run: a test does not fail by chance.

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Judges the same cases in every run; or, if `GROVE_TRIPLES` is set, one in `share` of that many others.
pub(crate) fn runner(cases: u32, share: u32) -> TestRunner {
    let asked = std::env::var("GROVE_TRIPLES").ok();
    let asked = asked.map(|n| (n.parse::<u32>().unwrap() / share).max(1));
    let cases = asked.unwrap_or(cases);
    let config = Config {
        cases,
        max_global_rejects: cases.max(1024),
        failure_persistence: None,
        ..Config::default()
    };
    match asked {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    }
}
