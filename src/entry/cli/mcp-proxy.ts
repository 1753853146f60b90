/** `holdfast mcp-proxy -- <server command>`: nothing but the protocol may go to stdout here. */
import { resolve } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { proxyMcp } from "../../bindings/mcp-proxy.ts";
import { HoldfastError } from "../../core/errors.ts";
import { createHoldfast } from "../../embed/holdfast.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const [command = "", ...args] = call.words;
  const cwd = resolve(call.cwd, textFlag(call, "cwd") ?? ".");
  const name = textFlag(call, "name");
  const onRemark = (remark: string) => call.output.note(`holdfast mcp-proxy: ${remark}`);
  const holdfast = await createHoldfast({ host: "mcp-proxy", cwd, env: call.env, distDir: call.distDir, onRemark });
  const client = new StdioServerTransport();
  // The transport does not look at the end of its input; without this the process would outlive its client.
  for (const ending of ["end", "close"]) process.stdin.once(ending, () => void client.close());
  process.stdout.setMaxListeners(0);
  const server = new StdioClientTransport({
    command,
    args,
    cwd: call.cwd,
    env: definedIn(call.env),
    stderr: "inherit",
  });
  try {
    const session = holdfast.session();
    const closed = await proxyMcp({ session, client, server, onRemark, ...(name === undefined ? {} : { name }) });
    if (closed === "client") return 0;
    onRemark(`the server ended by itself: ${[command, ...args].join(" ")}`);
    return 4;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new HoldfastError("HF701", `there is no program "${command}"`, {
      hint: "usage: holdfast mcp-proxy [--name server] -- <server command>",
    });
  } finally {
    await holdfast.close();
  }
}

const definedIn = (env: CommandCall["env"]): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
