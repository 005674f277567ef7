import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { flushSync, tick } from "svelte";
import { describe, expect, it, vi } from "vitest";

import type { CardView } from "../host/bindings/CardView";
import Cards from "../testing/Cards.svelte";
import { beckonWith, card, features, option, question, view } from "../testing/samples";

function shown(...cards: CardView[]) {
  const { host, beckon } = beckonWith(view({ cards }));
  render(Cards, { beckon });
  flushSync();
  return { host, beckon };
}

const patched = async (host: { patch: (patch: { type: "card"; card: CardView }) => void }, next: CardView) => {
  host.patch({ type: "card", card: next });
  await tick();
};

const chosen = question({ options: [option("Staging (Recommended)", { chosen: true }), option("Production")] });
const ready = () => card({ questions: [chosen], missing: [], draft: true });
const writing = (text: string) => card({ questions: [question({ other: { chosen: true, text } })] });

const radio = (name: RegExp) => screen.getByRole<HTMLInputElement>("radio", { name });
const send = () => screen.getByRole("button", { name: "Send" });
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox");

describe("choosing", () => {
  it("tells the core and sends nothing", async () => {
    const { host } = shown(card());
    await fireEvent.click(radio(/Production/));
    expect(host.intents).toEqual([{ type: "choose", card: "home/r1", question: 0, option: 1, on: true }]);
  });

  it("shows the mark as a badge and offers nothing chosen", () => {
    shown(card());
    expect(screen.getByText("Recommended")).toBeTruthy();
    expect(screen.getAllByRole<HTMLInputElement>("radio").some((input) => input.checked)).toBe(false);
  });

  it("is taken back where the core refuses it", async () => {
    const { host } = shown(ready());
    host.refusal = { code: "notStored", detail: "disk full" };
    await fireEvent.click(radio(/Production/));
    await tick();
    expect(radio(/Production/).checked).toBe(false);
    expect(radio(/Staging/).checked).toBe(true);
    expect(screen.getByRole("alert").textContent).toContain("could not be saved");
  });

  it("says that text of an Other not chosen is kept", () => {
    shown(card({ questions: [question({ other: { chosen: false, text: "later" } })] }));
    expect(screen.getByText("Your text is kept")).toBeTruthy();
    expect(screen.queryByRole("textbox")).toBeNull();
  });
});

describe("the field of Other", () => {
  it("is never overwritten while the person is in it", async () => {
    const { host } = shown(writing("Sta"));
    field().focus();
    await fireEvent.input(field(), { target: { value: "Staging" } });
    field().setSelectionRange(2, 2);
    await patched(host, writing("Stag"));
    expect(field().value).toBe("Staging");
    expect(field().selectionStart).toBe(2);
    expect(host.intents.at(-1)).toEqual({ type: "type", card: "home/r1", question: 0, text: "Staging" });
  });

  it("follows the core while the person is elsewhere", async () => {
    const { host } = shown(writing("Sta"));
    await patched(host, writing("Staging"));
    expect(field().value).toBe("Staging");
  });

  it("keeps its text when the host is gone, and saves it when the host is back", async () => {
    const { host } = shown(writing(""));
    host.refusal = { code: "notStored", detail: "gone" };
    field().focus();
    await fireEvent.input(field(), { target: { value: "Staging" } });
    field().blur();
    await tick();
    expect(screen.getByRole("status").textContent).toContain("Not saved yet");
    host.refusal = undefined;
    host.patch({ type: "reset", view: view({ cards: [writing("")] }) });
    host.link(true);
    await tick();
    expect(field().value).toBe("Staging");
    expect(host.intents.at(-1)).toMatchObject({ type: "type", text: "Staging" });
  });

  it("is all there is of a question without options", async () => {
    const { host } = shown(card({ questions: [question({ options: [] })] }));
    expect(screen.queryByRole("radio")).toBeNull();
    await fireEvent.input(field(), { target: { value: "42" } });
    expect(host.intents).toEqual([{ type: "type", card: "home/r1", question: 0, text: "42" }]);
  });

  it("takes digits and letters as text", async () => {
    const { host } = shown(writing(""));
    field().focus();
    for (const key of ["1", "o", "s"]) {
      expect(await fireEvent.keyDown(field(), { key })).toBe(true);
    }
    expect(host.intents).toEqual([]);
  });
});

describe("Send", () => {
  it("waits, stays focusable, and leads to the gap", async () => {
    const { host } = shown(card({ questions: [chosen, features()], missing: [1], draft: true }));
    expect(send().getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByText("Features", { selector: "b" })).toBeTruthy();
    // Core says what is missing: the last letter may still be on its way to it.
    host.refusal = { code: "incomplete", detail: "a question has no answer yet" };
    await fireEvent.click(send());
    await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole("checkbox", { name: "Login" })));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("sends when nothing is missing, and the focus goes to the summary", async () => {
    const { host } = shown(ready());
    await fireEvent.click(send());
    expect(host.intents).toEqual([{ type: "send", card: "home/r1" }]);
    await patched(host, { ...ready(), state: { state: "sending", what: "answer" } });
    expect(document.activeElement).toBe(screen.getByRole("article"));
    expect(screen.getByText("Sending to Home server…")).toBeTruthy();
  });

  it("leaves the focus alone when the card ends elsewhere", async () => {
    const { host } = shown(ready(), card({ key: "home/r2" }));
    const other = within(screen.getAllByRole("article")[1]!).getByRole("radio", { name: /Production/ });
    other.focus();
    await patched(host, {
      ...ready(),
      state: { state: "answered", by: { who: "elsewhere", name: "Sara" }, atMs: null },
    });
    expect(document.activeElement).toBe(other);
    expect(screen.getByText("Answered by Sara")).toBeTruthy();
  });

  it("happens on Enter in a lone single-select only", async () => {
    const { host } = shown(ready());
    await fireEvent.keyDown(radio(/Staging/), { key: "Enter" });
    expect(host.intents).toEqual([{ type: "send", card: "home/r1" }]);
  });

  it("is not what Enter on a row of a multi-select does", async () => {
    const { host } = shown(card({ questions: [features()] }));
    await fireEvent.keyDown(screen.getByRole("checkbox", { name: "Search" }), { key: "Enter" });
    expect(host.intents).toEqual([{ type: "choose", card: "home/r1", question: 0, option: 1, on: true }]);
  });

  it("shows why it failed, with the draft as it was", () => {
    shown({ ...ready(), problem: { why: "failed", detail: "database is locked" } });
    expect(screen.getByText("database is locked")).toBeTruthy();
    expect(radio(/Staging/).checked).toBe(true);
    expect(screen.getByRole("button", { name: "Send again" })).toBeTruthy();
  });
});

describe("Skip", () => {
  it("goes at once where nothing would be lost", async () => {
    const { host } = shown(card());
    await fireEvent.click(screen.getByRole("button", { name: "Skip" }));
    expect(host.intents).toEqual([{ type: "skip", card: "home/r1" }]);
  });

  it("asks first where something would be, and Esc takes the question back", async () => {
    const { host } = shown(ready());
    await fireEvent.click(screen.getByRole("button", { name: "Skip" }));
    await tick();
    const sure = screen.getByRole("button", { name: "Skip it" });
    expect(document.activeElement).toBe(sure);
    await fireEvent.keyDown(sure, { key: "Escape" });
    await tick();
    expect(host.intents).toEqual([]);
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Skip" }));

    await fireEvent.click(screen.getByRole("button", { name: "Skip" }));
    await tick();
    await fireEvent.click(screen.getByRole("button", { name: "Skip it" }));
    expect(host.intents).toEqual([{ type: "skip", card: "home/r1" }]);
  });

  it("is all a secret offers", () => {
    shown(card({ questions: [question({ secret: true, options: [], other: null })], canDelegate: false }));
    expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
    expect(screen.queryByRole("button", { name: "You decide" })).toBeNull();
    expect(screen.getByRole("button", { name: "Skip" })).toBeTruthy();
  });
});

describe("a collapsed card", () => {
  it("is one Esc away, keeps its draft, and opens again", async () => {
    const { host } = shown(writing("half a thought"));
    field().focus();
    await fireEvent.keyDown(field(), { key: "Escape" });
    await tick();
    expect(screen.queryByRole("textbox")).toBeNull();
    const bar = screen.getByRole("button", { name: /Where should I deploy/ });
    expect(document.activeElement).toBe(bar);
    await fireEvent.click(bar);
    await tick();
    expect(field().value).toBe("half a thought");
    expect(host.intents).toEqual([]);
  });
});

describe("keys", () => {
  it("choose in the question that has the focus", async () => {
    const { host } = shown(card({ questions: [question(), features()], missing: [0, 1] }));
    await fireEvent.keyDown(screen.getByRole("checkbox", { name: "Login" }), { key: "2" });
    expect(host.intents).toEqual([{ type: "choose", card: "home/r1", question: 1, option: 1, on: true }]);
  });

  it("open Other with its field in focus", async () => {
    const { host } = shown(card());
    await fireEvent.keyDown(radio(/Staging/), { key: "o" });
    expect(host.intents).toEqual([{ type: "chooseOther", card: "home/r1", question: 0, on: true }]);
    expect(document.activeElement).toBe(field());
  });
});

describe("the live region", () => {
  it("tells of an arrival and of an outcome", async () => {
    const { host, beckon } = shown();
    await patched(host, card());
    expect(beckon.said.at(-1)?.text).toBe("New question from Nightly build: Where should I deploy?");
    await patched(host, card({ state: { state: "expired", atMs: null } }));
    expect(beckon.said.at(-1)?.text).toBe("Expired: Where should I deploy?");
  });
});

describe("the summary", () => {
  it("shows labels without the mark and several answers as a list", () => {
    shown(
      card({
        questions: [{ ...chosen, answer: ["Staging (Recommended)"] }, features({ answer: ["Login", "and a way out"] })],
        state: { state: "answered", by: { who: "you", device: "Laptop", delegated: false }, atMs: null },
      }),
    );
    expect(screen.getByText("Staging")).toBeTruthy();
    expect(screen.getByText("Login, and a way out")).toBeTruthy();
    expect(screen.getByText("You · Laptop")).toBeTruthy();
  });

  it("unfolds to the card, read-only", async () => {
    shown(
      card({
        questions: [question({ answer: ["my own words"] })],
        state: { state: "answered", by: { who: "message" }, atMs: null },
      }),
    );
    await fireEvent.click(screen.getByRole("button", { name: /By a message/ }));
    const radios = screen.getAllByRole<HTMLInputElement>("radio");
    expect(radios.every((input) => input.disabled)).toBe(true);
    expect(radio(/my own words/).checked).toBe(true);
  });

  it("keeps a draft that did not become the answer", () => {
    shown(
      card({
        questions: [question({ answer: ["Production"], other: { chosen: false, text: "Frankfurt only" } })],
        state: { state: "answered", by: { who: "elsewhere", name: null }, atMs: null },
      }),
    );
    expect(screen.getByText("Frankfurt only")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Copy draft" })).toBeTruthy();
  });
});
