//! Drafts: what a person has chosen and typed for a card that is still open.
//!
//! A draft is stored at each change and outlives everything but the acknowledgement of its own answer. Choosing an
//! option never erases typed text; it only takes Other out of the answer.

use std::collections::{BTreeMap, BTreeSet};

use beckon_protocol::question::{Answers, Question};
use serde::{Deserialize, Serialize};

use crate::rules;
use crate::view::{DELEGATION, SendProblem};

/// The draft of one card: a choice for each question, by position.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    choices: BTreeMap<usize, Choice>,
    /// Why the last attempt to send it, or to skip the card, failed. The next attempt replaces it or ends the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<SendProblem>,
}

/// The draft of one question's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Positions of the chosen options.
    pub options: BTreeSet<u32>,
    /// Other is chosen.
    pub other: bool,
    /// As typed; kept while Other is not chosen.
    pub text: String,
}

impl Draft {
    /// The choice for a question; an untouched one when nothing was chosen yet.
    pub fn choice(&self, question: usize) -> Choice {
        self.choices.get(&question).cloned().unwrap_or_default()
    }

    /// Nothing is chosen or typed.
    pub fn is_empty(&self) -> bool {
        self.choices.values().all(|choice| *choice == Choice::default())
    }

    /// Chooses an option, or takes it back where several are allowed. False when there is no such option.
    pub fn choose(&mut self, questions: &[Question], question: usize, option: u32, on: bool) -> bool {
        let Some(asked) = questions.get(question).filter(|asked| (option as usize) < asked.options.len()) else {
            return false;
        };
        let choice = self.choice_mut(question);
        match (asked.multi_select, on) {
            (true, true) => drop(choice.options.insert(option)),
            (true, false) => drop(choice.options.remove(&option)),
            (false, true) => {
                choice.options = [option].into();
                choice.other = false;
            }
            (false, false) => {}
        }
        true
    }

    /// Chooses Other, or takes it back where several are allowed. False when free text isn't allowed.
    pub fn choose_other(&mut self, questions: &[Question], question: usize, on: bool) -> bool {
        let Some(asked) = questions.get(question).filter(|asked| takes_text(asked)) else { return false };
        let choice = self.choice_mut(question);
        if asked.multi_select {
            choice.other = on;
        } else if on {
            choice.options.clear();
            choice.other = true;
        }
        true
    }

    /// Replaces the free text. Typing chooses Other; emptying the field doesn't take it back.
    pub fn write(&mut self, questions: &[Question], question: usize, text: String) -> bool {
        if !questions.get(question).is_some_and(takes_text) {
            return false;
        }
        let typed = !text.is_empty();
        self.choice_mut(question).text = text;
        !typed || self.choose_other(questions, question, true)
    }

    /// Positions of the questions without an answer.
    pub fn missing(&self, questions: &[Question]) -> Vec<u32> {
        (0u32..)
            .zip(questions)
            .filter(|(at, asked)| self.values(asked, *at as usize).is_empty())
            .map(|(at, _)| at)
            .collect()
    }

    /// An answer to every question, or `None` while one is missing.
    pub fn answers(&self, questions: &[Question]) -> Option<Answers> {
        self.fill(questions, |_| None)
    }

    /// An answer to every question where those without one leave it to the agent; `None` when one of them takes no
    /// free text.
    pub fn delegated(&self, questions: &[Question]) -> Option<Answers> {
        self.fill(questions, |asked| takes_text(asked).then(|| vec![DELEGATION.to_owned()]))
    }

    fn fill(&self, questions: &[Question], missing: impl Fn(&Question) -> Option<Vec<String>>) -> Option<Answers> {
        let mut answers = Answers::default();
        for (at, asked) in questions.iter().enumerate() {
            let values = self.values(asked, at);
            let values = if values.is_empty() { missing(asked)? } else { values };
            answers.answers.insert(asked.question_id.clone(), values);
        }
        Some(answers)
    }

    /// The values in the order the options were declared, Other last.
    fn values(&self, asked: &Question, at: usize) -> Vec<String> {
        let choice = self.choice(at);
        let chosen = (0u32..).zip(&asked.options).filter(|(option, _)| choice.options.contains(option));
        let mut values: Vec<_> = chosen.map(|(_, option)| option.label.clone()).collect();
        let text = choice.text.trim();
        let twice = asked.options.iter().any(|option| option.label.trim() == text && values.contains(&option.label));
        // A question without options is nothing but its field.
        if (choice.other || asked.options.is_empty()) && takes_text(asked) && !text.is_empty() && !twice {
            values.push(text.to_owned());
        }
        values
    }

    fn choice_mut(&mut self, question: usize) -> &mut Choice {
        self.choices.entry(question).or_default()
    }
}

/// Free text that may go into a draft: secrets may not.
pub fn takes_text(question: &Question) -> bool {
    rules::free_text(question) && !question.is_secret
}

#[cfg(test)]
mod tests {
    use beckon_protocol::question::QuestionOption;
    use proptest::prelude::*;

    use super::*;
    use crate::rules;

    fn question(id: &str, multi: bool, labels: &[&str]) -> Question {
        Question {
            question_id: id.into(),
            header: String::new(),
            question: "?".into(),
            options: labels.iter().map(|&label| QuestionOption { label: label.into(), description: None }).collect(),
            multi_select: multi,
            is_other: true,
            is_secret: false,
            url: None,
        }
    }

    fn values(draft: &Draft, questions: &[Question]) -> Vec<Vec<String>> {
        draft.answers(questions).unwrap().answers.into_values().collect()
    }

    #[test]
    fn one_choice_replaces_another_and_keeps_the_text() {
        let asked = [question("q", false, &["A", "B"])];
        let mut draft = Draft::default();
        assert!(draft.write(&asked, 0, " mine ".into()));
        assert_eq!(values(&draft, &asked), [["mine"]]);
        assert!(draft.choose(&asked, 0, 1, true));
        assert_eq!(values(&draft, &asked), [["B"]]);
        assert_eq!(draft.choice(0).text, " mine ");
        assert!(draft.choose_other(&asked, 0, true));
        assert_eq!(values(&draft, &asked), [["mine"]]);
    }

    #[test]
    fn several_go_out_in_declared_order_with_other_last() {
        let asked = [question("q", true, &["A", "B", "C"])];
        let mut draft = Draft::default();
        draft.write(&asked, 0, "mine".into());
        draft.choose(&asked, 0, 2, true);
        draft.choose(&asked, 0, 0, true);
        assert_eq!(values(&draft, &asked), [["A", "C", "mine"]]);
        draft.choose_other(&asked, 0, false);
        draft.choose(&asked, 0, 0, false);
        assert_eq!(values(&draft, &asked), [["C"]]);
    }

    #[test]
    fn a_gap_is_named_and_text_does_not_bleed() {
        let asked = [question("a", false, &["A", "B"]), question("b", false, &["C", "D"])];
        let mut draft = Draft::default();
        assert_eq!(draft.missing(&asked), [0, 1]);
        draft.write(&asked, 1, "text".into());
        assert_eq!(draft.missing(&asked), [0]);
        assert_eq!(draft.answers(&asked), None);
        assert_eq!(draft.choice(0), Choice::default());
        let delegated = draft.delegated(&asked).unwrap();
        assert_eq!(delegated.answers["a"], [DELEGATION]);
        assert_eq!(delegated.answers["b"], ["text"]);
    }

    #[test]
    fn what_is_not_there_can_not_be_chosen() {
        let strict = [Question { is_other: false, ..question("q", false, &["A", "B"]) }];
        let mut draft = Draft::default();
        assert!(!draft.choose(&strict, 0, 2, true));
        assert!(!draft.choose(&strict, 1, 0, true));
        assert!(!draft.choose_other(&strict, 0, true));
        assert!(!draft.write(&strict, 0, "x".into()));
        assert_eq!(draft.delegated(&strict), None);
        assert!(draft.is_empty());
    }

    #[test]
    fn blank_text_is_no_answer() {
        let asked = [question("q", false, &["A", "B"])];
        let mut draft = Draft::default();
        draft.write(&asked, 0, "  \n".into());
        assert_eq!(draft.missing(&asked), [0]);
    }

    proptest! {
        /// Whatever is tapped and typed: what the draft calls an answer, the gateway's rules accept unchanged.
        #[test]
        fn a_complete_draft_is_an_acceptable_answer(
            multi: bool,
            steps in prop::collection::vec((0u8..4, 0u32..5, any::<bool>(), "\\PC{0,5}"), 0..12),
        ) {
            let asked = [question("q", multi, &["A", "B "]), question("r", multi, &[])];
            let mut draft = Draft::default();
            for (kind, at, on, text) in steps {
                match kind {
                    0 | 1 => drop(draft.choose(&asked, 0, at, on)),
                    2 => drop(draft.choose_other(&asked, (at % 2) as usize, on)),
                    _ => drop(draft.write(&asked, (at % 2) as usize, text)),
                }
            }
            if let Some(answers) = draft.answers(&asked) {
                prop_assert_eq!(rules::canonical(&asked, &answers), Ok(answers));
            }
            let delegated = draft.delegated(&asked).unwrap();
            prop_assert_eq!(rules::canonical(&asked, &delegated), Ok(delegated));
        }
    }
}
