import type { GatewayView } from "../host/bindings/GatewayView";
import type { LinkProblem } from "../host/bindings/LinkProblem";
import type { LinkView } from "../host/bindings/LinkView";
import { t } from "../locales";
import { list, seconds } from "../locales/format";

/** The scope without which a device may not answer. */
const QUESTIONS = "operator.questions";

export function isReadOnly(link: LinkView): boolean {
  return link.state === "online" && link.missingScopes.includes(QUESTIONS);
}

export function dotOf(link: LinkView): string {
  switch (link.state) {
    case "connecting":
      return "";
    case "online":
      return link.missingScopes.length ? "dot--warn" : "dot--ok";
    case "retrying":
      return "dot--warn";
    case "stuck":
      return waitsForPerson(link.why) ? "dot--warn" : "dot--urgent";
  }
}

/** Nothing is broken; a step is left to the person, or to time. */
function waitsForPerson(why: LinkProblem): boolean {
  return why === "pairingRequired" || why === "rateLimited" || why === "secretsUnavailable" || why === "restarting";
}

/** Behind a gateway's name, where it is not simply there. */
export function linkSuffix(link: LinkView): string | undefined {
  switch (link.state) {
    case "online":
      return undefined;
    case "connecting":
      return t("link-connecting");
    case "retrying":
    case "stuck":
      return t("link-offline");
  }
}

export function problemTitle(why: LinkProblem): string {
  switch (why) {
    case "unreachable":
      return t("problem-unreachable");
    case "lost":
      return t("problem-lost");
    case "restarting":
      return t("problem-restarting");
    case "notAGateway":
      return t("problem-not-a-gateway");
    case "tokenRefused":
      return t("problem-token-refused");
    case "rateLimited":
      return t("problem-rate-limited");
    case "pairingRequired":
      return t("problem-pairing");
    case "wrongVersion":
      return t("problem-version");
    case "refused":
      return t("problem-refused");
    case "secretsUnavailable":
      return t("problem-secrets");
  }
}

/** What it means and what to do about it. */
function problemAdvice(why: LinkProblem, pairingRequest: string | null): string {
  switch (why) {
    case "unreachable":
      return t("problem-unreachable-do");
    case "lost":
      return t("problem-lost-do");
    case "restarting":
      return t("problem-restarting-do");
    case "notAGateway":
      return t("problem-not-a-gateway-do");
    case "tokenRefused":
      return t("problem-token-refused-do");
    case "rateLimited":
      return t("problem-rate-limited-do");
    case "pairingRequired":
      return pairingRequest === null ? t("problem-pairing-list") : t("problem-pairing-do");
    case "wrongVersion":
      return t("problem-version-do");
    case "refused":
      return t("problem-refused-do");
    case "secretsUnavailable":
      return t("problem-secrets-do");
  }
}

export interface LinkWords {
  /** The state, in two or three words. */
  title: string;
  /** What it means for answers, and what to do. */
  text: string;
  /** More about it, in plain words too. */
  more?: string;
  /** A command to run at the gateway. */
  command?: string;
  /** For the curious, in English. */
  detail?: string;
}

/** The state of a link in plain words. */
export function linkWords({ link, builtIn }: GatewayView, nowMs: number): LinkWords {
  switch (link.state) {
    case "connecting":
      return { title: t("gateway-connecting"), text: t("gateway-connecting-text") };
    case "online":
      if (isReadOnly(link)) return { title: t("gateway-read-only"), text: t("gateway-read-only-text") };
      if (link.missingScopes.length) {
        return {
          title: t("gateway-limited"),
          text: t("gateway-limited-text", { scopes: list(link.missingScopes) }),
        };
      }
      return builtIn
        ? { title: t("gateway-built-in-online"), text: t("gateway-built-in-online-text") }
        : { title: t("gateway-online"), text: t("gateway-online-text") };
    case "retrying": {
      const left = Math.ceil((link.atMs - nowMs) / 1000);
      const when = left > 0 ? t("gateway-retry-in", { seconds: seconds(left) }) : t("gateway-retry-now");
      return { title: problemTitle(link.why), text: when, detail: link.detail };
    }
    case "stuck": {
      const words = {
        title: problemTitle(link.why),
        text: problemAdvice(link.why, link.pairingRequest),
        more: t("gateway-stuck-text"),
      };
      if (link.why !== "pairingRequired") return { ...words, detail: link.detail };
      return {
        ...words,
        command: `openclaw devices ${link.pairingRequest ? `approve ${link.pairingRequest}` : "list"}`,
      };
    }
  }
}
