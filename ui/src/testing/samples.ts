import { Beckon } from "../beckon.svelte";
import type { CardView } from "../host/bindings/CardView";
import type { GatewayView } from "../host/bindings/GatewayView";
import type { Intent } from "../host/bindings/Intent";
import type { IntentError } from "../host/bindings/IntentError";
import type { OptionView } from "../host/bindings/OptionView";
import type { Patch } from "../host/bindings/Patch";
import type { QuestionView } from "../host/bindings/QuestionView";
import type { View } from "../host/bindings/View";
import type { Host } from "../host/host";

/** One moment for all samples of a run, so that two of them are equal. */
const now = Date.now();

export function option(value: string, more: Partial<OptionView> = {}): OptionView {
  const label = value.replace(" (Recommended)", "");
  return { label, value, recommended: label !== value, description: null, chosen: false, ...more };
}

export function question(more: Partial<QuestionView> = {}): QuestionView {
  return {
    id: "deploy",
    header: "Deploy",
    text: "Where should I deploy?",
    multi: false,
    secret: false,
    options: [option("Staging (Recommended)"), option("Production")],
    other: { chosen: false, text: "" },
    answer: null,
    ...more,
  };
}

export const features = (more: Partial<QuestionView> = {}) =>
  question({
    id: "features",
    header: "Features",
    text: "Which features?",
    multi: true,
    options: [option("Login"), option("Search")],
    ...more,
  });

export function card(more: Partial<CardView> = {}): CardView {
  return {
    key: "home/r1",
    gateway: "home",
    chat: "home/main",
    questions: [question()],
    createdAtMs: now - 60_000,
    expiresAtMs: now + 840_000,
    state: { state: "pending" },
    missing: [0],
    draft: false,
    canDelegate: true,
    problem: null,
    ...more,
  };
}

export function gateway(more: Partial<GatewayView> = {}): GatewayView {
  return {
    id: "home",
    name: "Home server",
    address: "wss://home.example",
    builtIn: false,
    link: { state: "online", missingScopes: [] },
    waiting: 1,
    clockOffsetMs: 0,
    ...more,
  };
}

export function view(more: Partial<View> = {}): View {
  return {
    firstRun: false,
    builtIn: null,
    secrets: "keyStore",
    gateways: [gateway()],
    chats: [
      {
        key: "home/main",
        gateway: "home",
        title: "Nightly build",
        agent: null,
        waiting: 1,
        last: "Where should I deploy?",
        atMs: now,
      },
    ],
    cards: [card()],
    ...more,
  };
}

/** A host in the hands of a test. */
export class FakeHost implements Host {
  intents: Intent[] = [];
  /** What the next intents are refused with. */
  refusal: IntentError | undefined;
  patch!: (patch: Patch) => void;
  link!: (up: boolean) => void;

  subscribe(onPatch: (patch: Patch) => void, onLink: (up: boolean) => void): void {
    this.patch = onPatch;
    this.link = onLink;
  }

  intent(intent: Intent): Promise<void> {
    this.intents.push(intent);
    return this.refusal ? Promise.reject(this.refusal) : Promise.resolve();
  }
}

export function beckonWith(start: View): { host: FakeHost; beckon: Beckon } {
  const host = new FakeHost();
  const beckon = new Beckon(host);
  host.patch({ type: "reset", view: start });
  host.link(true);
  return { host, beckon };
}
