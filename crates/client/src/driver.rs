//! Drives the rules: one thread that owns the app's state, its database and its secrets.
//!
//! Everything that happens goes through the thread's one queue, in order. For each input it asks the rules what goes
//! out, and then, in this order: keeps secrets, commits the rows, sends calls, shows patches. Nothing is sent or shown
//! that isn't on the disk. When the disk refuses, the state is read anew from what is there, the interfaces get a new
//! snapshot, and the person's intent fails with `notStored`: nothing was sent.
//!
//! A kill at any instant leaves a database that a later start goes on from; the rules say how.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc as queue;
use std::thread;
use std::time::Duration;

use beckon_core::view::{BuiltInView, Intent, IntentError, IntentErrorCode, LinkProblem, Patch};
use beckon_core::{App, BUILT_IN, Effects, GatewayConfig, Input, LinkCommand, LinkEvent, SecretChange, ThisDevice};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use crate::clock::now_ms;
use crate::connection::Identity;
use crate::home::{Home, HomeError};
use crate::link::{self, Credentials, Order};
use crate::secrets::{self, SecretError, SecretStore};
use crate::store::{Store, StoreError};

/// Patches an interface may be behind before it gets a new snapshot instead.
const PATCHES_BEHIND: usize = 1024;
/// Pause after the disk refused, in milliseconds.
const AFTER_DISK_ERROR: u64 = 1_000;

/// The gateway that runs in this program, or beside it on the same home.
#[derive(Clone)]
pub struct BuiltIn {
    /// What the interface shows of it.
    pub view: BuiltInView,
    /// Its shared token.
    pub token: String,
}

/// Why Beckon can't start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The directory.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The secrets.
    #[error(transparent)]
    Secrets(#[from] SecretError),
    /// No thread.
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// A running app without an interface. Cheap to clone; stops when the last clone is gone.
#[derive(Clone)]
pub struct Beckon {
    running: Arc<Running>,
}

struct Running {
    queue: queue::Sender<Message>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // A driver that has stopped already needs no word.
        let _ = self.queue.send(Message::Stop);
    }
}

enum Message {
    Intent(Intent, oneshot::Sender<Result<(), IntentError>>),
    Subscribe(mpsc::Sender<Patch>),
    Link { gateway: String, generation: u64, event: LinkEvent },
    Stop,
}

impl Beckon {
    /// Starts from what is kept at `home`. Links run on the current tokio runtime.
    pub fn start(home: &Home, built_in: Option<BuiltIn>) -> Result<Self, StartError> {
        Self::start_with(home, built_in, || secrets::open(home))
    }

    /// The same with another place for secrets, which is opened once nobody else works on `home`.
    pub fn start_with(
        home: &Home,
        built_in: Option<BuiltIn>,
        secrets: impl FnOnce() -> Box<dyn SecretStore>,
    ) -> Result<Self, StartError> {
        let lock = home.lock()?;
        let mut store = Store::open(&home.database())?;
        let kept = store.load()?;
        let mut secrets = secrets();
        let device = this_device(secrets.as_mut())?;
        let (built_in, token) = built_in.map(|built_in| (built_in.view, built_in.token)).unzip();
        let (app, effects) = App::new(device.clone(), built_in.clone(), secrets.kind(), kept);
        store.commit(&effects.changes)?;
        let (sender, receiver) = queue::channel();
        let mut driver = Driver {
            app,
            device,
            built_in,
            built_in_token: token.unwrap_or_default(),
            store,
            secrets,
            home: home.clone(),
            links: BTreeMap::new(),
            generation: 0,
            subscribers: Vec::new(),
            stale: false,
            queue: sender.clone(),
            runtime: Handle::current(),
            _lock: lock,
        };
        thread::Builder::new().name("beckon".to_owned()).spawn(move || {
            driver.carry_out(effects);
            driver.run(&receiver);
        })?;
        Ok(Self { running: Arc::new(Running { queue: sender }) })
    }

    /// Does what a person wants. When it returns `Ok`, it is on the disk.
    pub async fn intent(&self, intent: Intent) -> Result<(), IntentError> {
        let (sender, receiver) = oneshot::channel();
        let gone = || IntentError::new(IntentErrorCode::NotStored, "Beckon has stopped");
        self.running.queue.send(Message::Intent(intent, sender)).map_err(|_| gone())?;
        receiver.await.map_err(|_| gone())?
    }

    /// Patches from now on; the first has the whole view. The stream ends when the receiver falls too far behind:
    /// subscribe again.
    pub fn subscribe(&self) -> mpsc::Receiver<Patch> {
        let (sender, receiver) = mpsc::channel(PATCHES_BEHIND);
        // A driver that has stopped drops the sender, which ends the stream.
        let _ = self.running.queue.send(Message::Subscribe(sender));
        receiver
    }
}

struct Driver {
    app: App,
    device: ThisDevice,
    built_in: Option<BuiltInView>,
    built_in_token: String,
    store: Store,
    secrets: Box<dyn SecretStore>,
    home: Home,
    links: BTreeMap<String, Link>,
    generation: u64,
    subscribers: Vec<mpsc::Sender<Patch>>,
    /// The state is ahead of the disk by a step that wasn't kept, and couldn't be read anew yet.
    stale: bool,
    queue: queue::Sender<Message>,
    runtime: Handle,
    _lock: File,
}

struct Link {
    config: GatewayConfig,
    /// Tells its reports from those of a link that was closed.
    generation: u64,
    orders: mpsc::UnboundedSender<Order>,
}

impl Driver {
    fn run(&mut self, receiver: &queue::Receiver<Message>) {
        loop {
            let wake_at = if self.stale { Some(now_ms() + AFTER_DISK_ERROR) } else { self.app.wake_at() };
            let message = match wake_at {
                None => receiver.recv().map_err(|_| queue::RecvTimeoutError::Disconnected),
                // Not in a spin when a deadline lies in the past.
                Some(at) => receiver.recv_timeout(Duration::from_millis(at.saturating_sub(now_ms()).max(10))),
            };
            match message {
                Err(queue::RecvTimeoutError::Disconnected) | Ok(Message::Stop) => return,
                Err(queue::RecvTimeoutError::Timeout) => drop(self.take_in(Input::Tick)),
                Ok(Message::Subscribe(subscriber)) => self.welcome(subscriber),
                Ok(Message::Link { gateway, generation, event }) => {
                    if self.links.get(&gateway).is_some_and(|link| link.generation == generation) {
                        drop(self.take_in(Input::Link { gateway, event }));
                    }
                }
                Ok(Message::Intent(Intent::AllowSecretFile, reply)) => drop(reply.send(self.allow_secret_file())),
                // Nobody may be waiting for the answer any more; the intent counts all the same.
                Ok(Message::Intent(intent, reply)) => drop(reply.send(self.take_in(Input::Intent(intent)))),
            }
        }
    }

    fn take_in(&mut self, input: Input) -> Result<(), IntentError> {
        if self.stale && !self.start_over() {
            return Err(IntentError::new(IntentErrorCode::NotStored, "the database can't be read"));
        }
        let effects = self.app.apply(input, now_ms())?;
        if let Err(detail) = self.keep(&effects) {
            tracing::error!(%detail, "not stored");
            self.links.clear();
            // Links come back with the same events at once, and the disk needs time.
            thread::sleep(Duration::from_millis(AFTER_DISK_ERROR));
            self.stale = !self.start_over();
            return Err(IntentError::new(IntentErrorCode::NotStored, detail));
        }
        self.carry_out(effects);
        Ok(())
    }

    /// A token is kept before the row that needs it, and forgotten after the row is gone: whatever fails in between
    /// leaves a secret too many, never a gateway without one.
    fn keep(&mut self, effects: &Effects) -> Result<(), String> {
        for change in &effects.secrets {
            if let SecretChange::PutToken { gateway, token } = change {
                self.secrets.put(&secrets::token_name(gateway), token).map_err(|error| error.to_string())?;
            }
        }
        self.store.commit(&effects.changes).map_err(|error| error.to_string())?;
        for change in &effects.secrets {
            if let SecretChange::Forget { gateway } = change
                && let Err(error) = self.secrets.remove(&secrets::token_name(gateway))
            {
                tracing::warn!(%error, "a removed gateway's token is still in the key store");
            }
        }
        Ok(())
    }

    /// Reads the state anew from the disk after a step could not be kept. False when the disk doesn't give it either.
    fn start_over(&mut self) -> bool {
        let kept = match self.store.load() {
            Ok(kept) => kept,
            Err(error) => {
                tracing::error!(%error, "the database can't be read");
                return false;
            }
        };
        self.stale = false;
        let (app, effects) = App::new(self.device.clone(), self.built_in.clone(), self.secrets.kind(), kept);
        self.app = app;
        // The same rows as at the start, where they were kept.
        self.carry_out(effects);
        let view = self.app.view(now_ms());
        self.show(vec![Patch::Reset { view }]);
        true
    }

    fn carry_out(&mut self, effects: Effects) {
        for command in effects.links {
            match command {
                LinkCommand::Open(config) => self.open(config),
                LinkCommand::Close { gateway } => drop(self.links.remove(&gateway)),
                LinkCommand::Hurry { gateway } => self.hurry(&gateway),
            }
        }
        for call in effects.calls {
            let gateway = call.gateway.clone();
            self.order(&gateway, Order::Call(call));
        }
        self.show(effects.patches);
    }

    /// A link that got no secrets has no task: it is opened again.
    fn hurry(&mut self, gateway: &str) {
        if let Some(link) = self.links.get(gateway)
            && link.orders.send(Order::Hurry).is_err()
        {
            let config = link.config.clone();
            self.open(config);
        }
    }

    fn order(&self, gateway: &str, order: Order) {
        if let Some(link) = self.links.get(gateway) {
            // A link whose task has ended reported why.
            let _ = link.orders.send(order);
        }
    }

    fn open(&mut self, config: GatewayConfig) {
        self.generation += 1;
        let generation = self.generation;
        let (orders, received) = mpsc::unbounded_channel();
        let gateway = config.id.clone();
        self.links.insert(gateway.clone(), Link { config: config.clone(), generation, orders });
        let queue = self.queue.clone();
        let report = move |event| {
            // A driver that has stopped needs no reports.
            let _ = queue.send(Message::Link { gateway: gateway.clone(), generation, event });
        };
        match self.credentials(&config) {
            Ok(credentials) => drop(self.runtime.spawn(link::keep(config, credentials, received, report))),
            Err(error) => report(LinkEvent::Stuck {
                why: LinkProblem::SecretsUnavailable,
                detail: error.to_string(),
                pairing_request: None,
            }),
        }
    }

    fn credentials(&mut self, config: &GatewayConfig) -> Result<Credentials, SecretError> {
        let token = if config.id == BUILT_IN {
            self.built_in_token.clone()
        } else {
            self.secrets.get(&secrets::token_name(&config.id))?.ok_or(SecretError::NoPlace)?
        };
        let key = secrets::device_key(self.secrets.as_mut())?;
        Ok(Credentials { identity: Identity::app(key, &self.device.name), token })
    }

    fn allow_secret_file(&mut self) -> Result<(), IntentError> {
        let not_stored = |error: SecretError| IntentError::new(IntentErrorCode::NotStored, error.to_string());
        self.secrets = secrets::allow_file(&self.home, self.secrets.as_ref()).map_err(not_stored)?;
        self.take_in(Input::Secrets(self.secrets.kind()))
    }

    fn welcome(&mut self, subscriber: mpsc::Sender<Patch>) {
        // A view belongs to the time of the last step.
        drop(self.take_in(Input::Tick));
        let view = self.app.view(now_ms());
        if subscriber.try_send(Patch::Reset { view }).is_ok() {
            self.subscribers.push(subscriber);
        }
    }

    /// A subscriber that is full or gone is let go; one that is full subscribes again and gets a snapshot.
    fn show(&mut self, patches: Vec<Patch>) {
        for patch in patches {
            self.subscribers.retain(|subscriber| subscriber.try_send(patch.clone()).is_ok());
        }
    }
}

fn this_device(secrets: &mut dyn SecretStore) -> Result<ThisDevice, SecretError> {
    let host = gethostname::gethostname().to_string_lossy().trim_end_matches(".local").to_owned();
    let name = if host.is_empty() { "Beckon".to_owned() } else { host };
    let tag = secrets::device_key(secrets)?.id().chars().take(16).collect();
    Ok(ThisDevice { name, tag })
}
