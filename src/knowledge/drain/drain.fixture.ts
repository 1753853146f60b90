import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Activity } from "../background/activity-log.ts";
import { tryBeatingLock } from "../background/heartbeat-lock.ts";
import { segmentText } from "../capture/segment.ts";
import {
  footerText,
  frontText,
  readSessionLog,
  type SessionFront,
  TRANSCRIPT_HEADING,
} from "../capture/session-log.ts";
import type { TakeLock } from "../lock.ts";
import { type KnowledgePlaces, knowledgePlaces } from "../places.ts";
import { type DrainSettings, knowledgeSettings } from "../settings.ts";
import { type DrainEnd, drainPending, type LogOutcome } from "./drain.ts";
import type { ModelHost, Question } from "./model-host.ts";

/** A project with session logs, and a host that answers as the test says. */
export interface DrainScene {
  readonly places: KnowledgePlaces;
  readonly reported: Omit<Activity, "ts">[];
  readonly asked: Question[];
  log(session: string, said: readonly string[], more?: Partial<SessionFront>): string;
  front(file: string): Promise<SessionFront>;
  text(file: string): string;
  drain(answer: (question: Question) => string | Promise<string>, more?: Partial<DrainSettings>): Promise<DrainEnd>;
  remove(): void;
}

export const ID = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

export const proposal = (title: string, type: "practice" | "map" = "practice") => ({
  ...{ type, title, description: `${title}, in a sentence.`, body: `${title}, with its reasons.`, tags: ["tests"] },
  confidence: "high",
});

export const answerOf = (...titles: string[]) =>
  JSON.stringify({ practice: titles.map((title) => proposal(title)), map: [] });

export const takeLock: TakeLock = async (file) => {
  for (;;) {
    const attempt = tryBeatingLock(file);
    if (attempt.kind === "held") return attempt;
    await new Promise((done) => setTimeout(done, 2));
  }
};

export function logText(session: string, said: readonly string[], more: Partial<SessionFront> = {}): string {
  const front: SessionFront = {
    schema_version: 1,
    session_id: session,
    host: "codex",
    captured_by: "stop",
    captured_at: "2026-11-01T10:00:00.000Z",
    transcript_hash: `sha256:${said.length}:${said.join("").length}`,
    segments: said.length,
    proposal_status: "pending",
    proposal_completed_at: null,
    proposal_error: null,
    proposal_log: null,
    proposed_segments: 0,
    proposed_hash: null,
    proposals: { practice: [], map: [] },
    curated: { practice: 0, map: 0 },
    ...more,
  };
  const body = said.map((text, index) => segmentText({ speaker: index % 2 === 0 ? "user" : "agent", text }));
  return `${frontText(front)}\n${TRANSCRIPT_HEADING}\n\n${body.join("\n\n")}\n${footerText(front)}`;
}

export function drainScene(): DrainScene {
  const root = mkdtempSync(join(tmpdir(), "holdfast-drain-"));
  const places = knowledgePlaces(root);
  const reported: Omit<Activity, "ts">[] = [];
  const asked: Question[] = [];
  mkdirSync(places.sessionsDir, { recursive: true });
  return {
    places,
    reported,
    asked,
    log(session, said, more) {
      const file = join(places.sessionsDir, `20261101-1000-${session}.md`);
      writeFileSync(file, logText(session, said, more));
      return file;
    },
    async front(file) {
      const read = await readSessionLog(file);
      if ("problem" in read) throw new Error(read.problem);
      return read.log.front;
    },
    text: (file) => readFileSync(file, "utf8"),
    drain(answer, more) {
      const host: ModelHost = {
        id: "codex",
        title: "Codex",
        async ask(question) {
          asked.push(question);
          return answer(question);
        },
      };
      return drainPending({
        places,
        settings: { ...knowledgeSettings().drain, enabled: true, ...more },
        hosts: (id) => (id === "codex" ? host : undefined),
        takeLock,
        report: (activity) => reported.push(activity),
        signal: new AbortController().signal,
      });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export function outcomesOf(end: DrainEnd): readonly LogOutcome[] {
  if (end.kind !== "drained") throw new Error("another drain is at work");
  return end.outcomes;
}
