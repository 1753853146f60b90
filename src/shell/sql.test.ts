import { describe, expect, it } from "vitest";
import { sqlDeeds } from "./sql.ts";

const deeds = (text: string) => sqlDeeds(text).map(({ deed }) => deed);

describe("SQL", () => {
  it.each([
    ["drop table a", "drop"],
    ["DROP/**/TABLE a", "drop"],
    ["-- x\ndrop table a", "drop"],
    ["select 1; drop schema s cascade", "drop"],
    ["drop view v", "drop-part"],
    ["alter table a drop column b", "drop-part"],
    ["truncate a", "truncate"],
    ["delete from a", "delete-all"],
    ["delete from a where 1=1", "delete-all"],
    ["delete from a where true", "delete-all"],
    ["delete from a where 'x'='x'", "delete-all"],
    ["delete from a where id = 1 or 1=1", undefined],
    ["with x as (select 1) delete from a", "delete-all"],
    ["explain analyze delete from a", "delete-all"],
    ["update a set b = 1", "update-all"],
    ["grant all on a to b", "grant"],
    ["grant select on a to b", undefined],
    ["delete from a where id = 1", undefined],
    ["update a set b = 1 where c = 2", undefined],
    ["explain delete from a", undefined],
    ["select 'drop table a'", undefined],
    ["select $$drop table a; delete from b$$", undefined],
    ["select 1 -- ; drop table a", undefined],
    ["select 1 /* ; drop table a */", undefined],
    ['select "drop table a"', undefined],
    ["insert into a values ('it''s; drop table a')", undefined],
    ["create table a (id int)", undefined],
  ])("%s: %s", (text, expected) => {
    expect(deeds(text)[0]).toBe(expected);
  });

  it("says which statement", () => {
    expect(sqlDeeds("select 1; drop   table users;")).toEqual([{ deed: "drop", detail: "drop table users" }]);
  });
});
