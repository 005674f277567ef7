//! The credential of a `connect`: the shared token, or a device's own.

use std::time::Instant;

use beckon_protocol::connect::ConnectParams;
use beckon_protocol::error::connect_code;
use serde_json::json;

use super::{Refusal, Visitor, device_required};
use crate::attempts::Verdict;
use crate::devices::{Device, same_secret};
use crate::server::Shared;

/// The credential that was accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Shared,
    Device,
}

impl Method {
    /// As `hello-ok` calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Shared => "token",
            Self::Device => "device-token",
        }
    }
}

/// A credential that was not accepted.
enum Unauthorized {
    Missing,
    NoDevice,
    SharedToken { retry_with_device: bool },
    DeviceToken,
    SetupCode,
}

impl Unauthorized {
    /// Whether it was a try at a secret.
    fn is_guess(&self) -> bool {
        matches!(self, Self::SharedToken { .. } | Self::DeviceToken | Self::SetupCode)
    }

    fn refusal(&self) -> Refusal {
        let (what, code, auth_reason, next) = match self {
            Self::NoDevice => return device_required(),
            Self::Missing => (
                "gateway token missing (provide gateway auth token)",
                connect_code::TOKEN_MISSING,
                "token_missing",
                "update_auth_configuration",
            ),
            Self::SharedToken { retry_with_device } => (
                "gateway token mismatch (provide gateway auth token)",
                connect_code::TOKEN_MISMATCH,
                "token_mismatch",
                if *retry_with_device { "retry_with_device_token" } else { "update_auth_credentials" },
            ),
            Self::DeviceToken => (
                "device token mismatch (rotate/reissue device token)",
                connect_code::DEVICE_TOKEN_MISMATCH,
                "device_token_mismatch",
                "update_auth_credentials",
            ),
            Self::SetupCode => (
                "setup code invalid, expired, revoked, or already used (create a new code)",
                "AUTH_BOOTSTRAP_TOKEN_INVALID",
                "bootstrap_token_invalid",
                "review_auth_configuration",
            ),
        };
        let retry_with_device = matches!(self, Self::SharedToken { retry_with_device: true });
        unauthorized(what, code, auth_reason, retry_with_device, next)
    }
}

/// A refusal of a credential.
pub(super) fn unauthorized(what: &str, code: &str, auth_reason: &str, retry_with_device: bool, next: &str) -> Refusal {
    let details = json!({
        "code": code,
        "authReason": auth_reason,
        "canRetryWithDeviceToken": retry_with_device,
        "recommendedNextStep": next,
    });
    Refusal::detailed(&format!("unauthorized: {what}"), details)
}

/// Judges the credential; each wrong one costs the address a guess.
pub(super) fn authenticate(
    shared: &Shared,
    visitor: &Visitor,
    params: &ConnectParams,
    known: Option<&Device>,
) -> Result<Method, Refusal> {
    let verdict = shared
        .attempts
        .judge(visitor.address, Instant::now(), Unauthorized::is_guess, || compare(&shared.token, params, known));
    match verdict {
        Verdict::Compared(Ok(method)) => Ok(method),
        Verdict::Compared(Err(wrong)) => Err(wrong.refusal()),
        Verdict::Limited(wait) => {
            let mut refusal = unauthorized(
                "too many failed authentication attempts (retry later)",
                connect_code::RATE_LIMITED,
                "rate_limited",
                false,
                "wait_then_retry",
            );
            refusal.error.retryable = Some(true);
            refusal.error.retry_after_ms = u64::try_from(wait.as_millis()).ok();
            Err(refusal)
        }
    }
}

fn compare(shared_token: &str, params: &ConnectParams, known: Option<&Device>) -> Result<Method, Unauthorized> {
    let given = |credential: &Option<String>| credential.clone().filter(|text| !text.trim().is_empty());
    let auth = &params.auth;
    let (token, device_token) = (given(&auth.token), given(&auth.device_token));
    let is_device_s = |token: &str| known.is_some_and(|device| same_secret(token, &device.token));
    let has_device = params.device.is_some();
    if let Some(token) = &token {
        if same_secret(token, shared_token) {
            return Ok(Method::Shared);
        }
        if is_device_s(token) {
            return Ok(Method::Device);
        }
    }
    match device_token {
        Some(token) if has_device && is_device_s(&token) => return Ok(Method::Device),
        Some(_) if has_device => return Err(Unauthorized::DeviceToken),
        _ => {}
    }
    if token.is_some() {
        return Err(Unauthorized::SharedToken { retry_with_device: has_device });
    }
    if given(&auth.bootstrap_token).is_some() {
        return Err(Unauthorized::SetupCode);
    }
    if given(&auth.password).is_some() {
        return Err(Unauthorized::SharedToken { retry_with_device: false });
    }
    Err(if has_device { Unauthorized::Missing } else { Unauthorized::NoDevice })
}
