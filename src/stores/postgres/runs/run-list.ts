/** What there is, by indexes: manifests are not read. */
import { bucketOf } from "../../../runs/files/run-places.ts";
import type { RunQuery, RunSummary } from "../../../runs/store.ts";
import { type Query, storable } from "./database.ts";

const wordsIn = (search = ""): readonly string[] => storable(search).toLowerCase().split(/\s+/).filter(Boolean);

/**
 * A worker of an older version, which goes on while others are upgraded, leaves the words of before: then those of the
 * summary count, or all of it where JSON says a character that PostgreSQL cannot.
 */
const SEARCHED = `case when searched_version = version then searched
  when summary ~ '\\\\u(0000|d[89a-f])' then lower(summary)
  else lower(concat_ws(E'\\n', id, summary::json->>'name', summary::json->>'assignment', summary::json->>'group',
    summary::json->>'repo')) end`;

export async function listRuns(query: Query, wanted: RunQuery): Promise<readonly RunSummary[]> {
  const values: unknown[] = [];
  const is = (condition: (place: string) => string, value: unknown) => {
    if (value === undefined) return [];
    values.push(value);
    return [condition(`$${values.length}`)];
  };
  const conditions = [
    ...is((place) => `bucket = ${place}`, wanted.repo === undefined ? undefined : bucketOf(wanted.repo)),
    ...is((place) => `status = any(${place})`, wanted.statuses),
    ...is((place) => `group_name = ${place}`, wanted.group && storable(wanted.group)),
    ...is((place) => `parent_run = ${place}`, wanted.parentRun),
    ...(wanted.includeArchived ? [] : ["not is_archived"]),
    ...wordsIn(wanted.search).flatMap((word) => is((place) => `strpos(${SEARCHED}, ${place}) > 0`, word)),
    ...is((place) => `(created_at, id) < (${place}`, wanted.after?.createdAt).flatMap((begun) =>
      is((place) => `${begun}, ${place})`, wanted.after?.id),
    ),
  ];
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const limit = is((place) => `limit ${place}`, wanted.limit).join("");
  const rows = await query<{ summary: string }>(
    `select summary from runs ${where} order by created_at desc, id desc ${limit}`,
    values,
  );
  return rows.map(({ summary }) => JSON.parse(summary) as RunSummary);
}
