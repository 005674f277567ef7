import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";

import en from "./en.ftl?raw";
import fa from "./fa.ftl?raw";

const catalogues = { en, fa } as const;
type Language = keyof typeof catalogues;

const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set(["fa"]);

/** The first language the person reads that there is a catalogue for, with their region for dates and numbers. */
export function negotiate(wanted: readonly string[]): { language: Language; tag: string } {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split("-")[0] as Language;
    if (language in catalogues) return { language, tag };
  }
  return { language: "en", tag: "en" };
}

// `?lang=fa` overrides the system, for tests and for the curious.
const asked = new URLSearchParams(location.search).get("lang");
const { language, tag } = negotiate(asked ? [asked] : navigator.languages);

/** For `Intl`. */
export const locale = tag;
export const direction: "ltr" | "rtl" = RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";

/** Tells the page which language it speaks. */
export function setLanguage(root: HTMLElement): void {
  root.lang = language;
  root.dir = direction;
}

function bundle(of: Language, locales: string[]): FluentBundle {
  // Isolation is done in `isolated`, only where directions meet: marks around every name would get into copied text.
  const made = new FluentBundle(locales, { useIsolating: false });
  made.addResource(new FluentResource(catalogues[of]));
  return made;
}

const spoken = bundle(language, [tag, language]);
// A word missing in a catalogue is better in English than as a key.
const fallback = language === "en" ? spoken : bundle("en", ["en"]);

const OTHER_DIRECTION =
  direction === "ltr"
    ? /[\p{Script=Arabic}\p{Script=Hebrew}]/u
    : /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;

/** Text of the other direction, kept from dragging its neighbours along. */
export function isolated(text: string): string {
  return OTHER_DIRECTION.test(text) ? `\u2068${text}\u2069` : text;
}

/** The words for a key. Written with a literal key everywhere, so that a test can tell missing and unused ones. */
export function t(key: string, args: Record<string, FluentVariable> = {}): string {
  const given = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === "string" ? isolated(value) : value]),
  );
  for (const catalogue of [spoken, fallback]) {
    const pattern = catalogue.getMessage(key)?.value;
    if (pattern) return catalogue.formatPattern(pattern, given, []);
  }
  return key;
}
