import { expect, it } from "vitest";

import type { Intent } from "./bindings/Intent";
import type { Host } from "./host";
import { inOrder } from "./order";

const type = (card: string, text: string): Intent => ({ type: "type", card, question: 0, text });

it("sends nothing of a card before the intent in front of it was dealt with", async () => {
  const sent: Intent[] = [];
  const settle: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  const host: Host = inOrder({
    subscribe() {},
    intent(intent) {
      sent.push(intent);
      return new Promise((resolve, reject) => settle.push({ resolve, reject }));
    },
  });

  const first = host.intent(type("home/r1", "a"));
  const send = host.intent({ type: "send", card: "home/r1" });
  void host.intent(type("home/r2", "other card"));
  await Promise.resolve();
  await Promise.resolve();
  expect(sent).toEqual([type("home/r1", "a"), type("home/r2", "other card")]);

  settle[0]!.reject({ code: "notStored", detail: "" });
  await expect(first).rejects.toMatchObject({ code: "notStored" });
  await new Promise((resolve) => setTimeout(resolve));
  expect(sent.at(-1)).toEqual({ type: "send", card: "home/r1" });
  settle[2]!.resolve();
  await send;
});
