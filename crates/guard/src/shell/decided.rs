//! Lists and compound commands in a reading that has decided how conditions come out: one way through each of them.
//!
//! What is not on that way is judged where both ways are taken.

use super::ast::{Arm, Connector, Item, List, Pipeline, Word};
use super::chains::certain;
use super::constant::Asked;
use super::outcome::Outcome;
use super::output;
use super::state::State;
use super::turns::runs_without_arguments;
use super::walk::Walker;
use crate::policy::Judged;

impl Walker<'_> {
    /// An and-or list: the parts that are reached.
    pub(super) fn decided_chain(&mut self, item: &Item, st: &mut State) -> Judged<String> {
        let mut out = String::new();
        let is_asked = !item.rest.is_empty();
        let mut holds = self.decided_part(&item.first, is_asked, st, &mut out)?;
        for (connector, pipeline) in &item.rest {
            let is_reached = match connector {
                Connector::And => holds,
                Connector::Or => !holds,
            };
            if is_reached && !st.dead {
                holds = self.decided_part(pipeline, true, st, &mut out)?;
            }
        }
        if is_asked {
            self.decisions.last = Some(holds);
        }
        Ok(out)
    }

    /// One part of it, and whether it succeeds.
    ///
    /// `is_asked`: something hangs on that.
    fn decided_part(
        &mut self,
        pipeline: &Pipeline,
        is_asked: bool,
        st: &mut State,
        out: &mut String,
    ) -> Judged<bool> {
        self.decisions.last = None;
        let enters = self.surely_enters(pipeline, st);
        let done = self.pipeline(pipeline, st)?;
        let enters = enters || done.enters && !pipeline.negated;
        output::append(out, &done.out);
        if !is_asked && done.failed.is_none() {
            return Ok(true);
        }
        if pipeline.negated {
            self.decisions.last = self.decisions.last.map(|last| !last);
        }
        let outcome = match certain(pipeline) {
            Some(success) => Outcome::of(success),
            None if enters || self.surely_makes(pipeline, st) => Outcome::Success,
            None => Asked { st, before: None }.pipeline(pipeline),
        };
        let holds = self.decisions.holds(outcome);
        if !holds && let Some(failed) = done.failed {
            *st = failed;
        }
        self.decisions.last = Some(holds);
        Ok(holds)
    }

    /// `if … elif … else`: the one branch.
    pub(super) fn decided_branch(
        &mut self,
        arms: &[(List, List)],
        otherwise: Option<&List>,
        st: &mut State,
    ) -> Judged<String> {
        let mut out = String::new();
        for (condition, body) in arms {
            if self.decided_condition(condition, st, &mut out)? {
                output::append(&mut out, &self.list(body, st)?);
                return Ok(out);
            }
            if st.dead {
                return Ok(out);
            }
        }
        if let Some(body) = otherwise {
            output::append(&mut out, &self.list(body, st)?);
        }
        Ok(out)
    }

    /// `while`: no turn, or one, and a second one where the first leaves something to it.
    pub(super) fn decided_loop(
        &mut self,
        condition: &List,
        body: &List,
        st: &mut State,
    ) -> Judged<String> {
        let mut out = String::new();
        if self.decided_condition(condition, st, &mut out)? && !st.dead {
            let (before, made) = (st.clone(), self.made_so_far());
            let turn = self.loosely(|walker| walker.list(body, st))?;
            output::append(&mut out, &turn);
            if !st.dead {
                let to_the_last = runs_without_arguments(Some(condition), body);
                let mut again = |walker: &mut Self, st: &mut State| {
                    walker.loosely(|walker| walker.list(body, st))
                };
                let more = self.later_turns(&before, &made, to_the_last, st, &mut again)?;
                output::append(&mut out, &more);
            }
            st.dead = false;
        }
        Ok(out)
    }

    /// `case`: the one arm, and those it falls through to.
    pub(super) fn decided_case(
        &mut self,
        arms: &[Arm],
        sure: bool,
        takes_rest: impl Fn(&Word) -> bool,
        left_out: impl Fn(&Arm) -> bool,
        st: &mut State,
    ) -> Judged<String> {
        let mut out = String::new();
        let mut falls = false;
        for (at, arm) in arms.iter().enumerate() {
            let taken = falls
                || sure && at == 0
                || arm.patterns.iter().any(&takes_rest)
                || self.decisions.next() == Some(true);
            if !taken || !falls && left_out(arm) {
                continue;
            }
            output::append(&mut out, &self.list(&arm.body, st)?);
            if !arm.falls_through || st.dead {
                break;
            }
            falls = true;
        }
        Ok(out)
    }

    fn decided_condition(
        &mut self,
        condition: &List,
        st: &mut State,
        out: &mut String,
    ) -> Judged<bool> {
        self.decisions.last = None;
        output::append(out, &self.list(condition, st)?);
        let outcome = Asked { st, before: None }.list(condition);
        Ok(self.decisions.holds(outcome))
    }
}
