// Preloaded: the process kills itself before the n-th change it makes on disk (HOLDFAST_DIE_AT), and says at its end how
// many there were (HOLDFAST_WRITES, a file).
import fs, { writeFileSync } from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const killAt = Number(process.env.HOLDFAST_DIE_AT ?? 0);
let writes = 0;

function counted() {
  writes += 1;
  if (writes === killAt) process.kill(process.pid, "SIGKILL");
}

const SYNC = [
  "writeSync",
  "writeFileSync",
  "appendFileSync",
  "renameSync",
  "linkSync",
  "unlinkSync",
  "rmSync",
  "openSync",
];
for (const name of SYNC) {
  const original = fs[name];
  fs[name] = (...args) => {
    if (name !== "openSync" || /[wa]/.test(String(args[1]))) counted();
    return original(...args);
  };
}
for (const name of ["rename", "rm", "unlink", "writeFile", "appendFile"]) {
  const original = fsPromises[name];
  fsPromises[name] = (...args) => {
    counted();
    return original(...args);
  };
}
const open = fsPromises.open;
fsPromises.open = async (...args) => {
  if (/[wa]/.test(String(args[1]))) counted();
  const handle = await open(...args);
  const append = handle.appendFile;
  handle.appendFile = (...words) => {
    counted();
    return append.apply(handle, words);
  };
  return handle;
};
syncBuiltinESMExports();

process.on("exit", () => {
  if (process.env.HOLDFAST_WRITES) writeFileSync(process.env.HOLDFAST_WRITES, String(writes));
});
