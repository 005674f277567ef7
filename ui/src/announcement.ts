import type { CardView } from "./host/bindings/CardView";
import { t } from "./locales";
import { asker } from "./names";
import type { ViewState } from "./view.svelte";

/** What is read aloud when a card changed, if anything. */
export function announcement(before: CardView | undefined, card: CardView, view: ViewState): string | undefined {
  const question = card.questions[0]?.text ?? "";
  const { state } = card;
  if (!before) {
    const who = asker(card, view).join(", ");
    return state.state === "pending" ? t("said-arrived", { who, question }) : undefined;
  }
  if (card.problem && !before.problem) return t("said-not-sent", { question });
  if (before.state.state === state.state) return undefined;
  switch (state.state) {
    case "pending":
    case "checking":
    case "sending":
      return undefined;
    case "waitingToSend":
      return t("said-waiting-to-send", { question });
    case "answered":
      return state.by.who === "you" ? t("said-answered", { question }) : t("said-answered-elsewhere", { question });
    case "skipped":
      return t("said-skipped", { question });
    case "stopped":
      return t("said-stopped", { question });
    case "expired":
      return t("said-expired", { question });
    case "unknown":
      return t("said-unknown", { question });
  }
}
