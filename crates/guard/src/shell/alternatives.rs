//! What a command may be, one of several: each is judged from the same state, and what they lead to is joined.

use super::output;
use super::state::State;
use super::walk::{Done, Walker};
use crate::policy::Judged;

impl Done {
    /// Either of two.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            out: output::either(self.out, other.out),
            failed: self.failed.or(other.failed),
            enters: false,
        }
    }
}

impl Walker<'_> {
    /// Judges each alternative in the state that is there, and leaves all that they lead to.
    pub(crate) fn alternatives<T>(
        &mut self,
        choices: impl IntoIterator<Item = T>,
        st: &mut State,
        mut judge: impl FnMut(&mut Self, T, &mut State) -> Judged<Done>,
    ) -> Judged<Done> {
        let before = st.clone();
        let mut done: Option<Done> = None;
        for choice in choices {
            let mut one = before.clone();
            let result = self.loosely(|walker| judge(walker, choice, &mut one))?;
            done = Some(match done {
                None => {
                    *st = one;
                    result
                }
                Some(other) => {
                    st.join(one);
                    other.or(result)
                }
            });
        }
        Ok(done.unwrap_or_default())
    }
}
