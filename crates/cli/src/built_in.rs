//! The built-in gateway for an app on this computer: the one that runs on the same home, or one started here.

use std::path::PathBuf;

use beckon_client::home::HOME_VARIABLE;
use beckon_client::{BuiltIn, Home};
use beckon_core::view::BuiltInView;
use beckon_gateway::OpenError;
use beckon_gateway::serving::{self, ServeError, Serving};
use serde_json::json;

/// What an app needs of it; and the gateway itself, when it runs in this program.
pub async fn start(home: &Home) -> anyhow::Result<(BuiltIn, Option<Serving>)> {
    let (endpoint, serving) = match Serving::start(&home.gateway(), None, None).await {
        Ok(serving) => (serving.endpoint.clone(), Some(serving)),
        Err(ServeError::Open(OpenError::InUse(dir))) => {
            let found = serving::find(&home.gateway());
            let found =
                found.ok_or_else(|| anyhow::anyhow!("a gateway runs on {} but doesn't say where", dir.display()))?;
            (found, None)
        }
        Err(error) => return Err(error.into()),
    };
    let view = BuiltInView { address: endpoint.address, mcp_snippet: mcp_snippet(home) };
    Ok((BuiltIn { view, token: endpoint.token }, serving))
}

/// Settings that give `ask_user` to an MCP agent, in the form that most of them take.
fn mcp_snippet(home: &Home) -> String {
    // An AppImage runs from a place that is gone afterwards; the variable has the file itself.
    let image = std::env::var_os("APPIMAGE").map(PathBuf::from);
    let program = image.or_else(|| std::env::current_exe().ok()).unwrap_or_else(|| "beckon".into());
    let server = match home.elsewhere() {
        Some(home) => json!({ "command": program, "args": ["mcp"], "env": { HOME_VARIABLE: home } }),
        None => json!({ "command": program, "args": ["mcp"] }),
    };
    serde_json::to_string_pretty(&json!({ "mcpServers": { "beckon": server } })).unwrap_or_default()
}
