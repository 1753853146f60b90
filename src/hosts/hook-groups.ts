/** Settings whose entries are groups, `{"matcher": …, "hooks": [handler, …]}`, which others may have put theirs into. */
import { isJsonObject, type Json } from "../core/json.ts";
import type { SettingsFile } from "./settings-file.ts";

export const handlersOf = (group: Json): readonly Json[] =>
  isJsonObject(group) && Array.isArray(group.hooks) ? group.hooks : [];

export function hookGroups(isOurs: (handler: Json) => boolean): Pick<SettingsFile, "ours" | "covers"> {
  return {
    ours(group) {
      const handlers = handlersOf(group);
      if (handlers.length > 0 && handlers.every(isOurs)) return [[]];
      return handlers.flatMap((handler, index) => (isOurs(handler) ? [["hooks", index]] : []));
    },
    covers: (group) => isJsonObject(group) && ["", "*", ".*", undefined].includes(group.matcher as string | undefined),
  };
}
