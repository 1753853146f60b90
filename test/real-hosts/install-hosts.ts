import { hostNames, installedHost } from "./installed-host.ts";

/** Installs every host before the first test, so that no test's time limit pays for a download. */
export default async function installHosts(): Promise<void> {
  for (const host of hostNames) await installedHost(host);
}
