//! Everything a change must pass, in the order in which a fault is found soonest.

use anyhow::{Result, bail};
use clap::Args;

use crate::bindings;
use crate::command::{Call, call, cargo, root, target};
use crate::setup::{self, Part};
use crate::step::{self, Step};

/// Which steps, and what to do after a failure.
#[derive(Args)]
pub(crate) struct Choice {
    /// Name the steps and do nothing.
    #[arg(long)]
    list: bool,
    /// Only these steps, and those that prepare them.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    only: Vec<String>,
    /// Go on after a failure.
    #[arg(long)]
    keep_going: bool,
}

static STEPS: [Step; 12] = [
    Step { name: "format", shows: "the sources are formatted", part: Part::Shell, after: &[], run: format },
    Step {
        name: "interface",
        shows: "the interface builds, its types hold, its tests pass",
        part: Part::Shell,
        after: &[],
        run: interface,
    },
    Step { name: "lints", shows: "clippy has nothing to say", part: Part::Desktop, after: &["interface"], run: lints },
    Step {
        name: "bindings",
        shows: "the interface's types are core's",
        part: Part::Shell,
        after: &[],
        run: bindings::check,
    },
    Step {
        name: "licences",
        shows: "every dependency may be used, and comes from the registry",
        part: Part::Shell,
        after: &[],
        run: licences,
    },
    Step {
        name: "unit",
        shows: "the tests inside the crates pass",
        part: Part::Desktop,
        after: &["interface"],
        run: unit,
    },
    Step {
        name: "binaries",
        shows: "what the tests below start is built",
        part: Part::Desktop,
        after: &["interface"],
        run: binaries,
    },
    Step {
        name: "mcp",
        shows: "an MCP client asks and is answered",
        part: Part::Tests,
        after: &["binaries"],
        run: || suite("mcp"),
    },
    Step {
        name: "openclaw",
        shows: "an agent of a real OpenClaw gateway asks and is answered",
        part: Part::Tests,
        after: &["binaries"],
        run: || suite("openclaw"),
    },
    Step {
        name: "durability",
        shows: "killed processes lose nothing",
        part: Part::Tests,
        after: &["binaries"],
        run: || suite("durability"),
    },
    Step {
        name: "shell",
        shows: "the desktop app does its part",
        part: Part::Tests,
        after: &["binaries"],
        run: || suite("shell"),
    },
    Step {
        name: "pages",
        shows: "the interface does its part in a browser",
        part: Part::Tests,
        after: &["binaries"],
        run: || suite("pages"),
    },
];

/// Runs the chosen steps; `false` when one failed.
pub(crate) fn test(choice: &Choice) -> Result<bool> {
    if choice.list {
        for step in &STEPS {
            let after =
                if step.after.is_empty() { String::new() } else { format!(" (after {})", step.after.join(", ")) };
            println!("{:11} {}{after}", step.name, step.shows);
        }
        return Ok(true);
    }
    let steps = chosen(&choice.only)?;
    setup::install(steps.iter().map(|step| step.part).max().unwrap_or(Part::Shell))?;
    let outcomes = step::run_all(&steps, choice.keep_going);
    println!("\n{}", step::summary(&outcomes));
    Ok(step::all_passed(&outcomes))
}

/// The named steps and those they come after, in order; all of them when none is named.
fn chosen(names: &[String]) -> Result<Vec<&'static Step>> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        bail!(
            "there is no step `{unknown}`; the steps are {}",
            STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ")
        );
    }
    if names.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    let mut wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    // From the last step back, so that what a step needs is wanted before its turn comes.
    for step in STEPS.iter().rev() {
        if wanted.contains(&step.name) {
            wanted.extend(step.after);
        }
    }
    Ok(STEPS.iter().filter(|step| wanted.contains(&step.name)).collect())
}

fn format() -> Result<()> {
    call("cargo fmt --all --check").run()?;
    call("npm run format:check -w ui").run()
}

fn interface() -> Result<()> {
    call("npm run build -w ui").run()?;
    call("npm run check -w ui").run()?;
    call("npm run test -w ui").run()
}

fn lints() -> Result<()> {
    cargo("clippy --workspace --all-targets --features beckon-app/custom-protocol -- -D warnings").run()
}

/// The version that is installed where there is none; another one may know other licences by other names.
const CARGO_DENY: &str = "0.20.2";

fn licences() -> Result<()> {
    let deny = if call("cargo deny --version").output().is_some() {
        call("cargo deny")
    } else {
        let tools = target().join("tools");
        let program = tools.join("bin/cargo-deny");
        if !program.exists() {
            call(&format!("cargo install cargo-deny --locked --version {CARGO_DENY} --root"))
                .words([tools.to_string_lossy()])
                .run()?;
        }
        Call::of(program.strip_prefix(root()).unwrap_or(&program).to_string_lossy())
    };
    deny.words(["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]).run()
}

fn unit() -> Result<()> {
    // These tests would otherwise write into the sources: new types, new snapshots.
    let quiet = |call: Call| {
        call.env("TS_RS_EXPORT_DIR", bindings::scratch().to_string_lossy()).env("INSTA_UPDATE", "no").run()
    };
    quiet(cargo("test --workspace --exclude beckon-app"))?;
    quiet(cargo("test -p beckon-app --lib --features custom-protocol"))
}

fn binaries() -> Result<()> {
    cargo("build -p beckon-cli -p beckon-app --features beckon-app/custom-protocol").run()
}

/// One of the suites under tests/, which start what `binaries` built.
fn suite(name: &str) -> Result<()> {
    call("npm run").words([name, "-w", "tests"]).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &[&str]) -> Vec<&'static str> {
        let only: Vec<_> = only.iter().map(|&name| name.to_owned()).collect();
        chosen(&only).unwrap().iter().map(|step| step.name).collect()
    }

    #[test]
    fn a_step_brings_what_it_comes_after() {
        assert_eq!(names(&["shell", "format"]), ["format", "interface", "binaries", "shell"]);
        assert_eq!(names(&["bindings"]), ["bindings"]);
        assert_eq!(names(&[]).len(), STEPS.len());
    }

    #[test]
    fn steps_come_after_earlier_ones_only() {
        for (at, step) in STEPS.iter().enumerate() {
            assert!(
                step.after.iter().all(|name| STEPS.iter().take(at).any(|earlier| earlier.name == *name)),
                "{}",
                step.name
            );
        }
    }

    #[test]
    fn an_unknown_step_is_named() {
        let error = chosen(&["lint".to_owned()]).err().unwrap().to_string();
        assert!(error.starts_with("there is no step `lint`; the steps are format, interface, lints,"), "{error}");
    }
}
