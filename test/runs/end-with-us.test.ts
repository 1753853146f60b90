import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";

const isRunning = (pid: number) => {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

const HOLDER = `
import { spawn } from "node:child_process";
const { endWithUs } = await import(process.argv[1]);
const program = spawn("sh", ["-c", "sleep 300; true"], { detached: true, stdio: "ignore" });
const tether = endWithUs(program.pid);
if (process.argv[2] === "released") tether.release();
console.log(program.pid);
setInterval(() => {}, 1000);
`;

async function killed(how: string): Promise<number> {
  const module = join(import.meta.dirname, "../../dist/process/end-with-us.js");
  const holder = spawn(process.execPath, ["--input-type=module", "-e", HOLDER, module, how], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(holder.stdout, "data");
  holder.kill("SIGKILL");
  await once(holder, "exit");
  return Number(String(line));
}

// Where the process table can be read.
it.runIf(process.platform === "linux")("RB-6 a program ends when the process that started it is killed", async () => {
  const program = await killed("held");
  await expect.poll(() => isRunning(program)).toBe(false);
});

it.runIf(process.platform === "linux")("one that was released goes on", async () => {
  const program = await killed("released");
  await sleep(200);
  expect(isRunning(program)).toBe(true);
  process.kill(-program, "SIGKILL");
});
