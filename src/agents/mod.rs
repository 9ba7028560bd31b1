//! What an agent is told and remembered by: roles, instructions, identity (L3).

pub mod identity;
pub mod manifest;
pub mod overlay;
