//! Lists of names in a sentence.

/// How many names a sentence has room for.
const MOST: usize = 20;

/// Names one after another; of a long list the first ones, and how many more there are.
pub fn named<T: AsRef<str>>(names: &[T]) -> String {
    let shown = names.len().min(MOST);
    let first: Vec<&str> = names.iter().take(shown).map(AsRef::as_ref).collect();
    let first = first.join(", ");
    match names.len() - shown {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_long_list_says_how_much_is_left_out() {
        let names: Vec<String> = (0..23).map(|at| at.to_string()).collect();
        assert_eq!(named(&names[..2]), "0, 1");
        assert!(named(&names[..20]).ends_with(", 19"));
        assert!(named(&names).ends_with(", 19 and 3 more"));
        assert_eq!(named::<&str>(&[]), "");
    }
}
