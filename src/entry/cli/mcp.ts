/** `holdfast mcp`: nothing but the protocol may go to stdout here. */
import { resolve } from "node:path";
import { projectWorkflow } from "../mcp/project-workflow.ts";
import { serve } from "../mcp/server.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const cwd = resolve(call.cwd, textFlag(call, "cwd") ?? ".");
  if (process.stdin.isTTY)
    call.output.note(
      "holdfast mcp speaks the Model Context Protocol on stdin; it is for hosts to start (Ctrl-C ends it)",
    );
  await serve(projectWorkflow(cwd, call.env), process.stdin, process.stdout);
  return 0;
}
