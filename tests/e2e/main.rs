//! The program as its user meets it: real processes, a real terminal, scripted agents, no network.

#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;

#[cfg(test)]
mod agents;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod costs;
#[cfg(test)]
mod orchestrator;
#[cfg(test)]
mod queue;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(test)]
mod screen;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod watching;
