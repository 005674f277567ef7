// The only file that knows the shell.
import { Channel, invoke } from "@tauri-apps/api/core";

import type { HostMessage } from "./bindings/HostMessage";
import type { Intent } from "./bindings/Intent";
import type { IntentError } from "./bindings/IntentError";
import type { Patch } from "./bindings/Patch";
import { type Host, isIntentError } from "./host";

/** The core runs in the process of the shell. */
export class TauriHost implements Host {
  subscribe(onPatch: (patch: Patch) => void, onLink: (up: boolean) => void): void {
    const channel = new Channel<HostMessage>();
    channel.onmessage = (message) => {
      if (message.type === "patch") onPatch(message.patch);
    };
    invoke("subscribe", { channel }).then(
      () => onLink(true),
      () => onLink(false),
    );
  }

  async intent(intent: Intent): Promise<void> {
    try {
      await invoke("intent", { intent });
    } catch (thrown) {
      throw isIntentError(thrown) ? thrown : ({ code: "malformed", detail: String(thrown) } satisfies IntentError);
    }
  }
}
