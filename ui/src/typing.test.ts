import { expect, it } from "vitest";

import type { Intent } from "./host/bindings/Intent";
import { Typing } from "./typing.svelte";

const down = { code: "notStored", detail: "gone" };

it("keeps text the core couldn't take, and hands it in when the host is back", async () => {
  let up = false;
  const taken: Intent[] = [];
  const typing = new Typing(async (intent) => {
    if (!up) throw down;
    taken.push(intent);
  });

  await typing.type("home/r1", 0, "Staging, but");
  await typing.type("home/r1", 0, "Staging, but later");
  expect(typing.text("home/r1", 0)).toBe("Staging, but later");
  expect(typing.failed("home/r1", 0)).toBe(true);

  up = true;
  typing.retry();
  await Promise.resolve();
  await Promise.resolve();
  expect(taken).toEqual([{ type: "type", card: "home/r1", question: 0, text: "Staging, but later" }]);
  expect(typing.text("home/r1", 0)).toBeUndefined();
});

it("doesn't mix up the questions of a card", async () => {
  const typing = new Typing(() => Promise.reject(down));
  await typing.type("home/r1", 0, "first");
  await typing.type("home/r1", 1, "second");
  expect(typing.text("home/r1", 0)).toBe("first");
  expect(typing.text("home/r1", 1)).toBe("second");
});

it("lets go of text for a card that has ended", async () => {
  const typing = new Typing(() => Promise.reject({ code: "notOpen", detail: "" }));
  await typing.type("home/r1", 0, "too late");
  expect(typing.text("home/r1", 0)).toBeUndefined();
});
