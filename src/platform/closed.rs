//! A process that others of the same user cannot look into.

/// From now on no other process of the user can trace this one, read its memory or take its files, root apart. The system
/// gives that back with the next program.
#[cfg(target_os = "linux")]
pub fn to_others() -> std::io::Result<()> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Other systems have no such thing for a process to ask for.
#[cfg(not(target_os = "linux"))]
pub fn to_others() -> std::io::Result<()> {
    Ok(())
}
