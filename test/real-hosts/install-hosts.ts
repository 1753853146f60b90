import { hostNames, installedHost } from "./installed-host.ts";
import { beginMatrix, printMatrix } from "./matrix.ts";

/** Installs every host before the first test, so that no test's time limit pays for a download; prints the matrix after the last. */
export default async function installHosts(): Promise<() => void> {
  beginMatrix();
  for (const host of hostNames) await installedHost(host);
  return printMatrix;
}
