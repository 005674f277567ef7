//! The test question a person can send to themselves: it goes through a gateway like any agent's.

use beckon_protocol::question::{Question, QuestionOption, RequestParams};

/// Parameters of its `question.request`.
pub(crate) fn question() -> RequestParams {
    let option = |label: &str, description: &str| QuestionOption {
        label: label.to_owned(),
        description: Some(description.to_owned()),
    };
    RequestParams {
        questions: vec![Question {
            question_id: "when_stuck".to_owned(),
            header: "Test".to_owned(),
            question: "What should your agent do when it is stuck?".to_owned(),
            options: vec![
                option("Ask me (Recommended)", "This is how it looks: choose, then send."),
                option("Guess", "Faster, and sometimes wrong."),
            ],
            multi_select: false,
            is_other: true,
            is_secret: false,
            url: None,
        }],
        id: None,
        agent_id: None,
        session_key: None,
        run_id: None,
        timeout_ms: None,
    }
}
