//! What an agent is told and remembered by: roles, instructions, identity (L3).

pub mod checkpoint;
pub mod current_run;
pub mod file_scope;
pub mod groups;
pub mod health;
pub mod identity;
pub mod manifest;
pub mod overlay;
pub mod prime;
pub mod roster;
pub mod scaffold;
pub mod tmux;
pub mod tracker;
