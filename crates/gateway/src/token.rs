//! The shared token and its file.
//!
//! Whoever reads the token may connect, so only the owner may read the file. A file that others can read is
//! tightened and reported: refusing to start would not undo that it was readable.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
#[error("can't use the token file {}: {source}", path.display())]
pub struct TokenError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// The token in the file at `path`, without surrounding white space. When there is no file, or an empty one (a crash
/// between creating and writing it), a new token is written: 32 random bytes as base64url, mode 0600.
pub fn load_or_create(path: &Path) -> Result<String, TokenError> {
    token_in(path).map_err(|source| TokenError { path: path.to_owned(), source })
}

/// 32 random bytes as base64url: the shape of every token this gateway makes.
pub(crate) fn generate() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn token_in(path: &Path) -> io::Result<String> {
    // A token somebody mounted may be readable and nothing else.
    if let Ok(text) = std::fs::read_to_string(path)
        && !text.trim().is_empty()
    {
        if let Err(error) = std::fs::File::open(path).and_then(|file| tighten(&file, path)) {
            tracing::warn!(%error, path = %path.display(), "others may be able to read the token file");
        }
        return Ok(text.trim().to_owned());
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    tighten(&file, path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    if !text.trim().is_empty() {
        return Ok(text.trim().to_owned());
    }
    let token = generate()?;
    file.write_all(format!("{token}\n").as_bytes())?;
    file.sync_all()?;
    Ok(token)
}

#[cfg(unix)]
fn tighten(file: &std::fs::File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = file.metadata()?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(0o600);
        file.set_permissions(permissions)?;
        tracing::warn!(path = %path.display(), "others could read the token file; it is now private. Make a new token if they may have");
    }
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "the other platforms can fail")]
fn tighten(_: &std::fs::File, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_first_call_makes_a_token_and_the_next_ones_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        let token = load_or_create(&path).unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(&token).unwrap().len(), 32);
        assert_eq!(load_or_create(&path).unwrap(), token);
    }

    #[test]
    fn an_empty_file_gets_a_token_and_a_person_s_own_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        std::fs::write(&path, "").unwrap();
        assert_eq!(load_or_create(&path).unwrap().len(), 43);
        std::fs::write(&path, "my own token\n").unwrap();
        assert_eq!(load_or_create(&path).unwrap(), "my own token");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        load_or_create(&path).unwrap();
        assert_eq!(mode(), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        load_or_create(&path).unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn a_path_that_can_t_be_used_is_named() {
        let error = load_or_create(Path::new("/nowhere/at/all")).unwrap_err().to_string();
        assert!(error.starts_with("can't use the token file /nowhere/at/all: "), "{error}");
    }
}
