//! Names of domains, and adding one to the configuration without touching the rest of it.

use serde_json::Value;

use super::error::MulchError;
use super::settings::names;
use crate::config::read_foreign_yaml;

/// Accepts a name that can be a file name.
pub(super) fn check_name(domain: &str) -> Result<(), MulchError> {
    let good = domain.starts_with(|c: char| c.is_ascii_alphanumeric())
        && domain
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if good {
        return Ok(());
    }
    Err(MulchError::BadDomain {
        domain: domain.to_owned(),
    })
}

/// Adds a domain to the text of the configuration, comments and all. `None` when the text is laid out
/// in a way that this does not know.
pub(super) fn add_to_settings(text: &str, domain: &str) -> Option<String> {
    let before = read_foreign_yaml(text).ok()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = lines
        .iter()
        .position(|line| line.strip_prefix("domains:").is_some());
    let entry = match before.get("domains") {
        Some(Value::Array(_)) => format!("  - {domain}"),
        Some(_) | None => format!("  {domain}: {{}}"),
    };
    match at {
        None => {
            lines.push("domains:".to_owned());
            lines.push(entry);
        }
        Some(at) => {
            let head = lines.get_mut(at)?;
            let rest = head.strip_prefix("domains:")?.trim();
            if !(rest.is_empty() || rest == "{}" || rest == "[]" || rest.starts_with('#')) {
                return None;
            }
            if rest == "{}" || rest == "[]" {
                "domains:".clone_into(head);
            }
            let end = lines
                .iter()
                .enumerate()
                .skip(at + 1)
                .find(|(_, line)| !(line.starts_with(' ') || line.starts_with("- ")))
                .map_or(lines.len(), |(i, _)| i);
            // A list may be written without indentation.
            let flat = lines.get(at + 1).is_some_and(|l| l.starts_with("- "));
            let entry = if flat {
                entry.trim_start().to_owned()
            } else {
                entry
            };
            lines.insert(end, entry);
        }
    }
    let new = lines.join("\n") + "\n";
    is_only_addition(&before, &read_foreign_yaml(&new).ok()?, domain).then_some(new)
}

fn is_only_addition(before: &Value, after: &Value, domain: &str) -> bool {
    let mut after = after.clone();
    let mut before = before.clone();
    let (Some(new), Some(old)) = (after.as_object_mut(), before.as_object_mut()) else {
        return false;
    };
    let had = old.remove("domains");
    let has = new.remove("domains");
    let mut expected = names(had.as_ref());
    expected.push(domain.to_owned());
    old == new && names(has.as_ref()) == expected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_added_and_comments_stay() {
        let text = "# top\nversion: '1'\ndomains: {}\ngovernance:\n  max_entries: 100\n# end\n";
        let once = add_to_settings(text, "cli").unwrap();
        assert_eq!(
            once,
            "# top\nversion: '1'\ndomains:\n  cli: {}\ngovernance:\n  max_entries: 100\n# end\n"
        );
        let twice = add_to_settings(&once, "db").unwrap();
        assert!(twice.contains("domains:\n  cli: {}\n  db: {}\ngovernance:"));
    }

    #[test]
    fn nested_rules_and_lists_are_understood() {
        let nested = "domains:\n  cli:\n    allowed_types:\n      - pattern\nversion: '1'\n";
        assert!(
            add_to_settings(nested, "db")
                .unwrap()
                .contains("      - pattern\n  db: {}\nversion")
        );
        assert_eq!(
            add_to_settings("domains:\n- a\n", "b").as_deref(),
            Some("domains:\n- a\n- b\n")
        );
        assert_eq!(
            add_to_settings("version: '1'\n", "b").as_deref(),
            Some("version: '1'\ndomains:\n  b: {}\n")
        );
    }

    #[test]
    fn what_is_not_understood_is_not_touched() {
        assert_eq!(add_to_settings("domains: {a: {}}\n", "b"), None);
        assert_eq!(add_to_settings("domains:\n    a: {}\n", "b"), None);
        assert!(check_name("a-b_1").is_ok());
        for bad in ["", "-a", "../x", "a b", "a/b", "ä"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
