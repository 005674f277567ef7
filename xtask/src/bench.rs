//! Measurements of the built-in gateway; `docs/BENCHMARKS.md` has the results.

use anyhow::Result;

use crate::command::{call, cargo};
use crate::setup::{self, Part};

/// Builds `beckon` as it is released and measures it.
pub(crate) fn bench() -> Result<()> {
    setup::install(Part::Shell)?;
    call("npm run build -w ui").run()?;
    cargo("build --release -p beckon-cli").run()?;
    call("npm run bench -w tests").run()
}
