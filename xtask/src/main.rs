//! What a person working on Beckon runs: `cargo xtask run`, `cargo xtask test`, and the pieces of the two.
//!
//! Continuous integration runs the same commands. Each prints the programs it calls, so that one can be run alone.
#![allow(clippy::print_stdout, reason = "telling what it does is half of its work")]

mod bench;
mod bindings;
mod command;
mod run;
mod setup;
mod step;
mod test;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::setup::Part;

/// The tasks of the Beckon repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what is missing to build.
    Setup {
        /// Also what the tests need.
        #[arg(long)]
        tests: bool,
    },
    /// Build and start Beckon: the desktop app, or its interface in a browser where there is no display.
    Run {
        /// Serve the interface to a browser even where there is a display.
        #[arg(long)]
        browser: bool,
        /// For the program that is started.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Check everything, step by step.
    Test(test::Choice),
    /// Write the interface's TypeScript types anew from core's.
    Bindings {
        /// Write nothing; fail where they differ.
        #[arg(long)]
        check: bool,
    },
    /// Measure the built-in gateway.
    Bench,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Setup { tests } => setup::install(if tests { Part::Tests } else { Part::Desktop }),
        Task::Run { browser, arguments } => run::run(browser, &arguments),
        Task::Test(choice) => return end(test::test(&choice)),
        Task::Bindings { check: true } => bindings::check(),
        Task::Bindings { check: false } => bindings::write(),
        Task::Bench => bench::bench(),
    };
    end(done.map(|()| true))
}

/// `Ok(false)` is a failure that was reported already.
fn end(done: Result<bool>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_make_sense() {
        Arguments::command().debug_assert();
        let read = Arguments::parse_from(["xtask", "run", "--browser", "--port", "7000"]).task;
        assert!(matches!(read, Task::Run { browser: true, arguments } if arguments == ["--port", "7000"]));
    }
}
