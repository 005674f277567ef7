//! The `ask_user` contract: what an agent may ask, what its model is told, and what comes back.
//!
//! Every way to ask goes through here: `beckon ask`, the MCP tool, and an agent run of the built-in gateway.

use beckon_protocol::limits;
use beckon_protocol::question::{Answers, Question, QuestionOption, Resolved, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::rules;

/// Name of the tool.
pub const TOOL: &str = "ask_user";

/// What the model reads beside the tool's schema.
pub const GUIDANCE: &str = "Ask the user one to three structured questions and wait for the answer. \
Use it only when you are blocked on a decision that is really the user's to make. \
Prefer one question; never ask more than three. \
Put the recommended option first and end its label with \"(Recommended)\". \
Do not add an \"Other\" option: free text is always offered. \
If the result is no_answer, go on with your best judgment and do not ask again. \
Never use it to ask for permission to proceed or to confirm your own plan.";

/// Time limit without `timeoutSeconds`, in seconds.
pub const TIMEOUT_DEFAULT: u64 = 900;
/// Shortest and longest time limit, in seconds; others are moved to the nearer end.
pub const TIMEOUT_RANGE: std::ops::RangeInclusive<u64> = 30..=3600;
/// Longest label of an option, in UTF-16 units, as OpenClaw's tool has it.
pub const MAX_LABEL: usize = 64;

/// The tool's arguments, as an agent writes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskArguments {
    /// One to three.
    pub questions: Vec<AskQuestion>,
    /// Time limit in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<i64>,
}

/// One question, as an agent writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskQuestion {
    /// Answer key in `snake_case`.
    pub id: String,
    /// Short label; cut to twelve characters.
    pub header: String,
    /// One sentence.
    pub question: String,
    /// Two to four.
    pub options: Vec<AskOption>,
    /// Several options may be chosen.
    #[serde(default)]
    pub multi_select: bool,
}

/// One option, as an agent writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskOption {
    /// What is sent back when it is chosen.
    pub label: String,
    /// What choosing it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A question request that keeps the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Ready for `question.request`.
    pub questions: Vec<Question>,
    /// Time limit, already within its range.
    pub timeout_ms: u64,
}

/// Everything that is wrong with a tool call, one line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct BadAsk(pub Vec<String>);

impl AskArguments {
    /// Reads the tool's JSON. The error names the fault in the words of the JSON reader.
    pub fn from_json(arguments: Value) -> Result<Self, BadAsk> {
        serde_json::from_value(arguments).map_err(|error| BadAsk(vec![error.to_string()]))
    }

    /// Checks the arguments and brings them into the form that the gateway takes. Names every fault, not the first.
    pub fn check(self) -> Result<Ask, BadAsk> {
        let mut faults = Vec::new();
        if !(1..=limits::MAX_QUESTIONS).contains(&self.questions.len()) {
            faults.push(format!("questions: 1 to 3 are allowed, {} given", self.questions.len()));
        }
        let questions: Vec<_> = self.questions.into_iter().map(|question| question.check(&mut faults)).collect();
        if faults.is_empty()
            && let Err(broken) = rules::check_questions(&questions)
        {
            faults.push(broken.to_string());
        }
        if !faults.is_empty() {
            return Err(BadAsk(faults));
        }
        Ok(Ask { questions, timeout_ms: clamp_timeout(self.timeout_seconds) * 1000 })
    }
}

/// The time limit that a request gets, in seconds.
pub fn clamp_timeout(seconds: Option<i64>) -> u64 {
    let (low, high) = (*TIMEOUT_RANGE.start(), *TIMEOUT_RANGE.end());
    seconds.map_or(TIMEOUT_DEFAULT, |seconds| u64::try_from(seconds).unwrap_or(0).clamp(low, high))
}

impl AskQuestion {
    fn check(self, faults: &mut Vec<String>) -> Question {
        let mut fault = |text: &str| faults.push(format!("question '{}': {text}", self.id));
        if !is_answer_key(&self.id) {
            fault("the id must be snake_case: a lowercase letter, then lowercase letters, digits or _");
        }
        let header = cut(self.header.trim(), limits::MAX_HEADER);
        if header.is_empty() {
            fault("the header is empty");
        }
        let text = self.question.trim().to_owned();
        if text.is_empty() {
            fault("the question is empty");
        }
        if !limits::OPTIONS.contains(&self.options.len()) {
            fault(&format!("2 to 4 options are allowed, {} given", self.options.len()));
        }
        let mut options = Vec::new();
        for option in self.options {
            let label = option.label.trim().to_owned();
            if label.is_empty() {
                fault("an option's label is empty");
            } else if label.encode_utf16().count() > MAX_LABEL {
                fault(&format!("the label '{label}' is longer than {MAX_LABEL} characters"));
            } else if is_other(&label) {
                fault("leave out the option 'Other': free text is always offered");
            }
            let description = option.description.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
            options.push(QuestionOption { label, description });
        }
        Question {
            question_id: self.id,
            header,
            question: text,
            options,
            multi_select: self.multi_select,
            is_other: true,
            is_secret: false,
            url: None,
        }
    }
}

fn is_answer_key(id: &str) -> bool {
    id.starts_with(|first: char| first.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn is_other(label: &str) -> bool {
    label.trim_end_matches(['.', '…', ':']).trim().eq_ignore_ascii_case("other")
}

/// The first `units` UTF-16 units, never half a character.
fn cut(text: &str, units: usize) -> String {
    let mut left = units;
    text.chars()
        .take_while(|c| {
            let fits = c.len_utf16() <= left;
            left -= if fits { c.len_utf16() } else { left };
            fits
        })
        .collect()
}

/// What the agent gets back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum AskResult {
    /// A person answered.
    Answered {
        /// Values by question id.
        answers: Answers,
    },
    /// Expired or skipped: go on with best judgment. Never a default option.
    NoAnswer,
}

impl AskResult {
    /// The result for how the question ended; `None` while it is pending.
    pub fn from_resolved(resolved: Resolved) -> Option<Self> {
        match (resolved.status, resolved.answers) {
            (Status::Pending, _) => None,
            (Status::Answered, Some(answers)) => Some(Self::Answered { answers }),
            (Status::Answered | Status::Cancelled | Status::Expired, _) => Some(Self::NoAnswer),
        }
    }
}

/// The JSON schema of the tool's arguments.
pub fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["questions"],
        "properties": {
            "questions": {
                "type": "array", "minItems": 1, "maxItems": limits::MAX_QUESTIONS,
                "description": "One to three questions; prefer one.",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["id", "header", "question", "options"],
                    "properties": {
                        "id": { "type": "string", "pattern": "^[a-z][a-z0-9_]*$",
                            "description": "Unique snake_case key of the answer." },
                        "header": { "type": "string", "minLength": 1,
                            "description": "Short label; cut to 12 characters." },
                        "question": { "type": "string", "minLength": 1, "description": "One sentence." },
                        "options": {
                            "type": "array", "minItems": limits::OPTIONS.start(), "maxItems": limits::OPTIONS.end(),
                            "description": "Recommended option first, its label ending in \"(Recommended)\". \
                                No \"Other\": free text is always offered.",
                            "items": {
                                "type": "object",
                                "additionalProperties": false,
                                "required": ["label"],
                                "properties": {
                                    "label": { "type": "string", "minLength": 1, "maxLength": MAX_LABEL },
                                    "description": { "type": "string", "description": "What choosing it means." }
                                }
                            }
                        },
                        "multiSelect": { "type": "boolean", "description": "Several options may be chosen." }
                    }
                }
            },
            "timeoutSeconds": { "type": "integer",
                "description": "Time limit in seconds: 900 when absent, kept between 30 and 3600." }
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn arguments(json: Value) -> AskArguments {
        AskArguments::from_json(json).unwrap()
    }

    fn deploy() -> Value {
        json!({ "questions": [{ "id": "deploy_target", "header": "Deploy", "question": "Where should I deploy?",
            "options": [{ "label": "Staging (Recommended)", "description": "Safe to break" }, { "label": "Production" }] }] })
    }

    #[test]
    fn a_plain_question_is_ready_for_the_gateway() {
        let ask = arguments(deploy()).check().unwrap();
        assert_eq!(ask.timeout_ms, 900_000);
        insta::assert_json_snapshot!(ask.questions, @r#"
        [
          {
            "questionId": "deploy_target",
            "header": "Deploy",
            "question": "Where should I deploy?",
            "options": [
              {
                "label": "Staging (Recommended)",
                "description": "Safe to break"
              },
              {
                "label": "Production"
              }
            ],
            "isOther": true
          }
        ]
        "#);
    }

    #[test]
    fn every_fault_is_named() {
        let mut bad = deploy();
        bad["questions"][0]["id"] = json!("Deploy-Target");
        bad["questions"][0]["question"] = json!(" ");
        bad["questions"][0]["options"] = json!([{ "label": "Other…" }]);
        let faults = arguments(bad).check().unwrap_err();
        assert_eq!(
            faults.0,
            [
                "question 'Deploy-Target': the id must be snake_case: a lowercase letter, then lowercase letters, digits or _",
                "question 'Deploy-Target': the question is empty",
                "question 'Deploy-Target': 2 to 4 options are allowed, 1 given",
                "question 'Deploy-Target': leave out the option 'Other': free text is always offered",
            ]
        );
        assert_eq!(
            arguments(json!({ "questions": [] })).check().unwrap_err().0,
            ["questions: 1 to 3 are allowed, 0 given"]
        );
    }

    #[test]
    fn two_labels_that_differ_in_case_are_one() {
        let mut bad = deploy();
        bad["questions"][0]["options"] = json!([{ "label": "Yes" }, { "label": "yes " }]);
        assert_eq!(
            arguments(bad).check().unwrap_err().0,
            ["question 'deploy_target' has duplicate option label 'yes'"]
        );
    }

    #[test]
    fn unknown_fields_are_refused_by_name() {
        let mut bad = deploy();
        bad["questions"][0]["image"] = json!("x");
        assert!(AskArguments::from_json(bad).unwrap_err().to_string().contains("unknown field `image`"));
    }

    #[test]
    fn headers_are_cut_like_the_original_does() {
        assert_eq!(cut("A very long header", 12), "A very long ");
        assert_eq!(cut("👩‍🚀👩‍🚀👩‍🚀", 12), "👩‍🚀👩‍🚀👩");
    }

    #[test]
    fn time_limits_are_clamped() {
        assert_eq!(
            [None, Some(5), Some(-1), Some(30), Some(3601), Some(i64::MAX)].map(clamp_timeout),
            [900, 30, 30, 30, 3600, 3600]
        );
    }

    #[test]
    fn results_have_the_contract_s_shape() {
        let answers = Answers { answers: [("deploy_target".into(), vec!["Staging (Recommended)".into()])].into() };
        let resolved = |status, answers| Resolved { id: None, status, answers, resolution_id: None };
        let text = |resolved| serde_json::to_string(&AskResult::from_resolved(resolved)).unwrap();
        assert_eq!(
            text(resolved(Status::Answered, Some(answers))),
            r#"{"status":"answered","answers":{"answers":{"deploy_target":["Staging (Recommended)"]}}}"#
        );
        assert_eq!(text(resolved(Status::Expired, None)), r#"{"status":"no_answer"}"#);
        assert_eq!(text(resolved(Status::Cancelled, None)), r#"{"status":"no_answer"}"#);
        assert_eq!(text(resolved(Status::Pending, None)), "null");
    }

    proptest! {
        #[test]
        fn cut_never_exceeds_its_units(text in "\\PC{0,40}", units in 0usize..20) {
            let cut = cut(&text, units);
            prop_assert!(cut.encode_utf16().count() <= units && text.starts_with(&cut));
        }
    }
}
