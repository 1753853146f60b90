/** Why what is known of a command line may be incomplete: syntax errors, limits. */
export interface Unclear {
  readonly why: string;
  readonly text: string;
  /** A part of it was not looked at. */
  readonly unseen?: true;
}

export class Doubts {
  readonly all: Unclear[] = [];
  #isUnseen = false;

  add(why: string, text: string): void {
    this.all.push({ why, text });
  }

  /** Once for a line: it is all of it that is then in doubt. */
  leaveUnseen(why: string, text: string): void {
    if (this.#isUnseen) return this.add(why, text);
    this.#isUnseen = true;
    this.all.push({ why, text, unseen: true });
  }
}
