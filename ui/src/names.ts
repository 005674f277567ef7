import type { CardView } from "./host/bindings/CardView";
import type { ChatView } from "./host/bindings/ChatView";
import type { GatewayView } from "./host/bindings/GatewayView";
import { t } from "./locales";
import type { ViewState } from "./view.svelte";

export function gatewayName(gateway: GatewayView | undefined): string {
  if (!gateway) return "";
  return gateway.builtIn ? t("built-in-gateway") : gateway.name;
}

/** The same within a sentence, never at its start. */
export function gatewayInSentence(gateway: GatewayView | undefined): string {
  return gateway?.builtIn ? t("built-in-gateway-in-sentence") : gatewayName(gateway);
}

export function chatName(chat: ChatView | undefined): string {
  return chat?.title ?? t("other-questions");
}

/** Who asks, as in a chat's own timeline. */
export function asker(card: CardView, view: ViewState): string[] {
  const chat = view.chat(card.chat);
  return [chatName(chat), ...(chat?.agent ? [chat.agent] : [])];
}

/** Who asks, where cards of several gateways stand side by side. */
export function askerAndGateway(card: CardView, view: ViewState): string[] {
  return [chatName(view.chat(card.chat)), gatewayName(view.gateway(card.gateway))];
}
