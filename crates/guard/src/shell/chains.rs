//! And-or lists and pipelines: in which states each of their parts can be reached, and what they leave.

use std::rc::Rc;

use super::ast::{Command, Connector, Item, Pipeline, Word};
use super::constant::Asked;
use super::endless::bomb;
use super::outcome::Reached;
use super::output;
use super::state::State;
use super::walk::{Done, Walker};
use crate::policy::Judged;

impl Walker<'_> {
    /// An and-or list: each part runs in the states in which it can be reached.
    pub(super) fn chain(&mut self, item: &Item, st: &mut State) -> Judged<String> {
        if self.decisions.are_made() {
            return self.decided_chain(item, st);
        }
        if item.rest.is_empty() {
            return self.undecided_chain(item, st);
        }
        self.on_the_way(|walker| walker.undecided_chain(item, st))
    }

    fn undecided_chain(&mut self, item: &Item, st: &mut State) -> Judged<String> {
        let enters = self.surely_enters(&item.first, st);
        let first = self.pipeline(&item.first, st)?;
        if first.failed.is_some() || !item.rest.is_empty() {
            self.decisions.count();
        }
        let mut out = first.out;
        let mut failed = first.failed;
        let together = item
            .rest
            .iter()
            .all(|(connector, _)| matches!(connector, Connector::And));
        let first_outcome = if together && (enters || self.surely_makes(&item.first, st)) {
            Some(true)
        } else {
            certain(&item.first)
        };
        let mut outcome = Asked { st, before: None }.pipeline(&item.first);
        // What was made when a part failed.
        let mut ways = Vec::new();
        for (at, (connector, pipeline)) in item.rest.iter().enumerate() {
            ways.push(self.paths.made_so_far());
            if at > 0 {
                self.decisions.count();
            }
            let reached = outcome.reaches(*connector);
            outcome = match reached {
                Reached::Surely => Asked { st, before: None }.pipeline(pipeline),
                Reached::Never | Reached::Perhaps => outcome,
            };
            let pace = self.pace;
            let perhaps = reached == Reached::Perhaps;
            match connector {
                Connector::And => {
                    if st.dead {
                        continue;
                    }
                    let mut before = failed.take().unwrap_or_else(|| st.clone());
                    before.dead |= first_outcome == Some(true) && at == 0;
                    let done = self.perhaps(perhaps, |walker| walker.pipeline(pipeline, st))?;
                    output::append(&mut out, &done.out);
                    failed = merged(before, done.failed, st);
                }
                Connector::Or => {
                    for made in ways.drain(..) {
                        self.paths.or_as(&made);
                    }
                    let mut other = failed.take().unwrap_or_else(|| st.clone());
                    if other.dead {
                        failed = Some(other);
                        continue;
                    }
                    let done = self.loosely(|walker| {
                        walker.perhaps(perhaps, |walker| walker.pipeline(pipeline, &mut other))
                    })?;
                    out = output::either(out, done.out);
                    failed = Some(done.failed.unwrap_or_else(|| other.clone()));
                    if first_outcome == Some(false) && at == 0 {
                        *st = other;
                    } else {
                        st.join(other);
                    }
                }
            }
            if reached == Reached::Never {
                self.pace = self.pace.without_effect(pace);
            }
        }
        for made in ways {
            self.paths.or_as(&made);
        }
        if let Some(failed) = failed {
            self.charge(failed.vars.len() / 2)?;
            st.join(failed);
        }
        Ok(out)
    }

    /// `mkdir -p folder`, where nothing but a folder is in its way.
    pub(super) fn surely_makes(&self, pipeline: &Pipeline, st: &State) -> bool {
        let ([Command::Simple(simple)], false) = (pipeline.stages.as_slice(), pipeline.negated)
        else {
            return false;
        };
        let words: Option<Vec<&str>> = simple.words.iter().map(Word::plain).collect();
        let Some(["mkdir", "-p" | "-pv" | "--parents", folders @ ..]) = words.as_deref() else {
            return false;
        };
        folders.iter().all(|folder| {
            st.cwd.iter().all(|place| {
                crate::paths::absolute(folder, place).is_some_and(|path| {
                    self.made.contains(&crate::paths::normal(&path)) && !self.paths.is_file(&path)
                })
            })
        })
    }

    pub(super) fn pipeline(&mut self, pipeline: &Pipeline, st: &mut State) -> Judged<Done> {
        if let [only] = pipeline.stages.as_slice() {
            let mut done = self.command(only, st)?;
            if pipeline.negated
                && let Some(failed) = done.failed.take()
            {
                done.failed = Some(std::mem::replace(st, failed));
            }
            return Ok(done);
        }
        let mut input = st.stdin.clone();
        let mut out = String::new();
        let mut called = 0;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let mut part = st.clone();
            part.stdin = input.take();
            part.beside = true;
            let before = self.flow.part();
            let done = self.loosely(|walker| walker.command(stage, &mut part))?;
            called += usize::from(self.flow.part_ends(before));
            if called > 1 {
                return Err(bomb());
            }
            self.leave(&part, st)?;
            out = done.out;
            if at + 1 < pipeline.stages.len() {
                input = Some(std::mem::take(&mut out).into());
            } else {
                if !Rc::ptr_eq(&part.vars, &st.vars) {
                    self.charge(st.vars.len() / 16)?;
                }
                // Some shells run the last one themselves.
                if moved(&part, st) {
                    st.join(part);
                }
            }
        }
        Ok(Done::printing(out))
    }
}

/// Whether the last part of a pipeline went elsewhere, or gave a value to what has one.
fn moved(part: &State, st: &State) -> bool {
    part.cwd != st.cwd
        || !Rc::ptr_eq(&part.vars, &st.vars)
            && st
                .vars
                .iter()
                .any(|(name, var)| part.vars.get(name) != Some(var))
}

/// Whether a pipeline surely succeeds or surely fails. What cannot be reached is judged all the same; this
/// only keeps values that are certain.
pub(super) fn certain(pipeline: &Pipeline) -> Option<bool> {
    let [Command::Simple(simple)] = pipeline.stages.as_slice() else {
        return None;
    };
    let outcome = match simple.words.first().and_then(Word::plain)? {
        "true" | ":" => true,
        "false" => false,
        _ => return None,
    };
    Some(outcome != pipeline.negated)
}

/// The state after a failure of `A && B`: A failed before, or B did now.
fn merged(before: State, failed: Option<State>, after: &State) -> Option<State> {
    let mut result = before;
    match failed {
        Some(failed) => result.join(failed),
        None => {
            if result.same_values(after) && Rc::ptr_eq(&result.functions, &after.functions) {
                return None;
            }
            result.join(after.clone());
        }
    }
    Some(result)
}
