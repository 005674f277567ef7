//! Secrets: gateways' tokens and the device key.
//!
//! They belong into the operating system's key store. Where there is none, nothing secret is kept until the person
//! allows a file that only they can read; until then the device key lives as long as the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use beckon_core::view::SecretsView;
use beckon_protocol::device::DeviceKey;

use crate::home::Home;

/// A place for secrets, by name.
pub trait SecretStore: Send {
    /// Where that is, for the person.
    fn kind(&self) -> SecretsView;
    /// The secret, if it is there.
    fn get(&self, name: &str) -> Result<Option<String>, SecretError>;
    /// Keeps it; on the disk when it returns.
    fn put(&mut self, name: &str, secret: &str) -> Result<(), SecretError>;
    /// Forgets it; nothing happens when it isn't there.
    fn remove(&mut self, name: &str) -> Result<(), SecretError>;
}

/// Why a place doesn't give out or take a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The key store refuses, for example because it is locked.
    #[error("the key store refuses: {0}")]
    KeyStore(#[from] keyring::Error),
    /// The file can't be used.
    #[error("{path} can't be used: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no place.
    #[error("there is no key store, and no file was allowed")]
    NoPlace,
    /// The operating system gives no random bytes.
    #[error("no random bytes for a device key: {0}")]
    Random(#[from] getrandom::Error),
    /// The device key in the store is none.
    #[error("the device key in the store is damaged; remove it to get a new one, and approve this device again")]
    DamagedKey,
}

/// The place in use: the file when it was allowed once, else the key store when there is one.
pub fn open(home: &Home) -> Box<dyn SecretStore> {
    let path = home.secret_file();
    if path.exists() {
        return Box::new(SecretFile { path });
    }
    let mut store = KeyStore { service: home.key_store_service() };
    // A store that gives nothing out or takes nothing in is as good as none: locked, or nobody answers.
    match device_key(&mut store) {
        Ok(_) | Err(SecretError::DamagedKey) => Box::new(store),
        Err(error) => {
            tracing::info!(%error, "no key store");
            none()
        }
    }
}

/// No place at all, as where there is no key store and no file was allowed.
pub fn none() -> Box<dyn SecretStore> {
    Box::new(Missing::default())
}

/// The file, allowed by the person. This device stays who it is: its key moves along from where it was.
pub fn allow_file(home: &Home, before: &dyn SecretStore) -> Result<Box<dyn SecretStore>, SecretError> {
    let file = SecretFile { path: home.secret_file() };
    let mut secrets = file.read()?;
    if let Some(key) = before.get(DEVICE_KEY)? {
        secrets.entry(DEVICE_KEY.to_owned()).or_insert(key);
    }
    file.write(&secrets)?;
    Ok(Box::new(file))
}

const DEVICE_KEY: &str = "device-key";

/// Name of a gateway's shared token.
pub(crate) fn token_name(gateway: &str) -> String {
    format!("gateway/{gateway}/token")
}

/// This device's key: the kept one, or a new one.
pub(crate) fn device_key(store: &mut dyn SecretStore) -> Result<DeviceKey, SecretError> {
    if let Some(kept) = store.get(DEVICE_KEY)? {
        let seed = hex::decode(kept.trim()).ok().and_then(|seed| <[u8; 32]>::try_from(seed).ok());
        return seed.map(|seed| DeviceKey::from_seed(&seed)).ok_or(SecretError::DamagedKey);
    }
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    store.put(DEVICE_KEY, &hex::encode(seed))?;
    Ok(DeviceKey::from_seed(&seed))
}

struct KeyStore {
    service: String,
}

impl KeyStore {
    fn entry(&self, name: &str) -> Result<keyring::Entry, SecretError> {
        Ok(keyring::Entry::new(&self.service, name)?)
    }
}

impl SecretStore for KeyStore {
    fn kind(&self) -> SecretsView {
        SecretsView::KeyStore
    }

    fn get(&self, name: &str) -> Result<Option<String>, SecretError> {
        match self.entry(name)?.get_password() {
            Ok(secret) => Ok(Some(secret)),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn put(&mut self, name: &str, secret: &str) -> Result<(), SecretError> {
        Ok(self.entry(name)?.set_password(secret)?)
    }

    fn remove(&mut self, name: &str) -> Result<(), SecretError> {
        match self.entry(name)?.delete_credential() {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// No place: the device key lives as long as the program, and nothing else is taken.
#[derive(Default)]
struct Missing {
    device_key: Option<String>,
}

impl SecretStore for Missing {
    fn kind(&self) -> SecretsView {
        SecretsView::Missing
    }

    fn get(&self, name: &str) -> Result<Option<String>, SecretError> {
        Ok(self.device_key.clone().filter(|_| name == DEVICE_KEY))
    }

    fn put(&mut self, name: &str, secret: &str) -> Result<(), SecretError> {
        if name != DEVICE_KEY {
            return Err(SecretError::NoPlace);
        }
        self.device_key = Some(secret.to_owned());
        Ok(())
    }

    fn remove(&mut self, _: &str) -> Result<(), SecretError> {
        Ok(())
    }
}

/// A JSON object in a file with mode 0600, replaced as a whole.
struct SecretFile {
    path: PathBuf,
}

impl SecretFile {
    fn error(&self, source: io::Error) -> SecretError {
        SecretError::File { path: self.path.clone(), source }
    }

    fn read(&self) -> Result<BTreeMap<String, String>, SecretError> {
        match fs::read(&self.path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| self.error(error.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(self.error(error)),
        }
    }

    fn write(&self, secrets: &BTreeMap<String, String>) -> Result<(), SecretError> {
        let bytes = serde_json::to_vec(secrets).map_err(|error| self.error(error.into()))?;
        let next = self.path.with_extension("next");
        write_private(&next, &bytes).and_then(|()| fs::rename(&next, &self.path)).map_err(|error| self.error(error))
    }
}

impl SecretStore for SecretFile {
    fn kind(&self) -> SecretsView {
        SecretsView::File
    }

    fn get(&self, name: &str) -> Result<Option<String>, SecretError> {
        Ok(self.read()?.remove(name))
    }

    fn put(&mut self, name: &str, secret: &str) -> Result<(), SecretError> {
        let mut secrets = self.read()?;
        secrets.insert(name.to_owned(), secret.to_owned());
        self.write(&secrets)
    }

    fn remove(&mut self, name: &str) -> Result<(), SecretError> {
        let mut secrets = self.read()?;
        secrets.remove(name).map_or(Ok(()), |_| self.write(&secrets))
    }
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_keeps_secrets_to_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("home")).unwrap();
        let mut store = allow_file(&home, &Missing::default()).unwrap();
        store.put(&token_name("a"), "token-a").unwrap();
        store.put(&token_name("b"), "token-b").unwrap();
        store.remove(&token_name("a")).unwrap();
        let again = open(&home);
        assert_eq!(again.kind(), SecretsView::File);
        assert_eq!(again.get(&token_name("a")).unwrap(), None);
        assert_eq!(again.get(&token_name("b")).unwrap().as_deref(), Some("token-b"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(home.secret_file()).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_device_keeps_its_key_where_it_may() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().to_owned()).unwrap();
        let mut missing = Missing::default();
        assert!(matches!(missing.put(&token_name("a"), "token"), Err(SecretError::NoPlace)));
        let key = device_key(&mut missing).unwrap();
        assert_eq!(device_key(&mut missing).unwrap().id(), key.id(), "as long as the program runs");
        let mut store = allow_file(&home, &missing).unwrap();
        assert_eq!(device_key(open(&home).as_mut()).unwrap().id(), key.id(), "and on, once a file is allowed");
        store.put(DEVICE_KEY, "not a key").unwrap();
        assert!(matches!(device_key(store.as_mut()), Err(SecretError::DamagedKey)));
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().to_owned()).unwrap();
        fs::write(home.secret_file(), "{oops").unwrap();
        assert!(allow_file(&home, &Missing::default()).is_err());
        assert_eq!(fs::read_to_string(home.secret_file()).unwrap(), "{oops");
    }
}
