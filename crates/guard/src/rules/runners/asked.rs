//! What the tests of makefiles and justfiles have in common.

/// What is taken out of a file for the words of a command line.
type Taken = fn(&str, &[String]) -> Option<String>;

pub(super) fn asked(taken: Taken, code: &str, args: &[&str]) -> Option<String> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    taken(code, &args)
}

/// Asserts that of each of these files nothing is left out.
pub(super) fn whole(taken: Taken, cases: &[(&str, &[&str])]) {
    for (code, args) in cases {
        assert_eq!(asked(taken, code, args), None, "{code}");
    }
}
