//! Lines that whoever wrote an answer set deeper or less deep, as those that went into a block: they are there. They
//! are listed as written all the same.

use std::collections::HashMap;

/// Takes from lines that are lost those of which a written one differs only by the white space around it; each
/// written one accounts for one of them.
pub(super) fn take_reindented<'w, T>(
    lost: &mut Vec<T>,
    line: impl Fn(&T) -> &[u8],
    written: impl Iterator<Item = &'w [u8]>,
) {
    if lost.is_empty() {
        return;
    }
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    for line in written {
        *left.entry(line.trim_ascii()).or_default() += 1;
    }
    lost.retain(|item| match left.get_mut(line(item).trim_ascii()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        Some(_) | None => true,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_line_accounts_for_one_lost_line_of_its_words() {
        let left = |lost: &[&'static str], written: &[&str]| {
            let mut lost = lost.to_vec();
            let written = written.iter().map(|line| line.as_bytes());
            take_reindented(&mut lost, |line| line.as_bytes(), written);
            lost
        };
        assert_eq!(left(&["  a", "  b"], &["    a"]), ["  b"]);
        assert_eq!(left(&["\ta", "  a"], &["a"]), ["  a"]);
        assert_eq!(left(&["a b"], &["a  b"]), ["a b"]);
    }
}
