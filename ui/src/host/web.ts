// The only file that opens a WebSocket, and only to the page's own origin: a page never talks to a gateway.
import type { HostMessage } from "./bindings/HostMessage";
import type { HostRequest } from "./bindings/HostRequest";
import type { Intent } from "./bindings/Intent";
import type { IntentError } from "./bindings/IntentError";
import type { Patch } from "./bindings/Patch";
import type { Host } from "./host";

/** First and longest wait before the next attempt, in milliseconds. The host is on this computer, so short is kind. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;

interface Pending {
  resolve(): void;
  reject(error: IntentError): void;
}

const down = (): IntentError => ({ code: "notStored", detail: "the page has no connection to Beckon" });

/** The core runs in the program that served this page. */
export class WebHost implements Host {
  #socket: WebSocket | undefined;
  #pending = new Map<number, Pending>();
  #nextId = 1;
  #wait = FIRST_WAIT;

  subscribe(onPatch: (patch: Patch) => void, onLink: (up: boolean) => void): void {
    const address = new URL("/host", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);

    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data as string) as HostMessage;
      if (message.type === "reply") return this.#settle(message.id, message.error);
      onPatch(message.patch);
      // The link counts as up with the first snapshot: before it, there is nothing to act on.
      if (this.#socket === socket) return;
      this.#socket = socket;
      this.#wait = FIRST_WAIT;
      onLink(true);
    };

    socket.onclose = () => {
      this.#socket = undefined;
      for (const id of [...this.#pending.keys()]) this.#settle(id, down());
      onLink(false);
      // Spread, so that several pages don't come back in one moment.
      setTimeout(() => this.subscribe(onPatch, onLink), this.#wait * (0.75 + Math.random() / 2));
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    };
  }

  intent(intent: Intent): Promise<void> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return Promise.reject(down());
    const request: HostRequest = { id: this.#nextId++, intent };
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve, reject });
      socket.send(JSON.stringify(request));
    });
  }

  #settle(id: number, error: IntentError | null): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error) pending?.reject(error);
    else pending?.resolve();
  }
}
