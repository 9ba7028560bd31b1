//! The token that a request must show when the server can be reached from elsewhere.

use std::path::PathBuf;

use super::server::ServeError;
use crate::platform::{ProjectPaths, env, fs, random};

/// A user's own token; it is then demanded whatever the address.
pub(super) const VARIABLE: &str = "GROVE_SERVE_TOKEN";

/// Shorter tokens can be tried out.
const LEAST: usize = 16;

/// A secret that is compared without telling by its timing how much of a guess was right.
#[derive(Clone)]
pub(super) struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    pub(super) fn matches(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        // Every byte is looked at, whatever the first difference.
        let padded = given.iter().copied().chain(std::iter::repeat(0));
        let different = own
            .iter()
            .zip(padded)
            .fold(own.len() ^ given.len(), |found, (a, b)| {
                std::hint::black_box(found | usize::from(a ^ b))
            });
        different == 0
    }
}

/// Where a demanded token can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// The user has set it.
    Environment,
    /// It was made now; this is the only time it is shown.
    Made { file: PathBuf, token: String },
    /// It was made by an earlier start.
    Kept { file: PathBuf },
}

/// The user's own token, if there is one.
pub(super) fn from_environment() -> Result<Option<Token>, ServeError> {
    match env::var(VARIABLE) {
        None => Ok(None),
        Some(text) if text.len() < LEAST => Err(ServeError::Token(format!(
            "{VARIABLE} is shorter than {LEAST} characters; take a longer one, or unset it"
        ))),
        Some(text) => Ok(Some(Token(text))),
    }
}

/// The project's token, made at first use.
pub(super) fn from_file(paths: &ProjectPaths) -> Result<(Token, TokenSource), ServeError> {
    let file = paths.file("serve-token");
    let made = random::secret().map_err(|e| {
        ServeError::Token(format!("no token can be made: {e}; set {VARIABLE} instead"))
    })?;
    if fs::create_new_private(&file, &format!("{made}\n"))? {
        let token = Token(made.clone());
        return Ok((token, TokenSource::Made { file, token: made }));
    }
    let shown = file.display();
    if fs::is_open_to_others(&file) {
        return Err(ServeError::Token(format!(
            "{shown} can be read by others; run 'chmod 600 {shown}', or remove it to get a new token"
        )));
    }
    let text = fs::read(&file)?;
    let text = text.trim();
    if text.len() < LEAST {
        return Err(ServeError::Token(format!(
            "{shown} holds no usable token; remove it to get a new one"
        )));
    }
    Ok((Token(text.to_owned()), TokenSource::Kept { file }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_the_same_text_matches(own in ".{0,20}", given in ".{0,20}") {
            prop_assert_eq!(Token(own.clone()).matches(&given), own == given);
        }
    }

    #[test]
    fn a_prefix_and_an_extension_do_not_match() {
        let token = Token("abcdef".to_owned());
        assert!(token.matches("abcdef"));
        for wrong in ["", "abcde", "abcdefg", "abcdef\0", "ABCDEF"] {
            assert!(!token.matches(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn the_file_is_made_once_and_for_the_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        let paths = ProjectPaths::new(dir.path());
        let (_, TokenSource::Made { file, token }) = from_file(&paths).unwrap() else {
            panic!("not made");
        };
        let (again, source) = from_file(&paths).unwrap();
        assert_eq!(source, TokenSource::Kept { file: file.clone() });
        assert!(again.matches(&token));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(from_file(&paths).is_err());
        }
    }
}
