/**
 * What a person was asked when a run was suspended. An SDK hands back their answer with the call, not with the question;
 * so the question is kept here, on disk, for whichever process goes on: an answer counts for what was put, nothing else.
 */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileNameFor, type Places, sha256 } from "../config/places.ts";
import { writePrivateFile } from "../config/private-file.ts";
import { canonicalJson } from "../core/json.ts";
import { wholeSession } from "../core/session-tree.ts";
import type { JudgedCall } from "./tool-call.ts";

export interface PutQuestions {
  /** Before the run is suspended: all that the person is asked by this. `at`: which suspension of the call it is. */
  put(session: string, judged: JudgedCall, at?: number): void;
  /** Whether whoever answered that suspension was asked everything that is asked now. */
  covers(session: string, judged: JudgedCall, at?: number): boolean;
  /** In how many suspensions of the call something was put. */
  count(session: string, callId: string | undefined): number;
  /** The call is over. */
  forget(session: string, callId: string | undefined): void;
}

/** Longer than any approval or run waits. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;
const SWEEP_MS = 60 * 60 * 1000;

export function putQuestions(
  { stateDir }: Pick<Places, "stateDir">,
  host: string,
  now: () => number = Date.now,
): PutQuestions {
  const directory = join(stateDir, "questions");
  // By the whole session: an agent that was handed over to has another id below it in each process.
  const fileOf = (session: string, callId = "") =>
    join(directory, `${fileNameFor(JSON.stringify([host, wholeSession(session), callId]))}.json`);
  let sweptMs = Number.NEGATIVE_INFINITY;
  return {
    put(session, judged, at = 0) {
      if (now() - sweptMs >= SWEEP_MS) {
        sweptMs = now();
        dropOlder(directory, sweptMs - KEPT_MS);
      }
      const file = fileOf(session, judged.tool.id);
      const all = readPut(file);
      // Places of which nothing is known were not put by us: an answer there counts for nothing.
      const before = Array.from({ length: at }, (_, place) => all[place] ?? []);
      writePrivateFile(file, JSON.stringify([...before, digestsOf(judged)]));
    },
    covers(session, judged, at = 0) {
      const put = readPut(fileOf(session, judged.tool.id))[at] ?? [];
      const asked = digestsOf(judged);
      return asked.length > 0 && asked.every((digest) => put.includes(digest));
    },
    count: (session, callId) => readPut(fileOf(session, callId)).length,
    forget: (session, callId) => rmSync(fileOf(session, callId), { force: true }),
  };
}

/** With the input as it would run: a yes to one is none to another. */
const digestsOf = ({ tool: { name, input }, questions = [] }: JudgedCall): string[] =>
  questions.map((question) => sha256(canonicalJson([name, input, question])));

/** What cannot be read was not put: then nobody's answer counts. */
function readPut(file: string): readonly (readonly string[])[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(read) && read.every(Array.isArray) ? read : [];
  } catch {
    return [];
  }
}

function dropOlder(directory: string, before: number): void {
  try {
    for (const name of readdirSync(directory)) {
      const file = join(directory, name);
      if (statSync(file).mtimeMs < before) rmSync(file, { force: true });
    }
  } catch {
    // There is none yet, or another process drops them at this moment.
  }
}
