//! The handshake: challenge, `connect`, `hello-ok` or a refusal.
//!
//! The order of the checks is part of what clients see, and is OpenClaw's: shape, protocol version, role, browser
//! clients, device proof (id, age, nonce, signature), credential, pairing. Nothing before the credential costs one of
//! the address's guesses, and nothing is stored before it was right.

mod credential;

use std::net::IpAddr;

use beckon_protocol::connect::{
    ClientInfo, ConnectParams, DeviceProof, Features, Grant, HelloOk, Policy, ServerInfo, scope,
};
use beckon_protocol::device::{self, ProofError};
use beckon_protocol::error::{code, connect_code};
use beckon_protocol::{ErrorShape, Millis, PROTOCOL_VERSION, close, limits};
use serde_json::{Value, json};
use uuid::Uuid;

use self::credential::{Method, authenticate, unauthorized};
use crate::devices::{Applicant, Device};
use crate::methods::{EVENTS, METHODS, whole_numbers};
use crate::schema;
use crate::server::Shared;

/// Scopes that exist. Others are not granted: OpenClaw echoes them, but they have no effect there either.
const SCOPES: [&str; 10] = [
    scope::READ,
    scope::WRITE,
    scope::ADMIN,
    "operator.approvals",
    scope::QUESTIONS,
    scope::PAIRING,
    "operator.talk",
    "operator.talk.secrets",
    "operator.sessions.read",
    "operator.sessions.write",
];

/// Older version that a client which only probes may speak.
const OLDEST_PROBE: u32 = 3;

/// Who connects, from where.
pub(crate) struct Visitor {
    /// Its address.
    pub address: IpAddr,
    /// Whether it runs on this machine, with nothing in between.
    pub local: bool,
    /// Nonce of this connection's challenge. Since a connection has one handshake, it is used once.
    pub nonce: String,
    /// Name of this connection.
    pub connection: String,
}

/// A handshake that succeeded.
pub(crate) struct Admitted {
    /// What this connection may do.
    pub scopes: Vec<String>,
    /// The response's payload.
    pub hello: HelloOk,
}

/// A handshake that failed: what is answered, and how the socket is closed.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The answer.
    pub error: ErrorShape,
    /// The close code; the reason is the error's message, and for pairing the request's id.
    pub close: u16,
}

impl Refusal {
    fn new(error: ErrorShape) -> Self {
        Self { error, close: close::POLICY }
    }

    /// Not the client's fault: it should come back.
    fn later(error: ErrorShape) -> Self {
        Self { error, close: close::TRY_AGAIN_LATER }
    }

    fn detailed(message: &str, details: Value) -> Self {
        Self::new(ErrorShape { details: Some(details), ..ErrorShape::invalid(message) })
    }

    fn proof(message: &str, code: &str, reason: &str) -> Self {
        Self::detailed(message, json!({ "code": code, "reason": reason }))
    }

    /// The reason of the close frame.
    pub(crate) fn reason(&self) -> String {
        match self.error.details.as_ref().and_then(|details| details.get("requestId")).and_then(Value::as_str) {
            Some(id) => format!("{} (requestId: {id})", self.error.message),
            None => self.error.message.clone(),
        }
    }
}

/// Judges the parameters of `connect`.
pub(crate) async fn admit(shared: &Shared, visitor: &Visitor, params: Value) -> Result<Admitted, Refusal> {
    let params = read(params)?;
    check_version(&params)?;
    if params.role != "operator" && params.role != "node" {
        return Err(Refusal::new(ErrorShape::invalid("invalid role")));
    }
    refuse_browsers(&params)?;
    if let Some(proof) = &params.device {
        check_proof(proof, &params, visitor, shared.clock.now_ms())?;
    }
    let known = match &params.device {
        Some(proof) => shared.desk.device(proof.id.clone(), params.role.clone()).await.map_err(Refusal::later)?,
        None => None,
    };
    let method = authenticate(shared, visitor, &params, known.as_ref())?;
    let (scopes, device) = match &params.device {
        None => (deviceless_scopes(&params, visitor)?, None),
        Some(proof) => {
            let wanted = wanted_scopes(&params);
            let device = approve(shared, visitor, &params, proof, known, &wanted, method).await?;
            (wanted, Some(device))
        }
    };
    let grant = Grant {
        method: Some(method.name().to_owned()),
        role: params.role,
        scopes: scopes.clone(),
        issued_at_ms: device.as_ref().map(|device| device.issued_at_ms),
        device_token: device.map(|device| device.token),
    };
    Ok(Admitted { scopes, hello: hello(shared, visitor, grant) })
}

fn read(mut params: Value) -> Result<ConnectParams, Refusal> {
    let invalid = |faults: &str| Refusal::new(ErrorShape::invalid(format!("invalid connect params: {faults}")));
    schema::CONNECT.check(&params).map_err(|faults| invalid(&faults))?;
    whole_numbers(&mut params);
    if let Some(device) = params.get_mut("device") {
        whole_numbers(device);
    }
    // A version that passed the schema and fits no `u32` is too new by far.
    for bound in ["minProtocol", "maxProtocol"] {
        if let Some(version) = params.get_mut(bound)
            && version.as_u64().is_some_and(|version| version > u64::from(u32::MAX))
        {
            *version = u32::MAX.into();
        }
    }
    serde_json::from_value(params).map_err(|error| invalid(&error.to_string()))
}

fn check_version(params: &ConnectParams) -> Result<(), Refusal> {
    let oldest = if params.client.mode == "probe" { OLDEST_PROBE } else { PROTOCOL_VERSION };
    if params.min_protocol <= PROTOCOL_VERSION && params.max_protocol >= oldest {
        return Ok(());
    }
    let details = json!({
        "code": connect_code::PROTOCOL_MISMATCH,
        "clientMinProtocol": params.min_protocol,
        "clientMaxProtocol": params.max_protocol,
        "expectedProtocol": PROTOCOL_VERSION,
        "minimumProbeProtocol": OLDEST_PROBE,
    });
    Err(Refusal { close: close::PROTOCOL_ERROR, ..Refusal::detailed("protocol mismatch", details) })
}

/// A client that says it is a web page must come with an allowed origin, and no origin is allowed here.
fn refuse_browsers(params: &ConnectParams) -> Result<(), Refusal> {
    let ClientInfo { id, mode, .. } = &params.client;
    if id != "openclaw-control-ui" && id != "webchat-ui" && mode != "webchat" {
        return Ok(());
    }
    Err(Refusal::proof(
        "origin not allowed (open the Control UI from the gateway host or allow it in gateway.controlUi.allowedOrigins)",
        connect_code::ORIGIN_NOT_ALLOWED,
        "origin missing or invalid",
    ))
}

fn check_proof(proof: &DeviceProof, params: &ConnectParams, visitor: &Visitor, now: Millis) -> Result<(), Refusal> {
    let verified = device::verify(proof, params);
    if verified == Err(ProofError::IdMismatch) {
        return Err(Refusal::proof("device identity mismatch", connect_code::DEVICE_ID_MISMATCH, "device-id-mismatch"));
    }
    if proof.signed_at.abs_diff(now) > limits::SIGNATURE_SKEW_MS {
        let code = connect_code::SIGNATURE_EXPIRED;
        return Err(Refusal::proof("device signature expired", code, "device-signature-stale"));
    }
    if proof.nonce.trim().is_empty() {
        return Err(Refusal::proof("device nonce required", connect_code::NONCE_REQUIRED, "device-nonce-missing"));
    }
    if proof.nonce != visitor.nonce {
        return Err(Refusal::proof("device nonce mismatch", connect_code::NONCE_MISMATCH, "device-nonce-mismatch"));
    }
    verified
        .map_err(|_| Refusal::proof("device signature invalid", connect_code::SIGNATURE_INVALID, "device-signature"))
}

fn device_required() -> Refusal {
    let details = Some(json!({ "code": "DEVICE_IDENTITY_REQUIRED" }));
    Refusal::new(ErrorShape { details, ..ErrorShape::new(code::NOT_PAIRED, "device identity required") })
}

/// The scopes asked for that exist, each once. A node has none.
fn wanted_scopes(params: &ConnectParams) -> Vec<String> {
    let mut wanted: Vec<String> = Vec::new();
    for scope in &params.scopes {
        if params.role == "operator" && SCOPES.contains(&scope.as_str()) && !wanted.contains(scope) {
            wanted.push(scope.clone());
        }
    }
    wanted
}

/// Without a device only the command line on this machine may do anything. Others are let in with nothing.
fn deviceless_scopes(params: &ConnectParams, visitor: &Visitor) -> Result<Vec<String>, Refusal> {
    if params.role != "operator" || !visitor.local {
        return Err(device_required());
    }
    let ClientInfo { id, mode, .. } = &params.client;
    let trusted = matches!((id.as_str(), mode.as_str()), ("gateway-client", "backend") | ("cli", "cli"));
    Ok(if trusted { wanted_scopes(params) } else { Vec::new() })
}

async fn approve(
    shared: &Shared,
    visitor: &Visitor,
    params: &ConnectParams,
    proof: &DeviceProof,
    known: Option<Device>,
    wanted: &[String],
    method: Method,
) -> Result<Device, Refusal> {
    match known {
        Some(device) if device.covers(wanted) => return Ok(device),
        Some(_) if method == Method::Device => {
            return Err(unauthorized(
                "device token scope mismatch (re-pair or approve scope upgrade)",
                "AUTH_SCOPE_MISMATCH",
                "scope_mismatch",
                false,
                "review_auth_configuration",
            ));
        }
        known if !visitor.local => return Err(approval_needed(params, proof, known.as_ref(), wanted)),
        _ => {}
    }
    // The shared token, on this machine: whoever has both could approve it anyway.
    let applicant = Applicant {
        device_id: proof.id.clone(),
        role: params.role.clone(),
        public_key: proof.public_key.clone(),
        client: params.client.clone(),
        scopes: wanted.to_vec(),
    };
    tracing::info!(device = %applicant.device_id, role = %applicant.role, "a device was approved");
    shared.desk.approve(applicant).await.map_err(Refusal::later)
}

fn approval_needed(params: &ConnectParams, proof: &DeviceProof, known: Option<&Device>, wanted: &[String]) -> Refusal {
    let (message, reason, hint) = match known {
        None => (
            "pairing required: device is not approved yet",
            "not-paired",
            "Approve this device from the pending pairing requests.",
        ),
        Some(_) => (
            "pairing required: device is asking for more scopes than currently approved",
            "scope-upgrade",
            "Review the requested scopes, then approve the pending upgrade.",
        ),
    };
    let mut details = json!({
        "code": connect_code::PAIRING_REQUIRED,
        "reason": reason,
        "requestId": Uuid::new_v4().to_string(),
        "remediationHint": hint,
        "deviceId": proof.id,
        "requestedRole": params.role,
        "requestedScopes": wanted,
    });
    if let (Some(device), Some(details)) = (known, details.as_object_mut()) {
        details.insert("approvedRoles".to_owned(), json!([params.role]));
        details.insert("approvedScopes".to_owned(), json!(device.scopes));
    }
    Refusal::new(ErrorShape { details: Some(details), ..ErrorShape::new(code::NOT_PAIRED, message) })
}

fn hello(shared: &Shared, visitor: &Visitor, auth: Grant) -> HelloOk {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    HelloOk {
        kind: "hello-ok".to_owned(),
        protocol: PROTOCOL_VERSION,
        server: ServerInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            boot_id: shared.boot_id.clone(),
            conn_id: visitor.connection.clone(),
        },
        features: Features {
            methods: METHODS.iter().map(|method| method.name.to_owned()).collect(),
            events: names(&EVENTS),
            capabilities: Vec::new(),
        },
        // What a client of OpenClaw expects to find; there is one agent, with one main session, and no model yet.
        snapshot: json!({
            "suspension": { "phase": "accepting" },
            "presence": [],
            "health": {},
            "stateVersion": { "presence": 0, "health": 0 },
            "uptimeMs": u64::try_from(shared.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            "sessionDefaults": {
                "defaultAgentId": "main",
                "modelConfigured": false,
                "ownership": "sole",
                "selectionRequired": false,
                "mainKey": "main",
                "mainSessionKey": "agent:main:main",
                "scope": "per-sender",
            },
        }),
        auth,
        policy: Policy {
            max_payload: limits::MAX_PAYLOAD as u64,
            max_buffered_bytes: limits::MAX_BUFFERED as u64,
            tick_interval_ms: u64::try_from(limits::TICK.as_millis()).unwrap_or(u64::MAX),
        },
    }
}
