/** By what Codex knows that a person trusts a hook: its place in a file, and a hash of what it runs. */
import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { isTable } from "../toml-text.ts";
import { callsUs } from "./closed-command.ts";

export interface PlacedHook {
  /** As in `[hooks.state."<key>"]` of the person's config.toml. */
  readonly key: string;
  readonly hash: string;
}

/** Our hooks in a hooks.json, each with the place it has there. */
export function placedHooks(text: string, file: string, program: string): PlacedHook[] {
  const settings: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
  const hooks = isJsonObject(settings) && isJsonObject(settings.hooks) ? settings.hooks : {};
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group, groupIndex) =>
      (isJsonObject(group) ? listOf(group.hooks) : []).flatMap((hook, index) =>
        isJsonObject(group) && isOurs(hook, program)
          ? [
              {
                key: `${file}:${snakeCase(event)}:${groupIndex}:${index}`,
                hash: trustedHash(event, group.matcher, hook),
              },
            ]
          : [],
      ),
    ),
  );
}

/** What stands there now; nothing where it cannot be read. */
export function placedIn(text: string | undefined, file: string, program: string): PlacedHook[] {
  try {
    return text === undefined ? [] : placedHooks(text, file, program);
  } catch {
    return [];
  }
}

export const isOurs = (hook: Json, program: string): hook is JsonObject =>
  isJsonObject(hook) && hook.type === "command" && typeof hook.command === "string" && callsUs(hook.command, program);

/** Sorted compact JSON of what would run: any change of command, time limit or matcher ends the trust. */
export function trustedHash(event: string, matcher: Json | undefined, { command, timeout, async }: JsonObject): string {
  const hook = { async: async === true, command, timeout: timeout ?? DEFAULT_TIMEOUT_SEC, type: "command" };
  const matched = typeof matcher === "string" && !WITHOUT_MATCHER.includes(event) ? { matcher } : {};
  const identity = JSON.stringify({ event_name: snakeCase(event), hooks: [hook], ...matched });
  return `sha256:${createHash("sha256").update(identity).digest("hex")}`;
}

const DEFAULT_TIMEOUT_SEC = 600;
const WITHOUT_MATCHER = ["UserPromptSubmit", "Stop", "Interrupt"];

/** The trust a person's config.toml holds, by key. */
export function statesIn(
  hooks: unknown,
): Readonly<Record<string, { readonly hash?: string; readonly enabled: boolean }>> {
  const state = isTable(hooks) ? hooks.state : undefined;
  return Object.fromEntries(
    Object.entries(isTable(state) ? state : {}).flatMap(([key, entry]) =>
      isTable(entry)
        ? [
            [
              key,
              {
                ...(typeof entry.trusted_hash === "string" ? { hash: entry.trusted_hash } : {}),
                enabled: entry.enabled !== false,
              },
            ],
          ]
        : [],
    ),
  );
}

const snakeCase = (event: string) => event.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
