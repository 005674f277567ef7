//! The built-in gateway for an app on this computer: the one that runs on the same home, or one started here.

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
    let view = BuiltInView { address: endpoint.address, mcp_snippet: mcp_snippet() };
    Ok((BuiltIn { view, token: endpoint.token }, serving))
}

/// Settings that give `ask_user` to an MCP agent, in the form that most of them take.
fn mcp_snippet() -> String {
    let program = std::env::current_exe().map_or_else(|_| "beckon".to_owned(), |path| path.display().to_string());
    let server = match std::env::var(HOME_VARIABLE) {
        Ok(home) => json!({ "command": program, "args": ["mcp"], "env": { HOME_VARIABLE: home } }),
        Err(_) => json!({ "command": program, "args": ["mcp"] }),
    };
    serde_json::to_string_pretty(&json!({ "mcpServers": { "beckon": server } })).unwrap_or_default()
}
