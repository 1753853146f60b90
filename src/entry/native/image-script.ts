/** What Node runs when it makes the image: the bundle is loaded, calls are rehearsed, and what a call begins with is set. */
export const imageScript = (bundle: string): string => `
"use strict";
const { setDeserializeMainFunction } = require("node:v8").startupSnapshot;
const { dirname, join } = require("node:path");
const hook = { exports: {} };
let importLazily;
(function (exports, require, module, importLazily) {${bundle}
})(hook.exports, require, hook, (name) => importLazily(name));
setDeserializeMainFunction(() => {
  const program = process.argv[1];
  const dist = join(dirname(program), "..", "dist");
  importLazily = (name) => {
    const { createRequire } = process.getBuiltinModule("node:module");
    return createRequire(program)("./import-lazily.cjs").importLazily(dist)(name);
  };
  hook.exports.main(process.argv.slice(3), dist);
});
// A timer that the image remembers, though it was ended, keeps later ones from ever being due: so none may be made.
const { setTimeout, setInterval } = globalThis;
globalThis.setTimeout = globalThis.setInterval = () => {
  throw new Error("a rehearsed call made a timer");
};
hook.exports
  .rehearse(...JSON.parse(process.env.HOLDFAST_REHEARSAL))
  .finally(() => Object.assign(globalThis, { setTimeout, setInterval }));
`;
