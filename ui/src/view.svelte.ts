import type { BuiltInView } from "./host/bindings/BuiltInView";
import type { CardView } from "./host/bindings/CardView";
import type { ChatView } from "./host/bindings/ChatView";
import type { GatewayView } from "./host/bindings/GatewayView";
import type { Patch } from "./host/bindings/Patch";
import type { SecretsView } from "./host/bindings/SecretsView";

/**
 * What the core said last, kept reactive. Entities are replaced whole and never written to: whatever a component
 * reads here is the core's word.
 */
export class ViewState {
  /** A snapshot has arrived. Before that nothing is painted. */
  loaded = $state(false);
  firstRun = $state(false);
  builtIn = $state.raw<BuiltInView | null>(null);
  secrets = $state<SecretsView>("keyStore");
  gateways = $state.raw<GatewayView[]>([]);
  chats = $state.raw<ChatView[]>([]);
  cards = $state.raw<CardView[]>([]);

  #gatewayById = $derived(new Map(this.gateways.map((gateway) => [gateway.id, gateway])));
  #chatByKey = $derived(new Map(this.chats.map((chat) => [chat.key, chat])));

  gateway(id: string): GatewayView | undefined {
    return this.#gatewayById.get(id);
  }

  chat(key: string): ChatView | undefined {
    return this.#chatByKey.get(key);
  }

  card(key: string): CardView | undefined {
    return this.cards.find((card) => card.key === key);
  }

  /** Applying a patch twice changes nothing. */
  apply(patch: Patch): void {
    switch (patch.type) {
      case "reset":
        ({
          firstRun: this.firstRun,
          builtIn: this.builtIn,
          secrets: this.secrets,
          gateways: this.gateways,
          chats: this.chats,
          cards: this.cards,
        } = patch.view);
        this.loaded = true;
        return;
      case "firstRun":
        this.firstRun = patch.firstRun;
        return;
      case "secrets":
        this.secrets = patch.secrets;
        return;
      case "gateway":
        this.gateways = builtInFirst(replaced(this.gateways, patch.gateway, (gateway) => gateway.id));
        return;
      case "gatewayRemoved":
        this.gateways = this.gateways.filter((gateway) => gateway.id !== patch.id);
        this.chats = this.chats.filter((chat) => chat.gateway !== patch.id);
        this.cards = this.cards.filter((card) => card.gateway !== patch.id);
        return;
      case "chat":
        this.chats = replaced(this.chats, patch.chat, (chat) => chat.key).sort((a, b) => b.atMs - a.atMs);
        return;
      case "card":
        this.cards = replaced(this.cards, patch.card, (card) => card.key).sort((a, b) => a.createdAtMs - b.createdAtMs);
        return;
    }
    patch satisfies never;
  }
}

/** A copy with the entity of the same key exchanged, or with a new one at the end. */
function replaced<T>(entities: T[], entity: T, keyOf: (entity: T) => string): T[] {
  const at = entities.findIndex((other) => keyOf(other) === keyOf(entity));
  return at < 0 ? [...entities, entity] : entities.with(at, entity);
}

function builtInFirst(gateways: GatewayView[]): GatewayView[] {
  return [...gateways.filter((gateway) => gateway.builtIn), ...gateways.filter((gateway) => !gateway.builtIn)];
}
