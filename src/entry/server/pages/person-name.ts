import type { Person } from "../../../approvals/approval.ts";
import { html, type Markup } from "./markup.ts";

/** What people are called, by their id. */
export type Names = ReadonlyMap<string, string>;

export const namesOf = (people: readonly Person[]): Names => new Map(people.map(({ id, name }) => [id, name]));

/** The name, and the id beside it wherever they differ: two people may have one name. */
export function personName(id: string, names: Names): Markup {
  const name = names.get(id);
  if (name === undefined || name === id) return html`<bdi class="person">${id}</bdi>`;
  return html`<bdi class="person">${name}</bdi> <span class="person-id">(${id})</span>`;
}

export const plainName = (id: string, names: Names): string => names.get(id) ?? id;
