//! A gateway that does nothing but questions, by the rules of `docs/PROTOCOL.md`, without a clock or a socket.

use std::collections::{BTreeMap, VecDeque};

use beckon_core::rules;
use beckon_protocol::connect::scope;
use beckon_protocol::error::{ErrorShape, reason};
use beckon_protocol::frame::{event, method};
use beckon_protocol::question::{
    Answers, GetParams, GetResult, ListResult, QuestionRecord, RESOLVED_BY_RUN_END, RequestParams, Requested,
    ResolveParams, Resolved, Status,
};
use beckon_protocol::{Event, Millis, limits};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Whose rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// Ended questions are known for [`RETENTION_MS`], a restart forgets everything, a second answer is refused.
    OpenClaw,
    /// Everything is kept for good, and an answer may be repeated under its `resolutionId`.
    BuiltIn,
}

/// How long OpenClaw knows a question after its end.
pub(crate) const RETENTION_MS: Millis = 15_000;
/// How late the recorded gateway noticed that a time was up.
const LATE_MS: Millis = 38;

#[derive(Debug)]
struct Kept {
    record: QuestionRecord,
    ended_at: Option<Millis>,
    resolution_id: Option<String>,
}

/// The gateway. Times that come in are those of the room; its own clock is `skew_ms` ahead.
#[derive(Debug)]
pub(crate) struct Gateway {
    pub(crate) rules: Rules,
    pub(crate) skew_ms: i64,
    pub(crate) scopes: Vec<String>,
    /// Stopping gracefully: answers are taken, lists and questions are refused.
    pub(crate) draining: bool,
    /// Whether the event of a resolution leaves before the response; recordings have both.
    pub(crate) event_first: bool,
    /// Answers that were accepted, in order.
    pub(crate) accepted: Vec<ResolveParams>,
    /// How many calls came, by method.
    pub(crate) calls: BTreeMap<String, u32>,
    /// Events that nobody was told yet.
    pub(crate) news: VecDeque<Event>,
    kept: BTreeMap<String, Kept>,
    /// Endings, also those the gateway no longer knows.
    history: BTreeMap<String, QuestionRecord>,
    refusals: VecDeque<(&'static str, ErrorShape)>,
    seq: u64,
}

/// How a question stands, as a witness saw it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Truth {
    /// Still open.
    Open,
    /// Ended, and the gateway still knows.
    Ended(QuestionRecord),
    /// Ended, and the gateway no longer knows.
    EndedAndForgotten(QuestionRecord),
    /// Lost while it was open, or never asked.
    Forgotten,
}

impl Gateway {
    pub(crate) fn new(rules: Rules) -> Self {
        Self {
            rules,
            skew_ms: 0,
            scopes: [scope::READ, scope::WRITE, scope::QUESTIONS].map(str::to_owned).to_vec(),
            draining: false,
            event_first: true,
            accepted: Vec::new(),
            calls: BTreeMap::new(),
            news: VecDeque::new(),
            kept: BTreeMap::new(),
            history: BTreeMap::new(),
            refusals: VecDeque::new(),
            seq: 0,
        }
    }

    pub(crate) fn clock(&self, now: Millis) -> Millis {
        now.saturating_add_signed(self.skew_ms)
    }

    /// The next call of that method is refused.
    pub(crate) fn refuse(&mut self, method: &'static str, error: ErrorShape) {
        self.refusals.push_back((method, error));
    }

    /// Nothing is refused any more without reason.
    pub(crate) fn relent(&mut self) {
        self.draining = false;
        self.refusals.clear();
    }

    pub(crate) fn truth(&self, id: &str) -> Truth {
        match (self.kept.get(id), self.history.get(id)) {
            (Some(kept), _) if kept.record.status == Status::Pending => Truth::Open,
            (Some(kept), _) => Truth::Ended(kept.record.clone()),
            (None, Some(record)) => Truth::EndedAndForgotten(record.clone()),
            (None, None) => Truth::Forgotten,
        }
    }

    /// A call from a device or an agent.
    pub(crate) fn call(&mut self, method: &str, params: Value, now: Millis) -> Result<Value, ErrorShape> {
        *self.calls.entry(method.to_owned()).or_default() += 1;
        self.forget(now);
        if let Some(at) = self.refusals.iter().position(|(refused, _)| *refused == method)
            && let Some((_, error)) = self.refusals.remove(at)
        {
            return Err(error);
        }
        if !self.scopes.iter().any(|granted| granted == scope::QUESTIONS) {
            return Err(ErrorShape::missing_scope(scope::QUESTIONS));
        }
        if self.draining && [method::QUESTION_LIST, method::QUESTION_REQUEST].contains(&method) {
            return Err(ErrorShape::unavailable(format!("{method} unavailable during gateway restart")));
        }
        match method {
            method::QUESTION_LIST => Ok(json!(self.list())),
            method::QUESTION_GET => {
                let GetParams { id } = read(params)?;
                let kept = self.kept.get(&id).ok_or_else(|| not_found(&id))?;
                Ok(json!(GetResult { question: kept.record.clone() }))
            }
            method::QUESTION_RESOLVE => self.resolve(read(params)?, now).map(|resolved| json!(resolved)),
            method::QUESTION_REQUEST => Ok(json!(self.request(read(params)?, now))),
            _ => Err(ErrorShape::missing_scope("operator.admin")),
        }
    }

    fn list(&self) -> ListResult {
        let open = self.kept.values().filter(|kept| kept.record.status == Status::Pending);
        let mut questions: Vec<_> = open.map(|kept| kept.record.clone()).collect();
        questions.sort_by_key(|record| record.created_at_ms);
        ListResult { questions }
    }

    fn resolve(&mut self, params: ResolveParams, now: Millis) -> Result<Resolved, ErrorShape> {
        let kept = self.kept.get(&params.id).ok_or_else(|| not_found(&params.id))?;
        let record = &kept.record;
        if record.status != Status::Pending {
            let same = params.resolution_id.is_some() && params.resolution_id == kept.resolution_id;
            if self.rules == Rules::BuiltIn && same {
                let (status, answers) = (record.status, record.answers.clone());
                return Ok(Resolved { id: None, status, answers, resolution_id: None });
            }
            return Err(ErrorShape::question(reason::ALREADY_TERMINAL, format!("question '{}' has ended", params.id)));
        }
        // Closed shapes: a skip has neither answers nor a `resolutionId`.
        if params.answers.is_none() != params.cancel || params.cancel && params.resolution_id.is_some() {
            return Err(ErrorShape::invalid("invalid question.resolve params"));
        }
        let invalid = |broken: rules::RuleBroken| ErrorShape::question(reason::INVALID_ANSWER, broken.to_string());
        let answers = params
            .answers
            .as_ref()
            .map(|given| rules::canonical(&record.questions, given))
            .transpose()
            .map_err(invalid)?;
        let status = if answers.is_some() { Status::Answered } else { Status::Cancelled };
        self.accepted.push(params.clone());
        self.end(&params.id, status, answers.clone(), params.resolved_by, now);
        if let Some(kept) = self.kept.get_mut(&params.id) {
            kept.resolution_id = params.resolution_id;
        }
        Ok(Resolved { id: None, status, answers, resolution_id: None })
    }

    fn request(&mut self, params: RequestParams, now: Millis) -> Requested {
        let id = params.id.unwrap_or_else(|| format!("made-up-{}", self.kept.len()));
        let created_at_ms = self.clock(now);
        let expires_at_ms = created_at_ms + params.timeout_ms.unwrap_or(limits::QUESTION_TIMEOUT_MS);
        self.ask(QuestionRecord {
            id: id.clone(),
            questions: params.questions,
            agent_id: params.agent_id,
            session_key: params.session_key,
            run_id: params.run_id,
            created_at_ms,
            expires_at_ms,
            status: Status::Pending,
            answers: None,
            resolved_by: None,
        });
        Requested { id, expires_at_ms }
    }

    /// An agent asks.
    pub(crate) fn ask(&mut self, record: QuestionRecord) {
        self.tell(event::QUESTION_REQUESTED, json!(record));
        self.kept.insert(record.id.clone(), Kept { record, ended_at: None, resolution_id: None });
    }

    /// Somebody answers, under that name; `plain-text` is a message in the chat.
    pub(crate) fn answer_as(&mut self, name: &str, id: &str, answers: Answers, now: Millis) {
        self.end(id, Status::Answered, Some(answers), Some(name.to_owned()), now);
    }

    /// A client that doesn't say who it is answers.
    pub(crate) fn answer_without_a_name(&mut self, id: &str, answers: Answers, now: Millis) {
        self.end(id, Status::Answered, Some(answers), None, now);
    }

    /// The run that asked is stopped.
    pub(crate) fn stop_run(&mut self, id: &str, now: Millis) {
        self.end(id, Status::Cancelled, None, Some(RESOLVED_BY_RUN_END.to_owned()), now);
    }

    /// Ends what is due.
    pub(crate) fn expire(&mut self, now: Millis) {
        let clock = self.clock(now);
        let due = |kept: &&Kept| kept.ended_at.is_none() && kept.record.expires_at_ms + LATE_MS <= clock;
        let due: Vec<_> = self.kept.values().filter(due).map(|kept| kept.record.id.clone()).collect();
        for id in due {
            self.end(&id, Status::Expired, None, None, now);
        }
    }

    /// When [`Gateway::expire`] has something to do, in the room's time.
    pub(crate) fn next_expiry(&self) -> Option<Millis> {
        let open = self.kept.values().filter(|kept| kept.ended_at.is_none());
        open.map(|kept| (kept.record.expires_at_ms + LATE_MS).saturating_add_signed(-self.skew_ms)).min()
    }

    /// Stops and starts. Connections are the room's business.
    pub(crate) fn restart(&mut self) {
        self.draining = false;
        self.news.clear();
        if self.rules == Rules::OpenClaw {
            self.kept.clear();
        }
    }

    fn end(&mut self, id: &str, status: Status, answers: Option<Answers>, by: Option<String>, now: Millis) {
        let Some(kept) = self.kept.get_mut(id).filter(|kept| kept.ended_at.is_none()) else { return };
        kept.record = QuestionRecord { status, answers: answers.clone(), resolved_by: by, ..kept.record.clone() };
        kept.ended_at = Some(now);
        self.history.insert(id.to_owned(), kept.record.clone());
        let resolved = Resolved { id: Some(id.to_owned()), status, answers, resolution_id: None };
        self.tell(event::QUESTION_RESOLVED, json!(resolved));
    }

    fn forget(&mut self, now: Millis) {
        if self.rules == Rules::OpenClaw {
            self.kept.retain(|_, kept| kept.ended_at.is_none_or(|at| at + RETENTION_MS > now));
        }
    }

    pub(crate) fn tell(&mut self, event: &str, payload: Value) {
        self.seq += 1;
        self.news.push_back(Event { event: event.to_owned(), payload, seq: Some(self.seq) });
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, ErrorShape> {
    serde_json::from_value(params).map_err(|error| ErrorShape::invalid(error.to_string()))
}

fn not_found(id: &str) -> ErrorShape {
    ErrorShape::question(reason::NOT_FOUND, format!("question '{id}' was not found"))
}
