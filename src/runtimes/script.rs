//! The scripted agent: does what a YAML file says, needs no model. For the demo and for tests.

use super::{
    Capabilities, LaunchContext, Prepared, Runtime, RuntimeError, StreamEvent, plain_cause,
};
use crate::platform::fs;
use crate::platform::paths::INSTRUCTIONS;
use crate::types::host::Mode;
use std::collections::BTreeMap;

/// The runtime `script`.
#[derive(Debug)]
pub struct Script;

impl Runtime for Script {
    fn id(&self) -> &'static str {
        "script"
    }

    fn binary(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            modes: &[Mode::Pty],
            hooks: true,
            resume: false,
            steering: true,
        }
    }

    fn instruction_file(&self) -> Option<&'static str> {
        None
    }

    fn prepare(&self, ctx: &LaunchContext<'_>) -> Result<Prepared, RuntimeError> {
        if ctx.mode == Mode::Stream {
            return Err(RuntimeError::Mode {
                runtime: "script",
                mode: ctx.mode,
            });
        }
        let spec = ctx.spec.ok_or_else(|| RuntimeError::NoScript {
            agent: ctx.agent.to_owned(),
        })?;
        // Nobody reads them to the script; they say what the agent was given.
        fs::write_atomic(&ctx.private_dir.join(INSTRUCTIONS), ctx.overlay)?;
        Ok(Prepared {
            argv: vec![
                ctx.grove.to_string_lossy().into_owned(),
                "script-agent".to_owned(),
                spec.to_string_lossy().into_owned(),
            ],
            env: BTreeMap::new(),
            ..Prepared::default()
        })
    }

    fn user_line(&self, text: &str) -> Vec<u8> {
        format!("{text}\n").into_bytes()
    }

    fn parse_line(&self, line: &str) -> Vec<StreamEvent> {
        vec![StreamEvent::Unknown(line.to_owned())]
    }

    fn exit_cause(&self, code: Option<i32>, signal: Option<&str>, _screen: &str) -> String {
        plain_cause(code, signal)
    }
}
