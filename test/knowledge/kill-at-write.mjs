// Preloaded: the process dies by SIGKILL right before its nth write to the disk (KILL_AT), whichever that is.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const at = Number(process.env.KILL_AT);
let writes = 0;

function dying(owner, name) {
  const real = owner[name];
  owner[name] = function (...args) {
    if (name.startsWith("open") && !/[wax]/.test(String(args[1]))) return real.apply(this, args);
    writes += 1;
    if (writes === at) process.kill(process.pid, "SIGKILL");
    return real.apply(this, args);
  };
}

for (const name of ["open", "mkdir", "rename", "rm", "writeFile", "appendFile"]) dying(fs.promises, name);
const handle = await fs.promises.open(new URL(import.meta.url), "r");
const prototype = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ["appendFile", "sync"]) dying(prototype, name);
const SYNC = ["openSync", "writeSync", "unlinkSync", "mkdirSync", "renameSync", "linkSync", "writeFileSync", "rmSync"];
for (const name of [...SYNC, "appendFileSync", "utimesSync"]) dying(fs, name);
syncBuiltinESMExports();
