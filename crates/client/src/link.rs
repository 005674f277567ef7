//! The link to one gateway: connects, stays connected, and says what happens.
//!
//! One task a gateway. It waits with full jitter between attempts, honours the gateway's wish for the next one, and
//! stops trying when only a person can help; a device that waits for approval keeps asking, so that the approval is
//! noticed. It decides nothing about questions: calls come from the rules, answers and events go there.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use beckon_core::view::LinkProblem;
use beckon_core::{Call, GatewayConfig, LinkEvent, Ticket, backoff};
use beckon_protocol::{Frame, close};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::clock::now_ms;
use crate::connection::{Connection, Down, Identity};

/// A call that has had no answer for so long never gets one on this connection.
const CALL: Duration = Duration::from_secs(30);
/// A connection that lasted so long was a good one.
const STEADY: Duration = Duration::from_secs(30);
/// The gateway's wish for the next attempt is honoured within these: not at once, and not never. A lock-out of
/// OpenClaw's takes five minutes.
const SHORTEST_WISH: Duration = Duration::from_millis(100);
const LONGEST_WISH: Duration = Duration::from_mins(10);
/// Distance between two looks whether the device was approved.
const APPROVAL: Duration = Duration::from_secs(5);

/// What a link is told.
pub(crate) enum Order {
    Call(Call),
    Hurry,
}

/// What a link needs to connect.
pub(crate) struct Credentials {
    pub(crate) identity: Identity,
    pub(crate) token: String,
}

/// Keeps the link up until `orders` closes. `report` must not block.
pub(crate) async fn keep(
    config: GatewayConfig,
    credentials: Credentials,
    mut orders: mpsc::UnboundedReceiver<Order>,
    report: impl Fn(LinkEvent),
) {
    let mut failures = 0;
    loop {
        report(LinkEvent::Connecting);
        let down = match Connection::open(&config.address, &credentials.identity, &credentials.token).await {
            Ok(connection) => {
                let since = Instant::now();
                let Some(down) = serve(connection, &mut orders, &report).await else { return };
                // A gateway that lets us in only to drop us is not well yet.
                if since.elapsed() > STEADY {
                    failures = 0;
                }
                down
            }
            Err(down) => down,
        };
        failures += 1;
        tracing::info!(gateway = %config.id, problem = ?down.problem, "link is down");
        let wait = wait_before_next(&down, failures);
        report(match wait {
            Some(wait) if !down.needs_person => LinkEvent::Retrying {
                at_ms: now_ms() + u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                why: down.problem,
                detail: down.detail,
            },
            _ => LinkEvent::Stuck { why: down.problem, detail: down.detail, pairing_request: down.pairing_request },
        });
        if !wait_for_next(wait, &mut orders).await {
            return;
        }
    }
}

/// `None`: only an order ends the wait.
fn wait_before_next(down: &Down, failures: u32) -> Option<Duration> {
    if down.problem == LinkProblem::PairingRequired {
        return Some(APPROVAL);
    }
    let random = getrandom::u64().unwrap_or_default();
    let wish = down.retry_after.map(|wish| wish.clamp(SHORTEST_WISH, LONGEST_WISH));
    (!down.needs_person).then(|| wish.unwrap_or_else(|| backoff::wait(failures, random)))
}

/// False when the link isn't wanted any more.
async fn wait_for_next(wait: Option<Duration>, orders: &mut mpsc::UnboundedReceiver<Order>) -> bool {
    let elapsed = async {
        match wait {
            Some(wait) => tokio::time::sleep(wait).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(elapsed);
    loop {
        tokio::select! {
            () = &mut elapsed => return true,
            order = orders.recv() => match order {
                None => return false,
                Some(Order::Hurry) => return true,
                // Made just before the loss was reported; the rules make it again after the next connect.
                Some(Order::Call(_)) => {}
            },
        }
    }
}

/// Until the connection is down, or (`None`) not wanted any more.
async fn serve(
    mut connection: Connection,
    orders: &mut mpsc::UnboundedReceiver<Order>,
    report: &impl Fn(LinkEvent),
) -> Option<Down> {
    report(LinkEvent::Online { scopes: connection.hello.auth.scopes.clone(), clock_ms: connection.clock_ms });
    // Oldest first: calls go out in order.
    let mut waiting = VecDeque::<(Ticket, Instant)>::new();
    loop {
        let overdue = waiting.front().map_or(CALL, |(_, sent)| CALL.saturating_sub(sent.elapsed()));
        tokio::select! {
            order = orders.recv() => match order {
                None => {
                    connection.close(close::NORMAL).await;
                    return None;
                }
                Some(Order::Hurry) => {}
                Some(Order::Call(call)) => {
                    waiting.push_back((call.ticket, Instant::now()));
                    // A socket that takes nothing any more would hold everything up.
                    match timeout(CALL, connection.send(call.ticket.0.to_string(), call.method, call.params)).await {
                        Ok(Ok(())) => {}
                        Ok(Err(down)) => return Some(down),
                        Err(_) => return Some(Down::new(LinkProblem::Lost, "the gateway takes no calls")),
                    }
                }
            },
            frame = connection.next() => match frame {
                Err(down) => return Some(down),
                Ok(Frame::Event(event)) => report(LinkEvent::Event(event)),
                Ok(Frame::Res(response)) => {
                    if let Ok(ticket) = response.id.parse().map(Ticket) {
                        waiting.retain(|(other, _)| *other != ticket);
                        report(LinkEvent::Response { ticket, result: response.into_result() });
                    }
                }
                Ok(Frame::Req(_)) => {}
            },
            () = tokio::time::sleep(overdue), if !waiting.is_empty() => {
                connection.close(close::WATCHDOG).await;
                return Some(Down::new(LinkProblem::Lost, "the gateway doesn't answer a call"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(problem: LinkProblem, retry_after: Option<Duration>, needs_person: bool) -> Option<Duration> {
        wait_before_next(&Down { needs_person, retry_after, ..Down::new(problem, "") }, 1)
    }

    #[test]
    fn the_gateways_wish_is_honoured_within_reason() {
        let lock_out = Duration::from_millis(299_987);
        assert_eq!(wait(LinkProblem::RateLimited, Some(lock_out), false), Some(lock_out));
        assert_eq!(wait(LinkProblem::Restarting, Some(Duration::ZERO), false), Some(SHORTEST_WISH));
        assert_eq!(wait(LinkProblem::Restarting, Some(Duration::MAX), false), Some(LONGEST_WISH));
    }

    #[test]
    fn only_approval_is_waited_for_by_itself_when_a_person_must_act() {
        assert_eq!(wait(LinkProblem::TokenRefused, Some(Duration::from_secs(1)), true), None);
        assert_eq!(wait(LinkProblem::PairingRequired, None, true), Some(APPROVAL));
    }
}
