import type { CardView } from "../host/bindings/CardView";
import type { ResolvedBy } from "../host/bindings/ResolvedBy";
import type { IconName } from "../icons";
import { isolated, t } from "../locales";
import { moment } from "../locales/format";

export interface OutcomeLine {
  icon: IconName;
  tone: "ok" | "warn" | "calm";
  /** Said first and strong, where there is something to wait for. */
  lead?: string;
  text: string;
}

/** Who, how and when a card ended, or what it waits for. Nothing while it is open. */
export function outcomeLine(card: CardView, gateway: string): OutcomeLine | undefined {
  const { state } = card;
  switch (state.state) {
    case "pending":
    case "checking":
      return undefined;
    case "sending":
      return {
        icon: "send",
        tone: "calm",
        text: state.what === "skip" ? t("sending-skip", { name: gateway }) : t("sending", { name: gateway }),
      };
    case "waitingToSend":
      return {
        icon: "waiting",
        tone: "warn",
        lead: state.what === "skip" ? t("waiting-to-skip") : t("waiting-to-send"),
        text: t("waiting-to-send-text", { name: gateway }),
      };
    case "answered":
      return answered(state.by, state.atMs);
    case "skipped":
      return { icon: "skipped", tone: "calm", text: joined(skippedBy(state.by), state.atMs) };
    case "stopped":
      return {
        icon: "stopped",
        tone: "calm",
        text: state.atMs === null ? t("stopped") : t("stopped-at", { time: moment(state.atMs) }),
      };
    case "expired":
      return {
        icon: "expired",
        tone: "calm",
        text: state.atMs === null ? t("expired") : t("expired-at", { time: moment(state.atMs) }),
      };
    case "unknown":
      return {
        icon: "unknown",
        tone: "warn",
        text: state.sent ? t("unknown-sent", { name: gateway }) : t("unknown", { name: gateway }),
      };
  }
}

function answered(by: ResolvedBy, atMs: number | null): OutcomeLine {
  switch (by.who) {
    case "you":
      return by.delegated
        ? { icon: "delegated", tone: "calm", text: joined([t("by-you-delegated"), by.device], atMs) }
        : { icon: "answered", tone: "ok", text: joined([t("by-you"), by.device], atMs) };
    case "elsewhere":
      return {
        icon: "elsewhere",
        tone: "ok",
        text: joined([by.name === null ? t("by-elsewhere") : t("by-name", { name: by.name })], atMs),
      };
    case "message":
      return { icon: "answered", tone: "ok", text: joined([t("by-message")], atMs) };
  }
}

function skippedBy(by: ResolvedBy): string[] {
  switch (by.who) {
    case "you":
      return [t("skipped"), t("by-you"), by.device];
    case "elsewhere":
      return [by.name === null ? t("skipped-elsewhere") : t("skipped-by", { name: by.name })];
    case "message":
      return [t("skipped-message")];
  }
}

function joined(parts: string[], atMs: number | null): string {
  return [...parts, ...(atMs === null ? [] : [moment(atMs)])].filter(Boolean).map(isolated).join(" · ");
}
