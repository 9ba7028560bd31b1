//! Which CLI and which provider an agent runs on.

/// How a provider is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderKind {
    /// Through the CLI's own login.
    Native,
    /// Through a compatible gateway.
    Gateway {
        /// Address of the gateway.
        base_url: String,
        /// Environment variable that holds its token.
        auth_token_env: String,
    },
}

/// One entry of `providers:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Name used before the slash in model references.
    pub name: String,
    /// How it is reached.
    pub kind: ProviderKind,
}

/// All providers in the order written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Providers(pub Vec<Provider>);

impl Default for Providers {
    fn default() -> Self {
        Self(vec![Provider {
            name: "anthropic".into(),
            kind: ProviderKind::Native,
        }])
    }
}

/// `runtime:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeConfig {
    /// Runtime used when nothing else is said.
    pub default: String,
    /// Runtime by capability.
    pub capabilities: Vec<(String, String)>,
    /// Runtime of one-shot calls; the default when unset.
    pub print_command: Option<String>,
    /// Settings of the pi runtime.
    pub pi: PiConfig,
    /// Extra pause after a shell started.
    pub shell_init_delay_ms: u64,
    /// Whether claude agents run as structured streams unless told otherwise.
    pub claude_headless_by_default: Option<bool>,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self {
            default: "claude".into(),
            capabilities: Vec::new(),
            print_command: None,
            pi: PiConfig::default(),
            shell_init_delay_ms: 0,
            claude_headless_by_default: None,
        }
    }
}

/// `runtime.pi:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PiConfig {
    /// Provider put before bare model names.
    pub provider: String,
    /// Alias to model, in the order written.
    pub model_map: Vec<(String, String)>,
}

impl Default for PiConfig {
    fn default() -> Self {
        let entry = |alias: &str, model: &str| (alias.to_owned(), model.to_owned());
        Self {
            provider: "anthropic".into(),
            model_map: vec![
                entry("opus", "anthropic/claude-opus-4-6"),
                entry("sonnet", "anthropic/claude-sonnet-4-6"),
                entry("haiku", "anthropic/claude-haiku-4-5"),
            ],
        }
    }
}
