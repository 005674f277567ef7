import { describe, expect, it } from "vitest";

import { shortcut } from "./shortcut";

function pressed(key: string, on: string, init: KeyboardEventInit = {}, loneSingle = true) {
  document.body.innerHTML =
    '<input type="radio" id="radio"><input type="checkbox" id="box"><textarea id="text"></textarea><button id="button"></button>';
  const event = new KeyboardEvent("keydown", { key, bubbles: true, ...init });
  document.getElementById(on)!.dispatchEvent(event);
  return shortcut(event, { loneSingle })?.does;
}

describe("keys on a card", () => {
  it("choose options, Other and Skip", () => {
    expect(pressed("1", "radio")).toBe("choose");
    expect(pressed("4", "box")).toBe("choose");
    expect(pressed("۲", "radio")).toBe("choose");
    expect(pressed("5", "radio")).toBeUndefined();
    expect(pressed("o", "radio")).toBe("other");
    expect(pressed("s", "radio")).toBe("skip");
  });

  it("work by place on a keyboard of another script", () => {
    expect(pressed("خ", "radio", { code: "KeyO" })).toBe("other");
    expect(pressed("س", "radio", { code: "KeyS" })).toBe("skip");
    expect(pressed("r", "radio", { code: "KeyO" })).toBeUndefined();
  });

  it("are text in a text field", () => {
    for (const key of ["1", "4", "o", "s"]) expect(pressed(key, "text")).toBeUndefined();
  });

  it("leave the system's combinations alone", () => {
    expect(pressed("s", "radio", { ctrlKey: true })).toBeUndefined();
    expect(pressed("1", "radio", { altKey: true })).toBeUndefined();
  });
});

describe("Enter", () => {
  it("sends a lone single-select", () => {
    expect(pressed("Enter", "radio")).toBe("send");
    expect(pressed("Enter", "text")).toBe("send");
  });

  it("makes a new line in the text with Shift, and wherever there is more to answer", () => {
    expect(pressed("Enter", "text", { shiftKey: true })).toBeUndefined();
    expect(pressed("Enter", "text", {}, false)).toBeUndefined();
  });

  it("toggles a row of a multi-select and does not send", () => {
    expect(pressed("Enter", "box", {}, false)).toBe("toggle");
    expect(pressed("Enter", "radio", {}, false)).toBeUndefined();
  });

  it("sends with Ctrl or Command from anywhere", () => {
    expect(pressed("Enter", "text", { ctrlKey: true }, false)).toBe("send");
    expect(pressed("Enter", "box", { metaKey: true }, false)).toBe("send");
  });

  it("belongs to a button that has the focus", () => {
    expect(pressed("Enter", "button")).toBeUndefined();
  });

  it("that confirms an input method is nobody else's", () => {
    expect(pressed("Enter", "text", { isComposing: true })).toBeUndefined();
    expect(pressed("Enter", "text", { isComposing: true, ctrlKey: true })).toBeUndefined();
    expect(pressed("Enter", "text", { keyCode: 229 })).toBeUndefined();
    expect(pressed("Escape", "text", { isComposing: true })).toBeUndefined();
  });
});
