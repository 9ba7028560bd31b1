//! Loops of code that start processes without an end: `fork while 1`, `while True: os.fork()`, `loop { fork }`.
//!
//! A loop counts as endless when its condition never changes. What it starts is bounded by waiting for it, by a
//! pause in each turn, or by a way out.

use super::super::syntax::{Family, Node, tokens, tree};
use super::program::Run;
use super::table;
use super::used::{RUN, Seen, named, seen};
use crate::policy::Judged;
use crate::shell::endless::bomb;

/// Loops that are looked at one by one; a program with more of them is taken as one.
const LOOPS: usize = 40;

/// A timer that fires less often than this pauses, in milliseconds.
const PAUSE: usize = 100;

/// Starts a process and goes on at once.
const STARTS: &[&str] = &[
    "fork",
    "pcntl_fork",
    "forkpty",
    "spawn",
    "Popen",
    "popen",
    "popen2",
    "popen3",
    "open2",
    "open3",
    "proc_open",
    "posix_spawn",
    "posix_spawnp",
    "spawnl",
    "spawnlp",
    "spawnv",
    "spawnvp",
    "create_subprocess_exec",
    "create_subprocess_shell",
];

/// Waits for what was started, or leaves the loop.
const WAITS: &[&str] = &[
    "wait",
    "waitpid",
    "wait2",
    "wait3",
    "wait4",
    "waitid",
    "waitall",
    "wait_for",
    "pcntl_wait",
    "pcntl_waitpid",
    "proc_close",
    "pclose",
    "communicate",
    "join",
    "break",
    "last",
    "return",
    "await",
    "on",
    "once",
    "then",
    "pause",
];

/// Takes time wherever the turn itself does it.
const PAUSES: &[&str] = &[
    "sleep",
    "usleep",
    "nanosleep",
    "select",
    "poll",
    "accept",
    "recv",
    "read",
    "readline",
    "readlines",
    "gets",
    "input",
    "STDIN",
    "stdin",
    "getc",
];

/// Refuses a program with a loop that starts processes without an end. `jobs`: a command that it runs leaves one.
pub(super) fn refuse(source: &str, run: &Run<'_>, jobs: bool) -> Judged<()> {
    let child_process = run.reading.imports.contains("child_process");
    if !(jobs
        || child_process
        || STARTS.iter().any(|name| run.uses(name))
        || run.family == Family::Python && run.uses("Process"))
    {
        return Ok(());
    }
    let loops = Loops {
        family: run.family,
        jobs,
        child_process,
    };
    loops.judge(source)
}

/// The same for a language that is read elsewhere, whose commands leave jobs.
pub(crate) fn refuse_jobs(source: &str) -> Judged<()> {
    let loops = Loops {
        family: Family::Perl,
        jobs: true,
        child_process: false,
    };
    loops.judge(source)
}

#[derive(Clone, Copy)]
struct Loops {
    family: Family,
    /// A command that the program runs leaves a job.
    jobs: bool,
    child_process: bool,
}

impl Loops {
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
    fn repeated<'n>(self, word: &str, nodes: &'n [Node], at: usize) -> Option<Vec<&'n [Node]>> {
        let rest = nodes.get(at + 1..).unwrap_or_default();
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
                let endless = named(line, &["count", "cycle", "repeat", "iter"]);
                // In brackets what is done for each stands before the word.
                endless.then(|| vec![statement_before(nodes.get(..at).unwrap_or_default()), line])
            }
            ("for", _) => {
                let Some((Node::Group('(', header), behind)) = rest.split_first() else {
                    return None;
                };
                let mut parts = header.split(|node| *node == Node::Sign(";"));
                let middle = parts.nth(1)?;
                is_constant(middle).then(|| vec![self.body(behind)])
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

    /// Whether a block of Python below the head of an endless loop, or of a function that calls itself, runs away.
    fn endless_block(self, source: &str, left: &mut usize) -> bool {
        let lines: Vec<&str> = source.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let words = line.trim_start();
            let heads = ["while", "for", "def", "async"];
            if !heads.iter().any(|head| words.starts_with(head)) {
                continue;
            }
            let head = self.read(line);
            let depth = indented(line);
            let inner = |line: &&&str| line.trim().is_empty() || indented(line) > depth;
            let block: Vec<&str> = lines
                .iter()
                .skip(at + 1)
                .take_while(inner)
                .copied()
                .collect();
            let body = self.read(&block.join("\n"));
            let name = head.iter().find(|node| !is_def(node));
            let endless = match (head.first(), name) {
                (Some(first), Some(Node::Name(name))) if is_def(first) => {
                    named(&body, &[name.as_str()])
                }
                (Some(Node::Name(word)), _) => self.repeated(word, &head, 0).is_some(),
                _ => false,
            };
            if !endless {
                continue;
            }
            if *left == 0 {
                return true;
            }
            *left -= 1;
            // What stands deeper may be done by the child, or never.
            let base = block.iter().map(|line| indented(line)).min();
            let turn: Vec<&str> = block
                .iter()
                .filter(|line| Some(indented(line)) == base)
                .copied()
                .collect();
            let turn = self.read(&turn.join("\n"));
            if self.starts(&body) && !named(&body, WAITS) && !rests(&turn) {
                return true;
            }
        }
        false
    }

    fn read(self, source: &str) -> Vec<Node> {
        tree(tokens(source, self.family).tokens).unwrap_or_default()
    }

    /// Whether these start processes, and neither wait nor pause nor leave.
    fn runs_away(self, bodies: &[&[Node]]) -> bool {
        bodies.iter().any(|body| self.starts(body)) && !bodies.iter().any(|body| rests(body))
    }

    fn starts(self, nodes: &[Node]) -> bool {
        seen(nodes).iter().any(|Seen { name, .. }| {
            STARTS.contains(name)
                || self.child_process && matches!(*name, "exec" | "execFile")
                || self.family == Family::Python && *name == "Process"
                || self.jobs && (table::starts_programs(name) || name.starts_with("print"))
                || self.jobs && *name == RUN
        })
    }
}

/// Whether a loop itself waits for what it has started, pauses or leaves.
fn rests(nodes: &[Node]) -> bool {
    seen(nodes).iter().any(|Seen { name, block, child }| {
        !child && WAITS.contains(name) || !block && PAUSES.contains(name)
    })
}

/// Whether a condition has the same value each time.
fn is_constant(condition: &[Node]) -> bool {
    condition.iter().all(|node| match node {
        Node::Name(name) => matches!(
            name.to_lowercase().as_str(),
            "true" | "false" | "not" | "nil" | "none" | "null" | "undefined" | "and" | "or"
        ),
        Node::Group(_, inner) => is_constant(inner),
        Node::Run(_) => false,
        Node::Sign(sign) => !matches!(*sign, "$" | "@" | "<" | ">"),
        Node::Number(_) | Node::Text(_) | Node::Words(_) | Node::Pattern(_) | Node::Line => true,
    })
}

/// The nodes before the first one of which this holds.
fn until(nodes: &[Node], ends: impl Fn(&Node) -> bool) -> &[Node] {
    let length = nodes.iter().position(ends).unwrap_or(nodes.len());
    nodes.get(..length).unwrap_or_default()
}

/// The statement that ends where these nodes do.
fn statement_before(nodes: &[Node]) -> &[Node] {
    let start = nodes
        .iter()
        .rposition(|node| matches!(node, Node::Line | Node::Sign(";")))
        .map_or(0, |at| at + 1);
    nodes.get(start..).unwrap_or_default()
}

fn is_def(node: &Node) -> bool {
    matches!(node, Node::Name(word) if word == "def" || word == "async")
}

fn indented(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
