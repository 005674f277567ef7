//! The shell: a window for the interface, two commands, and the app behind them. Decides nothing.

use beckon_client::{Beckon, Home};
use beckon_core::view::{HostMessage, Intent, IntentError};
use tauri::ipc::Channel;
use tauri::{Manager, State};

/// What the person wants.
#[tauri::command]
async fn intent(beckon: State<'_, Beckon>, intent: Intent) -> Result<(), IntentError> {
    beckon.intent(intent).await
}

/// What changes, until the page goes away. The first message has the whole view.
#[tauri::command]
async fn subscribe(beckon: State<'_, Beckon>, channel: Channel<HostMessage>) -> Result<(), ()> {
    let beckon = beckon.inner().clone();
    tauri::async_runtime::spawn(async move {
        // A stream ends when the page is too far behind; the next one starts with a snapshot. When Beckon has
        // stopped, it ends at once.
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
    });
    Ok(())
}

/// Opens the window and runs until it is closed.
#[cfg_attr(mobile, tauri::mobile_entry_point)]
pub fn run() {
    let built = tauri::Builder::default()
        .invoke_handler(tauri::generate_handler![intent, subscribe])
        .setup(|app| {
            app.manage(tauri::async_runtime::block_on(start(app))?);
            Ok(())
        })
        .run(tauri::generate_context!());
    if let Err(error) = built {
        tracing::error!(%error, "the app can't run");
        eprintln!("beckon: {error}");
        std::process::exit(1);
    }
}

/// The app, with the built-in gateway in this process or beside it.
#[cfg(desktop)]
async fn start(_: &tauri::App) -> anyhow::Result<Beckon> {
    let home = Home::find()?;
    let (built_in, serving) = beckon_cli::built_in::start(&home).await?;
    if let Some(serving) = serving {
        // Pending questions are on the disk at any instant: the gateway may end with the process.
        tauri::async_runtime::spawn(serving.until(std::future::pending()));
    }
    Ok(Beckon::start(&home, Some(built_in))?)
}

/// The app. Phones carry no gateway.
#[cfg(mobile)]
async fn start(app: &tauri::App) -> anyhow::Result<Beckon> {
    let home = Home::at(app.path().app_data_dir()?)?;
    Ok(Beckon::start(&home, None)?)
}
