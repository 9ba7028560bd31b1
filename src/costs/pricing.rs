//! Prices of models in US dollars per million tokens.

use crate::runtimes::Usage;

/// What a million tokens of each kind cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    pub cache_read: f64,
    pub cache_creation: f64,
}

const fn price(input: f64, output: f64, cache_read: f64, cache_creation: f64) -> Price {
    Price {
        input,
        output,
        cache_read,
        cache_creation,
    }
}

/// The first entry whose words all occur in a model's name counts, so the order matters:
/// `gpt-4o-mini` stands before `gpt-4o`.
const PRICES: &[(&[&str], Price)] = &[
    (&["opus"], price(15.0, 75.0, 1.5, 3.75)),
    (&["sonnet"], price(3.0, 15.0, 0.3, 0.75)),
    (&["haiku"], price(0.8, 4.0, 0.08, 0.2)),
    (&["gpt-4o-mini"], price(0.15, 0.6, 0.075, 0.15)),
    (&["gpt-4o"], price(2.5, 10.0, 1.25, 2.5)),
    (&["gpt-5"], price(10.0, 40.0, 5.0, 10.0)),
    (&["o3"], price(10.0, 40.0, 5.0, 10.0)),
    (&["o1"], price(15.0, 60.0, 7.5, 15.0)),
    (&["flash"], price(0.1, 0.4, 0.025, 0.1)),
    (&["gemini", "pro"], price(1.25, 5.0, 0.3125, 1.25)),
];

/// The price of a model; `None` when it is not known.
pub fn price_of(model: &str) -> Option<Price> {
    let model = model.to_lowercase();
    PRICES
        .iter()
        .find(|(words, _)| words.iter().all(|word| model.contains(word)))
        .map(|(_, price)| *price)
}

/// What a usage costs by the table; `None` when the model is unknown. Summed in this order, because
/// the sums are compared digit by digit.
pub fn estimate(usage: &Usage) -> Option<f64> {
    let price = price_of(usage.model.as_deref()?)?;
    let cost = |tokens: i64, per_million: f64| tokens as f64 / 1_000_000.0 * per_million;
    Some(
        cost(usage.input, price.input)
            + cost(usage.output, price.output)
            + cost(usage.cache_read, price.cache_read)
            + cost(usage.cache_creation, price.cache_creation),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn models_are_found_by_a_part_of_their_name() {
        for (model, input) in [
            ("claude-opus-4-6", Some(15.0)),
            ("Claude-Sonnet-4", Some(3.0)),
            ("gpt-4o-mini-2024", Some(0.15)),
            ("gpt-4o", Some(2.5)),
            ("gemini-2.5-pro", Some(1.25)),
            ("gemini-2.5-flash", Some(0.1)),
            ("llama", None),
        ] {
            assert_eq!(price_of(model).map(|p| p.input), input, "{model}");
        }
    }

    #[test]
    fn an_unknown_model_has_no_cost_rather_than_none() {
        let usage = Usage {
            input: 1_000_000,
            output: 100_000,
            model: Some("claude-sonnet-4".into()),
            ..Usage::default()
        };
        assert_eq!(estimate(&usage), Some(4.5));
        assert_eq!(
            estimate(&Usage {
                model: Some("x".into()),
                ..usage.clone()
            }),
            None
        );
        assert_eq!(
            estimate(&Usage {
                model: None,
                ..usage
            }),
            None
        );
    }

    proptest! {
        #[test]
        fn more_tokens_never_cost_less(input in 0i64..1_000_000_000, more in 0i64..1_000_000) {
            let usage = |input| Usage { input, model: Some("opus".into()), ..Usage::default() };
            prop_assert!(estimate(&usage(input + more)) >= estimate(&usage(input)));
        }
    }
}
