/** HTML that escapes whatever it is given. Only what this module made counts as markup. */

export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Content = Markup | string | number | null | undefined | false | readonly Content[];

/** Values are text unless they are markup. Attributes must stand in double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = strings[0] ?? "";
  values.forEach((value, index) => {
    text += rendered(value) + (strings[index + 1] ?? "");
  });
  return new Markup(text);
}

/** Text in which every character that shows nothing, or changes how others show, stands out. */
export const visible = (text: string): Markup =>
  new Markup(escaped(text).replace(UNSEEN, (found) => `<mark class="unseen">${nameOf(found)}</mark>`));

function rendered(value: Content): string {
  if (value instanceof Markup) return value.toString();
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "object") return value.map(rendered).join("");
  return escaped(String(value)).replace(UNSEEN, nameOf);
}

const escaped = (text: string): string =>
  text.replace(/\r\n/g, "\n").replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control, format, surrogate and separator characters, and blanks that look like others; tab and newline are as they look. */
const UNSEEN = /(?![\t\n])(?:\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|[\u00a0\u115f\u1160\u3164\uffa0]|\u034f)/gu;

const nameOf = (found: string) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
