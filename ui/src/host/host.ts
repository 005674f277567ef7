import type { Intent } from "./bindings/Intent";
import type { IntentError } from "./bindings/IntentError";
import type { Patch } from "./bindings/Patch";

/** What runs the core and carries its contract: patches come in, intents go out. The interface doesn't know which it has. */
export interface Host {
  /**
   * Patches from now on; the first is a `reset` with the whole view, and so is the first after the host came back.
   * `onLink` says whether the host can be reached. It is about the host, not about any gateway.
   */
  subscribe(onPatch: (patch: Patch) => void, onLink: (up: boolean) => void): void;

  /** Resolves once the intent took effect; rejects with an {@link IntentError} when it had none. */
  intent(intent: Intent): Promise<void>;
}

export function isIntentError(thrown: unknown): thrown is IntentError {
  return typeof thrown === "object" && thrown !== null && "code" in thrown && "detail" in thrown;
}
