/** A tool's own `toModelOutput`, which is written for what the tool returns: hooks may have made something else of it. */
import { messageOf } from "./hook-context.ts";

interface Returned {
  readonly toolCallId?: string;
  readonly output?: unknown;
}

type ToModelOutput = (returned: Returned) => unknown;

/** What it throws would end the run: of an output that hooks changed, the model is then shown what they made of it. */
export function modelOutput(name: string, given: unknown, isChanged: (toolCallId: string) => boolean): object {
  if (typeof given !== "function") return {};
  const own = given as ToModelOutput;
  const toModelOutput = async (returned: Returned) => {
    try {
      return await own(returned);
    } catch (error) {
      if (!isChanged(returned.toolCallId ?? "")) throw error;
      process.stderr.write(
        `holdfast: toModelOutput of ${name} does not take what hooks made of its output: ${messageOf(error)}\n`,
      );
      return plain(returned.output);
    }
  };
  return { toModelOutput };
}

const plain = (output: unknown) =>
  typeof output === "string" ? { type: "text", value: output } : { type: "json", value: output ?? null };
