//! Taking many entries of the merge queue to their end at once, and who is asked when two branches
//! contradict each other.

use super::CoordinatorError;
use super::decisions::AllDecided;
use super::landing::{self, Landed};
use super::progress::Progress;
use super::queue;
use crate::config::Config;
use crate::db::MergeQueueStore;
use crate::db::merge_queue::QueueRow;
use crate::merge::{
    self, Arrival, CallOff, ConflictResolver, MergeContext, MergeItem, MergeLock, MergeProgress,
    PastMerge, PastMerges, RuntimeResolver, TrainObserver,
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
    let store = Mulch::open(&paths.root)
        .filter(|_| config.mulch.enabled)
        .map(Mulch::for_agents);
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
    context: &MergeContext,
    history: &'a dyn PastMerges,
) -> Option<RuntimeResolver<'a>> {
    let merge = &config.merge;
    (merge.ai_resolve_enabled || merge.reimagine_enabled).then(|| RuntimeResolver {
        call_off: context.call_off.clone(),
        ..one_shot(paths, config, &context.target_branch, history)
    })
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
        call_off: CallOff::default(),
        history,
    }
}

/// What is merged in one go.
#[derive(Debug, Clone, Copy)]
pub struct Ride<'a> {
    pub context: &'a MergeContext,
    pub rows: &'a [QueueRow],
    /// Nobody has asked for it just now: a paused queue keeps it from landing. What a person asks for while the queue
    /// is paused lands; a pause that comes later stops that too.
    pub by_itself: bool,
}

/// Merges several entries, tested at the same time and landed in order. The result has one place for
/// each row; `None` where somebody else has the entry. When the queue is paused meanwhile, nothing more lands,
/// and gates that run are ended.
pub fn land_all(
    paths: &ProjectPaths,
    ride: Ride<'_>,
    resolver: Option<&dyn ConflictResolver>,
    listener: &mut dyn FnMut(usize, TrainNews<'_>),
) -> Result<Vec<Option<Landed>>, CoordinatorError> {
    let Ride {
        context,
        rows,
        by_itself,
    } = ride;
    let is_paused = || {
        queue::is_paused(paths).unwrap_or_else(|error| {
            tracing::warn!("whether the queue is paused is not known: {error}");
            false
        })
    };
    let asked_for = !by_itself && is_paused();
    let stops = || !asked_for && is_paused();
    // First of all: who has to wait for another merge keeps no entry from it.
    let lock = MergeLock::acquire(&context.root, &context.target_branch)?;
    let store = MergeQueueStore::open(&paths.merge_queue_db())?;
    let mut progress = Progress::begin(paths, context.gates.len())?;
    let decided = AllDecided::open(paths)?;
    let (mut taken, mut items) = (Vec::new(), Vec::<MergeItem>::new());
    for (place, row) in rows.iter().enumerate() {
        let item = decided.item(row)?;
        if landing::claim(paths, row, &mut progress)? {
            context.call_off.begin(&row.entry.branch_name);
            taken.push((place, row));
            items.push(item);
        }
    }
    drop(decided);
    let mut recorder = Recorder {
        paths,
        progress,
        context,
        taken: &taken,
        ended: rows.iter().map(|_| None).collect(),
        trouble: None,
        listener,
    };
    let asked = (context, items.as_slice());
    let result = merge::execute_train_until(lock, &stops, asked, resolver, &mut recorder);
    let Recorder {
        mut ended,
        trouble,
        progress,
        ..
    } = recorder;
    let mut trouble = trouble.or(result.err().map(CoordinatorError::from));
    let is_landed = |landed: &Landed| matches!(landed, Landed::Report(it) if it.receipt.is_some());
    let has_landed = ended.iter().flatten().any(is_landed);
    // What did not come to an end waits again.
    for (place, row) in &taken {
        if let Some(slot @ None) = ended.get_mut(*place) {
            let from = [MergeStatus::Merging];
            // Where that cannot be stored either, the next start finds that nobody has it.
            if let Err(error) = store.change_status(row.id, &from, landing::untried(row), None) {
                trouble.get_or_insert(error.into());
            }
            *slot = Some(match &trouble {
                Some(error) => Landed::Stopped(error.without_advice()),
                None => Landed::Paused,
            });
        }
    }
    // Given back only now that they say how they are.
    drop(progress);
    match trouble {
        // Where something has landed, an error alone would not say so.
        Some(trouble) if !has_landed => Err(trouble),
        Some(_) | None => Ok(ended),
    }
}

/// Stores each end as soon as it is known: a landed merge must not wait for the others.
struct Recorder<'a> {
    paths: &'a ProjectPaths,
    progress: Progress,
    context: &'a MergeContext,
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
        let meant = |error| self.context.call_off.meant(&row.entry.branch_name, error);
        let result = arrival.result.map_err(meant);
        let target = &self.context.target_branch;
        let concluded = landing::conclude(self.paths, row, target, result);
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
