/** Files that programs write by options, in another directory of git, and with PowerShell's own commands. */
import { describe, expect, it } from "vitest";
import { judgedByAll } from "../hooks.fixture.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

describe("a protected file is kept from what writes it", () => {
  it.each(
    lines(String.raw`
      git -C .claude rm settings.json
      git -C src -C ../.claude rm settings.json
      git -C .claude mv settings.json x
      git -C .claude archive HEAD -o settings.json
      gcc -o .claude/settings.json x.c
      strip -o .claude/settings.json x
      xxd -r x .claude/settings.json
      objcopy x .claude/settings.json
      ffmpeg -y -i x .claude/settings.json
      convert x .claude/settings.json
      jaq -i .a=1 .claude/settings.json
      some-generator --output .claude/settings.json
      some-generator --outfile=.claude/settings.json
      Set-Content -Path .claude/settings.json -Value x
      Add-Content .claude/settings.json x
      Copy-Item x -Destination .claude/settings.json
      Rename-Item -Path .claude/settings.json -NewName x
      pwsh -c "Set-Content .claude/settings.json '{}'"
      pwsh -c "'{}' | Out-File -FilePath .claude\settings.json"
      pwsh -c "Copy-Item x .claude"
      pwsh -c "Move-Item .claude x"`),
  )("%s", (command) => {
    expect(judgedByAll(command)).toBe("block protected-paths/host-registration");
  });

  it("and the project from a mirror of something else", () => {
    expect(judgedByAll("robocopy empty . /mir")).toMatch(/^block /);
  });

  it.each(
    lines(`
      git -C packages/web checkout -b x
      git -C packages/web mv a.ts b.ts
      git -C /tmp/clone rm settings.json
      git -C .claude status
      gcc -O2 -o build/app main.c
      ls -o .claude/settings.json
      xxd .claude/settings.json
      some-generator --output src/gen.ts
      cargo run -- --out dist
      Get-Content package.json
      pwsh -c "Set-Content dist/x.txt 'hi'"
      pwsh -c "Set-Content .claude/settings.json x -WhatIf"
      pwsh -c "Copy-Item -Recurse src dist"
      pwsh -c "Move-Item a.txt b.txt"
      robocopy src dist /mir
      robocopy src . /mir /l`),
  )("while everyday work goes on: %s", (command) => {
    expect(judgedByAll(command)).toBe("none");
  });
});
