//! The real Claude Code against a scripted model on loopback, in a scrubbed environment with an
//! empty home and a dummy key: two agents work, are watched, told, refused, landed.
//!
//! Each agent CLI that npm has, asked to merge; and the real `sd` and `ml` beside grove on the same files.
//!
//! Needs the CLIs from npm, therefore ignored by name in a plain run. `scripts/install-claude`
//! installs the one and prints the path that `GROVE_TEST_CLAUDE` must hold, `scripts/install-os-eco` and
//! `GROVE_TEST_OS_ECO` are for the trackers, `scripts/install-agents` and `GROVE_TEST_AGENTS` for the
//! other CLIs.

#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;

#[cfg(test)]
mod attack;
#[cfg(test)]
mod claude;
#[cfg(test)]
mod dates;
mod killed_hooks;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod logins;
#[cfg(test)]
mod one_shot;
#[cfg(test)]
mod own_state;
#[cfg(test)]
mod trackers;
