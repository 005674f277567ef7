//! The handshake: challenge, `connect`, `hello-ok`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Millis;

/// Client ids the gateway accepts; any other is refused.
pub const CLIENT_IDS: [&str; 17] = [
    "webchat-ui",
    "openclaw-control-ui",
    "openclaw-browser-copilot",
    "openclaw-tui",
    "webchat",
    "cli",
    "gateway-client",
    "openclaw-macos",
    "openclaw-linux",
    "openclaw-ios",
    "openclaw-watchos",
    "openclaw-android",
    "node-host",
    "openclaw-worker",
    "test",
    "fingerprint",
    "openclaw-probe",
];

/// Client modes the gateway accepts.
pub const CLIENT_MODES: [&str; 8] = ["webchat", "cli", "ui", "backend", "node", "worker", "probe", "test"];

/// Scopes that mean something.
pub mod scope {
    /// Chats and history.
    pub const READ: &str = "operator.read";
    /// Messages and aborts; implies reading.
    pub const WRITE: &str = "operator.write";
    /// Questions: events, methods, and asking at all. Nothing but admin implies it.
    pub const QUESTIONS: &str = "operator.questions";
    /// Devices.
    pub const PAIRING: &str = "operator.pairing";
    /// Everything.
    pub const ADMIN: &str = "operator.admin";
}

/// Payload of `connect.challenge`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Challenge {
    /// Must come back signed on the same connection.
    pub nonce: String,
    /// The gateway's clock.
    pub ts: Millis,
}

/// Parameters of `connect`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectParams {
    /// Lowest version the client speaks.
    pub min_protocol: u32,
    /// Highest version the client speaks.
    pub max_protocol: u32,
    /// The program that connects.
    pub client: ClientInfo,
    /// What the client understands beyond the minimum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caps: Vec<String>,
    /// `operator` or `node`.
    #[serde(default = "operator")]
    pub role: String,
    /// What the client wants to do.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// How it proves that it may.
    #[serde(default)]
    pub auth: Auth,
    /// Language tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// Name and version, for logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// Which device it is, signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceProof>,
}

fn operator() -> String {
    "operator".to_owned()
}

/// The program that connects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientInfo {
    /// One of [`CLIENT_IDS`].
    pub id: String,
    /// What people call the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The program's version.
    pub version: String,
    /// Operating system and version; a change may ask for a new approval.
    pub platform: String,
    /// Kind of device; a change asks for a new approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_family: Option<String>,
    /// One of [`CLIENT_MODES`].
    pub mode: String,
}

/// Credentials; at most one is looked at, in the order of the fields.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Auth {
    /// The gateway's shared token, or a device token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The token this device got in a `hello-ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_token: Option<String>,
    /// A setup code's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap_token: Option<String>,
    /// The gateway's password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

impl Auth {
    /// The credential that the device signature covers.
    pub fn signed_token(&self) -> &str {
        self.token.as_deref().or(self.device_token.as_deref()).or(self.bootstrap_token.as_deref()).unwrap_or("")
    }
}

/// Says which credentials are there, never what they are.
impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Auth")
            .field("token", &self.token.is_some())
            .field("device_token", &self.device_token.is_some())
            .field("bootstrap_token", &self.bootstrap_token.is_some())
            .field("password", &self.password.is_some())
            .finish()
    }
}

/// Which device connects, with the signature of [`crate::device::SignaturePayload`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceProof {
    /// Hex of the SHA-256 of the public key.
    pub id: String,
    /// base64url of the 32 bytes.
    pub public_key: String,
    /// base64url of the 64 bytes.
    pub signature: String,
    /// The challenge's `ts`.
    pub signed_at: Millis,
    /// The challenge's nonce.
    pub nonce: String,
}

/// Payload of the response to `connect`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HelloOk {
    /// Always `hello-ok`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The agreed version.
    pub protocol: u32,
    /// Who answers.
    pub server: ServerInfo,
    /// What it can do.
    pub features: Features,
    /// State that a client wants first; not read by Beckon.
    #[serde(default)]
    pub snapshot: Value,
    /// What this connection may do.
    pub auth: Grant,
    /// The gateway's limits.
    pub policy: Policy,
}

/// The gateway that answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// Its version.
    pub version: String,
    /// Changes at every start. OpenClaw's pending questions are gone when it changed.
    #[serde(default)]
    pub boot_id: String,
    /// This connection's id.
    #[serde(default)]
    pub conn_id: String,
}

/// What the gateway can do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Features {
    /// Names of methods.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Names of events.
    #[serde(default)]
    pub events: Vec<String>,
    /// Names of extensions.
    #[serde(default)]
    pub capabilities: Vec<String>,
}

/// What this connection may do.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// `token`, `device-token` or `bootstrap-token`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The role granted.
    pub role: String,
    /// The scopes granted.
    pub scopes: Vec<String>,
    /// To be kept and used at the next connect; changes when the approved scopes change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_token: Option<String>,
    /// When that token was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued_at_ms: Option<Millis>,
}

/// Leaves the token out.
impl std::fmt::Debug for Grant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grant")
            .field("method", &self.method)
            .field("role", &self.role)
            .field("scopes", &self.scopes)
            .field("device_token", &self.device_token.is_some())
            .finish_non_exhaustive()
    }
}

/// The gateway's limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// Largest frame, in bytes.
    pub max_payload: u64,
    /// Most bytes queued for one connection.
    pub max_buffered_bytes: u64,
    /// Distance between ticks.
    pub tick_interval_ms: u64,
}

/// Payload of `tick`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tick {
    /// The gateway's clock.
    pub ts: Millis,
}
