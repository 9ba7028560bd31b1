//! `serve`: the HTTP and WebSocket interface, until it is told to end.

use serde::Serialize;

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::logging::RedactingWriter;
use crate::serve::{self, Options, ServeError, Started, TokenSource};

/// Serve the project's data over HTTP and WebSocket
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove serve\n  grove serve --port 8080 --json\n  grove serve --host 0.0.0.0        # asks every client for the token in .overstory/serve-token\n\nThen: curl http://127.0.0.1:7321/api/agents"
)]
pub struct Args {
    /// Port to listen on; 0 takes a free one
    #[arg(long, default_value = "7321", value_name = "n")]
    port: String,
    /// Address to listen on; any but a loopback address demands a token
    #[arg(long, default_value = "127.0.0.1", value_name = "address")]
    host: String,
    /// Let the page of your own development server speak to this one
    #[arg(long)]
    dev: bool,
    /// Port of that development server
    #[arg(long, default_value = "3000", value_name = "n")]
    dev_port: String,
    /// Demand the token on loopback, too; GROVE_SERVE_TOKEN sets one of your own
    #[arg(long)]
    token: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StartedJson<'a> {
    status: &'static str,
    port: u16,
    hostname: &'a str,
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dev_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let paths = ctx.paths()?;
    if args.host.trim().is_empty() {
        let message = "--host is empty: name an address of this machine, such as 127.0.0.1";
        return Err(CliError::of_command("serve", message, message));
    }
    let options = Options {
        host: args.host,
        port: port("--port", &args.port)?,
        dev_port: if args.dev {
            Some(port("--dev-port", &args.dev_port)?)
        } else {
            None
        },
        demand_token: args.token,
        paths,
    };
    tracing_subscriber::fmt()
        .with_writer(|| RedactingWriter(std::io::stderr()))
        .with_ansi(false)
        .with_max_level(tracing::Level::WARN)
        .init();
    let mut printed = Ok(());
    serve::run(
        options,
        |started| printed = show(ctx, started),
        || {
            if !ctx.is_json() {
                ctx.out.note("Shutting down...");
            }
        },
    )?;
    printed.map(|()| Outcome::Done)
}

fn port(option: &str, text: &str) -> CliResult<u16> {
    text.parse().map_err(|_| {
        let message = format!("Invalid {option}: {text}. It is a number from 0 to 65535");
        CliError::of_command("serve", message.clone(), message)
    })
}

fn show(ctx: &Context, started: &Started) -> CliResult<()> {
    if ctx.is_json() {
        let (token_file, token) = match &started.token {
            None | Some(TokenSource::Environment) => (None, None),
            Some(TokenSource::Kept { file }) => (Some(file), None),
            Some(TokenSource::Made { file, token }) => (Some(file), Some(token.as_str())),
        };
        return ctx.out.json(
            "serve",
            &StartedJson {
                status: "started",
                port: started.port,
                hostname: &started.hostname,
                url: &started.url,
                dev_url: started.dev_url.as_deref(),
                token_file: token_file.map(|file| file.to_string_lossy().into_owned()),
                token,
            },
        );
    }
    ctx.out
        .success(format!("grove serve listening on {}", started.url))?;
    if let Some(url) = &started.dev_url {
        ctx.out.hint(format!("A page served by {url} may use it"))?;
    }
    match &started.token {
        None => Ok(()),
        Some(TokenSource::Environment) => ctx
            .out
            .hint("Every request needs the token of GROVE_SERVE_TOKEN"),
        Some(TokenSource::Kept { file }) => ctx.out.hint(format!(
            "Every request needs the token in {}",
            file.display()
        )),
        Some(TokenSource::Made { file, token }) => {
            // Not a hint: with --quiet this would be the one chance missed.
            ctx.out.line(format!("  Token: {token}"))?;
            ctx.out.hint(format!(
                "Every request needs it; it is kept in {}",
                file.display()
            ))
        }
    }
}

impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        let shown = error.to_string();
        let failed = Self::of_command("serve", shown.clone(), shown);
        match error {
            ServeError::Db(inner) => inner.into(),
            ServeError::File(inner) => inner.into(),
            ServeError::InUse { .. } => failed.hint(
                "end what listens there, or choose another one with --port; 0 takes a free one",
            ),
            ServeError::Forbidden { .. } => failed.hint("choose a port above 1023 with --port"),
            ServeError::Address { .. } => {
                failed.hint("leave --host out, or give an address that this machine has")
            }
            ServeError::Token(_) | ServeError::Io(_) => failed,
        }
    }
}
