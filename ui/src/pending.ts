import type { CardView } from "./host/bindings/CardView";

/** Cards a person can still answer, the one that ends first in front. */
export function pendingCards(cards: CardView[]): CardView[] {
  return cards
    .filter(({ state }) => state.state === "pending" || state.state === "checking")
    .sort((a, b) => a.expiresAtMs - b.expiresAtMs);
}
