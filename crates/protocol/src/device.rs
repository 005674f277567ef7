//! A device's identity: an Ed25519 key, the id made from it, and the signature that proves it in a handshake.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use sha2::{Digest, Sha256};

use crate::Millis;
use crate::connect::{ConnectParams, DeviceProof};

/// A device's key pair.
pub struct DeviceKey(SigningKey);

impl DeviceKey {
    /// The key of these 32 secret bytes, which the caller keeps.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// Lowercase hex of the SHA-256 of the public key: 64 characters.
    pub fn id(&self) -> String {
        device_id(self.0.verifying_key().as_bytes())
    }

    /// base64url of the public key, without padding.
    pub fn public_key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.verifying_key().as_bytes())
    }

    /// The proof for `params`, answering the challenge's `nonce` at its `ts`. A `device` already there is ignored.
    pub fn prove(&self, params: &ConnectParams, nonce: &str, ts: Millis) -> DeviceProof {
        let id = self.id();
        let payload = signature_payload(Version::V3, params, &id, ts, nonce);
        DeviceProof {
            id,
            public_key: self.public_key(),
            signature: URL_SAFE_NO_PAD.encode(self.0.sign(payload.as_bytes()).to_bytes()),
            signed_at: ts,
            nonce: nonce.to_owned(),
        }
    }
}

/// Shows the public half.
impl std::fmt::Debug for DeviceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DeviceKey").field(&self.id()).finish()
    }
}

/// Why a proof is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The id is not the hash of the key, or the key is none.
    #[error("device identity mismatch")]
    IdMismatch,
    /// The signature doesn't verify.
    #[error("device signature invalid")]
    Signature,
}

/// Checks that `proof` was made with its own key for `params`. Nonce and time are the caller's to check.
pub fn verify(proof: &DeviceProof, params: &ConnectParams) -> Result<(), ProofError> {
    let key = URL_SAFE_NO_PAD.decode(&proof.public_key).ok();
    let key: [u8; 32] = key.and_then(|raw| raw.try_into().ok()).ok_or(ProofError::IdMismatch)?;
    if device_id(&key) != proof.id {
        return Err(ProofError::IdMismatch);
    }
    let key = VerifyingKey::from_bytes(&key).map_err(|_| ProofError::IdMismatch)?;
    let signature = URL_SAFE_NO_PAD.decode(&proof.signature).ok();
    let signature = signature.and_then(|raw| Signature::from_slice(&raw).ok()).ok_or(ProofError::Signature)?;
    // Version 2 is what older clients of OpenClaw sign; its gateway takes both.
    [Version::V3, Version::V2]
        .into_iter()
        .map(|version| signature_payload(version, params, &proof.id, proof.signed_at, &proof.nonce))
        .any(|payload| key.verify(payload.as_bytes(), &signature).is_ok())
        .then_some(())
        .ok_or(ProofError::Signature)
}

fn device_id(public_key: &[u8; 32]) -> String {
    hex::encode(Sha256::digest(public_key))
}

#[derive(Clone, Copy)]
enum Version {
    V2,
    V3,
}

/// What is signed: fields joined by `|`, scopes in the order sent, platform and family lowercased in ASCII.
fn signature_payload(version: Version, params: &ConnectParams, id: &str, signed_at: Millis, nonce: &str) -> String {
    let client = &params.client;
    let (name, scopes, token) = (
        match version {
            Version::V2 => "v2",
            Version::V3 => "v3",
        },
        params.scopes.join(","),
        params.auth.signed_token(),
    );
    let common =
        format!("{name}|{id}|{}|{}|{}|{scopes}|{signed_at}|{token}|{nonce}", client.id, client.mode, params.role);
    match version {
        Version::V2 => common,
        Version::V3 => {
            let plain = |text: &str| text.trim().to_ascii_lowercase();
            format!("{common}|{}|{}", plain(&client.platform), plain(client.device_family.as_deref().unwrap_or("")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::{Auth, ClientInfo};

    fn params() -> ConnectParams {
        ConnectParams {
            min_protocol: 4,
            max_protocol: 4,
            client: ClientInfo {
                id: "openclaw-ios".into(),
                display_name: None,
                version: "1".into(),
                platform: "iOS 19.0".into(),
                device_family: Some("iPhone".into()),
                mode: "ui".into(),
            },
            caps: vec![],
            role: "operator".into(),
            scopes: ["operator.read", "operator.write", "operator.questions"].map(String::from).to_vec(),
            auth: Auth { token: Some("peer-token-0123456789abcdef".into()), ..Auth::default() },
            locale: None,
            user_agent: None,
            device: None,
        }
    }

    /// The vector of docs/PROTOCOL.md, whose layout a real gateway accepted.
    #[test]
    fn the_signature_is_the_one_a_real_gateway_accepts() {
        let key = DeviceKey::from_seed(&[1; 32]);
        let proof = key.prove(&params(), "1f2706c3-7ffe-4945-96b6-d29c3397ebfc", 1_796_134_990_309);
        assert_eq!(proof.id, "34750f98bd59fcfc946da45aaabe933be154a4b5094e1c4abf42866505f3c97e");
        assert_eq!(proof.public_key, "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w");
        assert_eq!(
            proof.signature,
            "I4thGlZBNhvQQxpLdXNOD9mx4yqvKFmOF2RczVfLIDnxUFEhxHmSkFyMzE3fSSIpBhHNhYXWytd1pOJhuqaPBQ"
        );
        assert_eq!(verify(&proof, &params()), Ok(()));
    }

    #[test]
    fn every_signed_field_counts() {
        let proof = DeviceKey::from_seed(&[1; 32]).prove(&params(), "nonce", 5);
        let changes: [fn(&mut ConnectParams); 6] = [
            |p| p.client.id = "cli".into(),
            |p| p.client.mode = "cli".into(),
            |p| p.client.platform = "ios 20".into(),
            |p| p.role = "node".into(),
            |p| p.scopes.push("operator.admin".into()),
            |p| p.auth.token = None,
        ];
        for change in changes {
            let mut other = params();
            change(&mut other);
            assert_eq!(verify(&proof, &other), Err(ProofError::Signature));
        }
        let replayed = DeviceProof { nonce: "other".into(), ..proof.clone() };
        assert_eq!(verify(&replayed, &params()), Err(ProofError::Signature));
        let foreign = DeviceProof { id: DeviceKey::from_seed(&[2; 32]).id(), ..proof };
        assert_eq!(verify(&foreign, &params()), Err(ProofError::IdMismatch));
    }
}
