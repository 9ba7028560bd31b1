//! Which values of an environment are secrets.
//!
//! A value counts by the **name** of its variable when one word of the name (split at `_`, `-` and
//! `.`) is `TOKEN`, `SECRET`, `PASSWORD`, `PASSWD`, `PASSPHRASE`, `CREDENTIAL(S)` or `APIKEY`, or
//! when the name ends in `API_KEY`, `ACCESS_KEY`, `PRIVATE_KEY`, `SIGNING_KEY`, `ENCRYPTION_KEY` or
//! `AUTH_KEY`. It counts by its **shape**, whatever the name, when it is a token of a known shape,
//! when it is an address with a password (then the password counts), or when it has 24 or more
//! characters of `[A-Za-z0-9+/=_-]` with digits, small and capital letters, 12 of them different, and is
//! not put together from words and numbers by dashes.
//!
//! Never secret: less than 8 bytes, paths, switches, numbers (unless the name says password or
//! secret), plain words of less than 12 letters (`postgres` would blacken every log), references
//! to other variables, and what grove and the terminal put there themselves.

use super::shapes;

/// Shorter values stand in too much text that is not secret.
const LEAST: usize = 8;

/// Words of a name that make its value a secret.
const WORDS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
];

/// Ends of a name that make its value a secret.
const ENDS: &[&str] = &[
    "API_KEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "SIGNING_KEY",
    "ENCRYPTION_KEY",
    "AUTH_KEY",
];

/// Variables whose values look random and are no secrets.
const HARMLESS_STARTS: &[&str] = &["GROVE_", "OVERSTORY_", "GIT_CONFIG_", "LC_", "XDG_", "TERM"];
const HARMLESS_ENDS: &[&str] = &["_PATH", "_DIR", "_HOME", "_SOCK", "_SOCKET", "_FILE", "_ID"];
const HARMLESS: &[&str] = &["PATH", "PWD", "OLDPWD", "HOME", "LS_COLORS", "PS1", "_"];

/// A value that must not be stored, and the variable it was found in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretValue {
    pub name: String,
    pub value: String,
}

/// The secrets among these variables, longest first.
pub fn secret_values<N: AsRef<str>, V: AsRef<str>>(
    variables: impl IntoIterator<Item = (N, V)>,
) -> Vec<SecretValue> {
    let mut found: Vec<SecretValue> = Vec::new();
    for (name, value) in variables {
        let (name, value) = (name.as_ref(), value.as_ref().trim());
        let Some(secret) = secret_part(name, value) else {
            continue;
        };
        if !found.iter().any(|known| known.value == secret) {
            found.push(SecretValue {
                name: name.to_owned(),
                value: secret.to_owned(),
            });
        }
    }
    found.sort_by_key(|secret| std::cmp::Reverse(secret.value.len()));
    found
}

fn secret_part<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    if value.len() < LEAST {
        return None;
    }
    if let Some(password) = password_of_address(value) {
        return (password.len() >= LEAST).then_some(password);
    }
    let upper = name.to_ascii_uppercase();
    let by_name = is_secret_name(&upper) && !is_plain(&upper, value);
    let by_shape = !is_harmless_name(&upper) && (shapes::is_token(value) || looks_random(value));
    (by_name || by_shape).then_some(value)
}

fn is_secret_name(name: &str) -> bool {
    let mut words = name.split(['_', '-', '.']);
    words.any(|word| WORDS.contains(&word))
        || ENDS.iter().any(|end| {
            name.strip_suffix(end)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
        })
}

fn is_harmless_name(name: &str) -> bool {
    HARMLESS.contains(&name)
        || HARMLESS_STARTS.iter().any(|start| name.starts_with(start))
        || HARMLESS_ENDS.iter().any(|end| name.ends_with(end))
}

/// Values of variables with a secret name that are no secrets all the same.
fn is_plain(name: &str, value: &str) -> bool {
    let number = value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let strong = ["PASSW", "PASSPHRASE", "SECRET"];
    let path = value.starts_with(['/', '~', '.']) && value.contains('/');
    let word = value.len() < 12 && value.bytes().all(|b| b.is_ascii_alphabetic());
    let reference = value.starts_with('$');
    let switch = matches!(value, "disabled" | "required" | "optional");
    path || word || reference || switch || (number && !strong.iter().any(|w| name.contains(w)))
}

/// `secret` of `scheme://user:secret@host`.
fn password_of_address(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    Some(password)
}

fn looks_random(value: &str) -> bool {
    if value.len() < 24 || value.starts_with('/') || is_name(value) {
        return false;
    }
    let mut seen = [false; 128];
    let (mut digit, mut small, mut capital) = (false, false, false);
    for byte in value.bytes() {
        if !(byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte)) {
            return false;
        }
        digit |= byte.is_ascii_digit();
        small |= byte.is_ascii_lowercase();
        capital |= byte.is_ascii_uppercase();
        if let Some(slot) = seen.get_mut(usize::from(byte)) {
            *slot = true;
        }
    }
    digit && small && capital && seen.iter().filter(|s| **s).count() >= 12
}

/// Words and numbers with dashes between, as branches and builds are called.
fn is_name(value: &str) -> bool {
    value.split(['-', '_', '/']).all(|word| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let small = letters.chars().skip(1).all(|c| c.is_ascii_lowercase());
        small || letters.chars().all(|c| c.is_ascii_uppercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, value: &str) -> Option<String> {
        secret_values([(name, value)])
            .into_iter()
            .next()
            .map(|s| s.value)
    }

    #[test]
    fn names_make_values_secret() {
        for name in [
            "MY_TOKEN",
            "token",
            "DB_PASSWORD",
            "STRIPE_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "npm.auth.secret",
            "X_CREDENTIALS",
        ] {
            assert!(found(name, "hunter2-hunter2").is_some(), "{name}");
        }
        for name in ["MONKEY", "API_KEYS_FOLDER", "MAX_TOKENS", "KEYBOARD"] {
            assert_eq!(found(name, "hunter2-hunter2"), None, "{name}");
        }
    }

    #[test]
    fn shapes_make_values_secret_whatever_the_name() {
        assert!(found("HUSH", "ghp_0123456789abcdefghijABCDEFGHIJ012345").is_some());
        assert!(found("HUSH", "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5").is_some());
        assert_eq!(
            found("DATABASE_URL", "postgres://app:s3cr3t-word@db:5432/x").as_deref(),
            Some("s3cr3t-word")
        );
    }

    #[test]
    fn ordinary_values_stay() {
        for (name, value) in [
            ("PATH", "/usr/local/bin:/usr/bin"),
            ("MAX_TOKEN", "200000000"),
            ("SSH_AUTH_SOCK", "/run/user/1000/ssh-agent.abcdefXYZ0123"),
            ("SECRET_FILE", "/run/secrets/the-database"),
            ("DB_PASSWORD", "postgres"),
            ("MY_TOKEN", "short"),
            ("COMMIT", "0123456789abcdef0123456789abcdef01234567"),
            ("INVOCATION", "6f1ed002-ab55-4c0e-8f4c-0123456789ab"),
            ("GROVE_HOST_SOCKET", "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5"),
            ("BRANCH", "Feature-2024_Some-Long-Branch-Name1"),
            ("HOMEPAGE", "https://example.org/a/b"),
        ] {
            assert_eq!(found(name, value), None, "{name}={value}");
        }
    }

    #[test]
    fn the_longest_is_looked_for_first() {
        let all = secret_values([("A_TOKEN", "abcdefg-1"), ("B_TOKEN", "abcdefg-1234")]);
        assert_eq!(all[0].name, "B_TOKEN");
    }
}
