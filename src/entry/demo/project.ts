/** The demo's scratch project: a copy of examples/first-rules, registered and trusted, with its own home and state. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placesOf } from "../../config/places.ts";
import { grantTrust } from "../../config/trust.ts";
import { compileFresh } from "../../engine/fresh-compile.ts";

export interface DemoProject {
  readonly scratchDir: string;
  readonly projectDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly program: string;
  /** The command that `holdfast init` wrote into the host's settings, per event. */
  registered(event: string): { command: string; args: readonly string[] };
}

export async function createDemoProject(distDir: string): Promise<DemoProject> {
  const scratchDir = mkdtempSync(join(tmpdir(), "holdfast-demo-"));
  const projectDir = join(scratchDir, "shop");
  const homeDir = join(scratchDir, "home");
  mkdirSync(homeDir);
  cpSync(join(distDir, "..", "examples", "first-rules"), projectDir, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: homeDir,
    TMPDIR: process.env.TMPDIR,
    HOLDFAST_CONFIG_DIR: join(homeDir, "config"),
    HOLDFAST_STATE_DIR: join(homeDir, "state"),
  };
  const program = join(distDir, "..", "bin", "holdfast");
  execFileSync(process.execPath, [program, "init", "--hosts", "claude-code"], { cwd: projectDir, env });
  await trustOwnFiles(projectDir, env, distDir);
  return { scratchDir, projectDir, env, program, registered: (event) => registeredCommand(projectDir, event) };
}

/** These files are shipped with Holdfast and were just copied: the person who runs the demo has them already. */
async function trustOwnFiles(projectDir: string, env: DemoProject["env"], distDir: string): Promise<void> {
  const places = placesOf(env);
  const { trustItems } = await compileFresh({ cwd: projectDir, env, places, distDir });
  grantTrust(places.stateDir, trustItems, new Date());
}

interface Settings {
  readonly hooks: Readonly<
    Record<string, readonly { hooks: readonly { command: string; args?: readonly string[] }[] }[]>
  >;
}

function registeredCommand(projectDir: string, event: string) {
  const settings = JSON.parse(readFileSync(join(projectDir, ".claude", "settings.json"), "utf8")) as Settings;
  const entry = settings.hooks[event]?.[0]?.hooks[0];
  if (!entry) throw new Error(`init registered nothing for ${event}`);
  return { command: entry.command, args: entry.args ?? [] };
}
