//! The program as its user meets it: real processes, a real terminal, scripted agents, no network.

#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;

#[cfg(test)]
mod agents;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod attempts;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod confined;
#[cfg(test)]
mod costs;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod crowds;
#[cfg(test)]
mod deaths;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod demo;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod git_front;
#[cfg(test)]
mod habits;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod hooks;
#[cfg(test)]
mod killed_loop;
mod landed;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod leaving;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod logins;
#[cfg(test)]
mod orchestrator;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod outside;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod pointers;
#[cfg(test)]
mod queue;
mod queue_turns;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod refused_again;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod replaced;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(test)]
mod screen;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod secrets;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod secrets_in_json;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod unwalled;
#[cfg(test)]
mod watching;
