//! The characters grove's own chrome is made of, in two sets.
//!
//! Every state mark differs from every other in shape, so no meaning rests on colour alone. What
//! agents print is never translated.

/// Corners and edges of one kind of frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxGlyphs {
    pub top_left: &'static str,
    pub top_right: &'static str,
    pub bottom_left: &'static str,
    pub bottom_right: &'static str,
    pub horizontal: &'static str,
    pub vertical: &'static str,
}

/// One complete set.
#[derive(Debug)]
pub(crate) struct Glyphs {
    pub plain: BoxGlyphs,
    /// Frame of the focused pane.
    pub thick: BoxGlyphs,
    /// Frame of whatever takes the keyboard: a pane being typed into, a dialog.
    pub double: BoxGlyphs,
    pub working: &'static str,
    pub booting: &'static str,
    pub needs_you: &'static str,
    pub stalled: &'static str,
    pub error: &'static str,
    pub zombie: &'static str,
    pub done: &'static str,
    pub over_budget: &'static str,
    pub limited: &'static str,
    pub ellipsis: &'static str,
    pub gauge_full: &'static str,
    pub gauge_track: &'static str,
    pub left: &'static str,
    pub right: &'static str,
    pub arrow: &'static str,
    pub follow: &'static str,
    pub unread: &'static str,
    pub dot: &'static str,
    pub dash: &'static str,
    pub add: &'static str,
    pub del: &'static str,
    pub caret: &'static str,
    /// Beside lines that belong together.
    pub vertical_mark: &'static str,
}

/// The default set.
pub(crate) const UNICODE: Glyphs = Glyphs {
    plain: BoxGlyphs {
        top_left: "╭",
        top_right: "╮",
        bottom_left: "╰",
        bottom_right: "╯",
        horizontal: "─",
        vertical: "│",
    },
    thick: BoxGlyphs {
        top_left: "┏",
        top_right: "┓",
        bottom_left: "┗",
        bottom_right: "┛",
        horizontal: "━",
        vertical: "┃",
    },
    double: BoxGlyphs {
        top_left: "╔",
        top_right: "╗",
        bottom_left: "╚",
        bottom_right: "╝",
        horizontal: "═",
        vertical: "║",
    },
    working: ">",
    booting: "~",
    needs_you: "◆",
    stalled: "!",
    error: "✗",
    zombie: "x",
    done: "✓",
    over_budget: "$",
    limited: "z",
    ellipsis: "…",
    gauge_full: "▇",
    gauge_track: "▁",
    left: "‹",
    right: "›",
    arrow: "→",
    follow: "↓",
    unread: "●",
    dot: "·",
    dash: "—",
    add: "+",
    del: "−",
    caret: "❯",
    vertical_mark: "▎",
};

/// The set for terminals or locales that are not UTF-8.
pub(crate) const ASCII: Glyphs = Glyphs {
    plain: BoxGlyphs {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        horizontal: "-",
        vertical: "|",
    },
    thick: BoxGlyphs {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        horizontal: "=",
        vertical: "|",
    },
    double: BoxGlyphs {
        top_left: "#",
        top_right: "#",
        bottom_left: "#",
        bottom_right: "#",
        horizontal: "=",
        vertical: "#",
    },
    working: ">",
    booting: "~",
    needs_you: "?",
    stalled: "!",
    error: "E",
    zombie: "x",
    done: "+",
    over_budget: "$",
    limited: "z",
    ellipsis: "~",
    gauge_full: "#",
    gauge_track: ".",
    left: "<",
    right: ">",
    arrow: "->",
    follow: "v",
    unread: "*",
    dot: "|",
    dash: "-",
    add: "+",
    del: "-",
    caret: ">",
    vertical_mark: ":",
};
