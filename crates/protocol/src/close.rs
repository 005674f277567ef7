//! WebSocket close codes of the gateway and what each means for a client.

/// Normal, also after a handshake that took too long.
pub const NORMAL: u16 = 1000;
/// The protocol versions don't meet.
pub const PROTOCOL_ERROR: u16 = 1002;
/// Refused: authentication, pairing, a bad first frame, a slow consumer.
pub const POLICY: u16 = 1008;
/// A frame over the limit.
pub const TOO_BIG: u16 = 1009;
/// The gateway stops or restarts: come back.
pub const SERVICE_RESTART: u16 = 1012;
/// The gateway is still starting: come back.
pub const TRY_AGAIN_LATER: u16 = 1013;
/// Sent by a client whose watchdog heard nothing for two ticks.
pub const WATCHDOG: u16 = 4000;
/// The credentials are no longer good.
pub const DEVICE_REMOVED: u16 = 4001;
