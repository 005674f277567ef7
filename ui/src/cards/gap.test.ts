import { expect, it } from "vitest";

import { card, features, option, question } from "../testing/samples";
import { gap } from "./gap";

const text = (...args: Parameters<typeof gap>) => {
  const found = gap(...args);
  return found && [found.words, ...found.names];
};

it("names what is left", () => {
  const questions = [question(), features()];
  expect(text(card({ questions, missing: [1] }))).toEqual(["1 question left:", "Features"]);
  expect(text(card({ questions, missing: [0, 1] }))).toEqual(["2 questions left:", "Deploy", "Features"]);
});

it("numbers a question without a header", () => {
  expect(text(card({ questions: [question(), features({ header: "" })], missing: [1] }))).toEqual([
    "1 question left:",
    "Question 2",
  ]);
});

it("speaks plainly on a lone question", () => {
  expect(text(card())).toEqual(["Choose an answer first"]);
  expect(text(card({ questions: [question({ other: { chosen: true, text: "" } })] }))).toEqual([
    "Type your answer first",
  ]);
});

it("asks for text where there is nothing to choose from", () => {
  expect(text(card({ questions: [question({ options: [] })] }))).toEqual(["Type your answer first"]);
});

it("says nothing when nothing is missing", () => {
  expect(
    gap(card({ questions: [question({ options: [option("a", { chosen: true })] })], missing: [] })),
  ).toBeUndefined();
});
