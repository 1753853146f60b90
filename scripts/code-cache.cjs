"use strict";
// Runs the hook once, on the payload on stdin, and keeps the machine code that V8 made of the bundle meanwhile.
const { writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { loadBundle } = require("../bin/load-bundle.cjs");

const dist = process.argv[2];
const { exports: hook, script } = loadBundle(join(dist, "hook.cjs"), join(dist, "none"));
process.on("exit", () => writeFileSync(join(dist, "hook.cache"), script.createCachedData()));
hook.main(["--host", "claude-code"], dist);
