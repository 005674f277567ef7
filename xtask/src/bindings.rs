//! The interface's TypeScript types of View, Patch and Intent, made from core's Rust types.
//!
//! They are always exported to a folder of their own first and then compared, so that a type that is gone from core
//! goes from the interface as well, and a check never changes what it checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::command::{cargo, root, target};

/// Files by their path inside a folder.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Fails where the interface's types aren't core's, and names the files.
pub(crate) fn check() -> Result<()> {
    let differences = differences(&export()?, &read(&kept())?);
    if differences.is_empty() {
        return Ok(());
    }
    bail!(
        "the interface's types are not core's; `cargo xtask bindings` writes them anew:\n  {}",
        differences.join("\n  ")
    )
}

/// Makes the interface's types those of core.
pub(crate) fn write() -> Result<()> {
    let (new, old) = (export()?, read(&kept())?);
    for path in old.keys().filter(|path| !new.contains_key(*path)) {
        fs::remove_file(kept().join(path))?;
    }
    for (path, text) in new.iter().filter(|(path, text)| old.get(*path) != Some(text)) {
        let path = kept().join(path);
        path.parent().map(fs::create_dir_all).transpose()?;
        fs::write(path, text)?;
    }
    let differences = differences(&new, &old);
    for difference in &differences {
        println!("{difference}");
    }
    println!("{} of {} types changed", differences.len(), new.len());
    Ok(())
}

/// Where the interface has them; `.cargo/config.toml` says the same to a plain `cargo test`.
fn kept() -> PathBuf {
    root().join("ui/src/host/bindings")
}

/// A folder for exports that nobody reads from the sources.
pub(crate) fn scratch() -> PathBuf {
    target().join("bindings")
}

fn export() -> Result<Files> {
    if scratch().exists() {
        fs::remove_dir_all(scratch())?;
    }
    let folder = scratch().to_string_lossy().into_owned();
    cargo("test --quiet -p beckon-core --lib export_bindings").env("TS_RS_EXPORT_DIR", folder).run()?;
    let files = read(&scratch())?;
    ensure!(!files.is_empty(), "core exported no type");
    Ok(files)
}

fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut open = vec![folder.to_owned()];
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(&here).with_context(|| format!("{} can't be read", here.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                files.insert(path.strip_prefix(folder)?.to_owned(), fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

/// What must happen to `old` to make it `new`, a line a file.
fn differences(new: &Files, old: &Files) -> Vec<String> {
    let changed = new.iter().filter_map(|(path, text)| match old.get(path) {
        None => Some(format!("missing: {}", path.display())),
        Some(had) if had != text => Some(format!("stale: {}", path.display())),
        Some(_) => None,
    });
    let gone =
        old.keys().filter(|path| !new.contains_key(*path)).map(|path| format!("no longer in core: {}", path.display()));
    changed.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_stale_and_extra_files_are_told_apart() {
        let files = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec())).collect::<Files>()
        };
        let new = files(&[("Card.ts", "a"), ("View.ts", "b"), ("json/Value.ts", "c")]);
        assert_eq!(differences(&new, &new), [""; 0]);
        let old = files(&[("Card.ts", "a"), ("View.ts", "older"), ("Gone.ts", "d")]);
        assert_eq!(differences(&new, &old), ["stale: View.ts", "missing: json/Value.ts", "no longer in core: Gone.ts"]);
    }
}
