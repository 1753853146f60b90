/** What the forms of a word have in common. It need not be a word: it must only be the same for all of them. */

/** By the script of the word; Latin words by English rules, which most of what is written about code follows. */
export function stemOf(word: string): string {
  if (CYRILLIC.test(word)) return cut(word, RUSSIAN_ENDINGS, 3);
  if (GREEK.test(word)) return cut(word, GREEK_ENDINGS, 3);
  return LATIN.test(word) && word.length > 3 ? englishStem(word) : word;
}

/** For prompts in another language of Latin script: the endings of German, French and Spanish alike. */
export function continentalStemOf(word: string): string | undefined {
  return LATIN.test(word) && word.length > 4
    ? cut(cut(word, CONTINENTAL_SUFFIXES, 4), CONTINENTAL_ENDINGS, 4)
    : undefined;
}

const CYRILLIC = /^\p{Script=Cyrillic}+$/u;
const GREEK = /^\p{Script=Greek}+$/u;
const LATIN = /^[\p{Script=Latin}]+$/u;

/** The longest ending that leaves enough of the word. */
function cut(word: string, endings: readonly string[], least: number): string {
  const ending = endings.find((candidate) => word.length - candidate.length >= least && word.endsWith(candidate));
  return ending ? word.slice(0, -ending.length) : word;
}

const longestFirst = (words: string): string[] => words.split(" ").sort((a, b) => b.length - a.length);

const RUSSIAN_ENDINGS = longestFirst(
  "иями ями ами ием иям иях ией ого его ому ему ыми ими ться тся ешь ете ишь ите али или ает яет ают яют ует уют ала ила ать ять ить еть ых их ый ий ая яя ое ее ые ие ую юю ой ей ом ем ам ям ах ях ов ев ию ия ии ал ил ут ют ет ит ат ят а я о е ы и у ю ь й",
);
const GREEK_ENDINGS = longestFirst(
  "ουμε ετε ουν αμε ατε ηκε ησε εις ους ουσ ματα ματοσ ματων εισ ισ ων εσ ησ οσ ου ασ οι αι ει α η ο ι ε υ ω σ",
);
const CONTINENTAL_SUFFIXES = longestFirst(
  "ungen ung keiten keit heiten heit aciones acion ations ation amiento amientos ement ements",
);
const CONTINENTAL_ENDINGS = longestFirst("ern em en er es e n s a o as os is ez ar er ir t");

/** After Porter's "An algorithm for suffix stripping" (1980). */
function englishStem(word: string): string {
  let stem = plural(word);
  stem = pastOrGerund(stem);
  if (/[^aeiou]y$/.test(stem) && stem.length > 2) stem = `${stem.slice(0, -1)}i`;
  stem = replaced(stem, DOUBLE_SUFFIXES, 0);
  stem = replaced(stem, SUFFIXES, 0);
  stem = replaced(stem, LAST_SUFFIXES, 1);
  if (
    stem.endsWith("e") &&
    (measure(stem.slice(0, -1)) > 1 || (measure(stem.slice(0, -1)) === 1 && !isShort(stem.slice(0, -1))))
  )
    stem = stem.slice(0, -1);
  return stem.endsWith("ll") && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

function plural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function pastOrGerund(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ["ed", "ing"].find((candidate) => word.endsWith(candidate));
  if (!ending) return word;
  const stem = word.slice(0, -ending.length);
  if (!/[aeiouy]/.test(stem) || stem.length < 2) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([^aeioulsz])\1$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && isShort(stem) ? `${stem}e` : stem;
}

/** How many times a vowel is followed by a consonant. */
const measure = (stem: string): number =>
  stem.replace(/(^|[aeiou])y/g, "$1j").match(/[aeiouy]+[^aeiouy]+/g)?.length ?? 0;

const isShort = (stem: string): boolean => /[^aeiou][aeiouy][^aeiouwxy]$/.test(stem);

function replaced(stem: string, table: readonly (readonly [string, string])[], above: number): string {
  const row = table.find(([suffix]) => stem.endsWith(suffix));
  if (!row) return stem;
  const [suffix, by] = row;
  const rest = stem.slice(0, -suffix.length);
  if (measure(rest) <= above || (suffix === "ion" && !/[st]$/.test(rest))) return stem;
  return rest + by;
}

const rows = (text: string): (readonly [string, string])[] =>
  text
    .split(" ")
    .map((row) => row.split(">") as [string, string?])
    .map(([suffix, by = ""]) => [suffix, by] as const)
    .sort(([a], [b]) => b.length - a.length);

const DOUBLE_SUFFIXES = rows(
  "ational>ate tional>tion enci>ence anci>ance izer>ize iser>ize abli>able alli>al entli>ent eli>e ousli>ous ization>ize isation>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble logi>log",
);
const SUFFIXES = rows("icate>ic ative alize>al alise>al iciti>ic ical>ic ful ness less");
const LAST_SUFFIXES = rows("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize ise");
