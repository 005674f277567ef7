//! Refusals: the error object of a response, and the codes that someone branches on.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{code}: {message}")]
pub struct ErrorShape {
    /// One of [`code`].
    pub code: String,
    /// For people.
    pub message: String,
    /// For programs: `reason` in question errors, `code` in connect errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// The same call may succeed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// How much later, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ErrorShape {
    /// A refusal of that code.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), details: None, retryable: None, retry_after_ms: None }
    }

    /// `INVALID_REQUEST` without details: the call has the wrong shape.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    /// `INVALID_REQUEST` with `details.reason`, as the question store refuses.
    pub fn question(reason: &str, message: impl Into<String>) -> Self {
        Self { details: Some(json!({ "reason": reason })), ..Self::invalid(message) }
    }

    /// `UNAVAILABLE`, worth another try.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self { retryable: Some(true), retry_after_ms: Some(1000), ..Self::new(code::UNAVAILABLE, message) }
    }

    /// The answer to a caller that lacks a scope.
    pub fn missing_scope(scope: &str) -> Self {
        Self {
            details: Some(json!({ "code": "MISSING_SCOPE", "missingScope": scope, "requiredScopes": [scope] })),
            ..Self::new(code::FORBIDDEN, format!("missing scope: {scope}"))
        }
    }

    /// `details.reason`, where there is one.
    pub fn reason(&self) -> Option<&str> {
        self.detail("reason")
    }

    /// `details.code`, where there is one.
    pub fn detail_code(&self) -> Option<&str> {
        self.detail("code")
    }

    fn detail(&self, key: &str) -> Option<&str> {
        self.details.as_ref()?.get(key)?.as_str()
    }
}

/// Top-level codes.
pub mod code {
    /// Wrong shape, wrong answer, failed authentication.
    pub const INVALID_REQUEST: &str = "INVALID_REQUEST";
    /// The caller's scopes don't allow it.
    pub const FORBIDDEN: &str = "FORBIDDEN";
    /// The device must be approved first.
    pub const NOT_PAIRED: &str = "NOT_PAIRED";
    /// Not now.
    pub const UNAVAILABLE: &str = "UNAVAILABLE";
}

/// `details.reason` of question errors.
pub mod reason {
    /// Unknown, or ended too long ago.
    pub const NOT_FOUND: &str = "QUESTION_NOT_FOUND";
    /// Answered, cancelled or expired before.
    pub const ALREADY_TERMINAL: &str = "QUESTION_ALREADY_TERMINAL";
    /// The answer breaks a rule of the question.
    pub const INVALID_ANSWER: &str = "QUESTION_INVALID_ANSWER";
    /// A question with that id exists.
    pub const ID_IN_USE: &str = "QUESTION_ID_IN_USE";
}

/// `details.code` of connect errors.
pub mod connect_code {
    /// The shared token is wrong.
    pub const TOKEN_MISMATCH: &str = "AUTH_TOKEN_MISMATCH";
    /// No credential was sent.
    pub const TOKEN_MISSING: &str = "AUTH_TOKEN_MISSING";
    /// The device token is wrong, revoked or another device's.
    pub const DEVICE_TOKEN_MISMATCH: &str = "AUTH_DEVICE_TOKEN_MISMATCH";
    /// Too many failures from this address.
    pub const RATE_LIMITED: &str = "AUTH_RATE_LIMITED";
    /// The device waits for approval.
    pub const PAIRING_REQUIRED: &str = "PAIRING_REQUIRED";
    /// The version range has no 4 in it.
    pub const PROTOCOL_MISMATCH: &str = "PROTOCOL_MISMATCH";
    /// The signature doesn't verify.
    pub const SIGNATURE_INVALID: &str = "DEVICE_AUTH_SIGNATURE_INVALID";
    /// `signedAt` is too far from the gateway's clock.
    pub const SIGNATURE_EXPIRED: &str = "DEVICE_AUTH_SIGNATURE_EXPIRED";
    /// The nonce is blank.
    pub const NONCE_REQUIRED: &str = "DEVICE_AUTH_NONCE_REQUIRED";
    /// The nonce isn't this connection's.
    pub const NONCE_MISMATCH: &str = "DEVICE_AUTH_NONCE_MISMATCH";
    /// The id isn't the hash of the key.
    pub const DEVICE_ID_MISMATCH: &str = "DEVICE_AUTH_DEVICE_ID_MISMATCH";
    /// The connection came with a browser's `Origin`.
    pub const ORIGIN_NOT_ALLOWED: &str = "CONTROL_UI_ORIGIN_NOT_ALLOWED";
}
