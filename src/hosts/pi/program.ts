import { join } from "node:path";
import { type HostProgram, jsonSeed } from "../program.ts";
import { trustOf } from "./trust.ts";

const PROVIDER = "scripted";
const MODEL = "scripted-model";

export const program: HostProgram = {
  commands: ["pi"],
  signs: { project: [".pi"], home: [".pi"] },
  transcript: {
    where: "~/.pi/agent/sessions/--<directory with - for />--/<time>_<session>.jsonl",
    format: "jsonl",
    shape: "a header, then one entry a line (message, compaction, custom, …), a tree by id and parentId",
  },
  headless: (prompt) => ["-p", prompt],
  otherHooks:
    "extensions are asked one after another, those of the project first; the first block ends it, and one that comes after ours can still change a call that ours let through",
  trust: trustOf,
  offline: {
    wire: "chat-completions",
    nodeMajor: 24,
    run: ({ modelUrl, homeDir, prompt, trustAsIs }) => ({
      args: [
        ...["--provider", PROVIDER, "--model", MODEL],
        ...(trustAsIs ? [] : ["--approve"]),
        ...["--mode", "json", "-p", prompt],
      ],
      env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" },
      seeds: [
        jsonSeed(join(homeDir, ".pi", "agent", "models.json"), {
          providers: {
            [PROVIDER]: {
              baseUrl: `${modelUrl}/v1`,
              api: "openai-completions",
              apiKey: "not-a-key",
              models: [{ id: MODEL }],
            },
          },
        }),
      ],
    }),
    says: {
      shell: (command) => ({ name: "bash", input: { command } }),
      write: (path, content) => ({ name: "write", input: { path, content } }),
      edit: (path, before, after) => ({
        name: "edit",
        input: { path, edits: [{ oldText: before, newText: after }] },
      }),
      read: (path) => ({ name: "read", input: { path } }),
    },
  },
};
