import { describe, expect, test } from "vitest";
import { continentalStemOf, stemOf } from "./stems.ts";
import { wordsOf } from "./words.ts";

describe("a text is its words", () => {
  test.each([
    ["letter case and diacritics do not count", "Café MÜLLER Straße", ["cafe", "muller", "strasse"]],
    ["full-width letters are letters", "ＡＰＩ ｋｅｙ", ["api", "key"]],
    ["Greek final sigma and accents do not count", "ΑΝΤΊΓΡΑΦΑ λόγος", ["αντιγραφα", "λογοσ"]],
    ["the short i of Cyrillic is a letter of its own", "Чёрный", ["черный"]],
    ["a possessive is its word", "the service's limits", ["the", "service", "limits"]],
    ["numbers of a digit or two say nothing", "20.19 and 404", ["and", "404"]],
  ])("%s", (_rule, text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test.each([
    ["retryAfter", ["retry", "after", "retryafter"]],
    ["retry_after", ["retry", "after", "retryafter"]],
    ["retry-after", ["retry", "after", "retryafter"]],
    ["HTTPServer", ["http", "server", "httpserver"]],
    ["HF1101", ["hf1101"]],
    ["lib/session.ts", ["lib", "session", "ts", "sessionts", "libsessionts"]],
  ])("the identifier %s is found whole, in parts, and however it is joined", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test("A13-13 what is written without spaces has words too", () => {
    expect(wordsOf("数据库迁移")).toEqual(["数据", "据库", "库迁", "迁移"]);
    expect(wordsOf("在庫はいつ")).toEqual(["在庫", "庫は"]);
    expect(wordsOf("ฐานข้อมูลสำรอง").length).toBeGreaterThan(1);
    expect(wordsOf("用Redis缓存")).toEqual(["用", "redis", "缓存"]);
  });

  test("a word of a thousand letters is left out, what stands beside it is not", () => {
    expect(wordsOf(`${"x".repeat(1_000)} cache`)).toEqual(["cache"]);
  });
});

describe("the forms of a word have one stem", () => {
  test.each([
    "deploy deploys deployed deploying deployment",
    "migrate migration migrations migrating",
    "connect connected connection connections",
    "retry retries retried",
    "configure configuration configurations",
    "rotate rotation rotating",
    "миграция миграции миграций миграцию",
    "платёж платежи платежей".replace("ё", "е"),
    "τιμολογιο τιμολογια τιμολογιου",
  ])("%s", (forms) => {
    const [first = "", ...others] = forms.split(" ");
    for (const other of others) expect(stemOf(other), other).toBe(stemOf(first));
  });

  test.each([
    ["German", "rechnung rechnungen"],
    ["French", "facture factures"],
    ["Spanish", "despliegue despliegues"],
  ])("in %s", (_language, forms) => {
    const [first = "", other = ""] = forms.split(" ");
    expect(continentalStemOf(other)).toBe(continentalStemOf(first));
  });

  test.each(["cache cash", "server service", "host post"])("%s have not", (forms) => {
    const [first = "", other = ""] = forms.split(" ");
    expect(stemOf(other)).not.toBe(stemOf(first));
  });
});
