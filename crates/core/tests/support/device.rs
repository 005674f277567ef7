//! A device: the app, its disk, an interface that knows nothing but the first view and the patches since, and wires to
//! gateways. Everything that must hold after every step is checked here, whatever the test is about.

use std::collections::{BTreeMap, VecDeque};

use beckon_core::store::Kept;
use beckon_core::view::{BuiltInView, IntentError, SecretsView, View};
use beckon_core::{App, Call, Effects, Input, LinkCommand, LinkEvent, ThisDevice, Ticket};
use beckon_protocol::Millis;
use beckon_protocol::frame::method;
use beckon_protocol::question::ResolveParams;

use super::mirror;
use super::store::Store;

/// What is on its way between a device and a gateway.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    pub(crate) online: bool,
    pub(crate) calls: VecDeque<Call>,
    pub(crate) news: VecDeque<LinkEvent>,
    /// Attempts without a response, with their questions.
    pub(crate) resolving: BTreeMap<Ticket, String>,
}

#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) this: ThisDevice,
    pub(crate) store: Store,
    /// How far this computer's clock is ahead of the room's.
    pub(crate) skew_ms: i64,
    pub(crate) view: View,
    pub(crate) wires: BTreeMap<String, Wire>,
    app: App,
    built_in: Option<BuiltInView>,
    /// Calls made, by gateway, question and `resolutionId`.
    attempts: BTreeMap<(String, String, String), u32>,
}

impl Device {
    pub(crate) fn new(name: &str, built_in: Option<BuiltInView>) -> Self {
        let this = ThisDevice { name: format!("Beckon on {name}"), tag: name.to_owned() };
        let (app, effects) = App::new(this.clone(), built_in.clone(), SecretsView::KeyStore, Kept::default());
        let mut device = Self {
            this,
            store: Store::default(),
            skew_ms: 0,
            view: app.view(0),
            wires: BTreeMap::new(),
            app,
            built_in,
            attempts: BTreeMap::new(),
        };
        device.carry_out(effects);
        device
    }

    pub(crate) fn clock(&self, now: Millis) -> Millis {
        now.saturating_add_signed(self.skew_ms)
    }

    /// The program dies and starts again from what was committed.
    pub(crate) fn restart(&mut self, now: Millis) {
        self.wires.clear();
        let (app, effects) =
            App::new(self.this.clone(), self.built_in.clone(), SecretsView::KeyStore, self.store.load());
        self.app = app;
        let shown = self.app.view(self.clock(now));
        let before = std::mem::replace(&mut self.view, shown);
        mirror::assert_final(&before, &self.view);
        self.carry_out(effects);
        self.apply(Input::Tick, now).unwrap();
    }

    /// Takes something in; everything but the wires has happened when it returns.
    pub(crate) fn apply(&mut self, input: Input, now: Millis) -> Result<(), IntentError> {
        let clock = self.clock(now);
        let ticked = input == Input::Tick;
        if let Input::Link { gateway, event: LinkEvent::Response { ticket, .. } } = &input
            && let Some(wire) = self.wires.get_mut(gateway)
        {
            wire.resolving.remove(ticket);
        }
        let applied = self.app.apply(input, clock);
        let before = self.view.clone();
        let result = applied.map(|effects| self.carry_out(effects));
        assert_eq!(self.view, self.app.view(clock), "the patches don't lead to the view");
        mirror::assert_final(&before, &self.view);
        self.assert_kept(clock);
        if ticked {
            assert!(self.app.wake_at().is_none_or(|at| at > clock), "a tick that is due again at once");
        }
        result
    }

    /// When a tick is due, in the room's time.
    pub(crate) fn wake_at(&self) -> Option<Millis> {
        self.app.wake_at().map(|at| at.saturating_add_signed(-self.skew_ms))
    }

    fn carry_out(&mut self, effects: Effects) {
        self.store.commit(&effects.changes);
        for command in effects.links {
            match command {
                LinkCommand::Open(config) => drop(self.wires.insert(config.id, Wire::default())),
                LinkCommand::Close { gateway } => drop(self.wires.remove(&gateway)),
                LinkCommand::Hurry { .. } => {}
            }
        }
        for call in effects.calls {
            self.assert_promised(&call);
            let wire = self.wires.get_mut(&call.gateway).expect("a call to a gateway with a link");
            assert!(wire.online, "a call while offline: {call:?}");
            wire.calls.push_back(call);
        }
        for patch in effects.patches {
            // Twice, since a patch says how something is and not what changed.
            mirror::apply(&mut self.view, patch.clone());
            mirror::apply(&mut self.view, patch);
        }
    }

    /// An answer that leaves is a row on the disk before, with this attempt counted.
    fn assert_promised(&mut self, call: &Call) {
        if call.method != method::QUESTION_RESOLVE {
            return;
        }
        let params: ResolveParams = serde_json::from_value(call.params.clone()).unwrap();
        let item = self.store.outbox_item(&call.gateway, &params.id).expect("a row before the call");
        assert_eq!(item.answers, params.answers);
        // A skip has no place for it.
        assert_eq!(params.resolution_id, params.answers.map(|_| item.resolution_id.clone()));
        let made = self.attempts.entry((call.gateway.clone(), params.id, item.resolution_id.clone())).or_default();
        *made += 1;
        assert_eq!(item.attempts, *made, "an attempt that isn't counted on the disk");
        let resolving = &mut self.wires.get_mut(&call.gateway).expect("a link").resolving;
        assert!(!resolving.values().any(|other| *other == item.question), "a second attempt beside the first");
        resolving.insert(call.ticket, item.question.clone());
    }

    /// A kill at this instant would show the same.
    fn assert_kept(&self, clock: Millis) {
        let kept = self.store.load();
        let (app, _) = App::new(self.this.clone(), self.built_in.clone(), self.view.secrets, kept);
        let (now, then) = (mirror::as_restarted(self.view.clone()), mirror::as_restarted(app.view(clock)));
        assert_eq!(now, then, "a start from the disk shows something else");
    }
}
