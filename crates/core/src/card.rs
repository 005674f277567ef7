//! Cards: what a person sees of a request, computed from its record, draft, outbox item and outcome.

use beckon_protocol::question::{Question, QuestionRecord};

use crate::draft::{self, Draft};
use crate::outbox::OutboxItem;
use crate::outcome::{Ending, Outcome, Resolver};
use crate::view::{CardState, CardView, OptionView, OtherView, QuestionView};

/// The suffix by which agents mark the option they recommend. A convention of prompts, not a field.
const RECOMMENDED: &str = "(Recommended)";

/// Everything a card is made of.
pub(crate) struct Card<'a> {
    pub(crate) gateway: &'a str,
    pub(crate) record: &'a QuestionRecord,
    pub(crate) draft: &'a Draft,
    pub(crate) outbox: Option<&'a OutboxItem>,
    pub(crate) outcome: Option<&'a Outcome>,
    /// The gateway can be reached.
    pub(crate) online: bool,
    /// The time is up and the gateway hasn't said so yet.
    pub(crate) overdue: bool,
    /// What this device is called.
    pub(crate) device: &'a str,
}

/// Key of a card or chat.
pub(crate) fn key(gateway: &str, rest: &str) -> String {
    format!("{gateway}/{rest}")
}

/// Gateway's id and the rest of a key.
pub(crate) fn split_key(key: &str) -> Option<(&str, &str)> {
    key.split_once('/')
}

impl Card<'_> {
    pub(crate) fn view(&self) -> CardView {
        let asked = &self.record.questions;
        CardView {
            key: key(self.gateway, &self.record.id),
            gateway: self.gateway.to_owned(),
            chat: key(self.gateway, self.record.session_key.as_deref().unwrap_or_default()),
            questions: asked.iter().enumerate().map(|(at, question)| self.question(at, question)).collect(),
            created_at_ms: self.record.created_at_ms,
            expires_at_ms: self.record.expires_at_ms,
            state: self.state(),
            missing: self.draft.missing(asked),
            draft: !self.draft.is_empty(),
            can_delegate: self.draft.delegated(asked).is_some(),
            // Of an attempt that is over, while there is something to repair.
            problem: self.draft.problem.clone().filter(|_| self.outbox.is_none() && self.outcome.is_none()),
        }
    }

    /// An item in the outbox is shown as under way until it is settled, even when the ending is known already: whether
    /// it was ours, only the acknowledgement or a read-back tells.
    fn state(&self) -> CardState {
        if let Some(item) = self.outbox {
            let what = item.sent;
            return if self.online { CardState::Sending { what } } else { CardState::WaitingToSend { what } };
        }
        match self.outcome {
            Some(outcome) => self.ended(outcome),
            None if self.overdue => CardState::Checking,
            None => CardState::Pending,
        }
    }

    fn ended(&self, outcome: &Outcome) -> CardState {
        let (by, at_ms) = (outcome.resolved_by(self.device), outcome.at_ms);
        match &outcome.ending {
            Ending::Answered(_) => CardState::Answered { by, at_ms },
            Ending::Cancelled if outcome.run_stopped() => CardState::Stopped { at_ms },
            Ending::Cancelled => CardState::Skipped { by, at_ms },
            Ending::Expired => CardState::Expired { at_ms },
            Ending::Unknown => CardState::Unknown {
                sent: match outcome.resolver {
                    Resolver::Us(sent) => Some(sent),
                    Resolver::Unnamed | Resolver::Named(_) => None,
                },
            },
        }
    }

    fn question(&self, at: usize, question: &Question) -> QuestionView {
        let choice = self.draft.choice(at);
        let answer = self.answer(question);
        let option = |(at, option): (u32, &beckon_protocol::question::QuestionOption)| {
            let (label, recommended) = split_recommended(&option.label);
            OptionView {
                label: label.to_owned(),
                value: option.label.clone(),
                recommended,
                description: option.description.clone(),
                chosen: match &answer {
                    Some(values) => values.contains(&option.label),
                    None => choice.options.contains(&at),
                },
            }
        };
        QuestionView {
            id: question.question_id.clone(),
            header: question.header.trim().to_owned(),
            text: question.question.clone(),
            multi: question.multi_select,
            secret: question.is_secret,
            options: (0u32..).zip(&question.options).map(option).collect(),
            other: draft::takes_text(question).then_some(OtherView { chosen: choice.other, text: choice.text }),
            answer,
        }
    }

    /// The values: the gateway's when it ended, those under way while they are.
    fn answer(&self, question: &Question) -> Option<Vec<String>> {
        let answers = match (self.outcome.map(|outcome| &outcome.ending), self.outbox) {
            (Some(Ending::Answered(answers)), _) => Some(answers),
            (_, Some(item)) => item.answers.as_ref(),
            _ => None,
        };
        answers?.answers.get(&question.question_id).cloned()
    }
}

/// A label without its mark, and whether it had one. A label that is nothing but the mark stays.
fn split_recommended(label: &str) -> (&str, bool) {
    match label.trim_end().strip_suffix(RECOMMENDED).map(str::trim_end) {
        Some(rest) if !rest.is_empty() => (rest, true),
        _ => (label, false),
    }
}

#[cfg(test)]
mod tests {
    use super::split_recommended;

    #[test]
    fn the_mark_is_shown_as_a_badge() {
        assert_eq!(split_recommended("Staging (Recommended)"), ("Staging", true));
        assert_eq!(split_recommended("Staging"), ("Staging", false));
        assert_eq!(split_recommended("(Recommended)"), ("(Recommended)", false));
        assert_eq!(split_recommended("A (Recommended) b"), ("A (Recommended) b", false));
    }
}
