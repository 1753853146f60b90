/** Every example runs through the real hook command, as a host would call it. */
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placesOf } from "../src/config/places.ts";
import { grantTrust } from "../src/config/trust.ts";
import { compileFresh } from "../src/engine/fresh-compile.ts";

const root = join(import.meta.dirname, "..");
const distDir = join(root, "dist");
const scratch = mkdtempSync(join(tmpdir(), "holdfast-examples-"));
const env = {
  PATH: process.env.PATH,
  HOME: join(scratch, "home"),
  HOLDFAST_CONFIG_DIR: join(scratch, "config"),
  HOLDFAST_STATE_DIR: join(scratch, "state"),
};

/** Examples are copied out of the repository, trusted as a person would, and called from a subdirectory. */
async function prepare(example: string): Promise<string> {
  const dir = join(scratch, example);
  cpSync(join(root, "examples", example), dir, { recursive: true });
  mkdirSync(join(dir, "sub"), { recursive: true });
  const places = placesOf(env);
  const { errors, trustItems } = await compileFresh({ cwd: dir, env, places, distDir });
  expect(errors).toEqual([]);
  grantTrust(places.stateDir, trustItems, new Date(0));
  return dir;
}

interface Answer {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly json: { decision?: string; reason?: string; hookSpecificOutput?: Record<string, unknown> } | undefined;
}

const call = (cwd: string, event: string, payload: object) =>
  new Promise<Answer>((resolve, reject) => {
    const child = spawn(join(root, "bin/holdfast"), ["hook", "--host", "claude-code"], { cwd, env });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (exitCode) =>
      resolve({ exitCode, stderr, json: stdout.startsWith("{") ? JSON.parse(stdout) : undefined }),
    );
    child.stdin.end(
      JSON.stringify({ session_id: "s", transcript_path: "/t", cwd, hook_event_name: event, ...payload }),
    );
  });

const shell = (cwd: string, command: string, event = "PreToolUse") =>
  call(cwd, event, { tool_name: "Bash", tool_input: { command }, tool_use_id: "t" });
const decisionOf = ({ json }: Answer) => json?.hookSpecificOutput?.permissionDecision ?? "none";

beforeAll(() => mkdirSync(env.HOME, { recursive: true }));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it("every example is tested here, those of SDKs in test/sdks, or by a test of its own", () => {
  const examples = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const hasOwn = (name: string) => readdirSync(join(root, "examples", name)).some((file) => file.endsWith(".test.ts"));
  const here = examples.filter(({ name }) => !hasOwn(name));
  expect(here.map(({ name }) => name).sort()).toEqual(["agent-profile", "class-hook", "first-rules", "sdks"]);
});

describe("first-rules", () => {
  let dir: string;
  beforeAll(async () => {
    dir = await prepare("first-rules");
  });

  it("blocks, allows, rewrites, asks and fails closed", async () => {
    const [allowed, blocked, rewritten, asked, broken, secret] = await Promise.all([
      shell(dir, "ls"),
      shell(dir, "rm -rf build"),
      shell(dir, "./deploy.sh prod"),
      call(dir, "PreToolUse", { tool_name: "mcp__crm__delete_customer", tool_input: { id: 1 }, tool_use_id: "t" }),
      call(dir, "PreToolUse", { tool_name: "WebFetch", tool_input: { url: "http://localhost" }, tool_use_id: "t" }),
      call(dir, "PreToolUse", { tool_name: "Read", tool_input: { file_path: join(dir, ".env") }, tool_use_id: "t" }),
    ]);
    expect(allowed.json).toBeUndefined();
    expect(decisionOf(blocked)).toBe("deny");
    expect(rewritten.json?.hookSpecificOutput?.updatedInput).toEqual({ command: "./deploy.sh prod --dry-run" });
    expect(decisionOf(asked)).toBe("ask");
    expect(decisionOf(broken)).toBe("deny");
    expect(decisionOf(secret)).toBe("deny");
  });

  it("its rules hold from a subdirectory, and for a call that was rewritten once already", async () => {
    const [blocked, again] = await Promise.all([
      shell(join(dir, "sub"), "rm -rf ../build"),
      shell(dir, "./deploy.sh prod --dry-run"),
    ]);
    expect(decisionOf(blocked)).toBe("deny");
    expect(again.json).toBeUndefined();
  });
});

describe("agent-profile", () => {
  let dir: string;
  beforeAll(async () => {
    dir = await prepare("agent-profile");
  });

  it("Q-108 the shell guard blocks what destroys work and passes the rest", async () => {
    const [one, two, three] = await Promise.all([
      shell(dir, "rm -rf x"),
      shell(dir, "git reset --hard"),
      shell(dir, "cargo build"),
    ]);
    expect([one, two, three].map(decisionOf)).toEqual(["deny", "deny", "none"]);
    expect(one.json?.hookSpecificOutput?.permissionDecisionReason).toContain("strict policy");
  });

  it("Q-109 permission prompts for building and checking are answered, others are left to the person", async () => {
    const [allowed, left] = await Promise.all([
      shell(dir, "cargo test", "PermissionRequest"),
      shell(dir, "cargo publish", "PermissionRequest"),
    ]);
    expect(allowed.json?.hookSpecificOutput).toMatchObject({ decision: { behavior: "allow" } });
    expect(left.json).toBeUndefined();
  });

  it("Q-110 the stop verifier reads the last words and asks at most once", async () => {
    const stop = (last_assistant_message: string, stop_hook_active = false) =>
      call(dir, "Stop", { last_assistant_message, stop_hook_active, background_tasks: [] });
    const [asks, ends, twice] = await Promise.all([stop("Done."), stop("Done, all tests pass."), stop("Done.", true)]);
    expect(asks.json).toMatchObject({ decision: "block" });
    expect(asks.json?.reason).toContain("Say what was checked");
    expect(ends.json).toBeUndefined();
    expect(twice.json).toBeUndefined();
  });

  it("Q-111 the whole profile works from any working directory", async () => {
    const sub = join(dir, "sub");
    const [shellAnswer, compaction, delegation] = await Promise.all([
      shell(sub, "rm -rf x"),
      call(sub, "PreCompact", { trigger: "manual", custom_instructions: "" }),
      call(sub, "PreToolUse", {
        tool_name: "Agent",
        tool_input: { subagent_type: "coder", description: "d", prompt: "Fix it." },
        tool_use_id: "t",
      }),
    ]);
    expect(decisionOf(shellAnswer)).toBe("deny");
    expect(compaction).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("before it is compacted") });
    expect(JSON.stringify(delegation.json?.hookSpecificOutput?.updatedInput)).toContain(
      "Change only what the objective names.",
    );
  });
});

describe("class-hook", () => {
  let dir: string;
  beforeAll(async () => {
    dir = await prepare("class-hook");
  });

  it("a class blocks writes and shortens results", async () => {
    const response = { stdout: "x".repeat(1000), stderr: "", interrupted: false, isImage: false };
    const [write, read, long] = await Promise.all([
      call(dir, "PreToolUse", {
        tool_name: "Write",
        tool_input: { file_path: join(dir, "a"), content: "" },
        tool_use_id: "t",
      }),
      shell(dir, "ls"),
      call(dir, "PostToolUse", {
        tool_name: "Bash",
        tool_input: { command: "x" },
        tool_response: response,
        tool_use_id: "t",
      }),
    ]);
    expect(decisionOf(write)).toBe("deny");
    expect(read.json).toBeUndefined();
    expect(long.json?.hookSpecificOutput?.updatedToolOutput).toMatchObject({
      stdout: expect.stringContaining("(1000 characters)"),
    });
  });
});

describe("embed-loop", () => {
  const program = join(root, "examples/embed-loop.ts");

  it("is a whole agent loop in under 40 lines", () => {
    expect(readFileSync(program, "utf8").trimEnd().split("\n").length).toBeLessThan(40);
  });

  it("runs its calls under the rules of where it stands", async () => {
    const cwd = join(scratch, "embed-loop");
    mkdirSync(join(cwd, ".git"), { recursive: true });
    writeFileSync(join(cwd, "long.txt"), "x".repeat(1000));
    writeFileSync(
      join(cwd, "holdfast.yaml"),
      "agents: { helper: { hooks: [{ name: truncate-output, config: { max-characters: 400 } }] } }\n",
    );
    const script = [
      { name: "write", input: { path: "a.txt", text: "hello" } },
      { name: "read", input: { path: "a.txt" } },
      { name: "read", input: { path: "missing.txt" } },
      { name: "write", input: { path: "holdfast.yaml", text: "guards: {}" } },
      { name: "write", input: { path: "a.txt", text: "" } },
      { name: "read", input: { path: "long.txt" } },
    ];
    const register = import.meta.resolve("jiti/register");
    const args = ["--import", register, program, JSON.stringify(script)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
    const seen = stdout.split("\n---\n");
    expect(seen.slice(0, 2)).toEqual(["wrote a.txt", "hello"]);
    expect(seen[2]).toContain("ENOENT");
    expect(seen[3]).toMatch(/^Error: .*holdfast.yaml/);
    expect(seen[4]).toContain("nobody is at the terminal");
    expect(seen[5]).toMatch(/^x+\n\[… \d+ of 1000 characters left out/);
  });
});
