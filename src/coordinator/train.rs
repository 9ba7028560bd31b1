//! Taking many entries of the merge queue to their end at once, and who is asked when two branches
//! contradict each other.

use super::CoordinatorError;
use super::landing::{self, Landed};
use super::progress::Progress;
use crate::config::Config;
use crate::db::MergeQueueStore;
use crate::db::merge_queue::QueueRow;
use crate::merge::{
    self, Arrival, ConflictResolver, MergeContext, MergeItem, MergeProgress, PastMerge, PastMerges,
    RuntimeResolver, TrainObserver,
};
use crate::mulch::{Mulch, history};
use crate::platform::{ProjectPaths, env};
use crate::runtimes::reach;
use crate::types::merge::MergeStatus;
use std::time::Duration;

/// What is told of one entry while many are merged.
#[derive(Debug)]
pub enum TrainNews<'a> {
    Progress(MergeProgress<'a>),
    Ended(&'a Landed),
}

/// What the project remembers of earlier conflicts.
#[derive(Debug, Default)]
pub struct Remembered(Vec<history::PastMerge>);

/// Reads it; a store that cannot be read remembers nothing.
pub fn remembered(paths: &ProjectPaths, config: &Config) -> Remembered {
    let store = Mulch::open(&paths.root).filter(|_| config.mulch.enabled);
    let past = store.and_then(|store| match history::recall(&store) {
        Ok(past) => Some(past),
        Err(error) => {
            tracing::warn!("earlier merges are not remembered: {error}");
            None
        }
    });
    Remembered(past.unwrap_or_default())
}

impl PastMerges for Remembered {
    fn sharing(&self, files: &[String]) -> Vec<PastMerge> {
        self.0
            .iter()
            .filter(|merge| merge.files.iter().any(|file| files.contains(file)))
            .map(|merge| PastMerge {
                tier: merge.tier,
                resolved: merge.resolved,
                branch: merge.branch.clone(),
                agent: merge.agent.clone(),
                files: merge.files.clone(),
            })
            .collect()
    }
}

/// Who is asked about contested text, if the project wants anybody asked.
pub fn resolver<'a>(
    paths: &ProjectPaths,
    config: &Config,
    target: &str,
    history: &'a dyn PastMerges,
) -> Option<RuntimeResolver<'a>> {
    let merge = &config.merge;
    (merge.ai_resolve_enabled || merge.reimagine_enabled)
        .then(|| one_shot(paths, config, target, history))
}

/// The configured runtime in its one-shot mode, whether or not merges ask it by themselves.
pub fn one_shot<'a>(
    paths: &ProjectPaths,
    config: &Config,
    target: &str,
    history: &'a dyn PastMerges,
) -> RuntimeResolver<'a> {
    let merge = &config.merge;
    let printing = config.runtime.print_command.as_ref();
    let runtime = printing.unwrap_or(&config.runtime.default);
    let model = config.model_for("merger");
    RuntimeResolver {
        root: paths.root.clone(),
        target_branch: target.to_owned(),
        runtime: runtime.clone(),
        program: None,
        model: reach::for_question(config, runtime, model, &env::var),
        time_limit: Duration::from_millis(merge.ai_timeout_ms),
        sandbox: config.sandbox.clone(),
        ai_resolve: merge.ai_resolve_enabled,
        reimagine: merge.reimagine_enabled,
        history,
    }
}

/// Merges several entries, tested at the same time and landed in order. The result has one place for
/// each row; `None` where somebody else has the entry.
pub fn land_all(
    paths: &ProjectPaths,
    context: &MergeContext,
    rows: &[QueueRow],
    resolver: Option<&dyn ConflictResolver>,
    listener: &mut dyn FnMut(usize, TrainNews<'_>),
) -> Result<Vec<Option<Landed>>, CoordinatorError> {
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    let mut progress = Progress::begin(paths, context.gates.len())?;
    let mut taken = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        if landing::claim(paths, row, &mut progress)? {
            taken.push((place, row));
        }
    }
    let items: Vec<MergeItem> = taken.iter().map(|(_, row)| landing::item(row)).collect();
    let mut recorder = Recorder {
        paths,
        progress,
        target: &context.target_branch,
        taken: &taken,
        ended: rows.iter().map(|_| None).collect(),
        trouble: None,
        listener,
    };
    let result = merge::execute_train(context, &items, resolver, &mut recorder);
    let Recorder {
        ended,
        trouble,
        progress,
        ..
    } = recorder;
    // What did not come to an end waits again.
    for (place, row) in &taken {
        if ended.get(*place).is_some_and(Option::is_none) {
            let from = [MergeStatus::Merging];
            queue.change_status(row.id, &from, landing::untried(row), None)?;
        }
    }
    // Given back only now that they say how they are.
    drop(progress);
    result?;
    match trouble {
        Some(trouble) => Err(trouble),
        None => Ok(ended),
    }
}

/// Stores each end as soon as it is known: a landed merge must not wait for the others.
struct Recorder<'a> {
    paths: &'a ProjectPaths,
    progress: Progress,
    target: &'a str,
    taken: &'a [(usize, &'a QueueRow)],
    ended: Vec<Option<Landed>>,
    trouble: Option<CoordinatorError>,
    listener: &'a mut dyn FnMut(usize, TrainNews<'_>),
}

impl TrainObserver for Recorder<'_> {
    fn progress(&mut self, index: usize, progress: MergeProgress<'_>) {
        if let Some((place, row)) = self.taken.get(index) {
            self.progress.note(row.id, &progress);
            (self.listener)(*place, TrainNews::Progress(progress));
        }
    }

    fn arrived(&mut self, arrival: Arrival) {
        let Some((place, row)) = self.taken.get(arrival.index) else {
            return;
        };
        let concluded = landing::conclude(self.paths, row, self.target, arrival.result);
        self.progress.ended(row.id);
        match concluded {
            Ok(landed) => {
                (self.listener)(*place, TrainNews::Ended(&landed));
                if let Some(slot) = self.ended.get_mut(*place) {
                    *slot = Some(landed);
                }
            }
            // The journal still has it: the next start records it.
            Err(error) => self.trouble = Some(error),
        }
    }
}
