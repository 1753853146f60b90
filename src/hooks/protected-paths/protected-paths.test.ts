import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../core/tool.ts";
import { before, judge, machine, toolCall } from "../hooks.fixture.ts";
import { protectedPaths } from "./protected-paths.ts";
import { PROTECTIONS } from "./protections.ts";

const options = { write: ["infra/prod/**"], read: ["private/**"] };
const opinionOf = (tool: ToolCall) => judge(protectedPaths, before(tool), options).opinion;
const kindOf = (tool: ToolCall) => opinionOf(tool).kind;
const shell = (command: string) => toolCall("shell", { command });
const write = (path: string) => toolCall("write", { paths: [path] });

describe("file tools", () => {
  it.each([
    ["edit", "/project/holdfast.yaml"],
    ["edit", "holdfast.yaml"],
    ["edit", "./src/../holdfast.toml"],
    ["write", "/project/.holdfast/tracking/ledger.jsonl"],
    ["write", "/home/person/.config/holdfast/holdfast.yaml"],
    ["write", ".claude/settings.json"],
    ["write", "~/.claude/settings.json"],
    ["write", ".kiro/agents/x.json"],
    ["write", ".git/hooks/pre-commit"],
    ["write", "infra/prod/main.tf"],
    ["write", "/project/infra/prod/a/b.tf"],
    ["read", "private/notes.txt"],
  ] as const)("a %s of %s is blocked", (kind, path) => {
    expect(kindOf(toolCall(kind, { paths: [path.replace("~", "/home/person")] }))).toBe("block");
  });

  it.each([
    ["read", ".env"],
    ["read", "packages/app/.env.production"],
    ["write", "keys/server.pem"],
    ["read", "/home/person/.ssh/id_ed25519"],
    ["write", ".github/workflows/ci.yml"],
  ] as const)("a %s of %s asks a person", (kind, path) => {
    expect(kindOf(toolCall(kind, { paths: [path] }))).toBe("ask");
  });

  it.each([
    ["read", "/project/holdfast.yaml"],
    ["read", ".github/workflows/ci.yml"],
    ["write", "holdfast.yaml.md"],
    ["write", "src/infra/prod.ts"],
    ["write", "infra/staging/main.tf"],
    ["read", ".environment"],
    ["read", "src/env.ts"],
    ["read", ".env.example"],
    ["read", "/home/person/.ssh/id_ed25519.pub"],
    ["write", ".claude/commands/x.md"],
  ] as const)("a %s of %s is left alone", (kind, path) => {
    expect(kindOf(toolCall(kind, { paths: [path] }))).toBe("none");
  });

  it("a call with several paths is judged by the worst of them", () => {
    expect(kindOf(toolCall("edit", { paths: [".github/workflows/a.yml", "holdfast.yaml"] }))).toBe("block");
  });
});

it("KB-2 where letter case does not matter, it does not help", () => {
  const on = { ...machine, ignoresCase: true };
  const written = before(write("HoldFast.YAML"));
  expect(judge(protectedPaths, written, options, on).opinion.kind).toBe("block");
  expect(judge(protectedPaths, written, options).opinion.kind).toBe("none");
});

describe("workflow files", () => {
  it.each([".holdfast/state.toml", "/project/.holdfast/state.toml"])(
    "K-12 a write tool may not change %s; the message names the state tools",
    (path) => {
      expect(opinionOf(write(path))).toMatchObject({
        kind: "block",
        reason: expect.stringContaining("state_transition"),
      });
    },
  );

  it("K-13 nor the workflow's settings; the message names config_get and config_init", () => {
    expect(opinionOf(write(".holdfast/workflow.toml"))).toMatchObject({
      kind: "block",
      reason: expect.stringMatching(/config_get.*config_init/),
    });
  });

  it.each([
    "sed -i s/a/b/ .holdfast/state.toml",
    "echo x > .holdfast/state.toml",
    "echo x >> .holdfast/state.toml",
    "cat x >.holdfast/state.toml",
    "cat x | tee .holdfast/state.toml",
    "printf x > .holdfast/workflow.toml",
    "awk 1 x > .holdfast/state.toml",
    "cp x .holdfast/state.toml",
    "mv x .holdfast/state.toml",
    "rm .holdfast/state.toml",
    "truncate -s 0 .holdfast/state.toml",
    "cd .holdfast && echo x > state.toml",
    "rm -rf .holdfast",
    "sh -c 'echo x > .holdfast/state.toml'",
  ])("K-14 the shell may not either: %s", (command) => {
    expect(kindOf(shell(command))).toBe("block");
  });

  it.each([
    "cat .holdfast/state.toml",
    "sed -n 1p .holdfast/state.toml",
    "cat .holdfast/state.toml > /tmp/x",
    "cat .holdfast/state.toml 2> /dev/null",
    "echo hi; cat .holdfast/state.toml",
    "echo x >> .cargo/config.toml",
    "grep step .holdfast/state.toml",
  ])("K-15 reading them, and other projects' config files, is left alone: %s", (command) => {
    expect(kindOf(shell(command))).toBe("none");
  });

  it("K-15 a read tool may read them", () => {
    expect(kindOf(toolCall("read", { paths: [".holdfast/state.toml"] }))).toBe("none");
  });

  it("K-16 the MCP tools that change them are never blocked here", () => {
    expect(kindOf(toolCall("mcp", { name: "mcp__holdfast__state_transition", paths: [".holdfast/state.toml"] }))).toBe(
      "none",
    );
  });
});

describe("the shell", () => {
  it.each([
    "echo '{}' > .claude/settings.json",
    "rm .claude/settings.json",
    "printf x >> .holdfast/tracking/ledger.jsonl",
    "mv holdfast.yaml /tmp",
    "cp evil.yaml holdfast.yaml",
    "rm -rf ~/.config/holdfast",
    "tee infra/prod/x.tf < y",
    "chmod 000 holdfast.yaml",
    "rm -rf .holdfast",
    "mv .holdfast x",
    "rm -rf .claude",
    "rm -r .kiro",
    "ln -sf /dev/null holdfast.yaml",
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: holdfast.yaml\n@@\n-a\n+b\n*** End Patch\nEOF",
    "apply_patch '*** Begin Patch\n*** Delete File: .codex/hooks.json\n*** End Patch'",
  ])("is held to the same paths: %s", (command) => {
    expect(kindOf(shell(command))).toBe("block");
  });
});

it.each([
  "sed -i s/a/b/ /etc/*",
  "find /etc -type f -exec sed -i s/a/b/ {} +",
  "echo x | tee -a /etc/*",
  "sudo tar xf /tmp/a.tar -C /etc",
])("what is Holdfast's own outside the project is in the way of what is done around it: %s", (command) => {
  const on = { ...machine, ownPaths: ["/etc/holdfast"] };
  expect(judge(protectedPaths, before(shell(command)), options, on).opinion.kind).toBe("block");
});

it("what one call was told is not said of the next, which does something else to the same path", () => {
  expect(kindOf(shell("touch .claude; echo x > .claude"))).toBe("none");
  expect(kindOf(shell("tar xf /tmp/a.tar -C .claude"))).toBe("block");
  expect(kindOf(shell("echo x > .claude"))).toBe("none");
});

it("every protection says why and what to do instead", () => {
  for (const { why, instead, globs } of PROTECTIONS) {
    expect(why).not.toBe("");
    expect(instead).not.toBe("");
    expect(globs.length).toBeGreaterThan(0);
  }
});
