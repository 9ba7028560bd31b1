//! Patterns of paths of which the first or the last that fits holds: routes of a server, files that are ignored or owned.
//! Where one takes what the other one is for as well, their order decides. Pure.

/// How two patterns are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overlap {
    Nothing,
    /// The first takes all that the second one takes.
    Wider,
    Narrower,
    /// Each takes something that the other one does not.
    Both,
}

/// Of more lines nobody knows the order.
const MOST: usize = 200;

/// Tells whether one of some lines is a route that takes what one of `others` is for, or what is done when none fits.
pub(in crate::merge::settle) fn are_routes_behind(lines: &[&str], others: &[&str]) -> bool {
    let (mine, their) = (routes(lines), routes(others));
    let is_wider = |one: &Route<'_>| their.iter().any(|two| one.overlap(two) == Overlap::Wider);
    mine.iter().any(is_wider) || has_fallback(lines) && !has_fallback(others)
}

/// Tells whether the order of what both sides put in decides about a path, and nothing shows which one is meant.
pub(in crate::merge::settle) fn contend_for_paths(lines: &[&str], others: &[&str]) -> bool {
    let their = routes(others);
    let contend = |one: &Route<'_>| their.iter().any(|two| one.overlap(two) == Overlap::Both);
    let taken = |one: &str, two: &str| takes(one, two) || takes(two, one);
    let ignored = |one: &[&str], two: &[&str]| {
        let kept = one.iter().filter_map(|line| line.strip_prefix('!'));
        let paths = two.iter().filter(|path| is_pattern(path)).take(MOST);
        let paths: Vec<&str> = paths.copied().collect();
        let mut kept = kept.filter(|path| is_pattern(path)).take(MOST);
        kept.any(|kept| paths.iter().any(|path| taken(path, kept)))
    };
    let owners = |lines: &[&'_ str]| -> Vec<(String, String)> {
        let owned = lines.iter().filter_map(|line| owned(line)).take(MOST);
        owned
            .map(|(path, by)| (path.to_owned(), by.to_owned()))
            .collect()
    };
    let their_owners = owners(others);
    let is_shared = |(path, by): &(String, String)| {
        let mut others = their_owners.iter();
        others.any(|(other, their)| by != their && taken(path, other))
    };
    routes(lines).iter().any(contend)
        || ignored(lines, others)
        || ignored(others, lines)
        || owners(lines).iter().any(is_shared)
}

fn routes<'a>(lines: &[&'a str]) -> Vec<Route<'a>> {
    let routes = lines.iter().filter_map(|line| route(line));
    routes.take(MOST).collect()
}

/// A call by which a server learns what to do with a path.
struct Route<'a> {
    server: &'a str,
    method: &'a str,
    path: &'a str,
}

/// Methods that take a request whatever it wants.
const ANY: [&str; 10] = [
    "use",
    "all",
    "any",
    "route",
    "path",
    "re_path",
    "match",
    "pathprefix",
    "handlefunc",
    "add_url_rule",
];
const METHODS: [&str; 6] = ["get", "post", "put", "patch", "delete", "handle"];

fn route(line: &str) -> Option<Route<'_>> {
    let text = line.strip_prefix('@').unwrap_or(line);
    // `get "/a", to: b` has no bracket, and `re_path(r"^a$")` a letter before its text.
    let (name, rest) = text.split_once(['(', ' '])?;
    let rest = rest.strip_prefix('r').unwrap_or(rest);
    let is_part = |c: char| c.is_alphanumeric() || "_.:".contains(c);
    let parted = name.rsplit_once('.').or_else(|| name.rsplit_once("::"));
    let (server, method) = parted.unwrap_or(("", name));
    let quote = rest.chars().next().filter(|c| "\"'`".contains(*c))?;
    let (path, _) = rest.get(1..)?.split_once(quote)?;
    let lower = method.to_lowercase();
    let is_method = ANY.contains(&lower.as_str()) || METHODS.contains(&lower.as_str());
    let is_path = path.contains('/') || takes_all(path);
    (is_method && is_path && name.chars().all(is_part)).then_some(Route {
        server,
        method,
        path,
    })
}

impl Route<'_> {
    fn takes_all(&self) -> bool {
        let is_prefix = self.method.eq_ignore_ascii_case("pathprefix");
        takes_all(self.path) || is_prefix && self.path == "/"
    }

    fn overlap(&self, other: &Self) -> Overlap {
        let takes_any = |route: &Self| ANY.contains(&route.method.to_lowercase().as_str());
        let is_same = self.method == other.method || takes_any(self) || takes_any(other);
        if self.server != other.server || !is_same {
            return Overlap::Nothing;
        }
        match (self.takes_all(), other.takes_all()) {
            (true, true) => return Overlap::Nothing,
            (true, false) => return Overlap::Wider,
            (false, true) => return Overlap::Narrower,
            (false, false) => {}
        }
        let [mine, their] = [self.path, other.path].map(|path| path.split('/').collect::<Vec<_>>());
        let pairs = || mine.iter().zip(&their);
        let fits = mine.len() == their.len()
            && pairs().all(|(one, two)| one == two || is_free(one) || is_free(two));
        let wider = pairs().any(|(one, two)| is_free(one) && !is_free(two));
        let narrower = pairs().any(|(one, two)| !is_free(one) && is_free(two));
        match (fits, wider, narrower) {
            (true, true, true) => Overlap::Both,
            (true, true, false) => Overlap::Wider,
            (true, false, true) => Overlap::Narrower,
            (true | false, _, _) => Overlap::Nothing,
        }
    }
}

/// Tells whether a path is any: `*`, `/*rest`, `^.*$`.
fn takes_all(path: &str) -> bool {
    let path = path.trim_start_matches('^').trim_start_matches('/');
    let rest = path.strip_prefix('*');
    let is_named = |rest: &str| rest.chars().all(|c| c.is_alphanumeric() || c == '_');
    rest.is_some_and(is_named) || ["(.*)", ".*", ".*$", "(.*)$"].contains(&path)
}

/// A part of a path that stands for whatever is there: `:id`, `{id}`, `<id>`.
fn is_free(part: &str) -> bool {
    part.starts_with([':', '{', '<']) || part == "*"
}

/// What is done when no route fits, or one fails.
fn has_fallback(lines: &[&str]) -> bool {
    lines.iter().any(|line| {
        let Some((_, handler)) = line.split_once(".use(") else {
            return false;
        };
        let handler = handler.to_lowercase();
        let is_path = handler.starts_with(['"', '\'', '`', '/']);
        let names = [
            "notfound",
            "not_found",
            "errorhandler",
            "handleerror",
            "(err,",
            "(error,",
        ];
        !is_path && names.iter().any(|name| handler.contains(name))
            || handler.starts_with("(req, res) =>")
            || handler.starts_with("function (req, res)")
    })
}

/// A line of a list of files: one word, with a sign that files are named by.
fn is_pattern(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_-./*?[]@+~#".contains(c);
    !text.is_empty() && text.chars().all(is_part)
}

/// A pattern, and whose the files are that it names.
fn owned(line: &str) -> Option<(&str, &str)> {
    let (path, owners) = line.split_once(char::is_whitespace)?;
    let owners = owners.trim();
    let is_owner = |word: &str| word.starts_with('@') && word.len() > 1 || word.contains('@');
    let are_owners = !owners.is_empty() && owners.split_whitespace().all(is_owner);
    (are_owners && is_pattern(path) && !path.starts_with('@')).then_some((path, owners))
}

/// Tells whether a pattern takes a path, or the folder that the path is in.
fn takes(pattern: &str, path: &str) -> bool {
    let [pattern, path] =
        [pattern, path].map(|text| text.trim_start_matches('/').trim_end_matches('/'));
    let is_anywhere = !pattern.contains('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = path
        .strip_prefix(pattern)
        .is_some_and(|rest| rest.starts_with('/'));
    fits(pattern.as_bytes(), path.as_bytes())
        || folder
        || is_anywhere && fits(pattern.as_bytes(), name.as_bytes())
}

/// Tells whether a text fits a pattern with `*`, which stands for anything.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    // Where the last star was, and how much of the text it stands for so far.
    let (mut at, mut from, mut star) = (0, 0, None);
    while from < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(byte) if Some(byte) == text.get(from) || *byte == b'?' => {
                at += 1;
                from += 1;
            }
            Some(_) | None => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    at = place + 1;
                    from = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern
        .get(at..)
        .unwrap_or_default()
        .iter()
        .all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_for_more_stands_behind_those_for_less() {
        for (wide, narrow) in [
            ("app.get('*', nf);", "app.get('/b', b);"),
            ("app.get('/users/:id', a);", "app.get('/users/new', b);"),
            ("@app.get(\"/users/{id}\")", "@app.get(\"/users/me\")"),
            ("path('<slug:s>/', page),", "path('new/', new),"),
            ("app.use(notFound);", "app.use('/b', b);"),
            ("match '*rest', via: :all", "get '/health', to: h"),
            (
                "r.PathPrefix(\"/\").Handler(web)",
                "r.HandleFunc(\"/api\", api)",
            ),
            ("re_path(r\"^.*$\", web),", "path(\"api/\", api),"),
            ("Route::any('/{any}', w);", "Route::get('/api', a);"),
            ("get \"/*path\", Web", "get \"/api\", Api"),
            ("app.use((req, res) => {", "app.get('/b', b);"),
            ("app.use((err, req, res, next) => {", "app.use(cors());"),
        ] {
            assert!(are_routes_behind(&[wide], &[narrow]), "{wide}");
            assert!(!are_routes_behind(&[narrow], &[wide]), "{narrow}");
            assert!(!contend_for_paths(&[narrow], &[wide]), "{narrow}");
        }
        for (one, two) in [
            ("app.get('/a', a);", "app.get('/b', b);"),
            ("app.get('/a/:id', a);", "app.post('/a/new', b);"),
            ("app.get('/a/:id', a);", "app.get('/b/new', b);"),
            ("print('*')", "print('a')"),
        ] {
            assert!(!are_routes_behind(&[one], &[two]), "{one}");
            assert!(!are_routes_behind(&[two], &[one]), "{two}");
            assert!(!contend_for_paths(&[one], &[two]), "{one}");
        }
    }

    #[test]
    fn patterns_that_take_the_same_path_contend_for_it() {
        for (one, two) in [
            ("*.env", "!example.env"),
            ("logs/", "!logs/keep.log"),
            ("* @all", "/b @y"),
            ("/src/ @a", "/src/web/ @b"),
            ("*.rs @a", "/src/web.rs @b"),
            ("get('/a/:b/c', x)", "get('/:a/b/c', x)"),
        ] {
            assert!(contend_for_paths(&[one], &[two]), "{one}");
            assert!(contend_for_paths(&[two], &[one]), "{one}");
        }
        for (one, two) in [
            ("*.env", "!keep.log"),
            ("*.env", "dist/"),
            ("/a @x", "/b @y"),
            ("* @all", "/b @all"),
            ("ssh-rsa AAAA x@y", "ssh-rsa BBBB z@y"),
        ] {
            assert!(!contend_for_paths(&[one], &[two]), "{one}");
            assert!(!contend_for_paths(&[two], &[one]), "{one}");
        }
    }
}
