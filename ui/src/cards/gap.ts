import type { CardView } from "../host/bindings/CardView";
import { t } from "../locales";

/** Why *Send* waits, in words; nothing when it doesn't. Which questions are open is the core's word. */
export function gap(card: CardView): { words: string; names: string[] } | undefined {
  const open = card.missing.map((position) => ({ position, question: card.questions[position] }));
  if (!open.length) return undefined;
  if (card.questions.length === 1) {
    const { options, other } = card.questions[0]!;
    const writing = !options.length || (other?.chosen && !options.some((option) => option.chosen));
    return { words: writing ? t("left-text") : t("left-lone"), names: [] };
  }
  return {
    words: t("left-many", { count: open.length }),
    names: open.map(({ position, question }) => question?.header || t("question-number", { position: position + 1 })),
  };
}
