//! The outbox: promises to an agent that its gateway hasn't acknowledged yet.
//!
//! An item is stored before it is sent, and each attempt is counted and stored before it is made, so that neither a
//! crash nor a poisoned item repeats for ever. It leaves by the acknowledgement, by an ending that makes it moot, or
//! by a refusal, which returns the card to the person with the reason and the draft.

use beckon_protocol::Millis;
use beckon_protocol::error::{ErrorShape, code, reason};
use beckon_protocol::question::{Answers, ResolveParams};
use serde::{Deserialize, Serialize};

use crate::backoff;
use crate::outcome::{Ending, Outcome, Resolver};
use crate::view::{SendProblem, SendProblemKind, Sent};

/// After that many attempts without a word that settles it, the person is asked.
pub const MAX_ATTEMPTS: u32 = 20;

/// One answer or skip on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutboxItem {
    /// The request it is for.
    pub question: String,
    /// What it is.
    pub sent: Sent,
    /// The answers; `None` for a skip.
    pub answers: Option<Answers>,
    /// The same at every attempt.
    pub resolution_id: String,
    /// Attempts made, counted before each.
    pub attempts: u32,
}

/// What a gateway's refusal means for an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It ended before: read back how.
    AlreadyEnded,
    /// The gateway doesn't know the question any more.
    Gone,
    /// Not now; try again after that long.
    Later(Millis),
    /// The person has to act.
    Failed(SendProblem),
}

impl OutboxItem {
    /// The call that delivers it. `resolved_by` is what this device is called.
    pub fn params(&self, resolved_by: &str) -> ResolveParams {
        ResolveParams {
            id: self.question.clone(),
            answers: self.answers.clone(),
            cancel: self.answers.is_none(),
            resolved_by: Some(resolved_by.to_owned()),
            // The closed shape of a skip has no room for it.
            resolution_id: self.answers.is_some().then(|| self.resolution_id.clone()),
        }
    }

    /// Whether an ending the gateway reports is this item's own doing: a lost acknowledgement read back. An ending that
    /// nobody is named for may be anybody's: each of our attempts carries our name.
    pub fn explains(&self, outcome: &Outcome, our_name: &str) -> bool {
        let same_name = match &outcome.resolver {
            Resolver::Named(name) => name == our_name,
            Resolver::Us(_) => true,
            Resolver::Unnamed => false,
        };
        let same_ending = match &outcome.ending {
            Ending::Answered(answers) => self.answers.as_ref() == Some(answers),
            Ending::Cancelled => self.sent == Sent::Skip,
            Ending::Expired | Ending::Unknown => false,
        };
        self.attempts > 0 && same_name && same_ending
    }

    /// Reads a refusal.
    pub fn refusal(&self, error: &ErrorShape) -> Refusal {
        let failed = |why| Refusal::Failed(SendProblem { why, detail: error.message.clone() });
        match (error.reason(), error.code.as_str()) {
            (Some(reason::ALREADY_TERMINAL), _) => Refusal::AlreadyEnded,
            (Some(reason::NOT_FOUND), _) => Refusal::Gone,
            _ if error.retryable == Some(true) && self.attempts < MAX_ATTEMPTS => {
                Refusal::Later(backoff::wish(error.retry_after_ms))
            }
            (_, code::INVALID_REQUEST) => failed(SendProblemKind::Invalid),
            (_, code::FORBIDDEN) => failed(SendProblemKind::Forbidden),
            _ => failed(SendProblemKind::Failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::tests::answers;

    fn item(attempts: u32) -> OutboxItem {
        let answers = Some(answers("Production"));
        OutboxItem { question: "a".into(), sent: Sent::Answer, answers, resolution_id: "r".into(), attempts }
    }

    #[test]
    fn refusals_are_told_apart() {
        let busy = ErrorShape::unavailable("busy");
        assert_eq!(item(1).refusal(&ErrorShape::question(reason::ALREADY_TERMINAL, "")), Refusal::AlreadyEnded);
        assert_eq!(item(1).refusal(&ErrorShape::question(reason::NOT_FOUND, "")), Refusal::Gone);
        assert_eq!(item(1).refusal(&busy), Refusal::Later(1000));
        let failed = |why, detail: &str| Refusal::Failed(SendProblem { why, detail: detail.into() });
        assert_eq!(item(MAX_ATTEMPTS).refusal(&busy), failed(SendProblemKind::Failed, "busy"));
        assert_eq!(
            item(1).refusal(&ErrorShape::question(reason::INVALID_ANSWER, "no")),
            failed(SendProblemKind::Invalid, "no")
        );
        assert_eq!(
            item(1).refusal(&ErrorShape::missing_scope("operator.questions")),
            failed(SendProblemKind::Forbidden, "missing scope: operator.questions")
        );
    }

    #[test]
    fn only_our_own_answer_explains_an_ending() {
        let outcome =
            |value: &str, resolver| Outcome { ending: Ending::Answered(answers(value)), resolver, at_ms: None };
        let named = |name: &str| Resolver::Named(name.into());
        assert!(item(1).explains(&outcome("Production", named("us")), "us"));
        assert!(!item(1).explains(&outcome("Production", Resolver::Unnamed), "us"), "anybody's");
        assert!(!item(1).explains(&outcome("Production", named("phone")), "us"), "the same answer from elsewhere");
        assert!(!item(1).explains(&outcome("Staging", named("us")), "us"));
        assert!(!item(0).explains(&outcome("Production", named("us")), "us"), "never sent");
    }

    #[test]
    fn a_skip_has_the_other_shape() {
        let skip = OutboxItem { sent: Sent::Skip, answers: None, ..item(0) };
        insta::assert_json_snapshot!(skip.params("Beckon on laptop"), @r#"
        {
          "id": "a",
          "cancel": true,
          "resolvedBy": "Beckon on laptop"
        }
        "#);
    }
}
