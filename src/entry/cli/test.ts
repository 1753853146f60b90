/** `holdfast test`: the project's own cases for its own rules. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ReadyEngine, readyEngine } from "../../engine/ready.ts";
import { hostById } from "../../hosts/registry.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { near } from "./output.ts";
import { nativeOf, type PolicyCase, runCase } from "./policy-case.ts";
import { readCases } from "./read-cases.ts";
import { unknownHost } from "./registration.ts";

interface Result {
  readonly file: string;
  readonly name: string;
  readonly problems: readonly string[];
}

export async function run({ words, output, env, cwd, distDir }: CommandCall): Promise<ExitCode> {
  const engine = await readyEngine(cwd, env, distDir);
  try {
    const files = words.length > 0 ? words.map((word) => resolve(cwd, word)) : testFiles(engine.plan.root);
    if (files.length === 0) {
      if (output.json) output.data({ passed: 0, failed: 0, results: [] });
      else output.note("no cases yet: put them into .holdfast/tests/*.yaml (docs/guide/testing-rules.md)");
      return 0;
    }
    const results: Result[] = [];
    for (const file of files) {
      for (const item of readCases(file)) {
        const problems = await problemsOf(item, engine);
        const result = { file, name: nameOf(item), problems };
        results.push(result);
        if (!output.json) {
          output.line(
            `${problems.length === 0 ? output.paint("green", "ok    ") : output.paint("red", "failed")}  ${near(file, cwd)}  ${result.name}`,
          );
          for (const problem of problems) output.line(`          ${problem}`);
        }
      }
    }
    const failed = results.filter(({ problems }) => problems.length > 0).length;
    if (output.json) output.data({ passed: results.length - failed, failed, results });
    else output.line(`${results.length - failed} passed, ${failed} failed`);
    return failed > 0 ? 1 : 0;
  } finally {
    await engine.close();
  }
}

export function testFiles(root: string): string[] {
  const dir = join(root, ".holdfast", "tests");
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort()
    .map((name) => join(dir, name));
}

async function problemsOf(item: PolicyCase, { plan, hooks }: ReadyEngine): Promise<string[]> {
  const host = hostById(item.host);
  if (!host) {
    const { message, fix } = unknownHost(item.host);
    return [`${message}; ${fix}`];
  }
  const cwd = resolve(plan.root, item.cwd ?? ".");
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return [`cwd ${cwd} is no directory`];
  try {
    const native = nativeOf(item, host, cwd, new Date().toISOString());
    return (await runCase(item, native, host, hooks)).problems;
  } catch (error) {
    return [(error as Error).message];
  }
}

const nameOf = ({ name, command, tool, on, prompt }: PolicyCase) => name ?? command ?? tool ?? prompt ?? on;
