//! Group addresses such as `@all` and `@builders`, resolved against the live sessions.

use super::error::MailError;
use crate::types::AgentSession;

/// Every address that names a group.
pub const VALID_GROUPS: [&str; 17] = [
    "@all",
    "@builder",
    "@builders",
    "@scout",
    "@scouts",
    "@reviewer",
    "@reviewers",
    "@lead",
    "@leads",
    "@merger",
    "@mergers",
    "@supervisor",
    "@supervisors",
    "@coordinator",
    "@coordinators",
    "@monitor",
    "@monitors",
];

/// Whom an address means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupAddress {
    /// Everybody.
    All,
    /// Everybody with this capability.
    Capability(String),
}

impl GroupAddress {
    /// Tells whether an address names a group at all.
    pub fn looks_like_group(address: &str) -> bool {
        address.starts_with('@')
    }

    /// Parses a group address, in any letter case.
    pub fn parse(address: &str) -> Result<Self, MailError> {
        let lower = address.to_lowercase();
        if !VALID_GROUPS.contains(&lower.as_str()) {
            return Err(MailError::UnknownGroup {
                address: address.to_owned(),
            });
        }
        let name = lower.trim_start_matches('@');
        Ok(match name {
            "all" => Self::All,
            _ => Self::Capability(name.trim_end_matches('s').to_owned()),
        })
    }
}

/// Returns the agents a group address means among the active sessions, without the sender.
pub fn resolve_group(
    address: &str,
    sender: &str,
    active: &[AgentSession],
) -> Result<Vec<String>, MailError> {
    let group = GroupAddress::parse(address)?;
    let members: Vec<String> = active
        .iter()
        .filter(|session| session.agent_name != sender)
        .filter(|session| match &group {
            GroupAddress::All => true,
            GroupAddress::Capability(capability) => session.capability == *capability,
        })
        .map(|session| session.agent_name.clone())
        .collect();
    if members.is_empty() {
        let why = match group {
            GroupAddress::All => "sender excluded".to_owned(),
            GroupAddress::Capability(capability) => format!("no active {capability} agents"),
        };
        return Err(MailError::EmptyGroup {
            address: address.to_owned(),
            why,
        });
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str, capability: &str) -> AgentSession {
        AgentSession {
            capability: capability.into(),
            ..AgentSession::example(name)
        }
    }

    #[test]
    fn groups_leave_the_sender_out_and_ignore_case() {
        let active = [
            session("b1", "builder"),
            session("b2", "builder"),
            session("l", "lead"),
        ];
        assert_eq!(resolve_group("@ALL", "l", &active).unwrap(), ["b1", "b2"]);
        assert_eq!(resolve_group("@Builder", "b1", &active).unwrap(), ["b2"]);
        assert_eq!(resolve_group("@leads", "b1", &active).unwrap(), ["l"]);
    }

    #[test]
    fn empty_and_unknown_groups_are_errors() {
        let active = [session("l", "lead")];
        let message = resolve_group("@all", "l", &active).unwrap_err().to_string();
        assert_eq!(
            message,
            "Group address \"@all\" resolved to zero recipients (sender excluded)"
        );
        let message = resolve_group("@scouts", "x", &active)
            .unwrap_err()
            .to_string();
        assert!(message.ends_with("(no active scout agents)"));
        assert!(matches!(
            resolve_group("@orchestrator", "x", &active),
            Err(MailError::UnknownGroup { .. })
        ));
    }
}
