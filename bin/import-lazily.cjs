"use strict";
// Code that is not loaded as a module has no way to import by itself (a limit of Node's vm and of its startup images).
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

/** Imports what was left out of a bundle in `dir`. */
exports.importLazily = (dir) => (name) => import(name.startsWith(".") ? pathToFileURL(join(dir, name)).href : name);
