//! Other programs: each is printed before it runs, in a form that can be pasted into a shell.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// One call of another program, in the repository's folder.
pub(crate) struct Call {
    words: Vec<String>,
    env: Vec<(&'static str, String)>,
}

/// The call of `line`, whose words are parted by spaces.
pub(crate) fn call(line: &str) -> Call {
    Call { words: line.split_whitespace().map(str::to_owned).collect(), env: Vec::new() }
}

/// `cargo` with these words. In continuous integration the lock file must be right as it is.
pub(crate) fn cargo(line: &str) -> Call {
    let mut call = call(&format!("cargo {line}"));
    if in_ci() {
        call.words.insert(2, "--locked".to_owned());
    }
    call
}

impl Call {
    /// The call of a program whose path may have spaces in it.
    pub(crate) fn of(program: impl Into<String>) -> Self {
        Self { words: vec![program.into()], env: Vec::new() }
    }

    /// More words, which may have spaces in them.
    pub(crate) fn words(mut self, more: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.extend(more.into_iter().map(Into::into));
        self
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// Prints it, runs it, and fails unless it succeeds.
    pub(crate) fn run(self) -> Result<()> {
        println!("$ {self}");
        let status = self.command().status().with_context(|| format!("`{self}` can't be started"))?;
        if !status.success() {
            bail!("`{self}` ended with {status}");
        }
        Ok(())
    }

    /// What it writes to its standard output, without a word printed; `None` when it fails or isn't there.
    pub(crate) fn output(self) -> Option<String> {
        let output = self.command().stderr(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// As `output`, but takes what a failing program wrote as well.
    pub(crate) fn output_of_any_end(self) -> Option<String> {
        let output = self.command().stderr(Stdio::null()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.words.first().map_or("", String::as_str));
        command.args(self.words.iter().skip(1)).current_dir(root());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let env = self.env.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = self.words.iter().map(|word| quoted(word));
        f.write_str(&env.chain(words).collect::<Vec<_>>().join(" "))
    }
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The repository's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target")))
}

/// This run is nobody's: no lock file may change, and nothing is asked.
pub(crate) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_reads_as_it_is_pasted() {
        let call = call("cargo test -p beckon-core").words(["it's mine", ""]).env("OUT", "/a b");
        assert_eq!(call.to_string(), r"OUT='/a b' cargo test -p beckon-core 'it'\''s mine' ''");
    }

    #[test]
    fn a_failure_names_the_call() {
        assert_eq!(call("false").run().unwrap_err().to_string(), "`false` ended with exit status: 1");
        assert_eq!(call("no-such-program x").run().unwrap_err().to_string(), "`no-such-program x` can't be started");
        assert_eq!(call("echo here").output().as_deref(), Some("here\n"));
        assert_eq!(call("false").output(), None);
    }
}
