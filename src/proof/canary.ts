/** Proof of life: a real host program attempts what must not happen, and what it did is looked at afterwards. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, EventName } from "../core/event.ts";
import { makeDirectory } from "../files/make-directory.ts";
import type { Delivery, Host, SupportRow } from "../hosts/host.ts";
import { type OfflineCall, type OfflineResult, runOffline } from "./offline-run.ts";

export interface CanaryCall extends Omit<OfflineCall, "script" | "prompt"> {
  readonly host: Pick<Host, "support" | "title">;
  /** A word that stands nowhere else. */
  readonly nonce: string;
  /** Empty, private, and gone afterwards. */
  readonly scratchDir: string;
  /** The config directory that `env` points Holdfast to: the canary's hooks are written there. */
  readonly configDir: string;
}

export interface Check {
  readonly name: "runs" | "block" | "rewrite" | "context at start" | "context with the prompt";
  readonly proven: boolean;
  /** What was seen, for a person. */
  readonly seen: string;
}

export interface CanaryResult {
  readonly checks: readonly Check[];
  readonly seconds: number;
  readonly story: string;
}

export async function sendCanary(call: CanaryCall): Promise<CanaryResult> {
  const { nonce, scratchDir, program } = call;
  const files = filesIn(scratchDir);
  writeHooks(call, files);
  const { says } = program;
  const step = (id: string, command: string) => ({ tools: [{ id, ...says.shell(command) }] });
  const run = await runOffline({
    ...call,
    prompt: `holdfast verify ${nonce}`,
    script: {
      script: [
        step("control", `printf ran > ${quoted(files.control)}`),
        step("block", `printf ${nonce}-forbidden > ${quoted(files.block)}`),
        step("rewrite", `printf ${nonce}-original > ${quoted(files.rewrite)}`),
        { text: "done" },
      ],
    },
  });
  return { checks: checksOf(call, run, files), seconds: run.durationMs / 1000, story: run.story };
}

type CanaryFiles = Readonly<Record<"control" | "block" | "rewrite", string>>;

const filesIn = (directory: string): CanaryFiles => ({
  control: join(directory, "control"),
  block: join(directory, "block"),
  rewrite: join(directory, "rewrite"),
});

/** Hooks of the user's layer, as a person would write them: they need no trust. */
function writeHooks({ nonce, scratchDir, configDir }: CanaryCall, files: CanaryFiles): void {
  const block = JSON.stringify({ decision: "block", reason: reasonOf(nonce) });
  const rewritten = { hook_event_name: "pre_tool_use", updated_input: { command: rewrittenCommand(nonce, files) } };
  writeFileSync(join(scratchDir, "block.json"), block);
  writeFileSync(join(scratchDir, "rewrite.json"), JSON.stringify({ hook_specific_output: rewritten }));
  writeFileSync(
    join(scratchDir, "canary.sh"),
    [
      "payload=$(cat)",
      'case "$payload" in',
      `  *${nonce}-forbidden*) cat ${quoted(join(scratchDir, "block.json"))} ;;`,
      `  *${nonce}-original*) cat ${quoted(join(scratchDir, "rewrite.json"))} ;;`,
      "esac",
      "",
    ].join("\n"),
  );
  for (const event of TOLD) {
    const output = { hook_event_name: event, additional_context: contextOf(nonce, event) };
    writeFileSync(join(scratchDir, `${event}.json`), JSON.stringify({ hook_specific_output: output }));
  }
  const hook = (command: string) => ({ hooks: [{ type: "command", command }] });
  const hooks = {
    pre_tool_use: [{ matcher: "^shell$", ...hook(`sh ${quoted(join(scratchDir, "canary.sh"))}`) }],
    ...Object.fromEntries(TOLD.map((event) => [event, [hook(`cat ${quoted(join(scratchDir, `${event}.json`))}`)]])),
  };
  makeDirectory(configDir, 0o700);
  writeFileSync(join(configDir, "holdfast.json"), JSON.stringify({ version: 1, hooks: { enabled: true, ...hooks } }));
}

const TOLD = ["session_start", "user_prompt_submit"] as const;

const reasonOf = (nonce: string) => `canary ${nonce} may not run`;
const contextOf = (nonce: string, event: string) => `canary ${nonce} ${event}`;
const rewrittenCommand = (nonce: string, files: CanaryFiles) => `printf ${nonce}-rewritten > ${quoted(files.rewrite)}`;
const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;

function checksOf({ nonce, host }: CanaryCall, run: OfflineResult, files: CanaryFiles): Check[] {
  const told = (word: string) => run.model.textsSentToModel().some((text) => text.includes(word));
  const delivery = (event: EventName, answer: Answer): Delivery | undefined =>
    (host.support[event] as SupportRow | undefined)?.answers[answer];
  const control = textOf(files.control) === "ran";
  const blocked = textOf(files.block) === undefined && told(reasonOf(nonce));
  const rewritten = textOf(files.rewrite);
  const native = delivery("pre_tool_use", "rewrite") === "native";
  const contexts = TOLD.filter((event) => delivery(event, "context") === "native");
  return [
    {
      name: "runs",
      proven: control,
      seen: control ? "a harmless command ran" : `a harmless command did not run: ${ending(run)}`,
    },
    {
      name: "block",
      proven: control && blocked,
      seen: blocked
        ? "the forbidden command did not run, and the model was told why"
        : textOf(files.block) === undefined
          ? "the forbidden command did not run, and the model was not told why"
          : "the forbidden command RAN: this host does not call Holdfast",
    },
    {
      name: "rewrite",
      proven: native ? rewritten === `${nonce}-rewritten` : rewritten === undefined && told(`${nonce}-rewritten`),
      seen: native
        ? rewritten === `${nonce}-rewritten`
          ? "the rewritten command ran in the place of the original"
          : `the original ran, or nothing did (${rewritten ?? "no file"})`
        : "this host cannot change a call: it was blocked, with what to run instead",
    },
    ...contexts.map((event): Check => {
      const proven = told(contextOf(nonce, event));
      const name = event === "session_start" ? "context at start" : "context with the prompt";
      return { name, proven, seen: proven ? "it reached the model" : "it did not reach the model" };
    }),
  ];
}

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

function ending({ exitCode, timedOut, stderr, stdout }: OfflineResult): string {
  const said = (stderr.trim() || stdout.trim()).split("\n").slice(-3).join(" ").slice(0, 300);
  return `${timedOut ? "out of time" : `exit ${exitCode}`}${said ? `, ${said}` : ""}`;
}
