"use strict";
// Loads the bundle with the machine code that an earlier run of it made: compiling half a megabyte is most of a cold
// start. Code made by another Node, or for another bundle, is refused by V8, and the bundle is compiled as ever.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname } = require("node:path");
const { Script } = require("node:vm");
const { importLazily } = require("./import-lazily.cjs");

exports.loadBundle = function loadBundle(file, cacheFile) {
  const wrapped = `(function (exports, require, module, importLazily) {${readFileSync(file, "utf8")}\n})`;
  const script = new Script(wrapped, { filename: file, cachedData: readCache(cacheFile) });
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, createRequire(file), bundle, importLazily(dirname(file)));
  return { exports: bundle.exports, script };
};

function readCache(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
