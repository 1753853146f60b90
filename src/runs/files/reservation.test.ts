import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { identityOf } from "./process-identity.ts";
import { reservationFile, sweepReservation } from "./reservation.ts";
import { scratch } from "./store.fixture.ts";

let place: ReturnType<typeof scratch>;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

function reserved(scope: string, madeAt: Date): string {
  const directory = join(place.dir, "abc123");
  mkdirSync(directory, { recursive: true });
  writeFileSync(reservationFile(directory), JSON.stringify({ ...identityOf(process.pid), scope }));
  utimesSync(reservationFile(directory), madeAt, madeAt);
  sweepReservation(directory);
  return directory;
}

it("a place whose maker cannot be seen from here is kept for days, and not for ever", () => {
  const { scope } = identityOf(process.pid);
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  expect(existsSync(reserved(scope, daysAgo(0)))).toBe(true);
  expect(existsSync(reserved("another/machine", daysAgo(1)))).toBe(true);
  expect(existsSync(reserved("another/machine", daysAgo(3)))).toBe(false);
});
