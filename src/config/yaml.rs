//! Reads the YAML subset of configuration files: nested maps, lists, scalars, comments.
//!
//! A reader of its own because the subset differs from YAML (tabs count as two columns, quotes are
//! stripped without unescaping, flow collections and anchors are plain text) and because errors
//! must name the line in the user's words.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::error::ConfigError;
use super::node::{Node, NodeValue, Place};

/// Parses one file's text into a map node.
pub(crate) fn read(text: &str, path: &Path) -> Result<Node, ConfigError> {
    let file = Rc::new(path.to_owned());
    let mut reader = Reader {
        lines: significant_lines(text),
        next: 0,
        file: Rc::clone(&file),
    };
    let root = match reader.peek() {
        None => Node {
            value: NodeValue::Map(Vec::new()),
            place: Place { file, line: 1 },
        },
        Some(first) if is_item(&first.content) => {
            return Err(reader.error(
                first.number,
                "expected \"key: value\" at the top level, found a list",
            ));
        }
        Some(first) => {
            let indent = first.indent;
            reader.map(indent)?
        }
    };
    match reader.peek() {
        Some(line) => Err(reader.error(
            line.number,
            "this line is indented less than the lines above it",
        )),
        None => Ok(root),
    }
}

#[derive(Debug, Clone)]
struct Line {
    number: u32,
    indent: usize,
    content: String,
}

struct Reader {
    lines: Vec<Line>,
    next: usize,
    file: Rc<PathBuf>,
}

impl Reader {
    fn peek(&self) -> Option<Line> {
        self.lines.get(self.next).cloned()
    }

    fn error(&self, line: u32, reason: impl Into<String>) -> ConfigError {
        ConfigError::Syntax {
            path: self.file.to_path_buf(),
            line,
            reason: reason.into(),
        }
    }

    fn node(&self, line: u32, value: NodeValue) -> Node {
        Node {
            value,
            place: Place {
                file: Rc::clone(&self.file),
                line,
            },
        }
    }

    fn map(&mut self, indent: usize) -> Result<Node, ConfigError> {
        let start = self.peek().map_or(1, |line| line.number);
        let mut entries: Vec<(String, Node)> = Vec::new();
        while let Some(line) = self.peek() {
            if line.indent < indent || (line.indent == indent && is_item(&line.content)) {
                break;
            }
            if line.indent > indent {
                return Err(self.error(
                    line.number,
                    "unexpected indentation: the line above already has a value",
                ));
            }
            let Some((key, rest)) = split_key(&line.content) else {
                return Err(self.error(
                    line.number,
                    format!("expected \"key: value\", found \"{}\"", line.content),
                ));
            };
            self.next += 1;
            let node = self.value(&line, rest, indent)?;
            entries.retain(|(name, _)| *name != key);
            entries.push((key, node));
        }
        Ok(self.node(start, NodeValue::Map(entries)))
    }

    /// The value of `key: rest`; an empty rest means the block below, or an empty map.
    fn value(&mut self, line: &Line, rest: &str, indent: usize) -> Result<Node, ConfigError> {
        if !rest.is_empty() {
            return Ok(self.node(line.number, scalar(rest)));
        }
        match self.peek() {
            Some(below) if is_item(&below.content) && below.indent >= indent => self
                .list(below.indent)
                .map(|node| node.named_at(line.number)),
            Some(below) if below.indent > indent => self
                .map(below.indent)
                .map(|node| node.named_at(line.number)),
            Some(_) | None => Ok(self.node(line.number, NodeValue::Map(Vec::new()))),
        }
    }

    fn list(&mut self, indent: usize) -> Result<Node, ConfigError> {
        let start = self.peek().map_or(1, |line| line.number);
        let mut items = Vec::new();
        while let Some(line) = self.peek() {
            if line.indent < indent || (line.indent == indent && !is_item(&line.content)) {
                break;
            }
            if line.indent > indent {
                return Err(self.error(line.number, "unexpected indentation inside a list"));
            }
            let content = line.content.get(1..).unwrap_or("").trim_start().to_owned();
            if split_key(&content).is_some() {
                items.push(self.list_map(&line, &content)?);
            } else {
                self.next += 1;
                items.push(self.node(line.number, scalar(&content)));
            }
        }
        Ok(self.node(start, NodeValue::List(items)))
    }

    /// `- key: value` opens a map that goes on with every deeper line.
    fn list_map(&mut self, line: &Line, content: &str) -> Result<Node, ConfigError> {
        let following = self.lines.get(self.next + 1);
        let inner = following
            .filter(|below| below.indent > line.indent)
            .map_or(line.indent + 2, |below| below.indent);
        if let Some(current) = self.lines.get_mut(self.next) {
            current.indent = inner;
            content.clone_into(&mut current.content);
        }
        self.map(inner)
    }
}

fn significant_lines(text: &str) -> Vec<Line> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let kept = strip_comment(raw).trim_end();
        let content = kept.trim_start();
        if content.is_empty() || content == "---" {
            continue;
        }
        let indent = kept
            .chars()
            .take_while(|c| c.is_whitespace())
            .map(|c| if c == '\t' { 2 } else { 1 })
            .sum();
        lines.push(Line {
            number: index as u32 + 1,
            indent,
            content: content.to_owned(),
        });
    }
    lines
}

/// Cuts a `#` comment that starts the line or follows white space, outside quotes. A quote counts
/// only where a value can begin, so that the apostrophe of `don't` opens nothing.
fn strip_comment(line: &str) -> &str {
    let mut open: Option<char> = None;
    let mut before = ' ';
    for (index, c) in line.char_indices() {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => {}
            None if c == '#' && before.is_whitespace() => return line.get(..index).unwrap_or(line),
            None if (c == '"' || c == '\'') && before.is_whitespace() => open = Some(c),
            None => {}
        }
        before = c;
    }
    line
}

fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ")
}

fn split_key(content: &str) -> Option<(String, &str)> {
    if content.starts_with(['"', '\'']) {
        let quote = content.chars().next()?;
        let end = content.get(1..)?.find(quote)? + 1;
        let rest = content.get(end + 1..)?.trim_start().strip_prefix(':')?;
        return Some((content.get(1..end)?.to_owned(), rest.trim()));
    }
    let colon = content
        .match_indices(':')
        .map(|(index, _)| index)
        .find(|index| {
            content
                .get(index + 1..)
                .is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        })?;
    let (key, rest) = content.split_at(colon);
    let key = key.trim_end();
    (!key.is_empty()).then(|| (key.to_owned(), rest.get(1..).unwrap_or("").trim()))
}

fn scalar(text: &str) -> NodeValue {
    match text {
        "[]" => return NodeValue::List(Vec::new()),
        "{}" => return NodeValue::Map(Vec::new()),
        _ => {}
    }
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return NodeValue::Scalar {
                text: inner.to_owned(),
                quoted: true,
            };
        }
    }
    NodeValue::Scalar {
        text: text.to_owned(),
        quoted: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Node {
        read(text, Path::new("config.yaml")).unwrap()
    }

    fn failure(text: &str) -> String {
        read(text, Path::new("config.yaml"))
            .unwrap_err()
            .to_string()
    }

    fn text_at<'a>(node: &'a Node, path: &str) -> &'a str {
        path.split('.')
            .fold(node, |at, key| at.child(key).unwrap())
            .text()
            .unwrap()
    }

    #[test]
    fn maps_lists_and_scalars() {
        let node = parse(
            "# head\nproject:\n  name: demo # trailing\n  note: don't # cut\n  gates:\n    - name: Tests\n      command: \"a: b # c\"\n    - name: Lint\n\tplain:\n  -  a\n  - b:c\nempty:\nlist: []\n",
        );
        assert_eq!(text_at(&node, "project.name"), "demo");
        assert_eq!(text_at(&node, "project.note"), "don't");
        let gates = node
            .child("project")
            .unwrap()
            .child("gates")
            .unwrap()
            .items()
            .unwrap();
        assert_eq!(gates.len(), 2);
        assert_eq!(text_at(&gates[0], "command"), "a: b # c");
        let plain = node
            .child("project")
            .unwrap()
            .child("plain")
            .unwrap()
            .items()
            .unwrap();
        assert_eq!(
            plain
                .iter()
                .map(|item| item.text().unwrap())
                .collect::<Vec<_>>(),
            ["a", "b:c"]
        );
        assert_eq!(node.child("empty").unwrap().entries().unwrap().len(), 0);
        assert_eq!(node.child("list").unwrap().items().unwrap().len(), 0);
    }

    #[test]
    fn scalars_keep_their_types_apart() {
        let node = parse("a: 30_000\nb: \"30\"\nc: -1.5\nd: True\ne: ~\nf: 1.2.3\n");
        assert_eq!(node.child("a").unwrap().as_number(), Some(30_000.0));
        assert_eq!(node.child("b").unwrap().as_number(), None);
        assert_eq!(node.child("c").unwrap().as_number(), Some(-1.5));
        assert_eq!(node.child("d").unwrap().as_bool(), Some(true));
        assert!(node.child("e").unwrap().is_null());
        assert_eq!(node.child("f").unwrap().as_number(), None);
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(
            failure("a: 1\nnonsense\n"),
            "config.yaml:2: expected \"key: value\", found \"nonsense\""
        );
        assert!(failure("a: 1\n  b: 2\n").starts_with("config.yaml:2: unexpected indentation"));
        assert!(
            failure("a:\n    b: 2\n  c: 3\n").starts_with("config.yaml:3: unexpected indentation")
        );
        assert!(failure("- a\n").starts_with("config.yaml:1: expected"));
    }

    #[test]
    fn later_layers_replace_lists_and_merge_maps() {
        let mut base = parse("a:\n  b: 1\n  c: 2\nl:\n  - x\n");
        base.merge(parse("a:\n  c: 3\nl:\n  - y\n  - z\n"));
        assert_eq!(text_at(&base, "a.b"), "1");
        assert_eq!(text_at(&base, "a.c"), "3");
        assert_eq!(base.child("l").unwrap().items().unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "([ \t]{0,4}[-a:#'\" ]{0,9}\n){0,8}") {
            if let Err(error) = read(&text, Path::new("c")) {
                prop_assert!(error.to_string().starts_with("c:"));
            }
        }
    }
}
