/**
 * A hand-written agent loop under Holdfast: every call is judged, and the model hears what came of it.
 * node --import jiti/register embed-loop.ts '[{ "name": "read", "input": { "path": "package.json" } }]'
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createHoldfast } from "holdfast";

const holdfast = await createHoldfast({
  host: "my-agent",
  tools: {
    read: { kind: "read", paths: ["path"] },
    write: { kind: "write", paths: ["path"], content: ["text"], requiresConfirmation: ({ text }) => text === "" },
  },
  ask: ({ reason }) => ({ allow: false, reason: `nobody is at the terminal: ${reason}` }),
});
const run = {
  read: ({ path }: Call["input"]) => readFileSync(path, "utf8"),
  write: ({ path, text = "" }: Call["input"]) => writeFileSync(path, text) ?? `wrote ${path}`,
};
type Call = { name: keyof typeof run; input: { path: string; text?: string } };

const script: Call[] = JSON.parse(process.argv[2] ?? "[]");
const model = (seen: string[]): Call | undefined => script[seen.length]; // Your model goes here.

const session = holdfast.session({ agent: "helper", user: "mona" });
await session.fire("session_start", { source: "startup" });
session.startTurn();
const seen: string[] = [];
for (let call = model(seen); call; call = model(seen)) {
  const { name, input } = call;
  const outcome = await session.callTool({ name, input, run: (final) => run[name](final as Call["input"]) });
  seen.push(outcome.status === "blocked" ? `Error: ${outcome.reason}` : String(outcome.output));
}
await session.fire("stop", { stopReason: "end_turn", lastAssistantMessage: seen.at(-1) ?? "", continuations: 0 });
await session.fire("session_end", { reason: "done" });
await holdfast.close();
console.log(seen.join("\n---\n"));
