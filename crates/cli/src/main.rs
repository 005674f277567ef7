//! The command line of Beckon.

use std::process::ExitCode;

fn main() -> ExitCode {
    beckon_cli::run(std::env::args_os())
}
