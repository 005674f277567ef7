import { expect, it } from "vitest";

import { hashOf, type Place, placeOf, startPlace } from "./place.svelte";
import { card, view } from "./testing/samples";
import { ViewState } from "./view.svelte";

it.each<Place>([
  { name: "start" },
  { name: "waiting" },
  { name: "gateways" },
  { name: "connect" },
  { name: "builtIn" },
  { name: "chat", key: "home/agent:main:chat/1 #2" },
  { name: "chat", key: "home/" },
])("is found again by its hash: $name", (place) => {
  expect(placeOf(hashOf(place))).toEqual(place);
});

it("is the start where the hash says nothing that is known", () => {
  for (const hash of ["", "#/nowhere", "#/chat/%E0%A4%A"]) expect(placeOf(hash)).toEqual({ name: "start" });
});

it("is, at the start, what waits on a narrow screen, and the chat that needs an answer first on a wide one", () => {
  const state = new ViewState();
  const later = card();
  const sooner = card({ key: "home/r2", chat: "home/urgent", expiresAtMs: later.expiresAtMs - 1000 });
  state.apply({ type: "reset", view: view({ cards: [later, sooner] }) });
  expect(startPlace(state, false)).toEqual({ name: "waiting" });
  expect(startPlace(state, true)).toEqual({ name: "chat", key: "home/urgent" });

  state.apply({ type: "reset", view: view({ cards: [] }) });
  expect(startPlace(state, false)).toEqual({ name: "chat", key: "home/main" });
  state.apply({ type: "reset", view: view({ cards: [], chats: [] }) });
  expect(startPlace(state, true)).toEqual({ name: "waiting" });
});
