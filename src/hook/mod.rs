//! Grove inside an agent (L5): hand the command to the agent's host and print the answer.
//!
//! Runs for every tool call of every agent, so it touches nothing but the socket: no database,
//! no configuration, no argument parser. The guard fails closed: without an answer of the host
//! a tool call is refused with exit code 2, as is a hook that nobody knows; everything else lets the agent go on.

mod client;

pub use client::inside_agent;
