//! What must be installed before anything builds: found, named with its reason, and installed where that is possible.

use std::collections::BTreeSet;
use std::time::SystemTime;

use anyhow::{Result, bail, ensure};

use crate::command::{Call, call, in_ci, root};

/// How much of the project is to work; each has everything before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The command line, and the interface in a browser.
    Shell,
    /// The desktop app.
    Desktop,
    /// The tests.
    Tests,
}

struct Package {
    name: &'static str,
    why: &'static str,
    part: Part,
}

const fn package(part: Part, name: &'static str, why: &'static str) -> Package {
    Package { name, why, part }
}

/// Debian's names.
const PACKAGES: [Package; 15] = [
    package(Part::Shell, "build-essential", "compiles SQLite and links"),
    package(Part::Desktop, "pkg-config", "finds the libraries below"),
    package(Part::Desktop, "libwebkit2gtk-4.1-dev", "the web view of the desktop app"),
    package(Part::Desktop, "libsoup-3.0-dev", "the web view's network library"),
    package(Part::Desktop, "librsvg2-dev", "icons of the desktop app"),
    package(Part::Desktop, "libayatana-appindicator3-dev", "the tray icon"),
    package(Part::Tests, "webkit2gtk-driver", "drives the desktop app in its tests"),
    package(Part::Tests, "xvfb", "a display for the desktop app in its tests"),
    package(Part::Tests, "xauth", "lets programs onto that display"),
    package(Part::Tests, "dbus", "a session bus for the key store in tests"),
    package(Part::Tests, "dbus-x11", "starts that session bus"),
    package(Part::Tests, "gnome-keyring", "the key store in tests"),
    package(Part::Tests, "imagemagick", "takes pictures of the desktop app in its tests"),
    package(Part::Tests, "chromium", "the browser of the page tests"),
    package(Part::Tests, "fonts-noto-core", "letters for every language in the page tests"),
];

/// The oldest Node, major and minor, that Vite runs on.
const NODE: (u32, u32) = (20, 19);

/// Installs what `part` needs and isn't there.
pub(crate) fn install(part: Part) -> Result<()> {
    match std::env::consts::OS {
        "linux" => packages(part)?,
        "macos" => ensure!(
            call("xcode-select -p").output().is_some(),
            "Apple's command line tools are missing. `xcode-select --install` installs them; then run this again."
        ),
        other => bail!("Beckon is built on Linux and macOS; this is {other}"),
    }
    node()?;
    node_packages()
}

fn packages(part: Part) -> Result<()> {
    let needed: Vec<_> = PACKAGES.iter().filter(|package| package.part <= part).collect();
    // It fails when it doesn't know one of the names; its table has the others all the same.
    let query = call(r"dpkg-query --show --showformat ${Package}\t${db:Status-Status}\n");
    let Some(states) = query.words(needed.iter().map(|package| package.name)).output_of_any_end() else {
        list(
            "This is no Debian or Ubuntu, so nothing was checked. Needed, by the names that Debian has for them:",
            &needed,
        );
        bail!("install these yourself, then call the programs that CONTRIBUTING.md names");
    };
    let there = installed(&states);
    let missing: Vec<_> = needed.into_iter().filter(|package| !there.contains(package.name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    list("Missing, and to be installed by apt-get:", &missing);
    as_root("apt-get update")?.run()?;
    as_root("apt-get install --yes --no-install-recommends")?.words(missing.iter().map(|package| package.name)).run()
}

fn list(title: &str, packages: &[&Package]) {
    println!("{title}");
    for Package { name, why, .. } in packages {
        println!("  {name:30} {why}");
    }
}

/// Names of the installed packages in dpkg's table of names and states. Names it doesn't know aren't in the table.
fn installed(states: &str) -> BTreeSet<&str> {
    states
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(_, state)| *state == "installed")
        .map(|(name, _)| name)
        .collect()
}

/// The call as root: through sudo unless this is root already.
fn as_root(line: &str) -> Result<Call> {
    if call("id -u").output().is_some_and(|id| id.trim() == "0") {
        return Ok(call(line).env("DEBIAN_FRONTEND", "noninteractive"));
    }
    ensure!(
        call("sudo -V").output().is_some(),
        "`{line}` must run as root, and there is no sudo. Run it as root, then run this again."
    );
    // Nobody is there to type a password.
    let quiet = if in_ci() { "--non-interactive " } else { "" };
    Ok(call(&format!("sudo {quiet}{line}")))
}

fn node() -> Result<()> {
    let said = call("node --version").output();
    if said.as_deref().and_then(version) >= Some(NODE) {
        return Ok(());
    }
    let found = said.map_or("is missing".to_owned(), |said| format!("{} is too old", said.trim()));
    bail!(
        "Node {found}. The interface is built with Node {}.{} or newer; install it and run this again.",
        NODE.0,
        NODE.1
    )
}

/// Major and minor of `v20.19.1`.
fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.trim().trim_start_matches('v').split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Node packages are as the lock file says when npm's own note of what it installed is newer.
fn node_packages() -> Result<()> {
    let changed = |path: &str| -> Option<SystemTime> { root().join(path).metadata().ok()?.modified().ok() };
    if changed("node_modules/.package-lock.json") >= changed("package-lock.json") {
        return Ok(());
    }
    call("npm ci").run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_packages_count_as_installed() {
        let states = "xvfb\tinstalled\nchromium\tconfig-files\ndbus\tnot-installed\nlibsoup-3.0-dev\tinstalled\n";
        assert_eq!(installed(states), BTreeSet::from(["xvfb", "libsoup-3.0-dev"]));
        assert_eq!(installed(""), BTreeSet::new());
    }

    #[test]
    fn node_s_version_is_read() {
        assert_eq!(version("v20.19.1\n"), Some((20, 19)));
        assert!(version("v22.0.0") > Some(NODE));
        assert!(version("v18.20.4") < Some(NODE));
        assert_eq!(version("nonsense"), None);
    }

    #[test]
    fn a_part_has_all_before_it() {
        let names = |part| PACKAGES.iter().filter(|package| package.part <= part).count();
        assert_eq!([Part::Shell, Part::Desktop, Part::Tests].map(names), [1, 6, 15]);
    }
}
