import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { subAgentSession } from "../core/session-tree.ts";
import { putQuestions } from "./put-questions.ts";
import type { JudgedCall } from "./tool-call.ts";

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "holdfast-questions-"));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

/** As each process has them. */
const questions = () => putQuestions({ stateDir }, "bound");
const call = (asked: readonly string[], changes: Partial<JudgedCall["tool"]> = {}): JudgedCall => ({
  kind: "ask",
  reason: asked.join("\n"),
  questions: asked,
  tool: { name: "pay", input: { amount: 5 }, id: "call-1", ...changes },
  context: [],
});
const files = () => readdirSync(join(stateDir, "questions")).map((name) => join(stateDir, "questions", name));

describe("what was put to a person", () => {
  it("is known to another process, for that call and what was asked with it, or less", () => {
    questions().put("s1", call(["fine?", "on a Friday?"]));
    const { covers } = questions();
    expect(covers("s1", call(["fine?", "on a Friday?"]))).toBe(true);
    expect(covers("s1", call(["on a Friday?"]))).toBe(true);
    expect(covers(subAgentSession("s1", randomUUID()), call(["fine?"]))).toBe(true);
    expect(covers("s1", call(["fine?", "with this money?"]))).toBe(false);
    expect(covers("s1", call(["fine?"], { input: { amount: 500 } }))).toBe(false);
    expect(covers("s1", call(["fine?"], { id: "call-2" }))).toBe(false);
    expect(covers("s2", call(["fine?"]))).toBe(false);
  });

  it("a call about which nothing is asked is answered by nobody", () => {
    questions().put("s1", call([]));
    expect(questions().covers("s1", call([]))).toBe(false);
  });

  it("an answer at a place where nothing was put counts for nothing", () => {
    questions().put("s1", call(["fine?"]), 1);
    const { covers } = questions();
    expect([covers("s1", call(["fine?"]), 0), covers("s1", call(["fine?"]), 1)]).toEqual([false, true]);
  });

  it("each suspension of a call has its own questions, and the last put counts for its place", () => {
    questions().put("s1", call(["fine?"]), 0);
    questions().put("s1", call(["on a Friday?"]), 1);
    expect(questions().covers("s1", call(["fine?"]), 1)).toBe(false);
    expect(questions().covers("s1", call(["on a Friday?"]), 1)).toBe(true);
    questions().put("s1", call(["really?"]), 0);
    expect(questions().covers("s1", call(["fine?"]), 0)).toBe(false);
  });

  it("is this person's to read only, forgotten with the call, and nothing where it cannot be read", () => {
    questions().put("s1", call(["fine?"]));
    const [file = ""] = files();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, "{");
    expect(questions().covers("s1", call(["fine?"]))).toBe(false);
    questions().forget("s1", "call-1");
    expect(files()).toEqual([]);
  });

  it("the suspensions of a call are counted, for whichever process goes on", () => {
    expect(questions().count("s1", "call-1")).toBe(0);
    questions().put("s1", call(["fine?"]), 0);
    questions().put("s1", call(["on a Friday?"]), 1);
    expect([questions().count("s1", "call-1"), questions().count("s1", "call-2")]).toEqual([2, 0]);
  });

  it("old questions are looked for once an hour at most", () => {
    let nowMs = Date.now();
    const { put } = putQuestions({ stateDir }, "bound", () => nowMs);
    put("s1", call(["fine?"]));
    const [old = ""] = files();
    const longAgo = nowMs / 1000 - 100 * 24 * 3600;
    utimesSync(old, longAgo, longAgo);
    put("s1", call(["fine?"], { id: "call-2" }));
    expect(files()).toContain(old);
    nowMs += 60 * 60 * 1000;
    put("s1", call(["fine?"], { id: "call-3" }));
    expect(files()).not.toContain(old);
    expect(files()).toHaveLength(2);
  });

  it("what nobody ever answered does not stay for ever", () => {
    questions().put("s1", call(["fine?"]));
    const [file = ""] = files();
    const longAgo = Date.now() / 1000 - 100 * 24 * 3600;
    utimesSync(file, longAgo, longAgo);
    questions().put("s1", call(["fine?"], { id: "call-2" }));
    expect(files()).toHaveLength(1);
    expect(questions().covers("s1", call(["fine?"]))).toBe(false);
  });
});
