//! Named steps, one after the other, and the table of how they ended.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::setup::Part;

/// One step of a test run.
pub(crate) struct Step {
    /// What it is chosen by.
    pub(crate) name: &'static str,
    /// What a person knows when it passed.
    pub(crate) shows: &'static str,
    /// What must be installed for it.
    pub(crate) part: Part,
    /// Steps that prepare what it looks at.
    pub(crate) after: &'static [&'static str],
    pub(crate) run: fn() -> Result<()>,
}

/// How a step ended.
pub(crate) struct Outcome {
    name: &'static str,
    end: End,
}

enum End {
    Passed(Duration),
    Failed(Duration, String),
    NotRun,
}

/// Runs the steps in order; after the first failure only if told to keep going.
pub(crate) fn run_all(steps: &[&Step], keep_going: bool) -> Vec<Outcome> {
    let mut stopped = false;
    let mut outcomes = Vec::new();
    for step in steps {
        let end = if stopped { End::NotRun } else { run_one(step) };
        stopped |= matches!(end, End::Failed(..)) && !keep_going;
        outcomes.push(Outcome { name: step.name, end });
    }
    outcomes
}

fn run_one(step: &Step) -> End {
    println!("\n== {}: {}", step.name, step.shows);
    let start = Instant::now();
    let result = (step.run)();
    let took = start.elapsed();
    match result {
        Ok(()) => {
            println!("== {} passed after {}", step.name, human(took));
            End::Passed(took)
        }
        Err(error) => {
            println!("== {} FAILED after {}: {error:#}", step.name, human(took));
            End::Failed(took, format!("{error:#}"))
        }
    }
}

/// Nothing failed.
pub(crate) fn all_passed(outcomes: &[Outcome]) -> bool {
    !outcomes.iter().any(|outcome| matches!(outcome.end, End::Failed(..)))
}

/// A table of the steps; its last line counts them.
pub(crate) fn summary(outcomes: &[Outcome]) -> String {
    let width = outcomes.iter().map(|outcome| outcome.name.len()).max().unwrap_or(0);
    let (mut table, mut reasons) = (String::new(), String::new());
    let (mut passed, mut failed) = (0, 0);
    for Outcome { name, end } in outcomes {
        let (word, took) = match end {
            End::Passed(took) => ("passed", human(*took)),
            End::Failed(took, why) => {
                let _ = writeln!(reasons, "{name}: {why}");
                ("FAILED", human(*took))
            }
            End::NotRun => ("not run", String::new()),
        };
        passed += usize::from(matches!(end, End::Passed(_)));
        failed += usize::from(matches!(end, End::Failed(..)));
        let _ = writeln!(table, "{}", format!("{name:width$}  {word:7}  {took:>11}").trim_end());
    }
    format!("{table}{reasons}{passed} passed, {failed} failed")
}

fn human(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    fn step(name: &'static str, run: fn() -> Result<()>) -> Step {
        Step { name, shows: "", part: Part::Shell, after: &[], run }
    }

    fn ends(steps: &[Step], keep_going: bool) -> Vec<&'static str> {
        run_all(&steps.iter().collect::<Vec<_>>(), keep_going)
            .iter()
            .map(|outcome| match outcome.end {
                End::Passed(_) => "passed",
                End::Failed(..) => "failed",
                End::NotRun => "not run",
            })
            .collect()
    }

    #[test]
    fn the_first_failure_ends_the_run_unless_told_otherwise() {
        let steps = [step("a", || Ok(())), step("b", || Err(anyhow!("no"))), step("c", || Ok(()))];
        assert_eq!(ends(&steps, false), ["passed", "failed", "not run"]);
        assert_eq!(ends(&steps, true), ["passed", "failed", "passed"]);
    }

    #[test]
    fn the_summary_ends_in_the_count() {
        let outcomes = [
            Outcome { name: "format", end: End::Passed(Duration::from_millis(1240)) },
            Outcome { name: "interface", end: End::Failed(Duration::from_secs(65), "`x` ended with 1".into()) },
            Outcome { name: "lints", end: End::NotRun },
        ];
        assert!(!all_passed(&outcomes));
        assert_eq!(
            summary(&outcomes),
            "format     passed         1.2 s\n\
             interface  FAILED    1 min 05 s\n\
             lints      not run\n\
             interface: `x` ended with 1\n\
             1 passed, 1 failed"
        );
        assert_eq!(summary(&[]), "0 passed, 0 failed");
    }
}
