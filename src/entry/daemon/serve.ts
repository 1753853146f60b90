/** The daemon: answers calls of the native client with engines that are warm. It holds nothing that could be lost. */
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { placesOf } from "../../config/places.ts";
import { signature } from "../../config/plan.ts";
import { HoldfastError } from "../../core/errors.ts";
import { keptDesks } from "../../engine/kept-desks.ts";
import { keptEngines } from "../../engine/kept-engines.ts";
import { VERSION } from "../../engine/version.ts";
import { groupedAppend } from "../../records/grouped-append.ts";
import { keptTails } from "../../records/kept-tails.ts";
import { leasedAppends } from "../../records/leased-append.ts";
import { Arrivals } from "./arrivals.ts";
import { type Serving, serveConnection } from "./connection.ts";
import { Patience } from "./patience.ts";
import { declined } from "./protocol.ts";
import { publish } from "./publish.ts";
import { buildId, ensureRunDir, socketFile } from "./socket-place.ts";
import { warmUp } from "./warm-up.ts";

const IDLE_MS = 60 * 60_000;
const LOOK_MS = 5_000;
/** More at once than any machine has agents: whoever comes then decides by itself. */
const MAX_CONNECTIONS = 512;

export async function serve(distDir: string, env: NodeJS.ProcessEnv): Promise<"ended" | "another is there"> {
  const id = buildId(distDir);
  if (id === undefined) throw new HoldfastError("HF701", "Holdfast is not built, so there is nobody to serve");
  const places = placesOf(env);
  const program = join(distDir, "daemon.cjs");
  const known = signature(program);
  ensureRunDir(places);
  const startedAt = new Date().toISOString();
  const idleMs = Number(env.HOLDFAST_DAEMON_IDLE_MS) || IDLE_MS;
  const tails = keptTails();
  const appends = leasedAppends(tails.wrote);
  const append = groupedAppend(appends.write);
  const desks = keptDesks();
  const engines = keptEngines({ append, newestFirst: tails.newestFirst, desks: desks.deskAt });
  let closing = false;
  let calls = 0;
  let open = 0;
  let lastAt = performance.now();
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const status = () =>
    JSON.stringify({
      pid: process.pid,
      version: VERSION,
      startedAt,
      calls,
      open,
      engines: engines.size(),
      isWarm: warming.isWarm(),
      isWarmForGood: warming.isDone(),
      rssBytes: process.memoryUsage.rss(),
    });

  const warming = warmUp({
    scratchDir: join(ensureRunDir(places), `warm-up-${process.pid}`),
    socketFile: socketFile(id, places),
    distDir,
    append,
    isBusy: () => open > 0,
    isOver: () => closing,
  });

  const serving: Serving = {
    distDir,
    engineAt: engines.engineAt,
    countCall: () => {
      calls += 1;
    },
    warming,
    append,
    patience: new Patience(),
    arrivals: new Arrivals(),
    isClosing: () => closing,
    status,
    stop: () => end(),
  };
  const server = createServer((socket) => {
    lastAt = performance.now();
    if (closing || open >= MAX_CONNECTIONS) return decline(socket);
    open += 1;
    void serveConnection(socket, serving).finally(() => {
      open -= 1;
      lastAt = performance.now();
      if (closing && open === 0) finish();
    });
  });
  const published = await publish(server, socketFile(id, places));
  // No descriptor left for one more connection: its client decides by itself.
  server.on("error", () => {});
  if (!published) {
    server.close();
    return "another is there";
  }
  function end(): void {
    if (closing) return;
    closing = true;
    published?.withdraw();
    server.close();
    // Now, not after the last call: who told us to end may remove the place as soon as we have said yes.
    void engines.close();
    appends.close();
    if (open === 0) finish();
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
  const look = setInterval(
    () => {
      const idle = open === 0 && performance.now() - lastAt >= idleMs;
      // Of another version by now: what is loaded later would not fit what is loaded already.
      const replaced = signature(program) !== known;
      if (idle || replaced || !published.isStillThere()) end();
    },
    Math.min(LOOK_MS, idleMs),
  );
  await finished;
  clearInterval(look);
  await engines.close();
  await desks.close();
  appends.close();
  tails.close();
  return "ended";
}

/** Nothing of it is read, and it may be gone already. */
function decline(socket: Socket): void {
  socket.on("error", () => {});
  socket.end(declined(), () => socket.destroy());
}
