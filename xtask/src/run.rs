//! Starting Beckon from its sources.

use anyhow::Result;

use crate::command::{call, cargo};
use crate::setup::{self, Part};

/// Builds and starts the desktop app, or serves the interface to a browser.
pub(crate) fn run(browser: bool, arguments: &[String]) -> Result<()> {
    let desktop = !browser && has_display(std::env::consts::OS, |name| std::env::var_os(name).is_some());
    if !desktop && !browser {
        println!("There is no display here: the interface is served to a browser instead.");
    }
    setup::install(if desktop { Part::Desktop } else { Part::Shell })?;
    call("npm run build -w ui").run()?;
    let program = if desktop {
        // The feature takes the interface into the binary; without it the app looks for a development server.
        cargo("run -p beckon-app --features custom-protocol --")
    } else {
        cargo("run -p beckon-cli -- open")
    };
    program.words(arguments).run()
}

fn has_display(system: &str, is_set: impl Fn(&str) -> bool) -> bool {
    system == "macos" || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

#[cfg(test)]
mod tests {
    use super::has_display;

    #[test]
    fn a_display_is_one_of_x11_wayland_or_a_mac() {
        assert!(!has_display("linux", |_| false));
        assert!(has_display("linux", |name| name == "DISPLAY"));
        assert!(has_display("linux", |name| name == "WAYLAND_DISPLAY"));
        assert!(has_display("macos", |_| false));
    }
}
