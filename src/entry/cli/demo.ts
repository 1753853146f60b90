/** `holdfast demo`: a scripted session through the real hook command, then what was recorded of it, and why. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { basename } from "node:path";
import { placesOf } from "../../config/places.ts";
import { HoldfastError } from "../../core/errors.ts";
import { dismissDaemon } from "../daemon/dismiss.ts";
import { type DemoAgent, demoAgent, type HookAnswer } from "../demo/agent.ts";
import { clickApprove, type Inbox, openInbox, PUBLISH, publishOnceApproved } from "../demo/approval.ts";
import { createDemoProject, type DemoProject } from "../demo/project.ts";
import { type Step, sessionSteps } from "../demo/session.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { searchHosts } from "./host-search.ts";
import type { Colour, Output } from "./output.ts";

const ACTS = ["session", "approval"] as const;

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags, distDir, words } = call;
  const [wanted] = words;
  const acts = ACTS.filter((act) => wanted === undefined || act === wanted);
  if (acts.length === 0)
    throw new HoldfastError("HF701", `unknown act "${wanted}"`, { hint: `acts: ${ACTS.join(", ")}` });
  const project = await createDemoProject(distDir);
  const tidyUp = () => flags.keep || rmSync(project.scratchDir, TIDY);
  // Ctrl-C ends the process without coming back here.
  process.once("exit", tidyUp);
  try {
    const steps: Played[] = [];
    if (acts.includes("session")) {
      steps.push(...(await playSession(project, call)));
      if (!output.json) afterwards(project, call);
    }
    if (acts.includes("approval")) steps.push(await playApproval(project, call));
    if (output.json) output.data({ projectDir: project.projectDir, steps });
    return 0;
  } finally {
    await dismissDaemon(distDir, project.env);
    tidyUp();
  }
}

interface Played {
  readonly step: Step;
  readonly answer: HookAnswer;
  readonly after?: HookAnswer;
}

const isScripted = ({ flags }: CommandCall) => flags["no-wait"] === true || flags.json === true;

/** A daemon that is just ending may still close a file there. */
const TIDY = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;

async function playSession(project: DemoProject, call: CommandCall): Promise<Played[]> {
  const { output } = call;
  const pauseMs = isScripted(call) || !process.stdout.isTTY ? 0 : 350;
  const say = (text = "") => (output.json ? undefined : output.line(text));
  say(output.paint("bold", "Holdfast: a session of an agent, judged call by call"));
  say(`scratch project ${project.projectDir}, registered with: holdfast init --hosts claude-code`);
  say("every line below went through the command registered in .claude/settings.json");
  say();
  const agent = demoAgent(project);
  const results: Played[] = [];
  let continued = false;
  for (const step of sessionSteps(project.projectDir)) {
    const result = await playStep(step, agent, continued);
    continued = result.answer.decision === "continued";
    results.push({ step, ...result });
    if (!output.json) printStep(step, result, output);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return results;
}

/** A call that truly waits. With --no-wait a script clicks, so that nobody has to. */
async function playApproval(project: DemoProject, call: CommandCall): Promise<Played> {
  const { output } = call;
  const say = (text = "") => (output.json ? undefined : output.line(text));
  const step: Step = { kind: "tool", tool: "Bash", input: { command: PUBLISH }, shows: "waited for a person's word" };
  const inbox = await openInbox(project);
  try {
    say(output.paint("bold", "Some calls wait for a person"));
    say(`the agent wants to run ${PUBLISH}; the rule approvals/publishing holds the call until somebody decides`);
    if (isScripted(call))
      say(`the inbox is at ${inbox.url}; a script signs in and approves (without --no-wait, you do)`);
    else say(`you decide, in the inbox: ${output.paint("cyan", inbox.signIn)}  (the agent waits up to 10 minutes)`);
    const clicked = isScripted(call) ? clickApprove(inbox, "looks right") : undefined;
    const result = await publishOnceApproved(demoAgent(project));
    await clicked;
    if (!output.json) printStep(step, result, output);
    if (!isScripted(call)) await lingering(inbox, say);
    return { step, ...result };
  } finally {
    await inbox.close();
  }
}

const LINGER_MS = 60_000;

/** Whoever has just clicked wants to look around. */
async function lingering({ url }: Inbox, say: (text: string) => void): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  say(`the inbox stays open at ${url} ${isTerminal ? "until you press Enter" : `for ${LINGER_MS / 1000} seconds`}`);
  if (!isTerminal) return void (await new Promise((resolve) => setTimeout(resolve, LINGER_MS)));
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once("data", resolve));
  process.stdin.pause();
}

async function playStep(step: Step, agent: DemoAgent, continued: boolean): Promise<Omit<Played, "step">> {
  switch (step.kind) {
    case "start":
      return { answer: await agent.send("SessionStart", { source: "startup" }) };
    case "prompt":
      return { answer: await agent.send("UserPromptSubmit", { prompt: step.text, prompt_id: "demo-1" }) };
    case "stop":
      return { answer: await agent.send("Stop", { stop_hook_active: continued, last_assistant_message: step.says }) };
    case "tool": {
      const answer = await agent.send("PreToolUse", {
        tool_name: step.tool,
        tool_input: step.input,
        tool_use_id: "demo-call",
        prompt_id: "demo-1",
      });
      if (answer.decision !== "allowed" && answer.decision !== "rewritten") return { answer };
      const { event, payload } = agent.perform(
        step.tool,
        answer.command ? { ...step.input, command: answer.command } : step.input,
      );
      return { answer, after: await agent.send(event, payload) };
    }
  }
}

const MARKS: Readonly<Record<HookAnswer["decision"], readonly [string, Colour]>> = {
  allowed: ["allowed  ", "green"],
  blocked: ["blocked  ", "red"],
  ask: ["asks     ", "yellow"],
  rewritten: ["rewritten", "cyan"],
  continued: ["goes on  ", "yellow"],
  ended: ["ends     ", "green"],
};

function printStep(step: Step, { answer, after }: { answer: HookAnswer; after?: HookAnswer }, output: Output): void {
  const [mark, colour] = MARKS[answer.decision];
  const timing = output.paint("dim", `${Math.round(answer.ms)} ms`);
  output.line(`${output.paint(colour, mark)}  ${titleOf(step)}  ${timing}`);
  if ("shows" in step) output.line(output.paint("dim", `           ${step.shows}`));
  for (const line of answer.reason.split("\n").filter(Boolean)) output.line(`           ${line}`);
  if (answer.command) output.line(`           runs as: ${answer.command}`);
  for (const line of [answer.context, after?.context ?? ""]
    .join("\n")
    .split("\n")
    .filter((text) => text && !text.startsWith("<"))) {
    output.line(`           ${output.paint("magenta", "told the model")}: ${line}`);
  }
}

function titleOf(step: Step): string {
  switch (step.kind) {
    case "start":
      return "session start";
    case "prompt":
      return `prompt: ${step.text}`;
    case "stop":
      return `stop: "${step.says}"`;
    case "tool": {
      const { command, file_path } = step.input;
      return `${step.tool}: ${command ?? (file_path ? basename(file_path) : JSON.stringify(step.input))}`;
    }
  }
}

function afterwards(project: DemoProject, { output, flags, env }: CommandCall): void {
  const show = (title: string, ...args: string[]) => {
    output.line();
    output.line(output.paint("bold", title));
    output.line(
      output.paint("dim", `$ holdfast ${args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ")}`),
    );
    const { stdout, stderr } = spawnSync(process.execPath, [project.program, ...args], {
      cwd: project.projectDir,
      env: project.env,
      encoding: "utf8",
    });
    for (const line of `${stdout}${stderr}`.trimEnd().split("\n")) output.line(`  ${line}`);
  };
  show("What ran: the ledger", "log");
  show("And nobody changed it", "log", "verify");
  show("Why one call was blocked", "explain", "--command", "rm -rf build && ls");
  show("What a person should know", "notices");
  const installed = searchHosts({ ...project, homeDir: placesOf(env).homeDir, env }).filter(({ program }) => program);
  const ids = installed.map(({ host }) => host.id);
  if (ids.length > 0) show("These rules on the agents of this machine", "hosts", "--hosts", ids.join(","));
  else show("These rules on every agent (none was found on this machine)", "hosts");
  output.line();
  output.line(output.paint("bold", "Add it to your own project"));
  output.line(`  cd your-project && ${project.program} init`);
  if (flags.keep) output.line(`  the scratch project is still there: ${project.projectDir}`);
}
