import { createContext } from "svelte";
import { SvelteSet } from "svelte/reactivity";

import { announcement } from "./announcement";
import type { CardView } from "./host/bindings/CardView";
import type { Intent } from "./host/bindings/Intent";
import type { Host } from "./host/host";
import { Typing } from "./typing.svelte";
import { ViewState } from "./view.svelte";

/** How many announcements the live region keeps; older ones were read. */
const SAID = 4;

/** What every component shares: the core's word, the way to say what a person wants, and what was folded. */
export class Beckon {
  readonly view = new ViewState();
  readonly typing: Typing;

  /** The host answers. `undefined` until it is known. */
  hostUp = $state<boolean>();

  /** Cards the person collapsed to a slim bar in their chat. */
  readonly folded = new SvelteSet<string>();

  /** For the live region, oldest first. */
  said = $state.raw<{ id: number; text: string }[]>([]);

  /** The card the person just sent: its summary takes the focus. */
  sentHere: string | undefined;

  #host: Host;
  #saidId = 0;
  #urgentSaid = new Set<string>();

  constructor(host: Host) {
    this.#host = host;
    this.typing = new Typing((intent) => this.intent(intent));
    host.subscribe(
      (patch) => {
        const before = patch.type === "card" ? this.view.card(patch.card.key) : undefined;
        this.view.apply(patch);
        if (patch.type === "card") this.say(announcement(before, patch.card, this.view));
      },
      (up) => {
        this.hostUp = up;
        if (up) this.typing.retry();
      },
    );
  }

  intent(intent: Intent): Promise<void> {
    return this.#host.intent(intent);
  }

  say(text: string | undefined): void {
    if (text) this.said = [...this.said, { id: this.#saidId++, text }].slice(-SAID);
  }

  /** A card under a minute is announced once, however often it comes into view. */
  sayUrgent(card: CardView, text: string): void {
    if (this.#urgentSaid.has(card.key)) return;
    this.#urgentSaid.add(card.key);
    this.say(text);
  }
}

export const [useBeckon, provideBeckon] = createContext<Beckon>();
