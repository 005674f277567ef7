//! Frames: one JSON object per WebSocket text message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ErrorShape;

/// What a peer may send. `type` tells which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Frame {
    /// A call, from the client.
    Req(Request),
    /// The answer to a call, from the gateway. Answers may come out of order.
    Res(Response),
    /// Something that happened, from the gateway.
    Event(Event),
}

/// A call. The gateway echoes `id` and does not check that it is unique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Any non-empty string.
    pub id: String,
    /// Name of the method, for example `question.list`.
    pub method: String,
    /// The method's own object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
}

/// The answer to a call: exactly one of `payload` and `error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The call's id, or `invalid` when the call had none.
    pub id: String,
    /// Whether the call succeeded.
    pub ok: bool,
    /// The method's result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorShape>,
}

impl Response {
    /// The result, or why there is none. A refusal without a reason becomes an `UNAVAILABLE`.
    pub fn into_result(self) -> Result<Value, ErrorShape> {
        if self.ok {
            Ok(self.payload.unwrap_or(Value::Null))
        } else {
            Err(self.error.unwrap_or_else(|| ErrorShape::unavailable("the gateway gave no reason")))
        }
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Name, for example `question.requested`.
    pub event: String,
    /// The event's own object.
    #[serde(default)]
    pub payload: Value,
    /// Counts the events of one connection from 1; absent on `connect.challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

/// Names of events, in one place.
pub mod event {
    /// First frame of every connection.
    pub const CHALLENGE: &str = "connect.challenge";
    /// Every 30 s, payload `{ts}`.
    pub const TICK: &str = "tick";
    /// A question was asked; payload is the record.
    pub const QUESTION_REQUESTED: &str = "question.requested";
    /// A question ended; payload is [`crate::question::Resolved`].
    pub const QUESTION_RESOLVED: &str = "question.resolved";
    /// The gateway is about to stop.
    pub const SHUTDOWN: &str = "shutdown";
}

/// Names of methods, in one place.
pub mod method {
    /// The handshake.
    pub const CONNECT: &str = "connect";
    /// Ask a question.
    pub const QUESTION_REQUEST: &str = "question.request";
    /// All pending questions.
    pub const QUESTION_LIST: &str = "question.list";
    /// One question, pending or recently ended.
    pub const QUESTION_GET: &str = "question.get";
    /// Answer or skip.
    pub const QUESTION_RESOLVE: &str = "question.resolve";
    /// Block until a question ends.
    pub const QUESTION_WAIT: &str = "question.waitAnswer";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_told_by_its_type_and_unknown_fields_are_ignored() {
        let frame: Frame = serde_json::from_str(
            r#"{"type":"event","event":"tick","payload":{"ts":1},"seq":4,"recipientProfileId":"x"}"#,
        )
        .unwrap();
        let Frame::Event(event) = frame else { panic!("an event") };
        assert_eq!((event.event.as_str(), event.seq), ("tick", Some(4)));
    }

    #[test]
    fn a_refusal_without_a_reason_is_still_a_refusal() {
        let frame: Frame = serde_json::from_str(r#"{"type":"res","id":"1","ok":false}"#).unwrap();
        let Frame::Res(response) = frame else { panic!("a response") };
        assert_eq!(response.into_result().unwrap_err().code, "UNAVAILABLE");
    }
}
