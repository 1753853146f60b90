import type { HostProgram } from "../program.ts";

export const program: HostProgram = {
  commands: ["kiro-cli", "kiro"],
  signs: { project: [".kiro"], home: [".kiro"] },
  transcript: {
    where: "~/.kiro/sessions/cli/<session>.jsonl",
    format: "jsonl",
    shape: "one message a line; by its documentation, never seen here",
  },
  headless: (prompt) => ["chat", "--no-interactive", prompt],
  otherHooks: "hooks run one after another; a block by any of them stops the call",
};
