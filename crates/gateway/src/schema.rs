//! Parameters against their JSON schemas, and the faults in the words of OpenClaw's gateway.
//!
//! Clients show these messages and people search for them, so they read the same here:
//! `at /questions/0/header: must not have more than 12 characters`. Faults are told from the outside in and, within
//! one object, in the order in which the schema file lists its properties; a fault at the root has no place but for
//! an unexpected property, which is `at root`. The library words its own errors differently and in another order,
//! hence the translation.

use std::borrow::Borrow;
use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

/// Faults told at once. OpenClaw stops at about as many; a frame of 25 MiB may hold millions.
const MOST_FAULTS: usize = 8;

/// A schema of `src/schema/`, compiled when it is first needed.
pub(crate) struct Schema {
    text: &'static str,
    compiled: OnceLock<Option<Validator>>,
}

/// The frame of a call.
pub(crate) static FRAME: Schema = Schema::new(include_str!("schema/frame.json"));
/// Parameters of `connect`.
pub(crate) static CONNECT: Schema = Schema::new(include_str!("schema/connect.json"));
/// Parameters of `question.request`.
pub(crate) static QUESTION_REQUEST: Schema = Schema::new(include_str!("schema/question.request.json"));
/// Parameters of `question.list`.
pub(crate) static QUESTION_LIST: Schema = Schema::new(include_str!("schema/question.list.json"));
/// Parameters of `question.get`.
pub(crate) static QUESTION_GET: Schema = Schema::new(include_str!("schema/question.get.json"));
/// Parameters of `question.resolve`.
pub(crate) static QUESTION_RESOLVE: Schema = Schema::new(include_str!("schema/question.resolve.json"));
/// Parameters of `question.waitAnswer`.
pub(crate) static QUESTION_WAIT: Schema = Schema::new(include_str!("schema/question.waitAnswer.json"));

impl Schema {
    const fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// Checks a value; the error is one line for the one who sent it.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let compiled = self.compiled.get_or_init(|| {
            let schema = serde_json::from_str(self.text).ok()?;
            jsonschema::validator_for(&schema).ok()
        });
        // A test compiles every schema; if one ever fails to, refusing is the safe answer.
        let Some(validator) = compiled else { return Err("unknown validation error".to_owned()) };
        if validator.is_valid(value) {
            return Ok(());
        }
        let mut faults = self.faults(validator.iter_errors(value));
        faults.truncate(MOST_FAULTS);
        Err(faults.join("; "))
    }

    fn faults<'e, E: Borrow<ValidationError<'e>>>(&self, errors: impl Iterator<Item = E>) -> Vec<String> {
        let mut ranked: Vec<_> = errors
            // More than are told, because the library's order isn't ours.
            .take(8 * MOST_FAULTS)
            .map(|error| (self.rank(error.borrow()), self.words(error.borrow())))
            .collect();
        ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut told = Vec::new();
        let mut missing_at = None;
        for (rank, words) in ranked {
            // Of several missing properties of one object only the first is named.
            if rank.kind == Kind::Missing && missing_at.replace(rank.place.clone()).as_ref() == Some(&rank.place) {
                continue;
            }
            for fault in words {
                if !told.contains(&fault) {
                    told.push(fault);
                }
            }
        }
        told
    }

    fn rank(&self, error: &ValidationError<'_>) -> Rank {
        let mut place: Vec<usize> = pointer(error).split('/').skip(1).map(|part| self.position(part)).collect();
        let (kind, property) = match error.kind() {
            ValidationErrorKind::Required { property } => {
                (Kind::Missing, property.as_str().map(|name| self.position(name)))
            }
            ValidationErrorKind::AdditionalProperties { .. } => (Kind::Unexpected, None),
            ValidationErrorKind::Type { .. } => (Kind::Type, None),
            ValidationErrorKind::AnyOf { .. } => (Kind::Alternatives, None),
            _ => (Kind::Value, None),
        };
        place.shrink_to_fit();
        Rank { place, kind, property: property.unwrap_or(0) }
    }

    /// Where the schema file names a property first, or the index itself for an item of an array.
    fn position(&self, part: &str) -> usize {
        part.parse().unwrap_or_else(|_| self.text.find(&format!("\"{part}\":")).unwrap_or(usize::MAX))
    }

    fn words(&self, error: &ValidationError<'_>) -> Vec<String> {
        let place = pointer(error);
        let at = |what: String| if place.is_empty() { what } else { format!("at {place}: {what}") };
        let words = match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let place = if place.is_empty() { "root" } else { place };
                let name = unexpected.first().map_or("", String::as_str);
                return vec![format!("at {place}: unexpected property '{name}'")];
            }
            ValidationErrorKind::AnyOf { context } => {
                let mut words: Vec<_> = context.iter().flat_map(|branch| self.faults(branch.iter())).collect();
                words.push(at("must match a schema in anyOf".to_owned()));
                return words;
            }
            ValidationErrorKind::Required { property } => {
                format!("must have required property '{}'", property.as_str().unwrap_or_default())
            }
            ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => format!("must be {kind}"),
            ValidationErrorKind::Enum { .. } => "must be equal to one of the allowed values".to_owned(),
            ValidationErrorKind::Constant { .. } => "must be equal to constant".to_owned(),
            ValidationErrorKind::MinLength { limit } => format!("must not have fewer than {limit} characters"),
            ValidationErrorKind::MaxLength { limit } => format!("must not have more than {limit} characters"),
            ValidationErrorKind::MinItems { limit } => format!("must not have fewer than {limit} items"),
            ValidationErrorKind::MaxItems { limit } => format!("must not have more than {limit} items"),
            ValidationErrorKind::Minimum { limit } => format!("must be >= {limit}"),
            ValidationErrorKind::Pattern { pattern } => format!("must match pattern \"{pattern}\""),
            _ => "validation error".to_owned(),
        };
        vec![at(words)]
    }
}

/// Sorts a fault among the others: outer objects first, then by kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    place: Vec<usize>,
    kind: Kind,
    property: usize,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Kind {
    Missing,
    Unexpected,
    Type,
    Value,
    Alternatives,
}

fn pointer<'e>(error: &'e ValidationError<'_>) -> &'e str {
    error.instance_path().as_str()
}
