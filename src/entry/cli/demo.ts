/** `holdfast demo`: a scripted session through the real hook command, then what was recorded of it, and why. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { basename } from "node:path";
import { placesOf } from "../../config/places.ts";
import { dismissDaemon } from "../daemon/dismiss.ts";
import { type DemoAgent, demoAgent, type HookAnswer } from "../demo/agent.ts";
import { createDemoProject, type DemoProject } from "../demo/project.ts";
import { type Step, sessionSteps } from "../demo/session.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { searchHosts } from "./host-search.ts";
import type { Colour, Output } from "./output.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { output, flags, distDir } = call;
  const project = await createDemoProject(distDir);
  const tidyUp = () => flags.keep || rmSync(project.scratchDir, TIDY);
  // Ctrl-C ends the process without coming back here.
  process.once("exit", tidyUp);
  try {
    const pauseMs = flags["no-wait"] || flags.json || !process.stdout.isTTY ? 0 : 350;
    const results = await playSession(project, output, pauseMs);
    if (output.json) output.data({ projectDir: project.projectDir, steps: results });
    else afterwards(project, call);
    return 0;
  } finally {
    await dismissDaemon(distDir, project.env);
    tidyUp();
  }
}

/** A daemon that is just ending may still close a file there. */
const TIDY = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;

async function playSession(project: DemoProject, output: Output, pauseMs: number) {
  const say = (text = "") => (output.json ? undefined : output.line(text));
  say(output.paint("bold", "Holdfast: a session of an agent, judged call by call"));
  say(`scratch project ${project.projectDir}, registered with: holdfast init --hosts claude-code`);
  say("every line below went through the command registered in .claude/settings.json");
  say();
  const agent = demoAgent(project);
  const results: { step: Step; answer: HookAnswer; after?: HookAnswer }[] = [];
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

async function playStep(
  step: Step,
  agent: DemoAgent,
  continued: boolean,
): Promise<{ answer: HookAnswer; after?: HookAnswer }> {
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
