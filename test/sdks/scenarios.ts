import { it } from "vitest";
import type { Ability, Driver } from "./driver.ts";

/** A scenario only some SDKs can show; the others say in the report what happens instead. */
export const scenariosOf = (driver: Driver) => (ability: Ability, title: string, scenario: () => Promise<void>) => {
  const instead = driver.lacks[ability];
  if (instead === undefined) it(title, scenario);
  else it.skip(`${title} (${driver.name}, ${ability}: ${instead})`, scenario);
};
