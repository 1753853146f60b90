/** `holdfast trust`: shows the code a project's rules would run, what changed since last time, and asks. */
import { readFileSync } from "node:fs";
import { confirm, isCancel } from "@clack/prompts";
import { createTwoFilesPatch } from "diff";
import { placesOf } from "../../config/places.ts";
import {
  grantTrust,
  isTrusted,
  lastTrustedContent,
  readTrust,
  revokeTrust,
  type TrustItem,
  type TrustStore,
} from "../../config/trust.ts";
import { compileFresh } from "../engine/fresh-compile.ts";
import type { CommandCall, ExitCode } from "./command.ts";
import { near, type Output } from "./output.ts";
import { assertPerson, surroundings } from "./person.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { flags, env, cwd, distDir, output } = call;
  const places = placesOf(env);
  const { trustItems } = await compileFresh({ cwd, env, places, distDir });
  const store = readTrust(places.stateDir);
  if (flags.list) return list(trustItems, store, call);
  if (flags.revoke) return revoke(trustItems, call, places.stateDir);

  const pending = trustItems.filter((item) => !isTrusted(item, store));
  if (pending.length === 0) {
    output.line(
      trustItems.length > 0
        ? `all ${trustItems.length} of this project's hooks are trusted`
        : "this project brings no code of its own",
    );
    return 0;
  }
  for (const item of pending) show(item, store, places.stateDir, output, cwd);
  if (flags["dry-run"]) return 1;
  assertPerson(surroundings(env), "trust");
  const agreed = await confirm({
    message: `Let these ${pending.length} run on every matching event, with your rights?`,
    initialValue: false,
  });
  if (isCancel(agreed)) return 130;
  if (!agreed) {
    output.line("nothing was trusted");
    return 1;
  }
  grantTrust(places.stateDir, pending, new Date());
  output.line(
    `${output.paint("green", "trusted")}  ${pending.length} item(s); a change to any of their files asks again`,
  );
  return 0;
}

function list(items: readonly TrustItem[], store: TrustStore, { output, cwd }: CommandCall): ExitCode {
  const rows = items.map((item) => ({
    ...item,
    trusted: isTrusted(item, store),
    trustedAt: store[item.id]?.trustedAt ?? null,
  }));
  if (output.json) output.data(rows);
  else if (rows.length === 0) output.line("this project brings no code of its own");
  else {
    for (const { id, trusted, what, text, file, line } of rows) {
      const state = trusted ? output.paint("green", "trusted  ") : output.paint("yellow", "untrusted");
      output.line(
        `${id}  ${state}  ${what}  ${text}   ${output.paint("dim", `${near(file, cwd)}${line ? `:${line}` : ""}`)}`,
      );
    }
  }
  return rows.some(({ trusted }) => !trusted) ? 1 : 0;
}

/** Taking trust back only tightens: anyone may do it. */
function revoke(items: readonly TrustItem[], { words, flags, output }: CommandCall, stateDir: string): ExitCode {
  const [id] = words;
  const ids = id === undefined ? items.map((item) => item.id) : [id];
  const before = readTrust(stateDir);
  const gone = ids.filter((known) => known in before);
  if (!flags["dry-run"]) revokeTrust(stateDir, (known) => gone.includes(known));
  if (output.json) output.data({ revoked: gone });
  else output.line(gone.length > 0 ? `revoked ${gone.join(", ")}` : "nothing to revoke");
  return gone.length > 0 ? 0 : 1;
}

function show(item: TrustItem, store: TrustStore, stateDir: string, output: Output, cwd: string): void {
  output.line();
  output.line(
    `${output.paint("bold", item.what)}  ${item.text}   ${output.paint("dim", `${near(item.file, cwd)}${item.line ? `:${item.line}` : ""}`)}`,
  );
  for (const file of Object.keys(item.pins)) {
    const now = readText(file);
    const before = lastTrustedContent(stateDir, store, file);
    if (before === now) output.line(`  ${near(file, cwd)}   unchanged`);
    else for (const line of changes(near(file, cwd), before, now)) output.line(`  ${paintDiff(line, output)}`);
  }
}

function changes(name: string, before: string | undefined, now: string): string[] {
  const patch = createTwoFilesPatch(
    name,
    name,
    before ?? "",
    now,
    before === undefined ? "(new)" : "(trusted)",
    "(now)",
    { context: 3 },
  );
  return patch
    .split("\n")
    .slice(1)
    .filter((line) => line !== "" && !line.startsWith("\\"));
}

function paintDiff(line: string, output: Output): string {
  const shown = visible(line);
  if (line.startsWith("+")) return output.paint("green", shown);
  return line.startsWith("-") ? output.paint("red", shown) : shown;
}

/** A file under review must not be able to hide its lines behind terminal codes or direction marks. */
const visible = (line: string) =>
  line.replace(/[\p{Cc}\p{Cf}]/gu, (char) => (char === "\t" ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`));

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return `(cannot be read: ${(error as Error).message})`;
  }
}
