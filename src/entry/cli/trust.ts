/** `holdfast trust`: shows the code a project's rules would run, what changed since last time, and asks. */
import { confirm, isCancel } from "@clack/prompts";
import { placesOf, sha256 } from "../../config/places.ts";
import {
  grantTrust,
  isTrusted,
  lastTrustedContent,
  readTrust,
  revokeTrust,
  type TrustItem,
  type TrustStore,
} from "../../config/trust.ts";
import { HoldfastError } from "../../core/errors.ts";
import { compileFresh } from "../../engine/fresh-compile.ts";
import { readContent } from "../../sources/pins.ts";
import { assignmentCode } from "../run/definitions.ts";
import { type CommandCall, type ExitCode, textFlag } from "./command.ts";
import { difference, paintDifference } from "./difference.ts";
import { near, type Output } from "./output.ts";
import { assertPerson, surroundings } from "./person.ts";
import { visible } from "./visible.ts";

export async function run(call: CommandCall): Promise<ExitCode> {
  const { flags, env, cwd, distDir, words } = call;
  if (words.length > 0 && !flags.revoke)
    throw new HoldfastError("HF701", `unexpected argument "${words[0]}"`, { hint: "an id goes with --revoke" });
  const places = placesOf(env);
  const assignment = textFlag(call, "assignment");
  const trustItems =
    assignment === undefined
      ? (await compileFresh({ cwd, env, places, distDir })).trustItems
      : assignmentCode(assignment, call);
  const store = readTrust(places.stateDir);
  if (flags.list) return list(trustItems, store, call);
  if (flags.revoke) return revoke(trustItems, call, places.stateDir);
  return review(trustItems, store, call, places.stateDir);
}

async function review(
  items: readonly TrustItem[],
  store: TrustStore,
  call: CommandCall,
  stateDir: string,
): Promise<ExitCode> {
  const { output, flags, env, cwd } = call;
  const pending = items.filter((item) => !isTrusted(item, store));
  // A program reads what a person would be asked; it cannot answer.
  if (output.json) output.data({ pending, trusted: items.length - pending.length });
  else if (pending.length === 0) {
    output.line(
      items.length > 0
        ? `all ${items.length} of this project's hooks are trusted`
        : "this project brings no code of its own",
    );
  }
  if (output.json || pending.length === 0) return pending.length > 0 ? 1 : 0;

  let shownAsPinned = true;
  for (const item of pending) if (!show(item, store, stateDir, output, cwd)) shownAsPinned = false;
  if (flags["dry-run"]) return 1;
  const assignment = textFlag(call, "assignment");
  assertPerson(surroundings(env), assignment === undefined ? "trust" : `trust --assignment ${assignment}`);
  if (!shownAsPinned) {
    output.note("a file was changed while it was shown, so nothing was trusted; run holdfast trust again");
    return 1;
  }
  const agreed = await confirm({
    message: `Let these ${pending.length} run on every matching event, with your rights?`,
    initialValue: false,
  });
  if (isCancel(agreed)) return 130;
  if (!agreed) {
    output.line("nothing was trusted");
    return 1;
  }
  grantTrust(stateDir, pending, new Date());
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

/** False: what was shown is not what would be trusted, because somebody changed it meanwhile. */
function show(item: TrustItem, store: TrustStore, stateDir: string, output: Output, cwd: string): boolean {
  output.line();
  output.line(
    `${output.paint("bold", item.what)}  ${visible(item.text)}   ${output.paint("dim", `${near(item.file, cwd)}${item.line ? `:${item.line}` : ""}`)}`,
  );
  let asPinned = true;
  for (const [file, pin] of Object.entries(item.pins)) {
    const content = readContent(file);
    if ((content ? sha256(content) : "unreadable") !== pin) asPinned = false;
    for (const line of reviewed(file, pin, content?.toString("utf8") ?? "(cannot be read)", stateDir, store, cwd)) {
      output.line(`  ${paintDifference(line, output)}`);
    }
  }
  return asPinned;
}

/** What changed in a file since it was last trusted; all of it the first time. */
function reviewed(file: string, pin: string, now: string, stateDir: string, store: TrustStore, cwd: string): string[] {
  const name = near(file, cwd);
  const before = lastTrustedContent(stateDir, store, file);
  const title = before === undefined ? "(new)" : "(trusted)";
  if (before !== now) return difference(name, { text: before ?? "", title }, { text: now, title: "(now)" });
  const known = Object.values(store).some(({ pins }) => pins[file] === pin);
  return [`${name}   ${known ? "unchanged" : "changed, in bytes that are no text"}`];
}
