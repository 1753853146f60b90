import { expect, it } from "vitest";
import type { SupportTable } from "../../src/bindings/support.ts";
import { EVENT_NAMES, eventRow } from "../../src/core/event.ts";

/** An event that the table leaves out is one that nobody thought of. */
export function supportsEveryEvent(support: SupportTable): void {
  it("the support table says of every event of an agent what becomes of it", () => {
    const events = EVENT_NAMES.filter((name) => eventRow(name).law !== "procedure");
    expect(events.filter((name) => support[name] === undefined)).toEqual([]);
  });
}
