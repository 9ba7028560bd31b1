//! The value of every placeholder, and the frame they are filled into.

use super::TEMPLATE;
use super::fill::{collapse_blank_lines, fill, one_line};
use super::gates::{
    completion_mail, gate_bash, gate_capabilities, gate_inline, gate_steps, gates_section,
};
use super::input::OverlayInput;
use super::sections::{
    constraints, dispatch_overrides, domains, expertise, file_scope, siblings, skip_scout,
    spawning, spec_instruction, tracker,
};

/// Renders the instructions.
pub fn render(input: &OverlayInput<'_>) -> String {
    let values = Values::new(input);
    let base = values.fill(input.base_definition);
    let profile = values.fill(input.profile_instructions.unwrap_or(""));
    let text = fill(TEMPLATE, &|name| match name {
        "BASE_DEFINITION" => Some(base.trim().to_owned()),
        "PROFILE_INSTRUCTIONS" => Some(profile.trim().to_owned()),
        _ => values.get(name).map(str::to_owned),
    });
    collapse_blank_lines(&text)
}

/// A value for every placeholder, by its name.
pub(super) struct Values(Vec<(&'static str, String)>);

impl Values {
    pub(super) fn new(input: &OverlayInput<'_>) -> Self {
        let parent = one_line(input.parent_agent.unwrap_or("coordinator"));
        Self(vec![
            ("AGENT_NAME", one_line(input.agent_name)),
            ("TASK_ID", one_line(input.task_id)),
            ("SPEC_PATH", one_line(input.spec_path.unwrap_or("none"))),
            ("BRANCH_NAME", one_line(input.branch_name)),
            ("WORKTREE_PATH", one_line(input.worktree_path)),
            ("PARENT_AGENT", parent.clone()),
            ("DEPTH", input.depth.to_string()),
            ("FILE_SCOPE", file_scope(input.file_scope)),
            ("MULCH_DOMAINS", domains(input.mulch_domains)),
            ("MULCH_EXPERTISE", expertise(input.mulch_expertise)),
            ("CAN_SPAWN", spawning(input)),
            ("QUALITY_GATES", gates_section(input, &parent)),
            ("CONSTRAINTS", constraints(input)),
            (
                "SPEC_INSTRUCTION",
                spec_instruction(input.spec_path, &parent),
            ),
            ("SKIP_SCOUT", skip_scout(input.skip_scout)),
            ("DISPATCH_OVERRIDES", dispatch_overrides(input)),
            ("SIBLINGS", siblings(input.siblings)),
            ("QUALITY_GATE_INLINE", gate_inline(input.quality_gates)),
            (
                "QUALITY_GATE_STEPS",
                gate_steps(input.quality_gates, input.capability),
            ),
            ("QUALITY_GATE_BASH", gate_bash(input.quality_gates)),
            (
                "QUALITY_GATE_CAPABILITIES",
                gate_capabilities(input.quality_gates),
            ),
            ("TRACKER_CLI", input.tracker_cli.to_owned()),
            ("TRACKER_NAME", input.tracker_name.to_owned()),
            ("TRACKER", tracker(input)),
            ("COMPLETION_MAIL", completion_mail(input.capability)),
            ("INSTRUCTION_PATH", input.instruction_path.to_owned()),
        ])
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Replaces every placeholder of a role or a profile.
    pub(super) fn fill(&self, template: &str) -> String {
        fill(template, &|name| self.get(name).map(str::to_owned))
    }
}
