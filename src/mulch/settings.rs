//! `.mulch/mulch.config.yaml`, as far as grove needs it. Written for people and for `ml`, so what is
//! not understood stays.

use std::path::Path;

use serde_json::Value;

use super::domain::check_name;
use super::error::MulchError;
use crate::config::read_foreign_yaml;
use crate::platform::fs;

/// What a new store's configuration says.
pub(super) const INITIAL: &str = "# What this project has learnt, in the mulch format: one file per domain in expertise/.\n\
version: '1'\n\
domains: {}\n\
governance:\n  max_entries: 100\n  warn_entries: 150\n  hard_limit: 200\n\
classification_defaults:\n  shelf_life:\n    tactical: 14\n    observational: 30\n";

/// How much each confirmation raises a search result.
const BOOST: f64 = 0.1;

/// Names as they are written: a list of them, or a map with rules.
pub(super) fn names(written: Option<&Value>) -> Vec<String> {
    match written {
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Some(Value::Object(map)) => map.keys().cloned().collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {
            Vec::new()
        }
    }
}

/// The configuration of a store.
#[derive(Debug, Clone)]
pub(super) struct Settings(Value);

impl Settings {
    pub(super) fn load(path: &Path) -> Result<Self, MulchError> {
        let text = fs::read_optional(path)?.unwrap_or_default();
        let value = read_foreign_yaml(&text).map_err(|reason| MulchError::Settings {
            path: path.to_owned(),
            reason,
        })?;
        Ok(Self(value))
    }

    #[cfg(test)]
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        read_foreign_yaml(text).map(Self)
    }

    /// The domains, in the order written: a list of names, or a map with rules.
    pub(super) fn domains(&self) -> Vec<String> {
        names(self.0.get("domains"))
    }

    /// Fails with the names there are when a domain does not exist.
    pub(super) fn require_domain(&self, domain: &str) -> Result<(), MulchError> {
        check_name(domain)?;
        let known = self.domains();
        if known.iter().any(|d| d == domain) {
            return Ok(());
        }
        Err(MulchError::UnknownDomain {
            domain: domain.to_owned(),
            known: if known.is_empty() {
                "(none)".to_owned()
            } else {
                known.join(", ")
            },
        })
    }

    fn rule(&self, domain: &str, name: &str) -> Vec<String> {
        let list = |value: &Value| -> Option<Vec<String>> {
            let items = value.get("domains")?.get(domain)?.get(name)?.as_array()?;
            let names = items.iter().filter_map(Value::as_str);
            Some(names.map(str::to_owned).collect())
        };
        list(&self.0).unwrap_or_default()
    }

    /// Types of record a domain takes; empty means all.
    pub(super) fn allowed_types(&self, domain: &str) -> Vec<String> {
        self.rule(domain, "allowed_types")
    }

    /// Fields every record of a domain must have.
    pub(super) fn required_fields(&self, domain: &str) -> Vec<String> {
        self.rule(domain, "required_fields")
    }

    /// How many records a domain may have: `max_entries`, `warn_entries` or `hard_limit`.
    pub(super) fn governance(&self, name: &str) -> usize {
        let configured = self
            .0
            .get("governance")
            .and_then(|g| usize::try_from(g.get(name)?.as_u64()?).ok());
        configured.unwrap_or(match name {
            "max_entries" => 100,
            "warn_entries" => 150,
            _ => 200,
        })
    }

    /// After how many days a record of this classification is out of date; `None`: never.
    pub(super) fn shelf_life(&self, classification: &str) -> Option<f64> {
        let days = match classification {
            "tactical" => 14.0,
            "observational" => 30.0,
            _ => return None,
        };
        let configured = self.0.get("classification_defaults").and_then(|c| {
            let life = c.get("shelf_life")?;
            life.get(classification)?.as_f64()
        });
        Some(configured.unwrap_or(days))
    }

    /// Whether the project has a type of record of its own with this name.
    pub(super) fn has_custom_type(&self, name: &str) -> bool {
        self.0
            .get("custom_types")
            .is_some_and(|types| types.get(name).is_some())
    }

    /// How much each confirmation raises a search result.
    pub(super) fn boost(&self) -> f64 {
        self.0
            .get("search")
            .and_then(|s| s.get("boost_factor")?.as_f64())
            .unwrap_or(BOOST)
    }

    /// How much a confirmation and each classification weigh when records are primed.
    pub(super) fn weight(&self, name: &str) -> f64 {
        let configured = self
            .0
            .get("prime")
            .and_then(|p| p.get("tier_weights")?.get(name)?.as_f64());
        configured.unwrap_or(match name {
            "star" => 100.0,
            "foundational" => 50.0,
            "tactical" => 20.0,
            "observational" => 10.0,
            _ => 0.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        Settings::parse(text).unwrap()
    }

    #[test]
    fn both_layouts_of_domains_are_read() {
        assert_eq!(settings("domains: [b, a]").domains(), ["b", "a"]);
        let rules = settings("domains:\n  b:\n    allowed_types: [pattern]\n  a: {}\n");
        assert_eq!(rules.domains(), ["b", "a"]);
        assert_eq!(rules.allowed_types("b"), ["pattern"]);
        assert!(rules.required_fields("b").is_empty());
        assert!(settings("").domains().is_empty());
    }

    #[test]
    fn a_new_store_is_readable_and_empty() {
        let new = settings(INITIAL);
        assert!(new.domains().is_empty());
        assert!((new.boost() - BOOST).abs() < f64::EPSILON);
        assert!((settings("search: {boost_factor: 0}").boost()).abs() < f64::EPSILON);
    }
}
