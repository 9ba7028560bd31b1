//! New texts without the secrets in them: people commit and push the files of `.mulch/`.

use super::outcome::NewOutcome;
use super::record::NewRecord;
use crate::logging::storable;

impl NewRecord {
    /// As it may be stored.
    pub(super) fn storable(&self) -> Self {
        let all = |texts: &[String]| -> Vec<String> {
            let texts = texts.iter();
            texts.map(|text| storable(text).into_owned()).collect()
        };
        let pairs = |pairs: &[(String, String)]| -> Vec<(String, String)> {
            let clean = |(name, text): &(String, String)| {
                let text = storable(text).into_owned();
                (name.clone(), text)
            };
            pairs.iter().map(clean).collect()
        };
        Self {
            texts: pairs(&self.texts),
            files: all(&self.files),
            tags: all(&self.tags),
            evidence: pairs(&self.evidence),
            outcomes: self.outcomes.iter().map(NewOutcome::storable).collect(),
            ..self.clone()
        }
    }
}

impl NewOutcome {
    /// As it may be stored.
    pub(super) fn storable(&self) -> Self {
        let maybe = |text: &Option<String>| Some(storable(text.as_deref()?).into_owned());
        Self {
            agent: maybe(&self.agent),
            notes: maybe(&self.notes),
            test_results: maybe(&self.test_results),
            ..self.clone()
        }
    }
}
