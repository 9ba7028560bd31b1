//! Where tasks and expertise come from.

/// Which task tracker is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrackerBackend {
    /// Beads when `.beads/` exists, else seeds.
    #[default]
    Auto,
    /// The seeds format.
    Seeds,
    /// The beads program.
    Beads,
}

impl TrackerBackend {
    /// Returns the name used in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Seeds => "seeds",
            Self::Beads => "beads",
        }
    }
}

/// `taskTracker:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskTrackerConfig {
    /// Which tracker.
    pub backend: TrackerBackend,
    /// Whether tasks are looked up at all.
    pub enabled: bool,
}

impl Default for TaskTrackerConfig {
    fn default() -> Self {
        Self {
            backend: TrackerBackend::Auto,
            enabled: true,
        }
    }
}

/// How expertise is rendered for agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PrimeFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// XML.
    Xml,
    /// JSON.
    Json,
}

impl PrimeFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Xml, Self::Json];

    /// Returns the name used in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Xml => "xml",
            Self::Json => "json",
        }
    }
}

/// `mulch:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MulchConfig {
    /// Whether expertise is used.
    pub enabled: bool,
    /// Domains primed when none can be inferred.
    pub domains: Vec<String>,
    /// Rendering of the expertise.
    pub prime_format: PrimeFormat,
}

impl Default for MulchConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            domains: Vec::new(),
            prime_format: PrimeFormat::Markdown,
        }
    }
}
