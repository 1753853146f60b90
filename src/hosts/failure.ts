/** Our own failure as an exit code: 2 stops what guards, with what stderr says; 1 is a warning and stops nothing. */
import type { JsonObject } from "../core/json.ts";
import { failureText } from "./answer-text.ts";
import { type FailureTable, failsClosed } from "./delivery.ts";
import type { Codec } from "./host.ts";

/** `denial`: what is printed instead on native events where the host takes no exit code for a block. */
export function failWith(
  table: FailureTable,
  denial: (event: string, text: string) => JsonObject | undefined = () => undefined,
): Codec["fail"] {
  return (event, message) => {
    const blocks = failsClosed(table, event);
    const text = failureText(message, blocks);
    const json = event === undefined ? undefined : denial(event, text);
    if (json) return { stdout: JSON.stringify(json), stderr: "", exitCode: 0 };
    return { stdout: "", stderr: text, exitCode: blocks ? 2 : 1 };
  };
}
