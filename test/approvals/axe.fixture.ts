/** What axe finds wrong with a page, a line each. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** Evaluated by the debugger, which a content security policy does not bind. */
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate("axe.run(document)");
  const { violations: all } = found as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return all.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}
