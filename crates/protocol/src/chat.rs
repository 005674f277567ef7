//! Chats: how a session's key names its agent and its place.

/// The parts of a canonical session key, `agent:<agent>:<rest>`.
///
/// Keys of another form (an MCP client's, a shell's) have no agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey<'a> {
    /// The agent's id.
    pub agent: Option<&'a str>,
    /// What the chat is called within its agent; never empty for a non-empty key.
    pub name: &'a str,
}

impl<'a> SessionKey<'a> {
    /// Takes a key apart.
    pub fn parse(key: &'a str) -> Self {
        if let Some((agent, name)) = key.strip_prefix("agent:").and_then(|rest| rest.split_once(':'))
            && !agent.is_empty()
            && !name.is_empty()
        {
            return Self { agent: Some(agent), name };
        }
        match key.split_once(':') {
            Some((_, name)) if !name.is_empty() => Self { agent: None, name },
            _ => Self { agent: None, name: key },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SessionKey;

    #[test]
    fn keys_are_taken_apart() {
        assert_eq!(SessionKey::parse("agent:main:main"), SessionKey { agent: Some("main"), name: "main" });
        assert_eq!(SessionKey::parse("agent:ops:telegram:42"), SessionKey { agent: Some("ops"), name: "telegram:42" });
        assert_eq!(SessionKey::parse("mcp:Claude Code"), SessionKey { agent: None, name: "Claude Code" });
        assert_eq!(SessionKey::parse("agent:main"), SessionKey { agent: None, name: "main" });
        assert_eq!(SessionKey::parse("odd"), SessionKey { agent: None, name: "odd" });
    }
}
