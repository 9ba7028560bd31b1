//! Whether the end of an agent's screen says that its provider makes it wait. Pure.

/// How much of the screen is looked at: what is further up is history.
const TAIL_LINES: usize = 12;

const PHRASES: &[&str] = &[
    "rate limit",
    "rate_limit",
    "usage limit reached",
    "limit reached",
    "too many requests",
    "429",
    "overloaded",
    "retrying in",
    "quota exceeded",
];

/// Whether a wait for the provider is on the screen.
pub fn is_limited(screen: &str) -> bool {
    let lines: Vec<&str> = screen.lines().filter(|l| !l.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(TAIL_LINES);
    lines.iter().skip(from).any(|line| {
        let line = line.to_lowercase();
        PHRASES.iter().any(|phrase| line.contains(phrase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_the_screen_counts() {
        assert!(is_limited(
            "work\nAPI Error (Rate limit) · Retrying in 8 seconds\n\n"
        ));
        let scrolled = format!("rate limit\n{}", "work\n".repeat(20));
        assert!(!is_limited(&scrolled));
        assert!(!is_limited(""));
    }
}
