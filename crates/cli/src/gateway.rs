//! `beckon gateway`: the built-in gateway on its own.

use std::path::PathBuf;
use std::process::ExitCode;

use beckon_client::Home;
use beckon_gateway::serving::Serving;
use clap::Args;

use crate::interrupted;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Port on the loopback address; 0 takes a free one [default: 7117, or a free one when that is taken]
    #[arg(long)]
    port: Option<u16>,
    /// Directory for its questions [default: `gateway` in Beckon's directory]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// File for its token, made when absent [default: `token` in the state directory]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

#[allow(clippy::print_stdout, reason = "the one line that says it is ready")]
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let interrupted = interrupted();
    let state = match arguments.state {
        Some(state) => state,
        None => Home::find()?.gateway(),
    };
    let serving = Serving::start(&state, arguments.token_file, arguments.port).await?;
    println!("listening on {}", serving.endpoint.address);
    serving.until(interrupted).await?;
    Ok(ExitCode::SUCCESS)
}
