// The browser of the browser tests is Debian's: installed by its package manager where it is missing.
import { existsSync } from "node:fs";
import { step } from "./ensure.mjs";

export const CHROMIUM = "/usr/bin/chromium";

export function ensureChromium() {
  if (existsSync(CHROMIUM)) return;
  console.log(`\n${CHROMIUM} is missing, and the browser tests need it: installing Debian's package.`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  step("apt-get update", "apt-get", ["update", "-qq"], { env });
  step("apt-get install chromium", "apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], { env });
}
