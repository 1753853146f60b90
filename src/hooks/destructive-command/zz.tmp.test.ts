import { it } from "vitest";
import { readFileSync } from "node:fs";
import { judgeCase } from "./cases.fixture.ts";
it("x", () => {
  for (const line of readFileSync("/tmp/hf/in.txt", "utf8").split("\n").filter(Boolean)) {
    const r = judgeCase(line.replaceAll("\\n", "\n"));
    console.log(r.decision.padEnd(6), r.rules.join(",").padEnd(30), line);
  }
});
