import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Test files run in processes of their own: each appends what it saw, and the matrix is printed when all are done. */
const file = () => process.env.HOLDFAST_MATRIX_FILE ?? join(tmpdir(), "holdfast-matrix.jsonl");

interface Seen {
  readonly host: string;
  readonly capability: string;
  readonly proven: boolean;
  readonly seconds: number;
}

/** Runs a proof and notes whether it held. */
export async function record(host: string, capability: string, proof: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const note = (proven: boolean) => {
    const seen: Seen = { host, capability, proven, seconds: (performance.now() - startedAt) / 1000 };
    appendFileSync(file(), `${JSON.stringify(seen)}\n`);
  };
  try {
    await proof();
    note(true);
  } catch (error) {
    note(false);
    throw error;
  }
}

/** Called before the test processes start: they inherit the name. */
export function beginMatrix(): void {
  process.env.HOLDFAST_MATRIX_FILE = join(tmpdir(), `holdfast-matrix-${process.pid}.jsonl`);
  forgetMatrix();
}

function forgetMatrix(): void {
  rmSync(file(), { force: true });
}

export function printMatrix(): void {
  if (!existsSync(file())) return;
  const seen = readFileSync(file(), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Seen);
  const hosts = [...new Set(seen.map(({ host }) => host))].sort();
  const capabilities = [...new Set(seen.map(({ capability }) => capability))];
  const cell = (host: string, capability: string) => {
    const tries = seen.filter((one) => one.host === host && one.capability === capability);
    if (tries.length === 0) return "-";
    return tries.every(({ proven }) => proven)
      ? `${tries.reduce((sum, one) => sum + one.seconds, 0).toFixed(1)} s`
      : "FAILED";
  };
  const rows = [
    ["proven on the real program", ...hosts],
    ...capabilities.map((name) => [name, ...hosts.map((host) => cell(host, name))]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) console.log(row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  "));
  forgetMatrix();
}
