//! What an interface has: the first view and the patches since.

use beckon_core::view::{CardState, CardView, Patch, ResolvedBy, View};

/// Applies a patch as an interface does.
pub(crate) fn apply(view: &mut View, patch: Patch) {
    match patch {
        Patch::Reset { view: new } => *view = new,
        Patch::FirstRun { first_run } => view.first_run = first_run,
        Patch::Secrets { secrets } => view.secrets = secrets,
        Patch::Gateway { gateway } => {
            put(&mut view.gateways, gateway, |gateway| gateway.id.clone());
            view.gateways.sort_by_key(|gateway| !gateway.built_in);
        }
        Patch::GatewayRemoved { id } => {
            view.gateways.retain(|gateway| gateway.id != id);
            view.chats.retain(|chat| chat.gateway != id);
            view.cards.retain(|card| card.gateway != id);
        }
        Patch::Chat { chat } => {
            put(&mut view.chats, chat, |chat| chat.key.clone());
            view.chats.sort_by(|a, b| (b.at_ms, &b.key).cmp(&(a.at_ms, &a.key)));
        }
        Patch::Card { card } => {
            put(&mut view.cards, card, |card| card.key.clone());
            view.cards.sort_by(|a, b| (a.created_at_ms, &a.key).cmp(&(b.created_at_ms, &b.key)));
        }
    }
}

fn put<T>(list: &mut Vec<T>, new: T, key: impl Fn(&T) -> String) {
    match list.iter_mut().find(|old| key(old) == key(&new)) {
        Some(old) => *old = new,
        None => list.push(new),
    }
}

/// Nothing that has ended is open again or ended otherwise; what is known of it only grows.
pub(crate) fn assert_final(before: &View, after: &View) {
    for old in &before.cards {
        // A gateway that was removed took its cards along.
        let Some(new) = after.cards.iter().find(|card| card.key == old.key) else { continue };
        assert!(may_follow(old, new), "{:?} {:?} became {:?}", old.key, old.state, new.state);
    }
}

fn may_follow(old: &CardView, new: &CardView) -> bool {
    use CardState::{Answered, Expired, Skipped, Stopped, Unknown};
    let same_answer = || old.questions.iter().map(|q| &q.answer).eq(new.questions.iter().map(|q| &q.answer));
    match (&old.state, &new.state) {
        (Answered { by: old, .. }, Answered { by: new, .. }) => same_answer() && learned(old, new),
        (Skipped { by: old, .. }, Skipped { by: new, .. }) => learned(old, new),
        // An event doesn't tell a skip from the end of a run; who did it does.
        (Skipped { by, .. }, Stopped { .. }) => *by == ResolvedBy::Elsewhere { name: None },
        (Stopped { .. }, Stopped { .. }) | (Expired { .. }, Expired { .. }) | (Unknown { .. }, Unknown { .. }) => true,
        (Answered { .. } | Skipped { .. } | Stopped { .. } | Expired { .. }, _) => false,
        (Unknown { .. }, new) => is_final(new),
        _ => true,
    }
}

fn learned(old: &ResolvedBy, new: &ResolvedBy) -> bool {
    old == new || *old == ResolvedBy::Elsewhere { name: None } && !matches!(new, ResolvedBy::You { .. })
}

/// The gateway's word.
pub(crate) fn is_final(state: &CardState) -> bool {
    matches!(
        state,
        CardState::Answered { .. } | CardState::Skipped { .. } | CardState::Stopped { .. } | CardState::Expired { .. }
    )
}

/// Ended, one way or another.
pub(crate) fn has_ended(state: &CardState) -> bool {
    is_final(state) || matches!(state, CardState::Unknown { .. })
}

/// The view a start from the disk would show: what is on its way waits, and clocks are not known yet.
pub(crate) fn as_restarted(mut view: View) -> View {
    for card in &mut view.cards {
        card.state = match card.state.clone() {
            CardState::Sending { what } => CardState::WaitingToSend { what },
            CardState::Checking => CardState::Pending,
            state => state,
        };
    }
    for gateway in &mut view.gateways {
        gateway.link = beckon_core::view::LinkView::Connecting;
        gateway.clock_offset_ms = 0;
    }
    view
}
