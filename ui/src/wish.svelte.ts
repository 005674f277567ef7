import type { Intent } from "./host/bindings/Intent";
import type { IntentErrorCode } from "./host/bindings/IntentErrorCode";
import { isIntentError } from "./host/host";
import { t } from "./locales";

/** An intent that may fail in front of the person: under way, refused, and with the key store question in between. */
export class Wish {
  busy = $state(false);
  error = $state.raw<unknown>();

  #intent: (intent: Intent) => Promise<void>;
  #last: { intent: Intent; then: () => void } | undefined;

  constructor(intent: (intent: Intent) => Promise<void>) {
    this.#intent = intent;
  }

  /** This computer has no key store, and the person may allow a file. */
  get needsFile(): boolean {
    return isIntentError(this.error) && this.error.code === "noKeyStore";
  }

  async make(intent: Intent, then: () => void = () => {}): Promise<void> {
    this.#last = { intent, then };
    this.error = undefined;
    this.busy = true;
    try {
      await this.#intent(intent);
    } catch (error) {
      this.error = error;
      return;
    } finally {
      this.busy = false;
    }
    then();
  }

  /** The person allowed the file: what they wanted is tried again, with all they typed. */
  async allowFile(): Promise<void> {
    const last = this.#last;
    try {
      await this.#intent({ type: "allowSecretFile" });
    } catch (error) {
      this.error = error;
      return;
    }
    if (last) await this.make(last.intent, last.then);
  }

  dismiss(): void {
    this.error = undefined;
  }
}

/** What happened, what it means, what to do. */
export function intentErrorText(error: unknown): string {
  return textOf(isIntentError(error) ? error.code : "malformed");
}

function textOf(code: IntentErrorCode): string {
  switch (code) {
    case "notFound":
      return t("error-not-found");
    case "notOpen":
      return t("error-not-open");
    case "incomplete":
      return t("error-incomplete");
    case "badAddress":
      return t("error-bad-address");
    case "badToken":
      return t("error-bad-token");
    case "alreadyAdded":
      return t("error-already-added");
    case "noKeyStore":
      return t("error-no-key-store");
    case "noGateway":
      return t("error-no-gateway");
    case "notStored":
      return t("error-not-stored");
    case "malformed":
      return t("error-malformed");
  }
}
