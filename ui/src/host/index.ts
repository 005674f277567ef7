import type { Host } from "./host";
import { inOrder } from "./order";
import { TauriHost } from "./tauri";
import { WebHost } from "./web";

export type { Host } from "./host";

export function chooseHost(): Host {
  return inOrder("__TAURI_INTERNALS__" in window ? new TauriHost() : new WebHost());
}
