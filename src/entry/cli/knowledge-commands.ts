/** The command by which people look after what their sessions teach. */
import type { CommandRow } from "./command.ts";
import { dryRun, json } from "./flags.ts";

export const KNOWLEDGE_COMMANDS: readonly CommandRow[] = [
  {
    name: "knowledge",
    group: "knowledge",
    summary:
      "what sessions teach, reviewed by people: init, status, drain, curate, add, bootstrap, search, index, lint, doctor, prune",
    usage:
      "knowledge [status | init | drain | curate | add | bootstrap | search <words> | index | lint | doctor | prune | validate <schema>]",
    examples: [
      "holdfast knowledge init",
      "holdfast knowledge curate",
      `holdfast knowledge add --type practice --title "Small commits" --description "Why" --body "One idea each."`,
      "holdfast knowledge curate --list --json",
    ],
    flags: {
      hosts: { type: "string", value: "a,b", doc: "hosts that get the skills; default those in use (init)" },
      remove: { type: "boolean", doc: "take block, skills and switch out again; nodes stay (init)" },
      list: { type: "boolean", doc: "what waits, without asking (curate)" },
      accept: { type: "string", value: "proposal", doc: "make a node of it (curate)" },
      merge: { type: "string", value: "proposal", doc: "put it into the node named by --into (curate)" },
      contradict: {
        type: "string",
        value: "proposal",
        doc: "write down that it contradicts the node named by --into (curate)",
      },
      reject: { type: "string", value: "proposal", doc: "throw it away (curate)" },
      later: { type: "string", value: "proposal", doc: "keep it, behind the others (curate)" },
      undo: { type: "boolean", doc: "take the last decision back, or the one on the proposal named (curate)" },
      actions: { type: "string", value: "file", doc: "carry out a skill's actions, - for stdin (curate)" },
      into: { type: "string", value: "node", doc: "the node, by its id (curate)" },
      reason: { type: "string", value: "text", doc: "why (curate --contradict)" },
      folder: { type: "string", value: "path", doc: "where it goes, from nodes/ down (curate, add)" },
      type: { type: "string", value: "name", doc: "practice: how we build; map: what exists (add)" },
      title: { type: "string", value: "text", doc: "one line (add)" },
      description: { type: "string", value: "text", doc: "what it says, in a sentence (add)" },
      body: { type: "string", value: "text", doc: "the whole of it; default what is on stdin (add)" },
      from: { type: "string", value: "path", doc: "the body's file (add); a file or folder to read (bootstrap)" },
      tags: { type: "string", value: "a,b", doc: "topics (add)" },
      confidence: { type: "string", value: "name", doc: "low, medium or high; default high (add)" },
      "relates-to": { type: "string", value: "a,b", doc: "ids of nodes it has to do with (add)" },
      "depends-on": { type: "string", value: "a,b", doc: "ids of nodes that must hold for it to hold (add)" },
      "derived-from": { type: "string", value: "a,b", doc: "files or addresses it was learned from (add)" },
      slug: { type: "string", value: "words", doc: "its name, if not made from the title (add)" },
      propose: { type: "boolean", doc: "write no node: put it among the proposals (add)" },
      stage: { type: "boolean", doc: "what was written goes into git's index, for a hook before commits (index)" },
      days: { type: "string", value: "n", doc: "older than this; default logs_retention_days (prune)" },
      retry: { type: "boolean", doc: "also what failed, was given up, or waits for its next try (drain)" },
      yes: { type: "boolean", doc: "make the runs once though the drain is off (drain)" },
      "dry-run": dryRun,
      json,
    },
    words: [0, 50],
    load: () => import("./knowledge.ts"),
  },
];
