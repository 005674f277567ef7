//! The shell: a window for the interface, two commands, and the app behind them. Decides nothing.

use std::sync::Mutex;

use beckon_client::{Beckon, Home};
use beckon_core::view::{HostMessage, Intent, IntentError};
#[cfg(mobile)]
use tauri::Manager;
use tauri::State;
use tauri::async_runtime::JoinHandle;
use tauri::ipc::Channel;

/// What the person wants.
#[tauri::command]
async fn intent(beckon: State<'_, Beckon>, intent: Intent) -> Result<(), IntentError> {
    beckon.intent(intent).await
}

/// The task that tells the page what changes.
#[derive(Default)]
struct Telling(Mutex<Option<JoinHandle<()>>>);

/// What changes, until the page subscribes anew after a reload. The first message has the whole view.
#[tauri::command]
async fn subscribe(
    beckon: State<'_, Beckon>,
    telling: State<'_, Telling>,
    channel: Channel<HostMessage>,
) -> Result<(), ()> {
    let told = tauri::async_runtime::spawn(tell(beckon.inner().clone(), channel));
    let before = telling.0.lock().map_or(None, |mut telling| telling.replace(told));
    before.inspect(JoinHandle::abort);
    Ok(())
}

async fn tell(beckon: Beckon, channel: Channel<HostMessage>) {
    // A stream ends when the page is too far behind; the next one starts with a snapshot. When Beckon has stopped, it
    // ends at once.
    loop {
        let mut patches = beckon.subscribe();
        let mut any = false;
        while let Some(patch) = patches.recv().await {
            any = true;
            if channel.send(HostMessage::Patch { patch }).is_err() {
                return;
            }
        }
        if !any {
            return;
        }
    }
}

/// Opens the window and runs until it is closed.
#[cfg_attr(mobile, tauri::mobile_entry_point)]
pub fn run() {
    #[cfg(desktop)]
    let builder = {
        beckon_cli::log();
        // Before there is a window, so that what is wrong is said and not a crash.
        tauri::Builder::default().manage(tauri::async_runtime::block_on(start()).unwrap_or_else(|error| quit(&error)))
    };
    #[cfg(mobile)]
    let builder = tauri::Builder::default().setup(|app| {
        app.manage(tauri::async_runtime::block_on(start(app))?);
        Ok(())
    });
    let ran = builder
        .manage(Telling::default())
        .invoke_handler(tauri::generate_handler![intent, subscribe])
        .run(tauri::generate_context!());
    if let Err(error) = ran {
        quit(&error.into());
    }
}

fn quit(error: &anyhow::Error) -> ! {
    eprintln!("beckon: {error}");
    std::process::exit(1)
}

/// The app, with the built-in gateway in this process or beside it.
#[cfg(desktop)]
async fn start() -> anyhow::Result<Beckon> {
    let home = Home::find()?;
    let (built_in, serving) = beckon_cli::built_in::start(&home).await?;
    let beckon = Beckon::start(&home, Some(built_in))?;
    if let Some(serving) = serving {
        // Pending questions are on the disk at any instant: the gateway may end with the process.
        tauri::async_runtime::spawn(async {
            if let Err(error) = serving.until(std::future::pending()).await {
                tracing::error!(%error, "the built-in gateway has stopped");
            }
        });
    }
    Ok(beckon)
}

/// The app. Phones carry no gateway.
#[cfg(mobile)]
async fn start(app: &tauri::App) -> anyhow::Result<Beckon> {
    let home = Home::at(app.path().app_data_dir()?)?;
    Ok(Beckon::start(&home, None)?)
}
