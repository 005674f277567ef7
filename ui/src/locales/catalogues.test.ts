import { FluentBundle, FluentResource } from "@fluent/bundle";
import { describe, expect, it } from "vitest";

import { negotiate } from "./index";

const catalogues = import.meta.glob<string>("./*.ftl", { query: "?raw", import: "default", eager: true });
const sources = import.meta.glob<string>(["../**/*.svelte", "../**/*.ts", "!../**/*.test.ts", "!../host/bindings/**"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Message keys, and per key the names of its arguments. */
function read(catalogue: string) {
  return new Map(
    catalogue
      .split(/^(?=[a-z])/m)
      .filter((entry) => /^[a-z]/.test(entry))
      .map((entry) => [entry.split(" ")[0]!, new Set([...entry.matchAll(/\$(\w+)/g)].map((match) => match[1]!))]),
  );
}

const used = new Set<string>();
for (const [path, source] of Object.entries(sources)) {
  if (path === "./index.ts") continue;
  for (const [, key] of source.matchAll(/\bt\(\s*"([a-z-]+)"/g)) used.add(key!);
}
// Messages that messages use.
for (const [, key] of catalogues["./en.ftl"]!.matchAll(/\{ ([a-z-]+) \}/g)) used.add(key!);

describe("words", () => {
  it("are asked for with literal keys only", () => {
    for (const [path, source] of Object.entries(sources)) {
      if (path === "./index.ts") continue;
      expect(source.match(/\bt\(\s*(?!\s*")[^)]/g), path).toBeNull();
    }
  });

  it.each(Object.keys(catalogues))("%s has every word that is used, and no other", (path) => {
    expect([...read(catalogues[path]!).keys()].sort()).toEqual([...used].sort());
  });

  it.each(Object.keys(catalogues))("%s parses and takes the same arguments as English", (path) => {
    const english = read(catalogues["./en.ftl"]!);
    const resource = new FluentResource(catalogues[path]!);
    expect(new FluentBundle("en").addResource(resource)).toEqual([]);
    expect(resource.body.length).toBe(english.size);
    for (const [key, names] of read(catalogues[path]!))
      expect([...names].sort(), key).toEqual([...english.get(key)!].sort());
  });
});

describe("the language", () => {
  it("is the first one read that there is a catalogue for, with the person's region", () => {
    expect(negotiate(["pt-BR", "en-GB", "fa"])).toEqual({ language: "en", tag: "en-GB" });
    expect(negotiate(["fa-IR"])).toEqual({ language: "fa", tag: "fa-IR" });
    expect(negotiate(["pt"])).toEqual({ language: "en", tag: "en" });
  });
});
