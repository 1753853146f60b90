/** Desks of a process that answers many calls: opened by the first call that needs one, and kept. */
import type { Desks } from "./desks.ts";
import { loadDesks } from "./lazy.ts";
import type { DeskSource } from "./ready.ts";

export interface KeptDesks {
  readonly deskAt: DeskSource;
  close(): Promise<void>;
}

export function keptDesks(): KeptDesks {
  let opening: Promise<Desks> | undefined;
  return {
    async deskAt(place) {
      opening ??= loadDesks().then(({ openDesks }) => openDesks());
      return (await opening).at(place);
    },
    close: async () => (await opening)?.close(),
  };
}
