import type { CardView } from "../host/bindings/CardView";
import type { QuestionView } from "../host/bindings/QuestionView";
import { t } from "../locales";
import { list } from "../locales/format";

/** What *You decide* sends, in the words of the ask_user contract. */
const DELEGATION = "Use your best judgment";

/** Values of the answer that are nobody's option: what the person wrote. */
export function otherAnswers(question: QuestionView): string[] {
  return (question.answer ?? []).filter((value) => !question.options.some((option) => option.value === value));
}

/** What the summary says was answered, or why there is nothing. */
export function answerText(card: CardView, question: QuestionView): { text: string; none: boolean } {
  const { answer } = question;
  if (question.secret && card.state.state === "answered") return { text: t("stored"), none: true };
  if (!answer?.length) {
    return { text: card.state.state === "expired" ? t("no-answer-in-time") : t("no-answer"), none: true };
  }
  if (isDelegated(card) && answer.length === 1 && answer[0] === DELEGATION) {
    return { text: t("left-to-agent"), none: false };
  }
  const label = (value: string) => question.options.find((option) => option.value === value)?.label ?? value;
  return { text: list(answer.map(label)), none: false };
}

function isDelegated({ state }: CardView): boolean {
  switch (state.state) {
    case "answered":
      return state.by.who === "you" && state.by.delegated;
    case "sending":
    case "waitingToSend":
      return state.what === "delegation";
    case "unknown":
      return state.sent === "delegation";
    default:
      return false;
  }
}

/** Text the person had typed that did not become the answer. */
export function leftoverDraft(question: QuestionView): string | undefined {
  const text = question.other?.text.trim();
  return text && !question.answer?.includes(text) ? question.other?.text : undefined;
}
