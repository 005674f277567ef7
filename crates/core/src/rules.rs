//! The rules of a question: which ones may be asked, and which answers are answers.
//!
//! The gateway refuses by them and the app foresees by them, so that a *Send* that is enabled is a *Send* that is
//! accepted. The messages are those of OpenClaw's gateway, word for word (`docs/PROTOCOL.md`, question methods).

use std::collections::BTreeSet;

use beckon_protocol::limits;
use beckon_protocol::question::{Answers, Question};

/// Why a request or an answer is refused; the text is for the one who sent it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleBroken {
    /// Two questions of a request have the same id.
    #[error("duplicate question id '{0}'")]
    DuplicateQuestion(String),
    /// One option, or more than four.
    #[error("question '{0}' must have either no options or 2 to 4 options")]
    OptionCount(String),
    /// Two labels are the same but for case and outer spaces.
    #[error("question '{0}' has duplicate option label '{1}'")]
    DuplicateLabel(String, String),
    /// Only an agent's secret store asks for secrets.
    #[error("question '{0}': secret questions are not supported yet")]
    Secret(String),
    /// The answer names a question that wasn't asked.
    #[error("question '{0}' is not part of this request")]
    UnknownQuestion(String),
    /// A question has no answer.
    #[error("question '{0}' requires an answer")]
    Unanswered(String),
    /// A value is blank.
    #[error("question '{0}' contains an empty answer")]
    BlankAnswer(String),
    /// Several values for a question that allows one.
    #[error("question '{0}' does not allow multiple answers")]
    SeveralAnswers(String),
    /// A value is no option's label, and free text isn't allowed.
    #[error("question '{0}' contains an unknown option")]
    UnknownOption(String),
}

/// Checks what a schema can't: ids and labels are unique, and there are none or two to four options.
pub fn check_questions(questions: &[Question]) -> Result<(), RuleBroken> {
    let mut ids = BTreeSet::new();
    for question in questions {
        let id = || question.question_id.clone();
        if !ids.insert(&question.question_id) {
            return Err(RuleBroken::DuplicateQuestion(id()));
        }
        if question.is_secret {
            return Err(RuleBroken::Secret(id()));
        }
        if !question.options.is_empty() && !limits::OPTIONS.contains(&question.options.len()) {
            return Err(RuleBroken::OptionCount(id()));
        }
        let mut labels = BTreeSet::new();
        for option in &question.options {
            if !labels.insert(option.label.trim().to_lowercase()) {
                return Err(RuleBroken::DuplicateLabel(id(), option.label.clone()));
            }
        }
    }
    Ok(())
}

/// The answers as the gateway keeps them: labels in their own spelling, free text trimmed, order and duplicates kept.
pub fn canonical(questions: &[Question], answers: &Answers) -> Result<Answers, RuleBroken> {
    if let Some(id) = answers.answers.keys().find(|id| questions.iter().all(|question| question.question_id != **id)) {
        return Err(RuleBroken::UnknownQuestion(id.clone()));
    }
    let mut kept = Answers::default();
    for question in questions {
        let id = &question.question_id;
        let values = answers.answers.get(id).map_or(&[][..], Vec::as_slice);
        if values.is_empty() {
            return Err(RuleBroken::Unanswered(id.clone()));
        }
        if values.len() > 1 && !question.multi_select {
            return Err(RuleBroken::SeveralAnswers(id.clone()));
        }
        let values = values.iter().map(|value| canonical_value(question, value)).collect::<Result<_, _>>()?;
        kept.answers.insert(id.clone(), values);
    }
    Ok(kept)
}

fn canonical_value(question: &Question, value: &str) -> Result<String, RuleBroken> {
    let value = value.trim();
    if value.is_empty() {
        return Err(RuleBroken::BlankAnswer(question.question_id.clone()));
    }
    match question.options.iter().find(|option| option.label.trim() == value) {
        Some(option) => Ok(option.label.clone()),
        None if free_text(question) => Ok(value.to_owned()),
        None => Err(RuleBroken::UnknownOption(question.question_id.clone())),
    }
}

/// Whether a person may answer in their own words. A question without options takes nothing else.
pub fn free_text(question: &Question) -> bool {
    question.is_other || question.options.is_empty()
}

#[cfg(test)]
mod tests {
    use beckon_protocol::question::QuestionOption;
    use proptest::prelude::*;

    use super::*;

    fn question(id: &str, labels: &[&str]) -> Question {
        Question {
            question_id: id.into(),
            header: "H".into(),
            question: "Go?".into(),
            options: labels.iter().map(|&label| QuestionOption { label: label.into(), description: None }).collect(),
            multi_select: false,
            is_other: false,
            is_secret: false,
            url: None,
        }
    }

    fn answer(pairs: &[(&str, &[&str])]) -> Answers {
        let values = |values: &&[&str]| values.iter().map(|&value| value.to_owned()).collect();
        Answers { answers: pairs.iter().map(|(id, list)| ((*id).to_owned(), values(list))).collect() }
    }

    #[test]
    fn requests_are_refused_in_the_words_of_the_gateway() {
        let refused = |questions: &[Question]| check_questions(questions).unwrap_err().to_string();
        assert_eq!(refused(&[question("q", &["A", "B"]), question("q", &["A", "B"])]), "duplicate question id 'q'");
        assert_eq!(refused(&[question("q", &["A"])]), "question 'q' must have either no options or 2 to 4 options");
        assert_eq!(refused(&[question("q", &["Yes", " yes"])]), "question 'q' has duplicate option label ' yes'");
        let secret = Question { is_secret: true, ..question("q", &[]) };
        assert_eq!(refused(&[secret]), "question 'q': secret questions are not supported yet");
        assert_eq!(check_questions(&[question("q", &[])]), Ok(()));
    }

    #[test]
    fn answers_are_refused_in_the_words_of_the_gateway() {
        let questions = [question("db", &["SQLite", "Postgres"])];
        let refused = |answers: &Answers| canonical(&questions, answers).unwrap_err().to_string();
        assert_eq!(refused(&answer(&[("zzz", &["x"])])), "question 'zzz' is not part of this request");
        assert_eq!(refused(&answer(&[])), "question 'db' requires an answer");
        assert_eq!(refused(&answer(&[("db", &[])])), "question 'db' requires an answer");
        assert_eq!(refused(&answer(&[("db", &[" "])])), "question 'db' contains an empty answer");
        assert_eq!(
            refused(&answer(&[("db", &["SQLite", "Postgres"])])),
            "question 'db' does not allow multiple answers"
        );
        assert_eq!(refused(&answer(&[("db", &["sqlite"])])), "question 'db' contains an unknown option");
    }

    #[test]
    fn labels_keep_their_spelling_and_free_text_is_trimmed() {
        let other = Question { is_other: true, multi_select: true, ..question("q", &["Login ", "Search"]) };
        let kept = canonical(&[other], &answer(&[("q", &["Login", " mine ", "Login"])])).unwrap();
        assert_eq!(kept, answer(&[("q", &["Login ", "mine", "Login "])]));
    }

    proptest! {
        /// What was accepted once is accepted again, unchanged: a retry can't alter an answer.
        #[test]
        fn canonical_is_idempotent(values in prop::collection::vec("\\PC{0,6}", 0..4), multi: bool, other: bool) {
            let question = Question { multi_select: multi, is_other: other, ..question("q", &["A", "B "]) };
            let answers = Answers { answers: [("q".to_owned(), values)].into() };
            if let Ok(kept) = canonical(std::slice::from_ref(&question), &answers) {
                prop_assert_eq!(canonical(&[question], &kept), Ok(kept));
            }
        }
    }
}
