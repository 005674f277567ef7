//! What may happen.

use beckon_core::view::Sent;
use proptest::prelude::*;

use crate::support::room::{MAC, MINUTES_15, PHONE};

pub(crate) const QUESTIONS: [&str; 3] = ["a", "b", "c"];
pub(crate) const DEVICES: [&str; 2] = [MAC, PHONE];

/// One thing that happens. Numbers are taken modulo what there is.
#[derive(Debug, Clone)]
pub(crate) enum Move {
    Ask(&'static str),
    Choose(&'static str, &'static str, u32),
    Write(&'static str, &'static str, String),
    Send(&'static str, &'static str, Sent),
    /// Chooses and sends.
    Answer(&'static str, &'static str, u32),
    /// Somebody at a program that isn't Beckon.
    AnswerElsewhere(&'static str),
    AnswerByMessage(&'static str),
    StopRun(&'static str),
    /// A device's next call reaches the gateway.
    Carry(&'static str),
    /// A device hears one of the things on its wire, not always the oldest.
    Hear(&'static str, usize),
    /// A device hears an event that stays on the wire.
    HearTwice(&'static str, usize),
    /// A device hears an event again that it heard long ago.
    Replay(&'static str, usize),
    /// Something on the wire gets lost: the connection will break.
    Lose(&'static str, usize),
    LoseCall(&'static str),
    Cut(&'static str),
    Connect(&'static str),
    Kill(&'static str),
    RestartGateway,
    Drain(bool),
    Busy,
    FailLookup(bool),
    RefuseAnswer,
    TellTime,
    SetClock(&'static str, i64),
    Wait(u64),
    Settle,
}

fn device() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&DEVICES[..])
}

fn question() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&QUESTIONS[..])
}

pub(crate) fn moves() -> impl Strategy<Value = Move> {
    prop_oneof![
        1 => question().prop_map(Move::Ask),
        6 => (device(), question(), 0u32..2).prop_map(|(d, q, option)| Move::Answer(d, q, option)),
        2 => (device(), question(), 0u32..2).prop_map(|(d, q, option)| Move::Choose(d, q, option)),
        3 => (device(), question(), "[ xyz]{0,3}").prop_map(|(d, q, text)| Move::Write(d, q, text)),
        6 => (device(), question(), prop::sample::select(vec![Sent::Answer, Sent::Answer, Sent::Delegation, Sent::Skip]))
            .prop_map(|(d, q, sent)| Move::Send(d, q, sent)),
        1 => question().prop_map(Move::AnswerElsewhere),
        1 => question().prop_map(Move::AnswerByMessage),
        1 => question().prop_map(Move::StopRun),
        10 => device().prop_map(Move::Carry),
        12 => (device(), 0usize..4).prop_map(|(d, at)| Move::Hear(d, at)),
        2 => (device(), any::<usize>()).prop_map(|(d, at)| Move::HearTwice(d, at)),
        2 => (device(), any::<usize>()).prop_map(|(d, at)| Move::Replay(d, at)),
        2 => (device(), any::<usize>()).prop_map(|(d, at)| Move::Lose(d, at)),
        1 => device().prop_map(Move::LoseCall),
        3 => device().prop_map(Move::Cut),
        5 => device().prop_map(Move::Connect),
        2 => device().prop_map(Move::Kill),
        1 => Just(Move::RestartGateway),
        1 => any::<bool>().prop_map(Move::Drain),
        2 => Just(Move::Busy),
        1 => any::<bool>().prop_map(Move::FailLookup),
        1 => Just(Move::RefuseAnswer),
        1 => Just(Move::TellTime),
        1 => (device(), prop::sample::select(vec![-86_400_000i64, -3_000, 0, 3_000, 86_400_000]))
            .prop_map(|(d, skew)| Move::SetClock(d, skew)),
        4 => prop::sample::select(vec![1u64, 1_000, 5_000, 20_000, 400_000, MINUTES_15]).prop_map(Move::Wait),
        3 => Just(Move::Settle),
    ]
}

/// What may happen to one question around its deadline. Two devices want to answer it, each in its way.
pub(crate) fn race() -> impl Strategy<Value = Vec<Move>> {
    let must = [
        Move::Send(MAC, "a", Sent::Answer),
        Move::Send(PHONE, "a", Sent::Answer),
        Move::Carry(MAC),
        Move::Carry(PHONE),
    ];
    let may = prop_oneof![
        4 => device().prop_map(Move::Carry),
        4 => (device(), 0usize..3).prop_map(|(d, at)| Move::Hear(d, at)),
        2 => prop::sample::select(vec![1u64, 37, 38]).prop_map(Move::Wait),
        1 => device().prop_map(Move::Cut),
        1 => device().prop_map(Move::Connect),
        1 => device().prop_map(Move::Kill),
        1 => Just(Move::StopRun("a")),
        1 => Just(Move::AnswerByMessage("a")),
    ];
    prop::collection::vec(may, 0..12).prop_flat_map(move |may| {
        let moves: Vec<_> = must.iter().cloned().chain(may).collect();
        Just(moves).prop_shuffle()
    })
}
