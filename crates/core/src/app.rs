//! All gateways together: takes in what people want and what links report, and says what goes out.
//!
//! [`App::apply`] is the only way in. It is given the time, does no I/O, and never fails half-way: an intent that makes
//! no sense returns an error and changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use beckon_protocol::Millis;
use beckon_protocol::chat::SessionKey;
use beckon_protocol::question::QuestionRecord;
use serde_json::json;

use crate::address::Address;
use crate::card::{self, Card};
use crate::draft::Draft;
use crate::outbox::OutboxItem;
use crate::sample;
use crate::step::{Effects, LinkCommand, SecretChange, Step, ThisDevice, Touched};
use crate::store::{Change, Kept, Row};
use crate::view::{
    BuiltInView, CardView, ChatView, GatewayView, Intent, IntentError, IntentErrorCode as Code, Patch, SecretsView,
    Sent, View,
};
use crate::world::{GatewayConfig, LinkEvent, World};

/// Id of the gateway inside this program.
pub const BUILT_IN: &str = "built-in";

/// Something came in.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A person wants something.
    Intent(Intent),
    /// Something happened on a link.
    Link {
        /// The gateway's id.
        gateway: String,
        /// What happened.
        event: LinkEvent,
    },
    /// Secrets are kept elsewhere now.
    Secrets(SecretsView),
    /// Time passed; due at [`App::wake_at`].
    Tick,
}

/// Everything this device knows.
#[derive(Debug, Clone)]
pub struct App {
    device: ThisDevice,
    built_in: Option<BuiltInView>,
    secrets: SecretsView,
    welcomed: bool,
    order: Vec<String>,
    worlds: BTreeMap<String, World>,
    next_ticket: u64,
}

impl App {
    /// Starts from what was kept. The effects open the links.
    pub fn new(device: ThisDevice, built_in: Option<BuiltInView>, secrets: SecretsView, kept: Kept) -> (Self, Effects) {
        let mut app = Self {
            device,
            built_in,
            secrets,
            welcomed: kept.welcomed,
            order: Vec::new(),
            worlds: BTreeMap::new(),
            next_ticket: 0,
        };
        if let Some(built_in) = &app.built_in {
            let config = GatewayConfig {
                id: BUILT_IN.to_owned(),
                name: String::new(),
                address: built_in.address.clone(),
                built_in: true,
            };
            app.insert(config);
        }
        for kept in kept.gateways {
            let id = kept.config.id.clone();
            if kept.config.built_in && app.built_in.is_none() {
                continue;
            }
            // The built-in one's address is this start's, not the kept one.
            if !app.worlds.contains_key(&id) {
                app.insert(kept.config);
            }
            if let Some(world) = app.worlds.get_mut(&id) {
                kept.rows.into_iter().for_each(|row| world.restore(row));
            }
        }
        let mut effects = Effects::default();
        for world in app.worlds.values() {
            effects.links.push(LinkCommand::Open(world.config.clone()));
            if world.config.built_in {
                effects.changes.push(Change::PutGateway(world.config.clone()));
            }
        }
        (app, effects)
    }

    fn insert(&mut self, config: GatewayConfig) {
        self.order.push(config.id.clone());
        self.worlds.insert(config.id.clone(), World::new(config));
    }

    /// Takes something in and says what goes out. `now` is this computer's clock.
    pub fn apply(&mut self, input: Input, now: Millis) -> Result<Effects, IntentError> {
        let mut effects = Effects::default();
        let mut touched = Touched::default();
        let first_run = self.first_run();
        match input {
            Input::Intent(intent) => self.intend(intent, now, &mut touched, &mut effects)?,
            Input::Link { gateway, event } => {
                self.in_world(&gateway, now, &mut touched, &mut effects, |world, step| world.apply(event, step));
            }
            Input::Secrets(secrets) => {
                self.secrets = secrets;
                effects.patches.push(Patch::Secrets { secrets });
            }
            Input::Tick => {
                for gateway in self.order.clone() {
                    self.in_world(&gateway, now, &mut touched, &mut effects, World::tick);
                }
            }
        }
        for gateway in self.order.clone() {
            self.in_world(&gateway, now, &mut touched, &mut effects, World::end_step);
        }
        self.show(&touched, now, &mut effects);
        if self.first_run() != first_run {
            effects.patches.push(Patch::FirstRun { first_run: !first_run });
        }
        Ok(effects)
    }

    /// When [`Input::Tick`] is due, on this computer's clock.
    pub fn wake_at(&self) -> Option<Millis> {
        self.worlds.values().filter_map(World::wake_at).min()
    }

    /// The snapshot that patches follow, when taken at the time of the last step.
    pub fn view(&self, now: Millis) -> View {
        let worlds = || self.order.iter().filter_map(|id| self.worlds.get(id));
        let mut cards: Vec<_> = worlds().flat_map(|world| self.cards(world, now)).collect();
        cards.sort_by(|a, b| (a.created_at_ms, &a.key).cmp(&(b.created_at_ms, &b.key)));
        let mut chats: Vec<_> = worlds().flat_map(|world| chats(world, |_| true)).collect();
        chats.sort_by(|a, b| (b.at_ms, &b.key).cmp(&(a.at_ms, &a.key)));
        View {
            first_run: self.first_run(),
            built_in: self.built_in.clone(),
            secrets: self.secrets,
            gateways: worlds().map(gateway_view).collect(),
            chats,
            cards,
        }
    }

    fn first_run(&self) -> bool {
        !self.welcomed && self.worlds.values().all(|world| world.config.built_in && world.book.iter().next().is_none())
    }

    fn cards(&self, world: &World, now: Millis) -> Vec<CardView> {
        world.book.iter().filter_map(|(record, _)| self.card(world, &record.id, now)).collect()
    }

    fn card(&self, world: &World, id: &str, now: Millis) -> Option<CardView> {
        let entry = world.book.get(id)?;
        let record = entry.record.as_ref()?;
        let untouched = Draft::default();
        let card = Card {
            gateway: &world.config.id,
            record,
            draft: world.drafts.get(id).unwrap_or(&untouched),
            outbox: world.outbox.get(id),
            outcome: entry.outcome.as_ref(),
            online: world.online(),
            overdue: world.overdue(record, now),
            device: &self.device.name,
        };
        Some(card.view())
    }

    /// Patches for what was touched: cards, then the chats and gateways whose counts follow from them.
    fn show(&self, touched: &Touched, now: Millis, effects: &mut Effects) {
        for (gateway, questions) in &touched.cards {
            let Some(world) = self.worlds.get(gateway) else { continue };
            let cards: Vec<_> = questions.iter().filter_map(|id| self.card(world, id, now)).collect();
            let records = questions.iter().filter_map(|id| world.book.record(id));
            let sessions: BTreeSet<_> = records.map(session).collect();
            let changed = chats(world, |session| sessions.contains(session));
            effects.patches.extend(changed.into_iter().map(|chat| Patch::Chat { chat }));
            effects.patches.extend(cards.into_iter().map(|card| Patch::Card { card }));
        }
        for gateway in touched.gateways.iter().chain(touched.cards.keys().filter(|id| !touched.gateways.contains(*id)))
        {
            if let Some(world) = self.worlds.get(gateway) {
                effects.patches.push(Patch::Gateway { gateway: gateway_view(world) });
            }
        }
    }

    fn in_world(
        &mut self,
        gateway: &str,
        now: Millis,
        touched: &mut Touched,
        effects: &mut Effects,
        act: impl FnOnce(&mut World, &mut Step<'_>),
    ) {
        // A link that is being closed may still report; its world is gone.
        let Some(world) = self.worlds.get_mut(gateway) else { return };
        let mut step = Step::new(gateway, now, &self.device, &mut self.next_ticket, touched);
        act(world, &mut step);
        step.finish(effects);
    }

    fn intend(
        &mut self,
        intent: Intent,
        now: Millis,
        touched: &mut Touched,
        effects: &mut Effects,
    ) -> Result<(), IntentError> {
        match intent {
            Intent::AddGateway { address, token } => self.add_gateway(&address, &token.0, touched, effects),
            Intent::RemoveGateway { gateway } => self.remove_gateway(gateway, effects),
            Intent::Reconnect { gateway } => {
                self.world(&gateway)?;
                effects.links.push(LinkCommand::Hurry { gateway });
                Ok(())
            }
            Intent::UseBuiltIn if self.built_in.is_none() => Err(not_found("there is no built-in gateway here")),
            Intent::UseBuiltIn => {
                self.welcome(effects);
                Ok(())
            }
            Intent::SendTestQuestion => {
                let online = |id: &&String| self.worlds.get(*id).is_some_and(World::online);
                let gateway = self.order.iter().find(online).cloned();
                let gateway = gateway.ok_or_else(|| IntentError::new(Code::NoGateway, "no gateway is online"))?;
                self.welcome(effects);
                let params = json!(sample::question());
                self.in_world(&gateway, now, touched, effects, |world, step| world.request(params, step));
                Ok(())
            }
            // Only the client can do it; it reports back with `Input::Secrets`.
            Intent::AllowSecretFile => Ok(()),
            Intent::Choose { card, question, option, on } => self
                .edit(&card, now, touched, effects, |draft, asked| draft.choose(asked, question as usize, option, on)),
            Intent::ChooseOther { card, question, on } => {
                self.edit(&card, now, touched, effects, |draft, asked| draft.choose_other(asked, question as usize, on))
            }
            Intent::Type { card, question, text } => {
                self.edit(&card, now, touched, effects, |draft, asked| draft.write(asked, question as usize, text))
            }
            Intent::Send { card } => self.send(&card, Sent::Answer, now, touched, effects),
            Intent::Delegate { card } => self.send(&card, Sent::Delegation, now, touched, effects),
            Intent::Skip { card } => self.send(&card, Sent::Skip, now, touched, effects),
        }
    }

    fn welcome(&mut self, effects: &mut Effects) {
        if !self.welcomed {
            self.welcomed = true;
            effects.changes.push(Change::Welcomed);
        }
    }

    fn add_gateway(
        &mut self,
        address: &str,
        token: &str,
        touched: &mut Touched,
        effects: &mut Effects,
    ) -> Result<(), IntentError> {
        let address = Address::parse(address).map_err(|bad| IntentError::new(Code::BadAddress, bad.to_string()))?;
        let token = token.trim();
        if token.is_empty() {
            return Err(IntentError::new(Code::BadToken, "the token is empty"));
        }
        // One host and port is one gateway and one key, by whichever scheme.
        let same = |world: &World| world.config.address.split("://").last() == Some(&*address.authority);
        if address.authority == BUILT_IN || self.worlds.values().any(same) {
            return Err(IntentError::new(Code::AlreadyAdded, "this gateway is there already"));
        }
        if self.secrets == SecretsView::Missing {
            return Err(IntentError::new(Code::NoKeyStore, "there is no key store, and no file was allowed"));
        }
        let config = GatewayConfig {
            id: address.authority.clone(),
            name: address.authority,
            address: address.url,
            built_in: false,
        };
        self.welcome(effects);
        effects.secrets.push(SecretChange::PutToken { gateway: config.id.clone(), token: token.to_owned() });
        effects.changes.push(Change::PutGateway(config.clone()));
        effects.links.push(LinkCommand::Open(config.clone()));
        touched.gateways.insert(config.id.clone());
        self.insert(config);
        Ok(())
    }

    fn remove_gateway(&mut self, gateway: String, effects: &mut Effects) -> Result<(), IntentError> {
        if self.world(&gateway)?.config.built_in {
            return Err(IntentError::new(Code::Malformed, "the built-in gateway can't be removed"));
        }
        self.worlds.remove(&gateway);
        self.order.retain(|id| *id != gateway);
        effects.links.push(LinkCommand::Close { gateway: gateway.clone() });
        effects.secrets.push(SecretChange::Forget { gateway: gateway.clone() });
        effects.changes.push(Change::RemoveGateway(gateway.clone()));
        effects.patches.push(Patch::GatewayRemoved { id: gateway });
        Ok(())
    }

    fn world(&self, gateway: &str) -> Result<&World, IntentError> {
        self.worlds.get(gateway).ok_or_else(|| not_found("there is no such gateway"))
    }

    /// The card's gateway and request, if it is open and nothing is on its way.
    fn open_card(&self, card: &str) -> Result<(String, String), IntentError> {
        let (gateway, id) = card::split_key(card).ok_or_else(|| not_found("there is no such card"))?;
        let world = self.world(gateway)?;
        let entry = world.book.get(id).filter(|entry| entry.record.is_some());
        let entry = entry.ok_or_else(|| not_found("there is no such card"))?;
        if entry.outcome.is_some() || world.outbox.contains_key(id) {
            return Err(IntentError::new(Code::NotOpen, "this question is no longer open"));
        }
        Ok((gateway.to_owned(), id.to_owned()))
    }

    fn edit(
        &mut self,
        card: &str,
        now: Millis,
        touched: &mut Touched,
        effects: &mut Effects,
        edit: impl FnOnce(&mut Draft, &[beckon_protocol::question::Question]) -> bool,
    ) -> Result<(), IntentError> {
        let (gateway, id) = self.open_card(card)?;
        let mut known = false;
        self.in_world(&gateway, now, touched, effects, |world, step| {
            let Some(record) = world.book.record(&id) else { return };
            let mut draft = world.drafts.get(&id).cloned().unwrap_or_default();
            known = edit(&mut draft, &record.questions);
            if known {
                step.keep(Row::Draft { question: id.clone(), draft: Some(draft.clone()) });
                step.card_changed(&id);
                world.drafts.insert(id, draft);
            }
        });
        if known { Ok(()) } else { Err(IntentError::new(Code::Malformed, "there is no such question or option")) }
    }

    fn send(
        &mut self,
        card: &str,
        sent: Sent,
        now: Millis,
        touched: &mut Touched,
        effects: &mut Effects,
    ) -> Result<(), IntentError> {
        let (gateway, id) = self.open_card(card)?;
        let world = self.world(&gateway)?;
        let asked = world.book.record(&id).map_or(&[][..], |record| &record.questions);
        let draft = world.drafts.get(&id).cloned().unwrap_or_default();
        let answers = match sent {
            Sent::Answer => draft.answers(asked),
            Sent::Delegation => draft.delegated(asked),
            Sent::Skip => None,
        };
        if answers.is_none() && sent != Sent::Skip {
            return Err(IntentError::new(Code::Incomplete, "a question has no answer yet"));
        }
        // One answer of one device to one question: its time tells it apart from a later, changed one.
        let resolution_id = format!("{}-{now}", self.device.tag);
        let item = OutboxItem { question: id, sent, answers, resolution_id, attempts: 0 };
        self.in_world(&gateway, now, touched, effects, |world, step| world.promise(item, step));
        Ok(())
    }
}

fn not_found(detail: &str) -> IntentError {
    IntentError::new(Code::NotFound, detail)
}

fn waiting(world: &World) -> u32 {
    u32::try_from(world.book.open().filter(|record| !world.outbox.contains_key(&record.id)).count()).unwrap_or(u32::MAX)
}

fn gateway_view(world: &World) -> GatewayView {
    GatewayView {
        id: world.config.id.clone(),
        name: world.config.name.clone(),
        address: world.config.address.clone(),
        built_in: world.config.built_in,
        link: world.link.clone(),
        waiting: waiting(world),
        clock_offset_ms: world.clock_offset_ms,
    }
}

/// Key of the chat that asked; empty when none did.
fn session(record: &QuestionRecord) -> &str {
    record.session_key.as_deref().unwrap_or_default()
}

fn chats(world: &World, wanted: impl Fn(&str) -> bool) -> Vec<ChatView> {
    let mut chats = BTreeMap::<&str, ChatView>::new();
    for (record, outcome) in world.book.iter().filter(|(record, _)| wanted(session(record))) {
        let session = session(record);
        let chat = chats.entry(session).or_insert_with(|| {
            let parts = SessionKey::parse(session);
            // The main chat of an agent is called after the agent.
            let title = if parts.name == "main" { parts.agent.unwrap_or(parts.name) } else { parts.name };
            ChatView {
                key: card::key(&world.config.id, session),
                gateway: world.config.id.clone(),
                title: (!session.is_empty()).then(|| title.to_owned()),
                agent: parts.agent.filter(|agent| *agent != title).map(str::to_owned),
                waiting: 0,
                last: String::new(),
                at_ms: 0,
            }
        });
        if outcome.is_none() && !world.outbox.contains_key(&record.id) {
            chat.waiting += 1;
        }
        if record.created_at_ms >= chat.at_ms {
            chat.at_ms = record.created_at_ms;
            chat.last = record.questions.first().map(|question| question.question.clone()).unwrap_or_default();
        }
    }
    chats.into_values().collect()
}
