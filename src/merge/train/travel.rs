//! A train under way: all cars are tested at the same time and landed in order.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use crate::git::Oid;
use crate::merge::bench::{Bench, Offered};
use crate::merge::context::{MergeProgress, until_stopped};
use crate::merge::error::MergeError;
use crate::merge::gates::{GateProgress, run_gates};
use crate::merge::journal::settle_journal;
use crate::merge::report::Conclusion;
use crate::process::shell::Cancel;
use crate::types::merge::GateResult;

use super::run::{Car, Run, Train};

/// What became of one car.
enum Landed {
    Yes,
    No,
    /// Somebody else moved the target, or it was not tested to its end: it is planned again.
    TargetMoved,
    /// The branch has what was tested no longer.
    Withdrawn,
}

impl Train<'_> {
    /// Tests all cars at once and lands them in order; returns the items that have to be planned
    /// again.
    pub(super) fn travel(&mut self, mut cars: Vec<Car>) -> Result<(Run, Vec<usize>), MergeError> {
        let cancels: Vec<Arc<Cancel>> = cars.iter().map(|car| self.token(car)).collect();
        let (context, repo_dir) = (self.context, self.repo.path().to_path_buf());
        let commits: Vec<Oid> = cars.iter().map(|car| car.prepared.commit).collect();
        let (run, settled) = std::thread::scope(|scope| {
            let (sender, said) = channel();
            for (car, (commit, cancel)) in commits.iter().zip(&cancels).enumerate() {
                let (sender, repo_dir, commit) = (sender.clone(), &repo_dir, *commit);
                scope.spawn(move || {
                    let tell = sender.clone();
                    let gates = run_gates(context, repo_dir, commit, Some(cancel), &mut |p| {
                        // Nobody listens any more when the train has been cut.
                        tell.send(CarNews::Gate(car, GateNews::from(p))).ok();
                    });
                    sender.send(CarNews::Tested(car, gates)).ok();
                });
            }
            drop(sender);
            let ended = until_stopped(self.stops, &cancels, || {
                self.land_in_order(&mut cars, &cancels, &said)
            });
            call_all(&cancels);
            ended
        })?;
        let mut back = Vec::new();
        for car in cars.iter().skip(settled) {
            settle_journal(&self.context.root, &car.prepared.receipt.id)?;
            back.push(car.index);
        }
        Ok((run, back))
    }

    /// What ends the gates of a car: it was cut off, or somebody has cancelled its merge.
    fn token(&self, car: &Car) -> Arc<Cancel> {
        let item = self.items.get(car.index);
        item.map_or_else(Arc::default, |item| {
            self.context.call_off.token(&item.branch)
        })
    }

    /// Returns how it ended and how many cars, from the first on, have come to their end.
    fn land_in_order(
        &mut self,
        cars: &mut [Car],
        cancels: &[Arc<Cancel>],
        said: &Receiver<CarNews>,
    ) -> Result<(Run, usize), MergeError> {
        let mut tested: Vec<Option<Tested>> = cars.iter().map(|_| None).collect();
        for position in 0..cars.len() {
            let Some(result) = self.wait_for(position, (&*cars, cancels), said, &mut tested) else {
                return Ok((Run::TargetMoved, position));
            };
            let Some(car) = cars.get_mut(position) else {
                return Ok((Run::Through, position));
            };
            // What is red has come to its end; nothing else does any more.
            if is_green(&result) && (self.stops)() {
                return Ok((Run::Stopped, position));
            }
            match self.land(car, result)? {
                Landed::Yes => {}
                Landed::No => return Ok((Run::Through, position + 1)),
                Landed::TargetMoved => return Ok((Run::TargetMoved, position)),
                Landed::Withdrawn => return Ok((Run::Withdrawn, position)),
            }
        }
        Ok((Run::Through, cars.len()))
    }

    /// Passes on what the testing threads say until one car is tested. `None` when they are all gone
    /// without a word on it: then it is planned again.
    fn wait_for(
        &mut self,
        position: usize,
        (cars, cancels): (&[Car], &[Arc<Cancel>]),
        said: &Receiver<CarNews>,
        tested: &mut [Option<Tested>],
    ) -> Option<Tested> {
        loop {
            if let Some(result) = tested.get_mut(position).and_then(Option::take) {
                return Some(result);
            }
            match said.recv().ok()? {
                CarNews::Gate(car, news) => {
                    if let Some(car) = cars.get(car) {
                        self.tell(car.index, &news);
                    }
                }
                CarNews::Tested(car, result) => {
                    if !is_green(&result) {
                        // What is coupled behind it cannot land any more.
                        call_all(cancels.get(car + 1..).unwrap_or_default());
                    }
                    if let Some(slot) = tested.get_mut(car) {
                        *slot = Some(result);
                    }
                }
            }
        }
    }

    /// Lands one tested car; what is coupled behind it stands only if it did.
    fn land(&mut self, car: &mut Car, tested: Tested) -> Result<Landed, MergeError> {
        let (index, context, repo) = (car.index, self.context, self.repo);
        let Some(item) = self.items.get(index) else {
            return Ok(Landed::TargetMoved);
        };
        let bench = Bench {
            context,
            item,
            repo,
        };
        let in_time = context.call_off.check(&item.branch);
        let offered = match in_time.and(tested) {
            Ok(None) => return Ok(Landed::TargetMoved),
            Ok(Some(gates)) if gates.iter().all(|gate| gate.passed) => {
                let observer = &mut *self.observer;
                bench.land(&mut car.prepared, gates, &mut |progress| {
                    observer.progress(index, progress);
                })
            }
            Ok(Some(gates)) => Ok(Offered::Done(Box::new(bench.red(&car.prepared, gates)))),
            Err(error) => Err(error),
        };
        bench.settle(&car.prepared.receipt.id, &offered)?;
        match offered {
            Ok(Offered::Withdrawn) => {
                self.observer.progress(index, MergeProgress::Waiting);
                Ok(Landed::Withdrawn)
            }
            Ok(Offered::TargetMoved | Offered::Stopped) => {
                let moved = MergeProgress::PlanningAgain { attempt: 1 };
                self.observer.progress(index, moved);
                Ok(Landed::TargetMoved)
            }
            Ok(Offered::Done(report)) => {
                let landed = report.conclusion == Conclusion::Landed;
                self.arrived(index, Ok(*report));
                Ok(if landed { Landed::Yes } else { Landed::No })
            }
            Err(error) => {
                self.arrived(index, Err(error));
                Ok(Landed::No)
            }
        }
    }

    fn tell(&mut self, index: usize, news: &GateNews) {
        let total = self.context.gates.len();
        let progress = match news {
            GateNews::Started(at) => {
                let Some(gate) = self.context.gates.get(*at) else {
                    return;
                };
                GateProgress::Started {
                    index: *at,
                    total,
                    gate,
                }
            }
            GateNews::Finished(at, result) => GateProgress::Finished {
                index: *at,
                total,
                result,
            },
        };
        self.observer.progress(index, MergeProgress::Gate(progress));
    }
}

fn call_all(cancels: &[Arc<Cancel>]) {
    for cancel in cancels {
        cancel.call();
    }
}

type Tested = Result<Option<Vec<GateResult>>, MergeError>;

fn is_green(tested: &Tested) -> bool {
    matches!(tested, Ok(Some(gates)) if gates.iter().all(|gate| gate.passed))
}

/// What the testing threads say.
enum CarNews {
    Gate(usize, GateNews),
    Tested(usize, Tested),
}

/// Progress of gates, without borrowing from the thread that makes it.
enum GateNews {
    Started(usize),
    Finished(usize, Box<GateResult>),
}

impl From<GateProgress<'_>> for GateNews {
    fn from(progress: GateProgress<'_>) -> Self {
        match progress {
            GateProgress::Started { index, .. } => Self::Started(index),
            GateProgress::Finished { index, result, .. } => {
                Self::Finished(index, Box::new(result.clone()))
            }
        }
    }
}
