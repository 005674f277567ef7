//! The methods a connection may call: name, scope, schema and what is done.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use beckon_protocol::connect::scope;
use beckon_protocol::frame::{event, method};
use beckon_protocol::question::{GetParams, RequestParams, ResolveParams, Resolved, Status, WaitParams};
use beckon_protocol::{ErrorShape, limits};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use crate::desk::{Answer, Desk};
use crate::schema::{self, Schema};

/// The JSON of a result, once it is there. The call itself was made before this exists.
pub(crate) type Outcome = Pin<Box<dyn Future<Output = Result<String, ErrorShape>> + Send>>;

/// One method.
pub(crate) struct Method {
    /// Its name on the wire.
    pub name: &'static str,
    /// What a caller needs.
    pub scope: &'static str,
    /// Whether it may take until the end of a question, so that it mustn't hold up others.
    pub waits: bool,
    schema: &'static Schema,
    call: fn(&Desk, Value, Caller<'_>) -> Result<Outcome, ErrorShape>,
}

/// Who calls.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    /// What it may do.
    pub scopes: &'a [String],
}

impl Caller<'_> {
    /// Whether the caller has a scope. Admin implies all; nothing else implies another that matters here.
    pub(crate) fn may(self, wanted: &str) -> bool {
        self.scopes.iter().any(|scope| scope == wanted || scope == scope::ADMIN)
    }
}

/// Everything `hello-ok` announces as a method, by name.
pub(crate) static METHODS: [Method; 5] = [
    Method {
        name: method::QUESTION_GET,
        scope: scope::QUESTIONS,
        waits: false,
        schema: &schema::QUESTION_GET,
        call: get,
    },
    Method {
        name: method::QUESTION_LIST,
        scope: scope::QUESTIONS,
        waits: false,
        schema: &schema::QUESTION_LIST,
        call: list,
    },
    Method {
        name: method::QUESTION_REQUEST,
        scope: scope::QUESTIONS,
        waits: false,
        schema: &schema::QUESTION_REQUEST,
        call: request,
    },
    Method {
        name: method::QUESTION_RESOLVE,
        scope: scope::QUESTIONS,
        waits: false,
        schema: &schema::QUESTION_RESOLVE,
        call: resolve,
    },
    Method {
        name: method::QUESTION_WAIT,
        scope: scope::QUESTIONS,
        waits: true,
        schema: &schema::QUESTION_WAIT,
        call: wait,
    },
];

/// Everything `hello-ok` announces as an event.
pub(crate) const EVENTS: [&str; 5] =
    [event::CHALLENGE, event::QUESTION_REQUESTED, event::QUESTION_RESOLVED, event::SHUTDOWN, event::TICK];

/// Finds a method that the caller may call.
pub(crate) fn find(name: &str, caller: Caller<'_>) -> Result<&'static Method, ErrorShape> {
    match METHODS.iter().find(|method| method.name == name) {
        Some(method) if caller.may(method.scope) => Ok(method),
        Some(method) => Err(ErrorShape::missing_scope(method.scope)),
        // Names that don't exist are told to admins only, as in OpenClaw.
        None if caller.may(scope::ADMIN) => Err(ErrorShape::invalid(format!("unknown method: {name}"))),
        None => Err(ErrorShape::missing_scope(scope::ADMIN)),
    }
}

impl Method {
    /// Checks the parameters and makes the call.
    pub(crate) fn call(&self, desk: &Desk, params: Option<Value>, caller: Caller<'_>) -> Result<Outcome, ErrorShape> {
        let params = params.filter(|params| !params.is_null()).unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        self.schema.check(&params).map_err(|faults| self.invalid(&faults))?;
        (self.call)(desk, params, caller)
    }

    fn invalid(&self, faults: &str) -> ErrorShape {
        ErrorShape::invalid(format!("invalid {} params: {faults}", self.name))
    }
}

fn get(desk: &Desk, params: Value, _: Caller<'_>) -> Result<Outcome, ErrorShape> {
    let GetParams { id } = read(method::QUESTION_GET, params)?;
    let record = desk.get(id);
    Ok(Box::pin(async move { Ok(format!(r#"{{"question":{}}}"#, record.await?)) }))
}

#[allow(clippy::unnecessary_wraps, reason = "a method like the others")]
fn list(desk: &Desk, _: Value, _: Caller<'_>) -> Result<Outcome, ErrorShape> {
    let records = desk.list();
    Ok(Box::pin(async move { Ok(format!(r#"{{"questions":[{}]}}"#, records.await?.join(","))) }))
}

fn request(desk: &Desk, params: Value, caller: Caller<'_>) -> Result<Outcome, ErrorShape> {
    refuse_secret_stores(&params, caller)?;
    let params: RequestParams = read(method::QUESTION_REQUEST, params)?;
    check_headers(&params)?;
    check_urls(&params)?;
    Ok(outcome(desk.request(params)))
}

fn resolve(desk: &Desk, params: Value, _: Caller<'_>) -> Result<Outcome, ErrorShape> {
    let params: ResolveParams = read(method::QUESTION_RESOLVE, params)?;
    Ok(outcome(desk.resolve(params)))
}

fn wait(desk: &Desk, params: Value, _: Caller<'_>) -> Result<Outcome, ErrorShape> {
    let params: WaitParams = read(method::QUESTION_WAIT, params)?;
    let ending = desk.wait(params.id);
    Ok(Box::pin(async move {
        let ended = match params.timeout_ms {
            None => ending.await?,
            Some(limit) => {
                let limit = Duration::from_millis(limit.min(limits::QUESTION_TIMEOUT_MAX_MS));
                match tokio::time::timeout(limit, ending).await {
                    Ok(ended) => ended?,
                    Err(_) => Resolved { id: None, status: Status::Pending, answers: None, resolution_id: None },
                }
            }
        };
        let resolution_id = ended.resolution_id.filter(|_| params.include_resolution_id && ended.answers.is_some());
        text(&Resolved { id: None, resolution_id, ..ended })
    }))
}

fn outcome<T: Serialize + Send + 'static>(answer: Answer<T>) -> Outcome {
    Box::pin(async move { text(&answer.await?) })
}

fn text(value: &impl Serialize) -> Result<String, ErrorShape> {
    serde_json::to_string(value).map_err(|error| {
        tracing::error!(%error, "a result can't be written");
        ErrorShape::unavailable("the result can't be written")
    })
}

/// Parameters that passed their schema.
fn read<T: DeserializeOwned>(name: &str, mut params: Value) -> Result<T, ErrorShape> {
    whole_numbers(&mut params);
    serde_json::from_value(params).map_err(|error| ErrorShape::invalid(format!("invalid {name} params: {error}")))
}

/// Writes `5.0` and `1e300` as the integers that JSON's other readers take them for, the latter cut to what fits.
pub(crate) fn whole_numbers(params: &mut Value) {
    for value in params.as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
        if let Some(number) = value.as_f64()
            && value.is_f64()
            && number.fract() == 0.0
            && number >= 0.0
        {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from float saturates")]
            let whole = number as u64;
            *value = whole.into();
        }
    }
}

/// Secret questions belong to an agent's own tool. OpenClaw tells an admin something else than the others.
fn refuse_secret_stores(params: &Value, caller: Caller<'_>) -> Result<(), ErrorShape> {
    let mut questions = params.get("questions").and_then(Value::as_array).into_iter().flatten();
    if !questions.any(|question| question.get("secretStore").is_some()) {
        return Ok(());
    }
    Err(ErrorShape::invalid(if caller.may(scope::ADMIN) {
        "secret store questions require trusted agent runtime authority"
    } else {
        "secret store questions require an operator.admin client"
    }))
}

/// The schema counts characters; what devices have room for is counted in UTF-16 units, as in `core`'s contract.
fn check_headers(params: &RequestParams) -> Result<(), ErrorShape> {
    let long = |header: &str| header.encode_utf16().count() > limits::MAX_HEADER;
    match params.questions.iter().position(|question| long(&question.header)) {
        None => Ok(()),
        Some(index) => Err(ErrorShape::invalid(format!(
            "invalid question.request params: at /questions/{index}/header: must not have more than {} characters",
            limits::MAX_HEADER
        ))),
    }
}

/// A link is opened by a person's tap: no other scheme, and no name that hides the real host.
fn check_urls(params: &RequestParams) -> Result<(), ErrorShape> {
    let safe = |text: &str| {
        let lower = text.to_ascii_lowercase();
        (lower.starts_with("https://") || lower.starts_with("http://"))
            && Url::parse(text).is_ok_and(|url| url.username().is_empty() && url.password().is_none())
    };
    match params.questions.iter().find(|question| question.url.as_deref().is_some_and(|url| !safe(url))) {
        None => Ok(()),
        Some(question) => Err(ErrorShape::invalid(format!(
            "question '{}' requires an absolute HTTP(S) URL without credentials",
            question.question_id
        ))),
    }
}
