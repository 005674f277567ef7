import type { Intent } from "./bindings/Intent";
import type { Host } from "./host";

/**
 * Keeps the intents on one card in the order the person made them: each leaves after the one before it was dealt with.
 * A host may run intents side by side, and *Send* must not overtake the last letter typed.
 */
export function inOrder(host: Host): Host {
  const last = new Map<string, Promise<void>>();

  return {
    subscribe: (onPatch, onLink) => host.subscribe(onPatch, onLink),

    intent(intent: Intent) {
      if (!("card" in intent)) return host.intent(intent);
      const { card } = intent;
      const before = last.get(card) ?? Promise.resolve();
      // A failed intent doesn't hold up those after it; whoever sent it was told.
      const mine = before.catch(() => {}).then(() => host.intent(intent));
      last.set(card, mine);
      const forget = () => {
        if (last.get(card) === mine) last.delete(card);
      };
      mine.then(forget, forget);
      return mine;
    },
  };
}
