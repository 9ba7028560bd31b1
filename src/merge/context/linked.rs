//! Which links of a tree stand for settings, and where they lead in it: what lies there is a setting by another name.
//! Pure; names are compared as they are given, in lower case for a file system that does not tell cases apart.

use std::collections::{BTreeMap, BTreeSet};

/// How many links a name may go through.
const MOST_LINKS: u32 = 40;

/// What a setting decides about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Own,
    OfClis,
}

/// A second name of what lies at a path, which makes it a setting.
#[derive(Debug, PartialEq, Eq)]
struct Way {
    name: String,
    real: String,
}

/// Tells settings by their names.
pub(super) struct Told<F, L> {
    /// What the file of a name is.
    pub file: F,
    /// What a link or submodule of a name may hold, where a file of the name is nothing.
    pub folder: L,
}

impl<F: Fn(&str) -> Option<Kind>, L: Fn(&str) -> Option<Kind>> Told<F, L> {
    fn either(&self, name: &str) -> Option<Kind> {
        (self.file)(name).or_else(|| (self.folder)(name))
    }
}

/// Where the links of a tree lead that stand for settings.
pub(super) struct Ways(Vec<Way>);

impl Ways {
    /// Follows the links of a tree, which are given with their texts.
    pub(super) fn of<F, L>(links: &BTreeMap<String, String>, told: &Told<F, L>) -> Self
    where
        F: Fn(&str) -> Option<Kind>,
        L: Fn(&str) -> Option<Kind>,
    {
        let mut ways = Vec::new();
        let mut seen = BTreeSet::new();
        let named = |link: &String| told.either(link).map(|kind| (link.clone(), kind));
        let mut next: Vec<(String, Kind, &String)> = links
            .keys()
            .filter_map(|link| named(link).map(|(name, kind)| (name, kind, link)))
            .collect();
        while let Some((name, kind, link)) = next.pop() {
            // What lies below a name depends on its kind and its last part; a link to a folder above has endless names.
            let last = name.rsplit('/').next().unwrap_or_default().to_owned();
            if !seen.insert((link, kind, (told.file)(&name).is_some(), last)) {
                continue;
            }
            let (through, end) = resolved(links, link);
            for real in through.into_iter().chain(end.clone()) {
                let name = name.clone();
                ways.push(Way { name, real });
            }
            let Some(end) = end else { continue };
            for inner in links.keys() {
                let Some(rest) = below(inner, &end) else {
                    continue;
                };
                let name = joined(&name, rest);
                if let Some(kind) = told.either(&name) {
                    next.push((name, kind, inner));
                }
            }
        }
        Self(ways)
    }

    /// What a changed path is by the names that links give it. `leads` says that it is or was a link or a submodule.
    pub(super) fn kind<F, L>(&self, path: &str, leads: bool, told: &Told<F, L>) -> Option<Kind>
    where
        F: Fn(&str) -> Option<Kind>,
        L: Fn(&str) -> Option<Kind>,
    {
        let as_leading = |name: &str| told.either(name).filter(|_| leads);
        self.0.iter().find_map(|way| {
            if let Some(rest) = below(path, &way.real) {
                let name = joined(&way.name, rest);
                return (told.file)(&name).or_else(|| as_leading(&name));
            }
            below(&way.real, path).and_then(|_| as_leading(&way.name))
        })
    }
}

/// The rest of a path that is or lies below another.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() {
        Some(rest)
    } else {
        rest.strip_prefix('/')
    }
}

fn joined(name: &str, rest: &str) -> String {
    if rest.is_empty() {
        name.to_owned()
    } else {
        format!("{name}/{rest}")
    }
}

/// The links that a link goes through, and where it ends if that is in the tree.
fn resolved(links: &BTreeMap<String, String>, link: &str) -> (Vec<String>, Option<String>) {
    let mut through = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    let mut left: Vec<String> = link.rsplit('/').map(str::to_owned).collect();
    let mut followed = 0;
    while let Some(part) = left.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                if parts.pop().is_none() {
                    return (through, None);
                }
                continue;
            }
            _name => parts.push(part),
        }
        let here = parts.join("/");
        let Some(text) = links.get(&here) else {
            continue;
        };
        followed += 1;
        if text.starts_with('/') || followed > MOST_LINKS {
            return (through, None);
        }
        if here != link {
            through.push(here);
        }
        parts.pop();
        left.extend(text.rsplit('/').map(str::to_owned));
    }
    (through, Some(parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::context::cli_settings::{starts_below, starts_programs};

    fn kind(links: &[(&str, &str)], path: &str, leads: bool) -> Option<Kind> {
        let links = links.iter();
        let links = links.map(|(link, text)| ((*link).to_owned(), (*text).to_owned()));
        let told = Told {
            file: |name: &str| starts_programs(name).then_some(Kind::OfClis),
            folder: |name: &str| starts_below(name).then_some(Kind::OfClis),
        };
        Ways::of(&links.collect(), &told).kind(path, leads, &told)
    }

    #[test]
    fn what_lies_where_a_link_leads_has_the_name_of_the_link() {
        let links = [(".claude", "conf/claude"), ("sub/.cursor", "../evil2")];
        for path in ["conf/claude/settings.json", "evil2/hooks/a.sh"] {
            assert_eq!(kind(&links, path, false), Some(Kind::OfClis), "{path}");
        }
        let others = ["conf/claude/agents/a.md", "conf/claudex/settings.json", "x"];
        for path in others {
            assert_eq!(kind(&links, path, false), None, "{path}");
        }
        let file = [(".mcp.json", "tools/servers.json")];
        assert!(kind(&file, "tools/servers.json", false).is_some());
    }

    #[test]
    fn links_are_followed_through_others_and_to_what_is_no_folder_of_the_tree() {
        let links = [(".claude", "a/b"), ("a", "c"), ("c/b/hooks", "../../h")];
        for path in ["c/b/settings.json", "h/a.sh"] {
            assert!(kind(&links, path, false).is_some(), "{path}");
        }
        // A link on the way leads elsewhere, or a submodule is below the end.
        for path in ["a", "c", "c/b"] {
            assert!(kind(&links, path, true).is_some(), "{path}");
            assert!(kind(&links, path, false).is_none(), "{path}");
        }
    }

    #[test]
    fn links_in_circles_and_out_of_the_tree_come_to_an_end() {
        let links = [
            (".claude", "."),
            (".cursor", "x"),
            ("x", ".cursor"),
            (".gemini", "../.."),
            (".pi", "/etc"),
            ("deep/.claude", ".."),
        ];
        assert!(kind(&links, "settings.json", false).is_some());
        assert!(kind(&links, "hooks/a.sh", false).is_some());
        assert!(kind(&links, "src/main.rs", false).is_none());
    }
}
