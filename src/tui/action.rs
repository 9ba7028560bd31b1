//! The vocabulary: every verb a user can invoke, by key, palette, mouse or hint.
//!
//! The id of an action is what keymap files write; title and help feed palette and help overlay.
//! What an action does lives in `update`; whether it applies now lives in `update::applies`.

/// A user-visible verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    Help,
    Palette,
    Quit,
    Suspend,
    Redraw,
    MouseToggle,
    ActionLog,
    ThemePicker,
    ScreenWork,
    ScreenMail,
    ScreenMerge,
    ScreenHealth,
    Up,
    Down,
    Left,
    Right,
    Top,
    Bottom,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    NextRegion,
    PrevRegion,
    Open,
    Back,
    Filter,
    NextMatch,
    PrevMatch,
    NextNeedsYou,
    PrevNeedsYou,
    TypeInto,
    Message,
    Answer,
    Zoom,
    NextLayout,
    ToggleFleet,
    Grow,
    Shrink,
    Equalise,
    NextPage,
    PrevPage,
    ToggleFold,
    Sling,
    Nudge,
    Stop,
    Reply,
    Compose,
    ToggleRead,
    GoToAgent,
    MergeNow,
    MergeAll,
    MergePreview,
    MergeEarlier,
    MergeLater,
    MergePause,
    MergeUndo,
    MergeCombine,
    MergeBoth,
    RetryMerge,
    DropMerge,
    Review(ReviewVerb),
    Init,
    Demo,
    CopyName,
    CopyBranch,
    CopyPath,
    CopyScreen,
}

/// A verb of the review of a held merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReviewVerb {
    Ours,
    Theirs,
    Both,
    BothReversed,
    Edit,
    Ask,
    Take,
    TheirsAll,
    OursAll,
    Clear,
    NextOpen,
    Words,
    Shape,
    /// Show long lines further to the left, or to the right.
    Left,
    Right,
    Accept,
}

impl ReviewVerb {
    /// Tells whether it changes what is seen only.
    pub fn only_looks(self) -> bool {
        matches!(
            self,
            Self::NextOpen | Self::Words | Self::Shape | Self::Left | Self::Right
        )
    }
}

/// What there is to say about an action.
#[derive(Debug, Clone, Copy)]
pub struct ActionInfo {
    pub action: Action,
    /// The name in keymap files.
    pub id: &'static str,
    /// The palette entry.
    pub title: &'static str,
    /// One sentence for help.
    pub help: &'static str,
    /// The command that does the same from a shell, if there is one.
    pub cli: &'static str,
}

const fn info(
    action: Action,
    id: &'static str,
    title: &'static str,
    help: &'static str,
    cli: &'static str,
) -> ActionInfo {
    ActionInfo {
        action,
        id,
        title,
        help,
        cli,
    }
}

/// Every action, in the order in which an empty palette lists them.
#[rustfmt::skip] // a table is read by row
pub const ACTIONS: [ActionInfo; 83] = [
    info(Action::TypeInto, "pane.type", "Type into pane", "hand the keyboard to the focused agent", ""),
    info(Action::Message, "agent.message", "Message agent", "write a mail to the focused agent without leaving normal mode", "grove mail send"),
    info(Action::Answer, "agent.answer", "Answer prompt", "answer the question an agent is waiting on", ""),
    info(Action::NextNeedsYou, "fleet.next_needs_you", "Next agent that needs you", "focus the next agent that waits for a person", ""),
    info(Action::PrevNeedsYou, "fleet.prev_needs_you", "Previous agent that needs you", "focus the previous agent that waits for a person", ""),
    info(Action::Sling, "agent.sling", "Sling a new agent", "start an agent on a task", "grove sling"),
    info(Action::Nudge, "agent.nudge", "Nudge agent", "remind the agent to look at its mail and go on", "grove nudge"),
    info(Action::Stop, "agent.stop", "Stop agent", "stop the agent; asks first", "grove stop"),
    info(Action::Zoom, "pane.zoom", "Zoom pane", "give the focused pane the whole body, or take it back", ""),
    info(Action::NextLayout, "layout.next", "Next layout", "cycle auto, grid, columns, stack, solo and fill the slots anew", ""),
    info(Action::ToggleFleet, "fleet.toggle", "Show or fold the fleet", "switch between fleet list and chips", ""),
    info(Action::Grow, "layout.grow", "Grow pane", "make the focused side larger", ""),
    info(Action::Shrink, "layout.shrink", "Shrink pane", "make the focused side smaller", ""),
    info(Action::Equalise, "layout.equal", "Reset sizes", "give every side its usual size", ""),
    info(Action::NextPage, "panes.next_page", "Next page of panes", "show the agents that did not fit", ""),
    info(Action::PrevPage, "panes.prev_page", "Previous page of panes", "go back one page of panes", ""),
    info(Action::ToggleFold, "fleet.fold", "Fold or unfold", "fold or unfold finished agents", ""),
    info(Action::ScreenWork, "screen.work", "Go to Work", "fleet and live panes", "grove status"),
    info(Action::ScreenMail, "screen.mail", "Go to Mail", "messages and threads", "grove mail list"),
    info(Action::ScreenMerge, "screen.merge", "Go to Merge", "the merge queue and what waits in it", "grove merge"),
    info(Action::ScreenHealth, "screen.health", "Go to Health", "evidence and verdict for every agent", "grove inspect"),
    info(Action::Reply, "mail.reply", "Reply", "answer the selected message", "grove mail reply"),
    info(Action::Compose, "mail.compose", "Compose mail", "write a new message", "grove mail send"),
    info(Action::ToggleRead, "mail.toggle_read", "Mark read or unread", "change whether the message counts as read", "grove mail read"),
    info(Action::GoToAgent, "agent.go", "Go to agent", "show the agent this row is about", ""),
    info(Action::MergeNow, "merge.now", "Merge now", "land the selected branch if the gates pass", "grove merge --branch"),
    info(Action::MergeAll, "merge.all", "Merge all clean", "land everything that waits and displaces nothing, tested together", "grove merge --all"),
    info(Action::MergePreview, "merge.preview", "Preview merge", "a dry run in memory: files, conflicts, lines at risk", "grove merge --dry-run"),
    info(Action::MergeEarlier, "merge.earlier", "Land earlier", "move the branch one place up in the landing order", ""),
    info(Action::MergeLater, "merge.later", "Land later", "move the branch one place down in the landing order", ""),
    info(Action::MergePause, "merge.pause", "Pause or resume the queue", "nothing lands by itself while the queue is paused", ""),
    info(Action::MergeUndo, "merge.undo", "Undo merge or drop", "put back what was just dropped, else take a landed merge back; asks first", "grove merge undo"),
    info(Action::MergeCombine, "merge.combine", "Ask a model to combine", "the configured runtime decides the contested lines; its answer is checked like any other", ""),
    info(Action::MergeBoth, "merge.both", "Keep both sides", "land with the contested lines of both sides, the target's first; asks before", ""),
    info(Action::RetryMerge, "merge.retry", "Put in line again", "let a failed or conflicting branch wait for its turn", ""),
    info(Action::DropMerge, "merge.drop", "Drop or cancel", "take the branch out of the queue (one key puts it back), or cancel its merge under way", ""),
    info(Action::Review(ReviewVerb::Ours), "review.ours", "Take ours", "keep the target's lines in this place", ""),
    info(Action::Review(ReviewVerb::Theirs), "review.theirs", "Take theirs", "take the branch's lines in this place", ""),
    info(Action::Review(ReviewVerb::Both), "review.both", "Take both", "the target's lines, then the branch's", ""),
    info(Action::Review(ReviewVerb::BothReversed), "review.both_reversed", "Take both reversed", "the branch's lines, then the target's", ""),
    info(Action::Review(ReviewVerb::Edit), "review.edit", "Edit the result", "write the lines of this place in your editor", ""),
    info(Action::Review(ReviewVerb::Ask), "review.ask", "Ask AI to combine", "ask the configured runtime for lines; decides nothing", ""),
    info(Action::Review(ReviewVerb::Take), "review.take", "Take the proposal", "decide for the lines that were proposed", ""),
    info(Action::Review(ReviewVerb::TheirsAll), "review.theirs_all", "Theirs for the rest", "take the branch's side wherever nothing is decided", ""),
    info(Action::Review(ReviewVerb::OursAll), "review.ours_all", "Ours for the rest", "keep the target's lines wherever nothing is decided; says how many lines of the branch do not land", ""),
    info(Action::Review(ReviewVerb::NextOpen), "review.next_open", "Next without a decision", "go to the next place that has no decision yet", ""),
    info(Action::Review(ReviewVerb::Left), "review.left", "Long lines to the left", "show what is left of the frame", ""),
    info(Action::Review(ReviewVerb::Right), "review.right", "Long lines to the right", "show what is right of the frame", ""),
    info(Action::Review(ReviewVerb::Clear), "review.clear", "Take the decision back", "leave this place undecided again", ""),
    info(Action::Review(ReviewVerb::Words), "review.words", "Mark words", "mark the words that differ, or whole lines", ""),
    info(Action::Review(ReviewVerb::Shape), "review.shape", "Split, unified, with base", "change how both sides are shown", ""),
    info(Action::Review(ReviewVerb::Accept), "review.accept", "Accept the review", "land what was decided, once every place is", ""),
    info(Action::Init, "project.init", "Initialise project", "create .overstory/ in this repository", "grove init"),
    info(Action::Demo, "demo.open", "Watch the demo", "six scripted agents in a temporary repository: no key, no tokens, nothing left behind", "grove demo"),
    info(Action::CopyName, "copy.name", "Copy name", "send the agent's name to the clipboard", ""),
    info(Action::CopyBranch, "copy.branch", "Copy branch", "send the branch name to the clipboard", ""),
    info(Action::CopyPath, "copy.path", "Copy worktree path", "send the path of the worktree to the clipboard", ""),
    info(Action::CopyScreen, "copy.screen", "Copy pane text", "send what the focused pane shows to the clipboard", ""),
    info(Action::Up, "move.up", "Up", "move or focus up", ""),
    info(Action::Down, "move.down", "Down", "move or focus down", ""),
    info(Action::Left, "move.left", "Left", "focus left", ""),
    info(Action::Right, "move.right", "Right", "focus right", ""),
    info(Action::Top, "move.top", "First", "go to the first row or the oldest output", ""),
    info(Action::Bottom, "move.bottom", "Last", "go to the last row or the newest output", ""),
    info(Action::PageUp, "move.page_up", "Page up", "one page up; in panes, scroll back", ""),
    info(Action::PageDown, "move.page_down", "Page down", "one page down; in panes, scroll forward", ""),
    info(Action::HalfUp, "move.half_up", "Half a page up", "half a page up", ""),
    info(Action::HalfDown, "move.half_down", "Half a page down", "half a page down", ""),
    info(Action::NextRegion, "region.next", "Next region", "move the focus to the next part of the screen", ""),
    info(Action::PrevRegion, "region.prev", "Previous region", "move the focus to the previous part of the screen", ""),
    info(Action::Open, "open", "Open", "open or act on the selected row", ""),
    info(Action::Back, "back", "Back", "one level back, clear a filter, dismiss a notice", ""),
    info(Action::Filter, "filter", "Filter", "show only rows that contain a text", ""),
    info(Action::NextMatch, "match.next", "Next hunk", "go to the next displaced hunk or message of the thread", ""),
    info(Action::PrevMatch, "match.prev", "Previous hunk", "go to the previous displaced hunk or message of the thread", ""),
    info(Action::Help, "help.open", "Help", "every key that works on this screen", "grove --help"),
    info(Action::Palette, "palette.open", "Command palette", "find any action by name", ""),
    info(Action::ActionLog, "log.open", "Action log", "what was asked, by whom, and what came of it", ""),
    info(Action::ThemePicker, "theme.open", "Choose a theme", "try the bundled themes live", ""),
    info(Action::MouseToggle, "mouse.toggle", "Release or capture the mouse", "leave the mouse to your terminal, or take it back", ""),
    info(Action::Redraw, "redraw", "Redraw", "draw the whole screen again", ""),
    info(Action::Suspend, "suspend", "Suspend grove", "back to the shell; agents go on", ""),
    info(Action::Quit, "quit", "Quit", "leave grove; asks first while work goes on", ""),
];

impl Action {
    /// Gives what there is to say about this action.
    pub fn info(self) -> &'static ActionInfo {
        static NONE: ActionInfo = info(Action::Back, "back", "Back", "one level back", "");
        ACTIONS.iter().find(|i| i.action == self).unwrap_or(&NONE)
    }

    /// Finds an action by its name in keymap files.
    pub fn from_id(id: &str) -> Option<Self> {
        ACTIONS.iter().find(|i| i.id == id).map(|i| i.action)
    }
}
