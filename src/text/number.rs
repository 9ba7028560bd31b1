//! Numbers as text: en-US grouping, money, fixed decimals and the form JavaScript prints.
//!
//! The contract's output was produced by JavaScript, so rounding and exponents follow its rules
//! and not Rust's (`0.125` to two decimals is `0.13`, `1e21` prints as `1e+21`).

/// Groups digits with commas: `1234567` becomes `1,234,567`.
pub fn format_grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let grouped = group_digits(&digits);
    if value < 0 {
        format!("-{grouped}")
    } else {
        grouped
    }
}

fn group_digits(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with its noun, `1 line` or `2 lines`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Formats dollars with `decimals` places; an unknown amount reads as zero, as the contract has it.
pub fn format_usd(amount: Option<f64>, decimals: usize) -> String {
    format!("${}", format_fixed(amount.unwrap_or(0.0), decimals))
}

/// Rounds to `decimals` places, exact ties away from zero.
pub fn format_fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() || value.abs() >= 1e21 {
        return format_number(value);
    }
    // A tie needs a fraction of exactly decimals+1 binary digits, which one more decimal shows in full.
    let probe = value.abs() * 2f64.powi(decimals as i32 + 1);
    let longer = format!("{:.*}", decimals + 1, value.abs());
    let is_tie = probe.fract() == 0.0 && longer.ends_with('5');
    if !is_tie {
        return format!("{value:.decimals$}");
    }
    let whole: String = longer.chars().filter(char::is_ascii_digit).collect();
    let rounded = (whole.parse::<u128>().unwrap_or(0) + 5) / 10;
    let digits = format!("{rounded:0>width$}", width = decimals + 1);
    let (integer, fraction) = digits.split_at(digits.len() - decimals);
    let sign = if value < 0.0 { "-" } else { "" };
    if decimals == 0 {
        format!("{sign}{integer}")
    } else {
        format!("{sign}{integer}.{fraction}")
    }
}

/// Prints a number as JavaScript does: shortest digits, exponent from 1e21 and below 1e-6.
pub fn format_number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 {
            "Infinity".into()
        } else {
            "-Infinity".into()
        };
    }
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs();
    if (1e-6..1e21).contains(&magnitude) {
        return format!("{value}");
    }
    let scientific = format!("{value:e}");
    match scientific.split_once('e') {
        Some((mantissa, exponent)) if !exponent.starts_with('-') => {
            format!("{mantissa}e+{exponent}")
        }
        Some(_) | None => scientific,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn grouping_starts_at_four_digits() {
        assert_eq!(format_grouped(0), "0");
        assert_eq!(format_grouped(999), "999");
        assert_eq!(format_grouped(-1234), "-1,234");
        assert_eq!(format_grouped(1_234_567), "1,234,567");
        assert_eq!(format_grouped(i64::MIN), "-9,223,372,036,854,775,808");
    }

    #[test]
    fn money_rounds_ties_away_from_zero() {
        assert_eq!(format_usd(None, 2), "$0.00");
        assert_eq!(format_usd(Some(0.125), 2), "$0.13");
        assert_eq!(format_usd(Some(1.005), 2), "$1.00");
        assert_eq!(format_usd(Some(0.00005), 4), "$0.0001");
        assert_eq!(format_fixed(2.5, 0), "3");
        assert_eq!(format_fixed(-0.375, 2), "-0.38");
    }

    #[test]
    fn numbers_print_as_javascript_prints_them() {
        for (value, text) in [
            (1.0, "1"),
            (0.1, "0.1"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (-0.0, "0"),
            (123_456_789.125, "123456789.125"),
        ] {
            assert_eq!(format_number(value), text);
        }
    }

    proptest! {
        #[test]
        fn fixed_is_within_half_a_unit(value in -1e9f64..1e9, decimals in 0usize..6) {
            let back: f64 = format_fixed(value, decimals).parse().unwrap();
            // The number itself is only known to one unit in its last binary place.
            let inexact = value.abs() * f64::EPSILON;
            prop_assert!((back - value).abs() <= 0.5 * 10f64.powi(-(decimals as i32)) + inexact);
        }

        #[test]
        fn printed_numbers_round_trip(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            let back: f64 = format_number(value).parse().unwrap();
            prop_assert!((back - value).abs() <= 0.0);
        }
    }
}
