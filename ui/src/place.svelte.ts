import { pendingCards } from "./pending";
import type { ViewState } from "./view.svelte";

/** Where in the app the person is. Kept in the page's hash, so that reload and back work. */
export type Place =
  | { name: "start" }
  | { name: "waiting" }
  | { name: "gateways" }
  | { name: "connect" }
  | { name: "builtIn" }
  | { name: "chat"; key: string };

const hashes = {
  start: "#/",
  waiting: "#/waiting",
  gateways: "#/gateways",
  connect: "#/connect",
  builtIn: "#/built-in",
};

export function hashOf(place: Place): string {
  return place.name === "chat" ? `#/chat/${encodeURIComponent(place.key)}` : hashes[place.name];
}

export function placeOf(hash: string): Place {
  const chat = /^#\/chat\/(.+)$/.exec(hash)?.[1];
  if (chat) {
    try {
      return { name: "chat", key: decodeURIComponent(chat) };
    } catch {
      return { name: "start" };
    }
  }
  for (const [name, other] of Object.entries(hashes)) {
    if (hash === other) return { name: name as Exclude<Place["name"], "chat"> };
  }
  return { name: "start" };
}

/** Where to begin: on a narrow screen with what waits, on a wide one in the chat that needs an answer first. */
export function startPlace(view: ViewState, wide: boolean): Place {
  const pending = pendingCards(view.cards);
  if (pending[0] && !wide) return { name: "waiting" };
  const chat = pending[0]?.chat ?? view.chats[0]?.key;
  return chat === undefined ? { name: "waiting" } : { name: "chat", key: chat };
}

class CurrentPlace {
  place = $state.raw<Place>(placeOf(location.hash));

  constructor() {
    addEventListener("hashchange", () => (this.place = placeOf(location.hash)));
  }

  go(place: Place): void {
    location.hash = hashOf(place);
    // The event comes later; until then nobody may take the person to be where they were.
    this.place = place;
  }

  /** Goes there without leaving a step to go back to. */
  replace(place: Place): void {
    history.replaceState(null, "", hashOf(place));
    this.place = place;
  }
}

export const current = new CurrentPlace();
