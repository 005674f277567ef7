//! Where things are kept: one directory for everything of one person on one machine.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use etcetera::app_strategy::{AppStrategy, AppStrategyArgs, choose_native_strategy};

/// Environment variable that names another directory.
pub const HOME_VARIABLE: &str = "BECKON_HOME";

/// The directory.
#[derive(Debug, Clone)]
pub struct Home {
    dir: PathBuf,
    /// Not the usual place.
    elsewhere: bool,
}

/// Why the directory can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HomeError {
    /// Nobody's home directory is known.
    #[error("there is no home directory; set {HOME_VARIABLE} to a directory Beckon may use")]
    Nowhere,
    /// The file system refuses.
    #[error("{path} can't be used: {source}")]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Beckon runs there already.
    #[error("Beckon is already running on {0}: close the other window, or stop the other `beckon open`")]
    InUse(PathBuf),
}

impl Home {
    /// `$BECKON_HOME`, else the usual place for an app's data. Made when absent, for this user only.
    pub fn find() -> Result<Self, HomeError> {
        if let Some(dir) = env::var_os(HOME_VARIABLE).filter(|dir| !dir.is_empty()) {
            return Self::new(dir.into(), true);
        }
        let args = AppStrategyArgs {
            top_level_domain: "app".to_owned(),
            author: "Beckon".to_owned(),
            app_name: "Beckon".to_owned(),
        };
        let usual = choose_native_strategy(args).map_err(|_| HomeError::Nowhere)?;
        Self::new(usual.data_dir(), false)
    }

    /// A directory the caller knows.
    pub fn at(dir: PathBuf) -> Result<Self, HomeError> {
        Self::new(dir, true)
    }

    fn new(dir: PathBuf, elsewhere: bool) -> Result<Self, HomeError> {
        // In one spelling: secrets are filed under it, and other programs are told.
        let made = fs::create_dir_all(&dir).and_then(|()| private(&dir)).and_then(|()| fs::canonicalize(&dir));
        match made {
            Ok(dir) => Ok(Self { dir, elsewhere }),
            Err(source) => Err(HomeError::Io { path: dir, source }),
        }
    }

    /// The directory, when it isn't the usual one.
    pub fn elsewhere(&self) -> Option<&Path> {
        self.elsewhere.then_some(self.dir.as_path())
    }

    /// The app's database.
    pub fn database(&self) -> PathBuf {
        self.dir.join("app.sqlite")
    }

    /// The file for secrets that a person allowed.
    pub fn secret_file(&self) -> PathBuf {
        self.dir.join("secrets.json")
    }

    /// State directory of the built-in gateway.
    pub fn gateway(&self) -> PathBuf {
        self.dir.join("gateway")
    }

    /// Under which name secrets are in the key store: another directory's are other secrets.
    pub fn key_store_service(&self) -> String {
        if self.elsewhere { format!("app.beckon {}", self.dir.display()) } else { "app.beckon".to_owned() }
    }

    /// Makes sure that one app at a time works on the database. Held until the file is dropped.
    pub(crate) fn lock(&self) -> Result<File, HomeError> {
        let path = self.dir.join("app.lock");
        let locked = File::options().create(true).truncate(false).write(true).open(&path);
        let file = locked.map_err(|source| HomeError::Io { path: path.clone(), source })?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(HomeError::InUse(self.dir.clone())),
            Err(TryLockError::Error(source)) => Err(HomeError::Io { path, source }),
        }
    }
}

#[cfg(unix)]
fn private(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn private(_: &Path) -> io::Result<()> {
    Ok(())
}
