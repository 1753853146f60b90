// Preloaded by tests: a machine whose clock is wrong by SHIFT_MS.
"use strict";
const RealDate = Date;
const shiftMs = Number(process.env.SHIFT_MS);
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shiftMs);
    else super(...args);
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};
