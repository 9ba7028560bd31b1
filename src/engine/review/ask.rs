//! Asking the configured runtime about a single place.

use super::load::{plan, words};
use super::view::Proposal;
use crate::config;
use crate::coordinator::decisions::{self, AllDecided};
use crate::coordinator::train;
use crate::git::Repo;
use crate::merge;
use crate::platform::ProjectPaths;
use crate::process::shell::Cancel;

/// Asks and returns a proposal that has passed its account; the error says why there is none. What is answered is kept
/// for whoever looks at the place later, and so is that nobody waited for the answer.
pub(in crate::engine) fn ask(
    paths: &ProjectPaths,
    id: i64,
    key: &str,
    cancel: &Cancel,
) -> Result<Proposal, String> {
    let mut answer = answered(paths, id, key, cancel);
    if answer.is_err() && cancel.is_called() {
        answer = Err("grove was left before the answer came, which ended the question".to_owned());
    }
    let is_kept = answer.is_ok() || cancel.is_called();
    if let Err(error) = decisions::keep_answer(paths, id, key, is_kept.then_some(&answer)) {
        tracing::error!(%error, key, "an answer about a contested place is not kept");
    }
    answer
}

fn answered(paths: &ProjectPaths, id: i64, key: &str, cancel: &Cancel) -> Result<Proposal, String> {
    let loaded = plan(paths, id)?;
    let index = loaded.keys.iter().position(|known| known == key);
    let index =
        index.ok_or("the place has changed meanwhile; it is loaded again when you accept")?;
    let config = config::load(&paths.root).map_err(words)?.config;
    let past = train::remembered(paths, &config);
    let resolver = train::one_shot(paths, &config, &loaded.target, &past);
    let item = AllDecided::open(paths)
        .and_then(|decided| decided.item(&loaded.row))
        .map_err(words)?;
    let repo = Repo::discover(&paths.root).map_err(words)?;
    let intent = resolver.intent(&item);
    let ask = |question: &str, dir: &std::path::Path| resolver.ask(question, dir, Some(cancel));
    let proposed = merge::propose(
        &paths.root,
        &repo,
        &loaded.contested,
        index,
        &intent,
        &past,
        &ask,
    )
    .map_err(words)?
    .map_err(|reason| format!("{}: {reason}", resolver.runtime))?;
    Ok(Proposal {
        text: proposed.text,
        lost: proposed.lost,
        by: resolver.runtime.clone(),
    })
}
