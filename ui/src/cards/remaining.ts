import type { CardView } from "../host/bindings/CardView";
import { stopwatch } from "../locales/format";

/** Below this a countdown is urgent, in seconds. */
const URGENT = 60;

export interface Remaining {
  seconds: number;
  /** Share of the whole time, 0 to 100. */
  percent: number;
  urgent: boolean;
  /** The time is up; only the gateway says what that means. */
  over: boolean;
  text: string;
}

/** The time a card has left on its gateway's clock. */
export function remaining(card: CardView, clockOffsetMs: number, nowMs: number): Remaining {
  const left = card.expiresAtMs - (nowMs + clockOffsetMs);
  // Up, not down: as long as there is any time left it doesn't say 0:00.
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const whole = card.expiresAtMs - card.createdAtMs;
  return {
    seconds,
    percent: whole > 0 ? Math.min(100, Math.max(0, (left / whole) * 100)) : 0,
    urgent: seconds < URGENT,
    over: card.state.state === "checking" || seconds === 0,
    text: stopwatch(seconds),
  };
}
