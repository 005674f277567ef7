import { describe, expect, it } from "vitest";

import type { Patch } from "./host/bindings/Patch";
import { card, gateway, view } from "./testing/samples";
import { ViewState } from "./view.svelte";

function shown(state: ViewState) {
  const { firstRun, builtIn, secrets, gateways, chats, cards } = state;
  return { firstRun, builtIn, secrets, gateways, chats, cards };
}

function started(): ViewState {
  const state = new ViewState();
  state.apply({ type: "reset", view: view() });
  return state;
}

describe("a view", () => {
  it("is what the snapshot says", () => {
    const state = new ViewState();
    expect(state.loaded).toBe(false);
    const snapshot = view({ secrets: "file" });
    state.apply({ type: "reset", view: snapshot });
    expect(state.loaded).toBe(true);
    expect(shown(state)).toEqual(snapshot);
  });

  it.each<Patch>([
    { type: "reset", view: view({ firstRun: true }) },
    { type: "firstRun", firstRun: true },
    { type: "secrets", secrets: "missing" },
    { type: "gateway", gateway: gateway({ name: "Renamed" }) },
    { type: "gateway", gateway: gateway({ id: "new" }) },
    { type: "gatewayRemoved", id: "home" },
    { type: "chat", chat: { ...view().chats[0]!, key: "home/new" } },
    { type: "card", card: card({ missing: [] }) },
    { type: "card", card: card({ key: "home/r2" }) },
  ])("is the same after a patch applied twice: $type", (patch) => {
    const once = started();
    once.apply(patch);
    const twice = started();
    twice.apply(patch);
    twice.apply(patch);
    expect(shown(twice)).toEqual(shown(once));
  });

  it("keeps its orders: built-in gateway first, newest chat first, oldest card first", () => {
    const state = started();
    state.apply({ type: "gateway", gateway: gateway({ id: "local", builtIn: true }) });
    expect(state.gateways.map(({ id }) => id)).toEqual(["local", "home"]);

    const older = { ...view().chats[0]!, key: "home/old", atMs: 5 };
    state.apply({ type: "chat", chat: older });
    expect(state.chats.map(({ key }) => key)).toEqual(["home/main", "home/old"]);
    state.apply({ type: "chat", chat: { ...older, atMs: Date.now() + 1000 } });
    expect(state.chats.map(({ key }) => key)).toEqual(["home/old", "home/main"]);

    state.apply({ type: "card", card: card({ key: "home/r0", createdAtMs: 1 }) });
    expect(state.cards.map(({ key }) => key)).toEqual(["home/r0", "home/r1"]);
  });

  it("forgets a removed gateway with its chats and cards, and nothing else", () => {
    const state = started();
    state.apply({ type: "gateway", gateway: gateway({ id: "other" }) });
    state.apply({ type: "card", card: card({ key: "other/r1", gateway: "other", chat: "other/main" }) });
    state.apply({ type: "gatewayRemoved", id: "home" });
    expect(state.gateways.map(({ id }) => id)).toEqual(["other"]);
    expect(state.chats).toEqual([]);
    expect(state.cards.map(({ key }) => key)).toEqual(["other/r1"]);
  });
});
