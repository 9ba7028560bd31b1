//! The thread of a host that waits for the last minutes of a login.

use super::decide::{self, Next, Outcome, Tries};
use super::record::Record;
use super::{renew, tell};
use crate::host::HostError;
use crate::host::shared::Shared;
use crate::platform::alarm::Alarm;
use crate::platform::watch::{self, Watch};
use crate::platform::{clock, env, fs};
use crate::runtimes::{RunningLogin, Runtime};
use crate::types::Timestamp;
use std::sync::Arc;

/// Keeps one login alive.
pub(in crate::host) struct Keeper {
    shared: Arc<Shared>,
    login: RunningLogin,
    record: Record,
}

impl Keeper {
    /// For an agent inside of a sandbox that works with a login which runs out; `None` for every other.
    pub(in crate::host) fn of(shared: &Arc<Shared>, runtime: &dyn Runtime) -> Option<Self> {
        let home = env::home()?;
        let launch = &shared.launch;
        let given = |name: &str| {
            let own = launch.env.get(name).cloned();
            let named = || launch.env_from.get(name).and_then(|from| env::var(from));
            let inherited = || {
                let taken = launch.env_remove.iter().any(|removed| removed == name);
                (!taken).then(|| env::var(name)).flatten()
            };
            own.or_else(named).or_else(inherited)
        };
        let login = match runtime.running_login(&home, &launch.root, &given) {
            Ok(login) => login?,
            Err(e) => {
                tracing::warn!("the agent's login is not renewed: {e}");
                return None;
            }
        };
        runs_out(&login)?;
        match Record::of(&home, &login.file) {
            Ok(record) => Some(Self {
                shared: Arc::clone(shared),
                login,
                record,
            }),
            Err(e) => {
                tracing::warn!("the agent's login is not renewed: {e}");
                None
            }
        }
    }

    /// Renews a login that has run out already, so that the agent does not begin with it.
    pub(in crate::host) fn before_the_start(&self) {
        let is_due = || {
            let end = runs_out(&self.login).map(|end| end.0);
            decide::before_a_start(end, self.record.tries(), clock::now().0)
        };
        if is_due() {
            self.renew_and_say(is_due);
        }
    }

    /// Keeps the login alive for as long as the host lives.
    pub(in crate::host) fn stay(self) {
        let alarm = match Alarm::new() {
            Ok(alarm) => Arc::new(alarm),
            Err(e) => {
                tracing::warn!("the agent's login is not renewed: {e}");
                return;
            }
        };
        // Without it a login that somebody else renews is only noticed when the timer has run down.
        let _watch = self.watch(&alarm);
        let mut looked = None;
        loop {
            let since = looked.map(|looked| clock::steady_ms() - looked);
            match decide::paced(self.next(), since, clock::now().0) {
                Next::Renew => {
                    self.renew_and_say(|| self.next() == Next::Renew);
                    looked = Some(clock::steady_ms());
                }
                Next::At(at) => alarm.wait(Some(Timestamp(at))),
                Next::Rest => alarm.wait(None),
            }
            if self.shared.with_turn(|t| t.ended || t.stopping) {
                return;
            }
        }
    }

    fn watch(&self, alarm: &Arc<Alarm>) -> Option<Watch> {
        let folder = self.login.file.parent()?;
        let rung = Arc::clone(alarm);
        let name: &'static [&'static str] = self.login.watched;
        let watch = watch::files(&[folder], name, move || rung.ring());
        watch
            .inspect_err(|e| tracing::warn!("a new login is noticed late: {e}"))
            .ok()
    }

    fn next(&self) -> Next {
        let early = i64::try_from(self.login.early.as_millis()).unwrap_or(i64::MAX);
        let runs_out = runs_out(&self.login).map(|end| end.0);
        decide::next(runs_out, early, self.record.tries(), clock::now().0)
    }

    fn renew_and_say(&self, is_due: impl Fn() -> bool) {
        if let Err(e) = self.renew_if(is_due) {
            tracing::warn!("the agent's login is not renewed: {e}");
        }
    }

    /// Renews the login unless another host has done so, or tried, while this one waited for its turn.
    fn renew_if(&self, is_due: impl Fn() -> bool) -> Result<(), HostError> {
        let _turn = self.record.turn()?;
        // Whoever ends the agent ends all that its host has started, and waits for this.
        let _running = self.shared.renewing();
        if !is_due() || self.shared.with_turn(|t| t.ended || t.stopping) {
            return Ok(());
        }
        let Some(before) = runs_out(&self.login) else {
            return Ok(());
        };
        let mut tries = Tries {
            of: before.0,
            count: 1,
            last: clock::now().0,
        };
        if let Some(failed) = self.record.tries().filter(|failed| failed.of == before.0) {
            tries.count += failed.count;
        }
        // Written down first: where nothing can be kept, nothing would end the tries.
        self.record.keep(tries)?;
        let cause = renew::call(&self.login, &self.record.empty_folder()?);
        let outcome = decide::outcome(before.0, runs_out(&self.login).map(|end| end.0));
        tracing::info!("the login was to be renewed: {outcome:?}");
        match outcome {
            Outcome::Renewed => self.record.forget()?,
            Outcome::Refused | Outcome::Failed => {
                tracing::warn!("{cause}");
                tries.last = clock::now().0;
                self.record.keep(tries)?;
            }
        }
        if decide::tells(outcome, tries.count) {
            let shared = &self.shared;
            tell::tell(
                &shared.paths,
                shared.agent(),
                &self.login,
                outcome,
                before,
                &cause,
            )?;
        }
        Ok(())
    }
}

/// When the login runs out, by its file as it is now.
fn runs_out(login: &RunningLogin) -> Option<Timestamp> {
    match fs::read_optional(&login.file) {
        Ok(text) => (login.runs_out)(&text?),
        Err(e) => {
            tracing::warn!("the login cannot be looked at: {e}");
            None
        }
    }
}
