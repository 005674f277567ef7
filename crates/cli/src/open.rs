//! `beckon open`: the app, served to a browser on this computer.

use std::process::ExitCode;

use beckon_client::web::Host;
use beckon_client::{Beckon, Home};
use clap::Args;
use tokio_util::sync::CancellationToken;

use crate::{built_in, interface, interrupted};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Port on the loopback address; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

#[allow(clippy::print_stdout, reason = "the address is the result")]
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let interrupted = interrupted();
    anyhow::ensure!(
        interface::file("index.html").is_some(),
        "the interface isn't built; `cargo xtask run` builds it, or run `npm run build -w ui` and try again"
    );
    let home = Home::find()?;
    let (built_in, serving) = built_in::start(&home).await?;
    let beckon = Beckon::start(&home, Some(built_in))?;
    let host = Host::bind(beckon, interface::file, arguments.port).await?;
    println!("Beckon is ready. Open this address in a browser on this computer; who has it can answer for you:");
    println!("{}", host.url());

    let stop = CancellationToken::new();
    let gateway = tokio::spawn({
        let stop = stop.clone();
        async move {
            match serving {
                Some(serving) => serving.until(stop.cancelled_owned()).await,
                None => Ok(()),
            }
        }
    });
    // An open page would hold a graceful end up for ever.
    tokio::select! {
        served = host.run(std::future::pending()) => served?,
        () = interrupted => {}
    }
    stop.cancel();
    gateway.await??;
    Ok(ExitCode::SUCCESS)
}
