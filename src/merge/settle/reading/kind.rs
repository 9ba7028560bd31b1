//! What kind of text a file is by its name, as far as one line means different things in different kinds: `#` begins a
//! heading in Markdown and a comment elsewhere. Pure.

/// A kind of text that is read in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    Markdown,
    /// Rows whose cells this separates.
    Table(u8),
    #[default]
    Other,
}

impl Kind {
    pub(crate) fn of(name: &str) -> Self {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_lowercase().as_str() {
            "md" | "markdown" | "mdown" | "mkd" | "mdx" | "qmd" | "rmd" => Self::Markdown,
            "csv" => Self::Table(b','),
            "tsv" => Self::Table(b'\t'),
            _other => Self::Other,
        }
    }
}
