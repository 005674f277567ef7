import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { view } from "../testing/samples";
import type { Patch } from "./bindings/Patch";
import { WebHost } from "./web";

class FakeSocket {
  static OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 1;
  sent: string[] = [];
  onmessage?: (event: { data: string }) => void;
  onclose?: () => void;
  constructor(public address: URL) {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(text);
  }
  says(message: unknown) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const reset = { type: "patch", patch: { type: "reset", view: view() } };

beforeEach(() => {
  FakeSocket.all = [];
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function started() {
  const host = new WebHost();
  const patches: Patch[] = [];
  const links: boolean[] = [];
  host.subscribe(
    (patch) => patches.push(patch),
    (up) => links.push(up),
  );
  return { host, patches, links, socket: FakeSocket.all[0]! };
}

it("is up with the first snapshot and matches replies by their number", async () => {
  const { host, patches, links, socket } = started();
  expect(socket.address.pathname).toBe("/host");
  expect(socket.address.protocol).toBe("ws:");
  await expect(host.intent({ type: "useBuiltIn" })).rejects.toMatchObject({ code: "notStored" });

  socket.says(reset);
  expect(links).toEqual([true]);
  expect(patches).toHaveLength(1);

  const good = host.intent({ type: "useBuiltIn" });
  const bad = host.intent({ type: "sendTestQuestion" });
  expect(socket.sent.map((text) => JSON.parse(text))).toEqual([
    { id: 1, intent: { type: "useBuiltIn" } },
    { id: 2, intent: { type: "sendTestQuestion" } },
  ]);
  socket.says({ type: "reply", id: 2, error: { code: "noGateway", detail: "none" } });
  socket.says({ type: "reply", id: 1, error: null });
  await good;
  await expect(bad).rejects.toEqual({ code: "noGateway", detail: "none" });
});

it("refuses what was under way when the connection goes, and comes back by itself", async () => {
  const { host, patches, links, socket } = started();
  socket.says(reset);
  const underWay = host.intent({ type: "useBuiltIn" });
  socket.onclose?.();
  await expect(underWay).rejects.toMatchObject({ code: "notStored" });
  expect(links).toEqual([true, false]);

  vi.advanceTimersByTime(400);
  expect(FakeSocket.all).toHaveLength(2);
  FakeSocket.all[1]!.says(reset);
  expect(links).toEqual([true, false, true]);
  expect(patches).toHaveLength(2);
});

it("waits longer after each failure, but never long", () => {
  started();
  for (let attempt = 0; attempt < 12; attempt++) {
    FakeSocket.all.at(-1)!.onclose?.();
    vi.advanceTimersByTime(6250);
  }
  expect(FakeSocket.all).toHaveLength(13);
});
