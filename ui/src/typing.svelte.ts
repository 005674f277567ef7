import { SvelteMap } from "svelte/reactivity";

import type { Intent } from "./host/bindings/Intent";
import { isIntentError } from "./host/host";

interface Typed {
  card: string;
  question: number;
  text: string;
  /** Core couldn't take it; it is tried again. */
  failed: boolean;
}

/**
 * Text on its way to the core. A letter leaves this map only when the core has it, so that what was typed while the
 * host was gone is neither lost by looking at another chat nor forgotten when the host is back.
 */
export class Typing {
  #typed = new SvelteMap<string, Typed>();
  #intent: (intent: Intent) => Promise<void>;

  constructor(intent: (intent: Intent) => Promise<void>) {
    this.#intent = intent;
  }

  /** What the person typed and the core hasn't taken yet. */
  text(card: string, question: number): string | undefined {
    return this.#typed.get(keyOf(card, question))?.text;
  }

  failed(card: string, question: number): boolean {
    return this.#typed.get(keyOf(card, question))?.failed ?? false;
  }

  async type(card: string, question: number, text: string): Promise<void> {
    const key = keyOf(card, question);
    const typed = { card, question, text, failed: false };
    this.#typed.set(key, typed);
    try {
      await this.#intent({ type: "type", card, question, text });
    } catch (error) {
      if (this.#typed.get(key) !== typed) return;
      const ended = isIntentError(error) && (error.code === "notOpen" || error.code === "notFound");
      if (!ended) this.#typed.set(key, { ...typed, failed: true });
      else this.#typed.delete(key);
      return;
    }
    if (this.#typed.get(key) === typed) this.#typed.delete(key);
  }

  /** The host is back. */
  retry(): void {
    for (const { card, question, text, failed } of [...this.#typed.values()]) {
      if (failed) void this.type(card, question, text);
    }
  }
}

function keyOf(card: string, question: number): string {
  return `${card}/${question}`;
}
