//! The command line of Beckon. Thin: it reads arguments, calls the client and the gateway, and says how it went.
//!
//! The desktop app carries the same commands, so that one program is enough to give `ask_user` to an agent.

mod ask;
pub mod built_in;
mod gateway;
mod interface;
mod mcp;
mod open;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use beckon_client::{Asker, Home};
use clap::{Args, Parser, Subcommand};
use tracing_subscriber::EnvFilter;

/// Exit status: there is no answer, because the question was skipped or its time ran out.
pub const NO_ANSWER: u8 = 2;
/// Exit status: the arguments are wrong (`EX_USAGE` of sysexits.h).
pub const USAGE: u8 = 64;
/// Exit status: anything else that went wrong.
pub const FAILURE: u8 = 1;

/// Commands that the desktop app takes over from the command line.
pub const COMMANDS: [&str; 4] = ["gateway", "ask", "mcp", "open"];

/// Answer the questions your AI agent is stuck on.
#[derive(Parser)]
#[command(
    name = "beckon",
    version,
    about,
    after_help = "Everything is kept in one directory; BECKON_HOME names another one."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the built-in gateway on its own
    Gateway(gateway::Arguments),
    /// Ask a question and wait for the answer
    Ask(ask::Arguments),
    /// Give `ask_user` to an MCP agent, over stdio
    Mcp(Target),
    /// Serve the app to a browser on this computer
    Open(open::Arguments),
}

/// Which gateway asks.
#[derive(Args, Clone, Default)]
struct Target {
    /// Address of the gateway [default: the built-in one that runs on this computer]
    #[arg(long, value_name = "URL")]
    gateway: Option<String>,
    /// File that holds the gateway's token [default: the built-in one's]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Target {
    /// The other side of a question, under that name.
    fn asker(&self, name: &str, session_key: Option<String>) -> anyhow::Result<Asker> {
        let home = Home::find()?;
        let found = beckon_gateway::serving::find(&home.gateway());
        let address = match (&self.gateway, &found) {
            (Some(typed), _) => beckon_core::address::Address::parse(typed)?.url,
            (None, Some(found)) => found.address.clone(),
            (None, None) => anyhow::bail!(
                "no gateway runs here: start the Beckon app or `beckon gateway`, or name one with --gateway"
            ),
        };
        let token = match (&self.token_file, found) {
            (Some(file), _) => std::fs::read_to_string(file)
                .map_err(|error| anyhow::anyhow!("the token file {} can't be read: {error}", file.display()))?,
            (None, Some(found)) if found.address == address => found.token,
            (None, _) => anyhow::bail!("--gateway needs --token-file, a file that holds that gateway's token"),
        };
        Ok(Asker { address, token: token.trim().to_owned(), name: name.to_owned(), session_key })
    }
}

/// Runs a command line, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. Nobody reads a message that can't be printed.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    log();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error.into()),
    };
    let code = runtime.block_on(async {
        match cli.command {
            Command::Gateway(arguments) => gateway::run(arguments).await,
            Command::Ask(arguments) => ask::run(arguments).await,
            Command::Mcp(target) => mcp::run(target).await,
            Command::Open(arguments) => open::run(arguments).await,
        }
    });
    // A thread that waits for standard input can't be waited for.
    runtime.shutdown_background();
    code.unwrap_or_else(|error| fail(&error))
}

fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("beckon: {error}");
    ExitCode::from(FAILURE)
}

/// Logs go to standard error: standard output belongs to results. `BECKON_LOG` chooses more.
pub fn log() {
    let filter = EnvFilter::try_from_env("BECKON_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let ansi = std::io::stderr().is_terminal();
    // Another logger may be set when the app runs a command.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(ansi).try_init();
}

/// Resolves when the person or the system wants the program to end. Listens from the call on, not from the first poll:
/// an interruption in between must not end a program that has promises to take back.
fn interrupted() -> impl Future<Output = ()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
        async move {
            match signals {
                [Ok(mut interrupt), Ok(mut terminate)] => {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                }
                // Without a listener the system ends the program itself.
                _ => std::future::pending().await,
            }
        }
    }
    #[cfg(not(unix))]
    async {
        let _ = tokio::signal::ctrl_c().await;
    }
}
