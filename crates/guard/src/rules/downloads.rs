//! Where downloads land, so that nothing that just came over the network runs unread.

use std::path::{Path, PathBuf};

use crate::commands::Call;
use crate::paths::{absolute, normal};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;
use crate::shell::{glob, text};

/// The file name a download takes from an address; `None` when it cannot be told.
pub(super) fn name_of(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let name = match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        None if !text::is_known(path) => return None,
        Some(_) | None => "index.html",
    };
    let plain = text::is_known(name) && !name.contains(['%', '{', '}', '[', ']']);
    plain.then(|| name.to_owned())
}

impl Walker<'_> {
    /// A download that names its file itself, put into `folder`.
    pub(super) fn downloaded(&mut self, url: &str, folder: &str, st: &State) -> Judged<()> {
        match name_of(url) {
            Some(name) => self.download_to(&format!("{folder}/{name}"), st),
            None => {
                self.landed_in(folder, false, st);
                Ok(())
            }
        }
    }

    /// A download into a file that is named: it may be written, and holds what nobody has read.
    pub(super) fn download_to(&mut self, path: &str, st: &State) -> Judged<()> {
        self.write_path(path, st)?;
        if let Some(key) = self.key(path, st) {
            let content = format!("{}{}", text::ANY, text::FETCHED);
            self.written.insert(key, Some(content.into()));
        }
        Ok(())
    }

    /// Files with names nobody knows landed in `folder`, or anywhere below it.
    pub(super) fn landed_in(&mut self, folder: &str, below: bool, st: &State) {
        for place in &st.cwd {
            if let Some(path) = absolute(folder, place) {
                let spelled = normal(&path);
                // Both where it was said to be and where that really is.
                let real = self.paths.key(folder, place);
                self.landed.extend(
                    real.filter(|real| *real != spelled)
                        .map(|real| (real, below)),
                );
                self.landed.push((spelled, below));
            }
        }
    }

    /// Those of the words that name files that came over the network.
    pub(super) fn fetched_among(&self, words: &[String], st: &State) -> Vec<String> {
        let fetched = words.iter().filter(|word| self.is_fetched(word, st));
        fetched.cloned().collect()
    }

    /// Remembers where an archive was unpacked that came over the network; what is packed singly is a download itself.
    pub(super) fn unpacks(
        &mut self,
        name: &str,
        call: &Call,
        fetched: &[String],
        st: &State,
    ) -> Judged<()> {
        let args = call.args();
        if is_packer(name) {
            return fetched
                .iter()
                .filter_map(|file| file.rsplit_once('.'))
                .try_for_each(|(stem, _)| self.download_to(stem, st));
        }
        let fetched = !fetched.is_empty() || call.stdin.as_deref().is_some_and(text::is_fetched);
        if !fetched || !extracts(name, args) {
            return Ok(());
        }
        let folders = folders(name, args);
        let folder = match folders.as_slice() {
            [only] => only,
            _ => ".",
        };
        for place in &st.cwd {
            let spelled = absolute(folder, place).map(|path| normal(&path));
            let real = self.paths.key(folder, place);
            self.unpacked.extend(spelled.into_iter().chain(real));
        }
        Ok(())
    }

    /// Whether a word names a file that came over the network, also behind an option.
    fn is_fetched(&self, word: &str, st: &State) -> bool {
        if self.written.is_empty() && self.landed.is_empty() {
            return false;
        }
        let mark = if word.starts_with("--") { '=' } else { 'f' };
        let behind = word.split_once(mark).map(|(_, file)| file);
        let behind = behind.filter(|file| word.starts_with('-') && !file.is_empty());
        let any = || {
            self.written
                .values()
                .flatten()
                .any(|text| text::is_fetched(text))
        };
        !text::is_known(word) && any()
            || [Some(word), behind]
                .into_iter()
                .flatten()
                .any(|file| text::is_fetched(&self.content(file, st)) || self.has_landed(file, st))
    }

    /// Whether a file could be one that this command downloaded under a name that is not known.
    pub(crate) fn has_landed(&self, path: &str, st: &State) -> bool {
        let lands = |path: &PathBuf| {
            self.landed.iter().any(|(folder, below)| {
                path.parent() == Some(folder.as_path())
                    || *below && (path.starts_with(folder) || fits(folder, path))
            })
        };
        // What was there before an archive was unpacked is the project's.
        let unpacked = |path: &PathBuf| {
            self.unpacked.iter().any(|folder| path.starts_with(folder)) && !self.paths.exists(path)
        };
        let lands = |path: &PathBuf| lands(path) || unpacked(path);
        !(self.landed.is_empty() && self.unpacked.is_empty())
            && st.cwd.iter().any(|place| {
                absolute(path, place).is_some_and(|path| lands(&normal(&path)))
                    || self.paths.key(path, place).is_some_and(|real| lands(&real))
            })
    }
}

/// Whether a path is one that a pattern stands for, or below it.
fn fits(pattern: &Path, path: &Path) -> bool {
    let pattern = pattern.to_string_lossy();
    text::has_glob(&pattern)
        && path
            .ancestors()
            .any(|above| glob::matches(&pattern, &above.to_string_lossy(), true))
}

/// Programs that pack and unpack single files.
fn is_packer(name: &str) -> bool {
    matches!(
        name,
        "gzip"
            | "gunzip"
            | "bzip2"
            | "bunzip2"
            | "xz"
            | "unxz"
            | "lzma"
            | "unlzma"
            | "zstd"
            | "unzstd"
            | "lz4"
            | "unlz4"
            | "brotli"
            | "uncompress"
            | "pigz"
            | "lzip"
    )
}

/// Whether a tool for archives is told to unpack.
fn extracts(name: &str, args: &[String]) -> bool {
    let first = args.first().map_or("", String::as_str);
    match name {
        "tar" | "gtar" | "bsdtar" | "jar" => {
            args.iter().any(|arg| {
                matches!(arg.as_str(), "--extract" | "--get")
                    || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('x')
            }) || first.contains('x')
        }
        "unzip" => true,
        "7z" | "7za" | "7zr" | "7zz" => matches!(first, "x" | "e"),
        "cpio" => args.iter().any(|arg| {
            arg == "--extract"
                || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('i')
        }),
        _ => false,
    }
}

/// The folders an archive is told to be unpacked in.
fn folders<'a>(name: &str, args: &'a [String]) -> Vec<&'a str> {
    let (short, long) = match name {
        "unzip" => ("-d", ""),
        "7z" | "7za" | "7zr" | "7zz" => ("-o", ""),
        "cpio" => ("-D", "--directory"),
        _ => ("-C", "--directory"),
    };
    let apart = args.iter().zip(args.iter().skip(1));
    let apart = apart.filter(|(option, _)| *option == short || *option == long);
    let attached = args.iter().filter_map(|arg| {
        let rest = arg.strip_prefix(short);
        rest.or_else(|| {
            arg.strip_prefix(long)
                .filter(|_| !long.is_empty())?
                .strip_prefix('=')
        })
    });
    attached
        .filter(|folder| !folder.is_empty())
        .chain(apart.map(|(_, folder)| folder.as_str()))
        .collect()
}
