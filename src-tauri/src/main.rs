//! The desktop app, and the command line when it is started with a command.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    // `beckon-app mcp` is what the built-in snippet starts: the app alone is enough to give an agent the tool.
    let command = std::env::args_os().nth(1);
    if command.is_some_and(|command| beckon_cli::COMMANDS.iter().any(|known| command == *known)) {
        return beckon_cli::run(std::env::args_os());
    }
    beckon_app::run();
    ExitCode::SUCCESS
}
