/** What a key means on a card. Decided here and nowhere else, and without side effects, so that each rule can be tested. */
export type Shortcut =
  { does: "choose"; option: number } | { does: "other" | "send" | "skip" | "collapse" | "toggle" } | undefined;

interface Where {
  /** A card with one question that takes one option. */
  loneSingle: boolean;
}

const PERSIAN_DIGITS = "۰۱۲۳۴۵۶۷۸۹";

/** Options a question can have, so the digits that choose one. */
const OPTIONS = 4;

export function shortcut(event: KeyboardEvent, { loneSingle }: Where): Shortcut {
  // The key belongs to the input method: it may be confirming a word.
  if (event.isComposing || event.keyCode === 229) return undefined;

  const target = event.target as HTMLElement;
  const inText = target instanceof HTMLTextAreaElement;
  const command = event.metaKey || event.ctrlKey;

  if (event.key === "Escape") return { does: "collapse" };
  if (event.key === "Enter") {
    if (command) return { does: "send" };
    // A button or link does its own thing.
    if (target.closest("button, a")) return undefined;
    if (loneSingle && !event.shiftKey) return { does: "send" };
    if (target instanceof HTMLInputElement && target.type === "checkbox") return { does: "toggle" };
    return undefined;
  }
  // From here on keys are letters and digits: in a text field they are text.
  if (inText || command || event.altKey) return undefined;

  const digit = "123456789".indexOf(event.key) + 1 || PERSIAN_DIGITS.indexOf(event.key);
  if (digit > 0 && digit <= OPTIONS) return { does: "choose", option: digit - 1 };
  if (isLetter(event, "o")) return { does: "other" };
  if (isLetter(event, "s")) return { does: "skip" };
  return undefined;
}

/** By the letter, or by the place of the key where the keyboard writes another script. */
function isLetter(event: KeyboardEvent, letter: string): boolean {
  const key = event.key.toLowerCase();
  return /^[a-z]$/.test(key) ? key === letter : event.code === `Key${letter.toUpperCase()}` && key.length === 1;
}
