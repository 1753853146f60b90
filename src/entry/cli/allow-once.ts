/** `holdfast allow-once <code>`: a person lets one blocked call through, once. */
import { confirm, isCancel } from "@clack/prompts";
import { HoldfastError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/event.ts";
import { shortCode } from "../../engine/call-digest.ts";
import { journalOf } from "../../engine/journals.ts";
import { grantPass, mayPass } from "../../engine/one-time-pass.ts";
import { readyEngine } from "../../engine/ready.ts";
import { recordDeed } from "../../engine/record-deed.ts";
import { recordsNewestFirst } from "../../records/newest-first.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { assertPerson, surroundings } from "./person.ts";

const MAX_LINES = 5_000;

export async function run({ words, flags, output, env, cwd, distDir }: CommandCall): Promise<ExitCode> {
  const [code = ""] = words;
  const { plan, places, close } = await readyEngine(cwd, env, distDir);
  await close();
  const options = { maxLines: MAX_LINES, marks: [`"call":${JSON.stringify(code).slice(0, -1)}`] };
  let blocked: { event: AgentEvent | string; digest: string; rules: readonly (string | undefined)[] } | undefined;
  for (const { input, call, reasons } of recordsNewestFirst(journalOf("audit", plan, places), options)) {
    // As it was recorded: what is recorded of the call itself has no secrets and no long texts any more.
    if (typeof call !== "string" || shortCode(call) !== code) continue;
    const rules = Array.isArray(reasons) ? reasons.map(({ rule }: { rule?: string }) => rule) : [];
    blocked = { event: input as AgentEvent | string, digest: call, rules };
    break;
  }
  if (!blocked)
    throw new HoldfastError("HF701", `no call that was stopped has the code "${code}"`, {
      hint: "holdfast log --audit --decision block shows them; with ask, those that a person was to confirm",
    });
  const { event, digest, rules } = blocked;
  if (!rules.every(mayPass)) {
    throw new HoldfastError("HF701", `a call stopped by ${rules.join(", ")} cannot be let through`, {
      hint: "do it yourself, or mend the rules that cannot be read (holdfast check)",
    });
  }
  if (!output.json) output.line(describe(event));
  if (flags["dry-run"]) {
    if (output.json) output.data({ digest, call: event });
    return 0;
  }
  assertPerson(surroundings(env), `allow-once ${code}`);
  const agreed = await confirm({
    message: "Let exactly this call through, once, within 15 minutes?",
    initialValue: false,
  });
  if (isCancel(agreed)) return 130;
  if (!agreed) return 1;
  const pass = grantPass(digest, places, new Date());
  recordDeed(plan, places, { code: "pass", message: `a person allowed once: ${describe(event)}` });
  if (output.json) output.data(pass);
  else
    output.line(
      `${output.paint("green", "allowed once")}  until ${new Date(pass.expiresAt).toLocaleTimeString()}; tell the agent to try again`,
    );
  return 0;
}

/** `event`: a text where the call was too long to record. */
function describe(event: AgentEvent | string): string {
  if (typeof event === "string") return `a call too long to show ${event}`;
  const what = "tool" in event ? `${event.tool.name} ${JSON.stringify(event.tool.input)}` : event.name;
  return `${what}\n  in ${event.cwd}, session ${event.session}`;
}
