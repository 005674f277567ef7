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

/** Who asks, as in a chat's own timeline. Without a chat all that is known is the gateway. */
export function asker(card: CardView, view: ViewState): string[] {
  const chat = view.chat(card.chat);
  return [chat?.title ?? gatewayName(view.gateway(card.gateway)), ...(chat?.agent ? [chat.agent] : [])];
}

/** Who asks, where cards of several gateways stand side by side. */
export function askerAndGateway(card: CardView, view: ViewState): string[] {
  const title = view.chat(card.chat)?.title;
  return [...(title ? [title] : []), gatewayName(view.gateway(card.gateway))];
}
