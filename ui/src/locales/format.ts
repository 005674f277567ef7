import { locale } from "./index";

const clock = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(locale, { weekday: "short" });
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const dayAndClock = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  hour: "numeric",
  minute: "2-digit",
});
const names = new Intl.ListFormat(locale, { type: "unit", style: "short" });
const whole = new Intl.NumberFormat(locale, { useGrouping: false });
const twoDigits = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 });
const inSeconds = new Intl.NumberFormat(locale, { style: "unit", unit: "second", unitDisplay: "long" });

const DAY = 86_400_000;

function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}

/** The time of day; with the date when it was not today. */
export function moment(atMs: number, nowMs = Date.now()): string {
  return startOfDay(atMs) === startOfDay(nowMs) ? clock.format(atMs) : dayAndClock.format(atMs);
}

/** As short as a list row needs: the time today, the weekday within a week, else the date. */
export function shortMoment(atMs: number, nowMs = Date.now()): string {
  if (startOfDay(atMs) === startOfDay(nowMs)) return clock.format(atMs);
  const days = Math.round((startOfDay(nowMs) - startOfDay(atMs)) / DAY);
  return days > 0 && days < 7 ? weekday.format(atMs) : day.format(atMs);
}

export function list(values: string[]): string {
  return names.format(values);
}

export function number(value: number): string {
  return whole.format(value);
}

export function seconds(value: number): string {
  return inSeconds.format(value);
}

/** `12:41`, or `1:02:03` from an hour on. */
export function stopwatch(totalSeconds: number): string {
  const hours = Math.floor(totalSeconds / 3600);
  const minutes = Math.floor(totalSeconds / 60) % 60;
  const rest = twoDigits.format(totalSeconds % 60);
  return hours > 0 ? `${whole.format(hours)}:${twoDigits.format(minutes)}:${rest}` : `${whole.format(minutes)}:${rest}`;
}
