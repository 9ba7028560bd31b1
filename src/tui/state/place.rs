//! Where the user is, and what does not change while grove runs.

/// The screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ScreenId {
    Work,
    Mail,
    Merge,
    Health,
}

impl ScreenId {
    /// Every screen in the order of its digit.
    pub(crate) const ALL: [Self; 4] = [Self::Work, Self::Mail, Self::Merge, Self::Health];

    /// Names the screen as the top bar does.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Work => "Work",
            Self::Mail => "Mail",
            Self::Merge => "Merge",
            Self::Health => "Health",
        }
    }

    /// Names the screen where room is short.
    pub(crate) fn short_title(self) -> &'static str {
        match self {
            Self::Work => "Wrk",
            Self::Mail => "Mail",
            Self::Merge => "Mrg",
            Self::Health => "Hlth",
        }
    }
}

/// Who has the keyboard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Normal,
    /// Every key but the leader goes to this agent.
    Typing { agent: String },
}

/// Which part of the workspace the movement keys act on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Region {
    #[default]
    Fleet,
    Panes,
}

/// What does not change while grove runs.
#[derive(Debug, Clone)]
pub struct Settings {
    pub utc_offset_s: i32,
    /// Sizes are asked for after this much quiet.
    pub resize_settle_ms: i64,
    /// Keys this soon after a dialog opened are not meant for it.
    pub dialog_guard_ms: i64,
    /// A pending sequence explains itself after this time.
    pub which_key_ms: i64,
    /// The program texts are edited with, and its arguments; without one grove's own field is used.
    pub editor: Option<String>,
    /// Agents and repository end with the screen: it is the demo.
    pub ends_with_screen: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            utc_offset_s: 0,
            resize_settle_ms: 80,
            dialog_guard_ms: 150,
            which_key_ms: 300,
            editor: None,
            ends_with_screen: false,
        }
    }
}

/// What has to be drawn again, and how soon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dirty {
    #[default]
    No,
    /// Output in a pane nobody types into.
    Background,
    /// Output in the focused pane.
    Pane,
    /// Anything the user did or should know.
    Yes,
}
