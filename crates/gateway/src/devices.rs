//! Devices: what each one was approved for, and the token that stands for it.
//!
//! The protocol hands a device the same token at every connect, so the token itself must be kept: from a hash it
//! couldn't be told again, and a new one at each connect would log out a device that lost one response. It lies in
//! the database, which only the owner may read, beside the file with the shared token, which is worth more. It works
//! only together with the device's own key. A new token is made when the approved scopes grow; the old one then stops
//! working, so that a copy taken earlier doesn't grow with it.

use beckon_protocol::Millis;
use beckon_protocol::connect::ClientInfo;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// An approved device in one role.
#[derive(Clone)]
pub(crate) struct Device {
    /// What it may do.
    pub scopes: Vec<String>,
    /// Its token.
    pub token: String,
    /// When the token was made.
    pub issued_at_ms: Millis,
}

/// A device that is to be approved.
pub(crate) struct Applicant {
    /// Hash of its key.
    pub device_id: String,
    /// `operator` or `node`.
    pub role: String,
    /// Its key.
    pub public_key: String,
    /// What it says about itself.
    pub client: ClientInfo,
    /// What it wants to do.
    pub scopes: Vec<String>,
}

impl Device {
    /// Whether all of `scopes` were approved.
    pub(crate) fn covers(&self, scopes: &[String]) -> bool {
        scopes.iter().all(|scope| self.scopes.contains(scope))
    }

    /// This device with `scopes` approved beside what it had; `None` when it had them all.
    pub(crate) fn widened(known: Option<&Self>, scopes: &[String], now: Millis) -> std::io::Result<Option<Self>> {
        if known.is_some_and(|device| device.covers(scopes)) {
            return Ok(None);
        }
        let mut approved = known.map_or_else(Vec::new, |device| device.scopes.clone());
        approved
            .extend(scopes.iter().filter(|scope| !known.is_some_and(|device| device.scopes.contains(scope))).cloned());
        Ok(Some(Self { scopes: approved, token: crate::token::generate()?, issued_at_ms: now }))
    }
}

/// Whether two credentials are the same, in a time that doesn't depend on where they differ or how long they are.
pub(crate) fn same_secret(a: &str, b: &str) -> bool {
    Sha256::digest(a).ct_eq(&Sha256::digest(b)).into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn scopes(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_device_keeps_its_token_until_it_may_do_more() {
        let first = Device::widened(None, &scopes(&["a", "b"]), 1).unwrap().unwrap();
        assert!(Device::widened(Some(&first), &scopes(&["b"]), 2).unwrap().is_none());
        let second = Device::widened(Some(&first), &scopes(&["b", "c"]), 3).unwrap().unwrap();
        assert_eq!(second.scopes, scopes(&["a", "b", "c"]));
        assert_ne!(second.token, first.token);
        assert_eq!(second.issued_at_ms, 3);
    }

    #[test]
    fn secrets_are_compared_whole() {
        assert!(same_secret("abc", "abc"));
        assert!(!same_secret("abc", "ab") && !same_secret("", "a"));
    }
}
