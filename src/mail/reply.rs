//! Replying: the answer goes back along the thread.

use super::error::MailError;
use crate::db::MailStore;
use crate::types::mail::{MailMessage, NewMail};

/// Answers message `id` as `from` and returns the answer as stored.
pub fn reply(
    store: &MailStore,
    id: &str,
    from: &str,
    body: &str,
) -> Result<MailMessage, MailError> {
    let original = store
        .get(id)?
        .ok_or_else(|| MailError::NotFound { id: id.to_owned() })?;
    Ok(store.insert(&answer(&original, from, body))?)
}

/// Who an answer to message `id` would go to; `None` when there is no such message.
pub fn recipient_of_reply(
    store: &MailStore,
    id: &str,
    from: &str,
) -> Result<Option<String>, MailError> {
    let original = store.get(id)?;
    Ok(original.map(|original| answer(&original, from, "").to))
}

/// Whoever wrote the original and answers it again means its recipient.
fn answer(original: &MailMessage, from: &str, body: &str) -> NewMail {
    let to = if original.from == from {
        &original.to
    } else {
        &original.from
    };
    NewMail {
        from: from.to_owned(),
        to: to.clone(),
        subject: format!("Re: {}", original.subject),
        body: body.to_owned(),
        kind: original.kind,
        priority: original.priority,
        thread_id: Some(
            original
                .thread_id
                .clone()
                .unwrap_or_else(|| original.id.clone()),
        ),
        payload: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::mail::MailType;

    #[test]
    fn answers_go_to_the_other_side_and_keep_the_thread() {
        let dir = tempfile::tempdir().unwrap();
        let store = MailStore::open(&dir.path().join("mail.db")).unwrap();
        let first = store
            .insert(&NewMail::new("a", "b", MailType::Question, "why", "?"))
            .unwrap();
        let second = reply(&store, &first.id, "b", "because").unwrap();
        assert_eq!(
            (second.to.as_str(), second.thread_id.as_ref()),
            ("a", Some(&first.id))
        );
        let third = reply(&store, &second.id, "b", "also").unwrap();
        assert_eq!(
            (third.to.as_str(), third.subject.as_str()),
            ("a", "Re: Re: why")
        );
        assert_eq!(third.thread_id, Some(first.id));
        assert!(matches!(
            reply(&store, "nope", "b", "x"),
            Err(MailError::NotFound { .. })
        ));
    }
}
