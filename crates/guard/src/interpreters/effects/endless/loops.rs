//! Loops of code that start processes without an end: `fork while 1`, `while True: os.fork()`, `loop { fork }`.
//!
//! A loop counts as endless when its condition never changes. What it starts is bounded by waiting for it, by a
//! pause in each turn, or by a way out.

use super::super::super::syntax::{Family, Node, tokens, tree};
use super::super::program::Run;
use super::super::table;
use super::super::used::{RUN, Seen, named, seen};
use super::counts::{is_constant, is_large, is_large_range, statement_before, until};
use super::words::{PAUSES, STARTS, WAITS};
use crate::policy::Judged;
use crate::shell::endless::bomb;

/// Loops that are looked at one by one; a program with more of them is taken as one.
const LOOPS: usize = 40;

/// A timer that fires less often than this pauses, in milliseconds.
const PAUSE: usize = 100;

/// Refuses a program with a loop that starts processes without an end. `jobs`: a command that it runs leaves one.
pub(in super::super) fn refuse(source: &str, run: &Run<'_>, jobs: bool) -> Judged<()> {
    let child_process = run.reading.imports.contains("child_process");
    if !(jobs
        || child_process
        || STARTS.iter().any(|name| run.uses(name))
        || run.family == Family::Python && (run.uses("Process") || run.uses("getattr")))
    {
        return Ok(());
    }
    let loops = Loops {
        family: run.family,
        jobs,
        child_process,
        names: &[],
    };
    let names = loops.bound(source);
    let names = names.as_slice();
    Loops { names, ..loops }.judge(source)
}

/// The same for a language that is read elsewhere, whose commands leave jobs.
pub(crate) fn refuse_jobs(source: &str) -> Judged<()> {
    let loops = Loops {
        family: Family::Perl,
        jobs: true,
        child_process: false,
        names: &[],
    };
    loops.judge(source)
}

#[derive(Clone, Copy)]
pub(super) struct Loops<'n> {
    pub(super) family: Family,
    /// A command that the program runs leaves a job.
    pub(super) jobs: bool,
    pub(super) child_process: bool,
    /// Names that the program gives to what starts processes.
    pub(super) names: &'n [String],
}

impl Loops<'_> {
    fn judge(self, source: &str) -> Judged<()> {
        let mut left = LOOPS;
        let nodes = self.read(source);
        let python = self.family == Family::Python;
        if self.endless_in(&nodes, &mut left) || python && self.endless_block(source, &mut left) {
            return Err(bomb());
        }
        Ok(())
    }

    /// Whether a loop among these nodes runs away.
    fn endless_in(self, nodes: &[Node], left: &mut usize) -> bool {
        for (at, node) in nodes.iter().enumerate() {
            match node {
                Node::Group(_, inner) => {
                    if self.endless_in(inner, left) {
                        return true;
                    }
                }
                Node::Name(word) => {
                    let Some(bodies) = self.repeated(word, nodes, at) else {
                        continue;
                    };
                    if *left == 0 {
                        return self.runs_away(&[nodes]);
                    }
                    *left -= 1;
                    if self.runs_away(&bodies) {
                        return true;
                    }
                }
                Node::Number(_)
                | Node::Text(_)
                | Node::Words(_)
                | Node::Run(_)
                | Node::Pattern(_)
                | Node::Sign(_)
                | Node::Line => {}
            }
        }
        false
    }

    /// What the loop at this word repeats for ever; `None` where it is no such loop.
    pub(super) fn repeated<'n>(
        self,
        word: &str,
        nodes: &'n [Node],
        at: usize,
    ) -> Option<Vec<&'n [Node]>> {
        let rest = nodes.get(at + 1..).unwrap_or_default();
        if let Some(bodies) = self.counted(word, nodes, at) {
            return Some(bodies);
        }
        match (word, self.family) {
            ("while" | "until", _) => {
                let (condition, behind) = self.condition(rest);
                let endless = is_constant(condition) || named(condition, &["fork", "pcntl_fork"]);
                endless.then(|| {
                    let before = nodes.get(..at).unwrap_or_default();
                    let block = matches!(before.last(), Some(Node::Name(word)) if word == "end");
                    // Where `begin` stands is not worked out.
                    let before = if block {
                        before
                    } else {
                        statement_before(before)
                    };
                    vec![condition, before, self.body(behind)]
                })
            }
            ("for", Family::Python) => {
                let line = until(rest, |node| *node == Node::Line);
                let large = line.windows(2).any(|pair| match pair {
                    [Node::Name(name), Node::Group('(', inner)] => {
                        name == "range" && is_large(inner)
                    }
                    _ => false,
                });
                let endless = large || named(line, &["count", "cycle", "repeat", "iter"]);
                // In brackets what is done for each stands before the word.
                endless.then(|| vec![statement_before(nodes.get(..at).unwrap_or_default()), line])
            }
            ("for", _) => {
                let Some((Node::Group('(', header), behind)) = rest.split_first() else {
                    return None;
                };
                let mut parts = header.split(|node| *node == Node::Sign(";"));
                let middle = parts.nth(1)?;
                let bound = |node: &Node| matches!(node, Node::Sign("<" | "<=" | "!="));
                let far = middle
                    .iter()
                    .position(bound)
                    .is_some_and(|at| is_large(middle.get(at + 1..).unwrap_or_default()));
                (far || is_constant(middle)).then(|| vec![self.body(behind)])
            }
            ("loop", Family::Ruby) => Some(vec![self.body(rest)]),
            ("redo" | "goto" | "retry", Family::Perl | Family::Ruby | Family::Php) => {
                Some(vec![nodes])
            }
            ("setInterval", Family::JavaScript) => match rest.first() {
                Some(Node::Group('(', args)) => {
                    let often = match args.last() {
                        Some(Node::Number(number)) => {
                            number.parse::<usize>().is_ok_and(|every| every < PAUSE)
                        }
                        _ => true,
                    };
                    often.then(|| vec![args.as_slice()])
                }
                _ => None,
            },
            // A function that calls itself, or has itself called.
            ("function" | "sub", Family::JavaScript | Family::Perl | Family::Php) => {
                let (Node::Name(name), behind) = rest.split_first()? else {
                    return None;
                };
                let body = behind
                    .iter()
                    .find_map(|node| {
                        if let Node::Group('{', inner) = node {
                            Some(inner.as_slice())
                        } else {
                            None
                        }
                    })
                    .unwrap_or_default();
                named(body, &[name.as_str()]).then(|| vec![body])
            }
            ("const" | "let" | "var", Family::JavaScript) => {
                let (Node::Name(name), behind) = rest.split_first()? else {
                    return None;
                };
                let body = until(behind, |node| matches!(node, Node::Line | Node::Sign(";")));
                named(body, &[name.as_str()]).then(|| vec![body])
            }
            ("def", Family::Ruby) => {
                let (Node::Name(name), behind) = rest.split_first()? else {
                    return None;
                };
                let body = until(
                    behind,
                    |node| matches!(node, Node::Name(word) if word == "end"),
                );
                named(body, &[name.as_str()]).then(|| vec![body])
            }
            _ => None,
        }
    }

    /// The same for loops that count: up to a number, or through a range.
    fn counted<'n>(self, word: &str, nodes: &'n [Node], at: usize) -> Option<Vec<&'n [Node]>> {
        let rest = nodes.get(at + 1..).unwrap_or_default();
        let counted = at.checked_sub(2).and_then(|at| nodes.get(at));
        match (word, self.family) {
            ("for" | "foreach", Family::Perl) => {
                let block = |node: &Node| matches!(node, Node::Sign(";") | Node::Group('{', _));
                let head = until(rest, block);
                let inner = head
                    .iter()
                    .any(|node| matches!(node, Node::Group('(', inner) if is_large_range(inner)));
                (inner || is_large_range(head)).then(|| {
                    let behind = rest.get(head.len()..).unwrap_or_default();
                    let before = statement_before(nodes.get(..at).unwrap_or_default());
                    vec![before, self.body(behind)]
                })
            }
            (
                "each" | "map" | "each_with_index" | "times" | "upto" | "step" | "cycle",
                Family::Ruby,
            ) => {
                let (args, behind) = match rest.split_first() {
                    Some((Node::Group('(', args), behind)) => (args.as_slice(), behind),
                    Some(_) | None => (&[][..], rest),
                };
                let endless = match word {
                    "cycle" => args.is_empty(),
                    "times" => counted.is_some_and(|count| is_large(std::slice::from_ref(count))),
                    "upto" => is_large(args),
                    "step" => {
                        is_large(args)
                            || args.is_empty() && matches!(counted, Some(Node::Number(_)))
                    }
                    _ => matches!(counted, Some(Node::Group('(', range)) if is_large_range(range)),
                };
                endless.then(|| vec![self.body(behind)])
            }
            _ => None,
        }
    }

    /// The condition of a loop, and what stands behind it.
    fn condition(self, rest: &[Node]) -> (&[Node], &[Node]) {
        if let Some((Node::Group('(', inner), behind)) = rest.split_first()
            && self.family != Family::Python
        {
            return (inner, behind);
        }
        let ends = |node: &Node| {
            matches!(
                node,
                Node::Line | Node::Sign(";" | ":") | Node::Group('{', _)
            ) || matches!(node, Node::Name(word) if word == "do")
        };
        let condition = until(rest, ends);
        (condition, rest.get(condition.len()..).unwrap_or_default())
    }

    /// What a loop repeats, from behind its head.
    fn body(self, behind: &[Node]) -> &[Node] {
        let behind = match behind.iter().position(|node| *node != Node::Line) {
            Some(lines) => behind.get(lines..).unwrap_or_default(),
            None => behind,
        };
        match (behind.first(), self.family) {
            (Some(Node::Group('{', inner)), _) => inner,
            (_, Family::Python) => until(behind, |node| *node == Node::Line),
            // Where `end` belongs is not worked out.
            (_, Family::Ruby) => behind,
            (_, Family::JavaScript | Family::Perl | Family::Php | Family::Other) => {
                until(behind, |node| *node == Node::Sign(";"))
            }
        }
    }

    pub(super) fn read(self, source: &str) -> Vec<Node> {
        tree(tokens(source, self.family).tokens).unwrap_or_default()
    }

    /// Whether these start processes, and neither wait nor pause nor leave.
    fn runs_away(self, bodies: &[&[Node]]) -> bool {
        bodies.iter().any(|body| self.starts(body)) && !bodies.iter().any(|body| rests(body))
    }

    pub(super) fn starts(self, nodes: &[Node]) -> bool {
        seen(nodes).iter().any(|Seen { name, .. }| {
            STARTS.contains(name)
                || self.names.iter().any(|own| own == name)
                || self.child_process && matches!(*name, "exec" | "execFile")
                || self.family == Family::Python && *name == "Process"
                || self.jobs && (table::starts_programs(name) || name.starts_with("print"))
                || self.jobs && *name == RUN
        })
    }
}

/// Whether a loop itself waits for what it has started, pauses or leaves.
pub(super) fn rests(nodes: &[Node]) -> bool {
    seen(nodes).iter().any(|seen| {
        let waits = !seen.child && WAITS.contains(&seen.name);
        !seen.still && (waits || !seen.block && PAUSES.contains(&seen.name))
    })
}

/// Whether something in these waits for what was started, or leaves.
pub(super) fn waits(nodes: &[Node]) -> bool {
    seen(nodes)
        .iter()
        .any(|seen| !seen.still && WAITS.contains(&seen.name))
}
