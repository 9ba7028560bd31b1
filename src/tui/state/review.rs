//! The review of one held merge: where the person is in it, what they decided, what was proposed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::engine::review::{
    CodeLine, Decision, Driven, Place, PlaceKind, Proposal, ReviewView, lines_without,
};

/// How both sides are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Beside each other, where there is room.
    #[default]
    Split,
    /// One below the other.
    Unified,
    /// Unified, with the lines that both started from.
    WithBase,
}

impl Shape {
    /// Gives the next shape; without room for two sides there are only two.
    pub(crate) fn next(self, wide: bool) -> Self {
        match self {
            Self::Split if wide => Self::Unified,
            Self::Split | Self::Unified => Self::WithBase,
            Self::WithBase if wide => Self::Split,
            Self::WithBase => Self::Unified,
        }
    }
}

/// How far the review is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    Loading,
    /// There is nothing to decide here, and why.
    Closed(String),
    Deciding,
    Landing {
        since_ms: i64,
    },
    /// On the target, in these words.
    Landed(String),
}

/// What became of asking about a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Waiting { since_ms: i64 },
    Answer(Proposal),
    Failed(String),
}

/// One open review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Review {
    pub id: i64,
    pub branch: String,
    pub agent: String,
    pub phase: Phase,
    pub view: Option<ReviewView>,
    /// Why the last attempt to land did not.
    pub refused: Option<String>,
    /// The place looked at.
    pub at: usize,
    /// Rows away from the place's first line.
    pub scroll: isize,
    /// Columns that are left of the frame.
    pub shift: usize,
    /// By place; so is the next.
    pub asked: BTreeMap<String, Asked>,
    /// Text that was written for a place and is no decision yet.
    pub unfinished: BTreeMap<String, String>,
    /// Places whose decision was taken back here.
    pub cleared: BTreeSet<String>,
    /// The place that is open in an editor, and the text that was given to it.
    pub editing: Option<(String, String)>,
    /// The place that the engine looks up.
    pub looking_up: Option<String>,
    /// The place that was last arrived at, and the columns of its longest line: too many lines to measure for
    /// each frame.
    pub arrived_at: Option<String>,
    pub longest: usize,
}

/// What belongs to the places of a review and is no decision, while the review is closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Begun {
    pub asked: BTreeMap<String, Asked>,
    pub unfinished: BTreeMap<String, String>,
}

/// The review and how it is looked at.
#[derive(Debug, Clone)]
pub(crate) struct ReviewState {
    pub open: Option<Review>,
    /// By the number of the entry.
    pub begun: BTreeMap<i64, Begun>,
    pub shape: Shape,
    /// The words that differ are marked.
    pub words: bool,
}

impl Default for ReviewState {
    fn default() -> Self {
        Self {
            open: None,
            begun: BTreeMap::new(),
            shape: Shape::default(),
            words: true,
        }
    }
}

impl ReviewState {
    /// Begins the review of an entry, or goes on where it was left.
    pub(crate) fn begin(&mut self, mut review: Review) {
        self.leave();
        if let Some(begun) = self.begun.remove(&review.id) {
            (review.asked, review.unfinished) = (begun.asked, begun.unfinished);
        }
        self.open = Some(review);
    }

    /// Takes the open review out of sight, and keeps what was asked and begun in it.
    pub(crate) fn leave(&mut self) -> Option<Review> {
        let review = self.open.take()?;
        let begun = Begun {
            asked: review.asked.clone(),
            unfinished: review.unfinished.clone(),
        };
        if begun != Begun::default() {
            self.begun.insert(review.id, begun);
        }
        Some(review)
    }

    /// Keeps what became of asking about a place, whether its review is in sight or not.
    pub(crate) fn keep_asked(&mut self, id: i64, place: &str, asked: Asked) {
        let open = self.open.as_mut().filter(|review| review.id == id);
        let all = match open {
            Some(review) => &mut review.asked,
            None => &mut self.begun.entry(id).or_default().asked,
        };
        all.insert(place.to_owned(), asked);
    }

    /// Tells whether this entry has landed from the open review.
    pub(crate) fn has_landed(&self, id: i64) -> bool {
        self.open
            .as_ref()
            .is_some_and(|r| r.id == id && matches!(r.phase, Phase::Landed(_)))
    }
}

/// A line of the result and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen<'a> {
    pub text: &'a str,
    /// The same line of a side, with what its parts are.
    pub code: Option<&'a CodeLine>,
    pub from: From,
}

/// Whose line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    Ours,
    Theirs,
    Written,
}

impl Review {
    /// Starts the review of an entry.
    pub(crate) fn new(id: i64, branch: &str, agent: &str) -> Self {
        Self {
            id,
            branch: branch.to_owned(),
            agent: agent.to_owned(),
            phase: Phase::Loading,
            view: None,
            refused: None,
            at: 0,
            scroll: 0,
            shift: 0,
            asked: BTreeMap::new(),
            unfinished: BTreeMap::new(),
            cleared: BTreeSet::new(),
            editing: None,
            looking_up: None,
            arrived_at: None,
            longest: 0,
        }
    }

    /// Lists the places; none while they are not known.
    pub(crate) fn places(&self) -> &[Place] {
        self.view.as_ref().map_or(&[], |view| &view.places)
    }

    /// Gives the place looked at.
    pub(crate) fn place(&self) -> Option<&Place> {
        self.places().get(self.at)
    }

    /// Goes to a place, and to its beginning.
    pub(crate) fn go(&mut self, at: usize) {
        self.at = at;
        self.scroll = 0;
        self.shift = 0;
    }

    /// Gives the next place without a decision, from the beginning again after the last one.
    pub(crate) fn next_open(&self) -> Option<usize> {
        let open = |at: &usize| self.places().get(*at).is_some_and(|p| p.decision.is_none());
        let count = self.places().len();
        (self.at + 1..count).chain(0..self.at).find(open)
    }

    /// Counts the places without a decision.
    pub(crate) fn undecided(&self) -> usize {
        self.places()
            .iter()
            .filter(|p| p.decision.is_none())
            .count()
    }

    /// Counts the target's lines that nobody has decided about.
    pub(crate) fn lines_left(&self) -> usize {
        let open = self.places().iter().filter(|p| p.decision.is_none());
        open.filter(|place| !is_whole(place))
            .map(|place| place.ours_go)
            .sum()
    }

    /// Counts the lines of the target and of the branch that go with what is decided.
    pub(crate) fn going(&self) -> (usize, usize) {
        self.places()
            .iter()
            .map(going)
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// Counts versions of files that go with what is decided: of what has no lines one goes as a whole.
    pub(crate) fn versions_going(&self) -> usize {
        let goes = |place: &&Place| match &place.decision {
            None => false,
            Some(Decision::Both | Decision::BothReversed) => place.kind != PlaceKind::Renamed,
            Some(Decision::Ours | Decision::Theirs | Decision::Text { .. }) => true,
        };
        let whole = self.places().iter().filter(|place| is_whole(place));
        whole.filter(goes).count()
    }

    /// Takes an answer that was kept, if nothing newer is known here.
    pub(crate) fn take_answer(&mut self, place: &Place) {
        let asked = match &place.answer {
            Some(Ok(proposal)) => Asked::Answer(proposal.clone()),
            Some(Err(why)) => Asked::Failed(why.clone()),
            None => return,
        };
        match self.asked.get(&place.key) {
            Some(Asked::Waiting { .. } | Asked::Answer(_)) => {}
            Some(Asked::Failed(_)) if place.answer.as_ref().is_some_and(Result::is_err) => {}
            Some(Asked::Failed(_)) | None => {
                self.asked.insert(place.key.clone(), asked);
            }
        }
    }

    /// Gives what was answered about a place, if it was.
    pub(crate) fn proposal(&self, key: &str) -> Option<&Proposal> {
        match self.asked.get(key) {
            Some(Asked::Answer(proposal)) => Some(proposal),
            Some(Asked::Waiting { .. } | Asked::Failed(_)) | None => None,
        }
    }

    /// Says how far the place can be scrolled, up and down.
    pub(crate) fn bounds(&self) -> (isize, isize) {
        let Some(place) = self.place() else {
            return (0, 0);
        };
        let sides = [&place.ours, &place.theirs, &place.result];
        let before = sides.iter().map(|side| side.before.len()).max();
        let after = sides.iter().map(|side| side.after.len()).max();
        let own = place.base.len() + place.ours.lines.len() + place.theirs.lines.len();
        let down = own + after.unwrap_or(0);
        (-(before.unwrap_or(0) as isize), down as isize)
    }
}

/// Tells whether what is decided about has landed already.
pub(crate) fn has_landed(review: &Review) -> bool {
    review
        .view
        .as_ref()
        .is_some_and(|view| view.landed.is_some())
}

/// Tells whether a place is about a file that has no lines to count.
pub(crate) fn is_whole(place: &Place) -> bool {
    match place.kind {
        PlaceKind::Text
        | PlaceKind::Whole
        | PlaceKind::DeletedByBranch
        | PlaceKind::DeletedByTarget => false,
        PlaceKind::Driven => place.driven.as_ref().is_none_or(|d| d.lines.is_empty()),
        PlaceKind::Binary | PlaceKind::Symlink | PlaceKind::Mode | PlaceKind::Renamed => true,
    }
}

/// Tells whether a place is about lines that a person can write.
pub(crate) fn is_text(place: &Place) -> bool {
    matches!(place.kind, PlaceKind::Text | PlaceKind::Whole)
}

/// Counts the lines of both sides that go with a place's decision.
pub(crate) fn going(place: &Place) -> (usize, usize) {
    match &place.decision {
        _ if is_whole(place) => (0, 0),
        None => (0, 0),
        Some(Decision::Both | Decision::BothReversed) => {
            let left_out = |driven: &Driven| (driven.ours_go, driven.theirs_go);
            place.driven.as_ref().map_or((0, 0), left_out)
        }
        Some(Decision::Ours) => (0, place.theirs_go),
        Some(Decision::Theirs) => (place.ours_go, 0),
        Some(Decision::Text { text, .. }) => {
            let [ours, theirs] = missing(place, text);
            (ours.len(), theirs.len())
        }
    }
}

/// Lists the lines of the target and of the branch that a text for the place does not have as they are.
pub(crate) fn missing(place: &Place, text: &str) -> [Vec<String>; 2] {
    [&place.ours.lines, &place.theirs.lines].map(|lines: &Vec<CodeLine>| {
        let side: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let side = side.join("\n");
        let missing = lines_without(&side, text).into_iter();
        missing.map(str::to_owned).collect()
    })
}

/// Gives the lines that stand in a place by a decision. Of what is not text a decision takes a whole
/// version, which has no lines here.
pub(crate) fn chosen<'a>(place: &'a Place, decision: &'a Decision) -> Vec<Chosen<'a>> {
    if !is_text(place) && place.driven.is_none() {
        return Vec::new();
    }
    let side = |lines: &'a [CodeLine], from: From| {
        lines.iter().map(move |code| Chosen {
            text: &code.text,
            code: Some(code),
            from,
        })
    };
    let ours = side(&place.ours.lines, From::Ours);
    let theirs = side(&place.theirs.lines, From::Theirs);
    match (decision, &place.driven) {
        (Decision::Both | Decision::BothReversed, Some(driven)) => {
            side(&driven.lines, From::Written).collect()
        }
        (Decision::Ours, _) => ours.collect(),
        (Decision::Theirs, _) => theirs.collect(),
        (Decision::Both, None) => ours.chain(theirs).collect(),
        (Decision::BothReversed, None) => theirs.chain(ours).collect(),
        (Decision::Text { text, .. }, _) => written(place, text),
    }
}

/// Gives written lines, with what is known of those that a side has, too.
pub(crate) fn written<'a>(place: &'a Place, text: &'a str) -> Vec<Chosen<'a>> {
    let by_text = |lines: &'a [CodeLine]| -> HashMap<&'a str, &'a CodeLine> {
        let lines = lines.iter().rev();
        lines.map(|line| (line.text.as_str(), line)).collect()
    };
    let (ours, theirs) = (by_text(&place.ours.lines), by_text(&place.theirs.lines));
    text.lines()
        .map(|text| {
            let (ours, theirs) = (ours.get(text).copied(), theirs.get(text).copied());
            Chosen {
                text,
                code: ours.or(theirs),
                from: match (ours, theirs) {
                    (Some(_), _) => From::Ours,
                    (None, Some(_)) => From::Theirs,
                    (None, None) => From::Written,
                },
            }
        })
        .collect()
}

/// Names a decision as titles do.
pub(crate) fn named(place: &Place, decision: &Decision) -> &'static str {
    match decision {
        Decision::Both | Decision::BothReversed if place.driven.is_some() => "the merge driver's",
        Decision::Ours => "ours",
        Decision::Theirs => "theirs",
        Decision::Both => "both (incoming after ours)",
        Decision::BothReversed => "both (ours after incoming)",
        Decision::Text { proposed: true, .. } => "the proposal",
        Decision::Text {
            proposed: false, ..
        } => "edited",
    }
}
