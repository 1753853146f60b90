/** With which values the body of a loop is looked at. Numbers are alike, so a few stand for all; anything else may be the file. */
const MAX_NUMBERS = 16;
const MAX_OTHERS = 256;

export interface LoopValues {
  readonly values: readonly string[];
  readonly areAll: boolean;
}

export function loopValues(given: readonly string[]): LoopValues {
  const distinct = [...new Set(given)];
  const numbers = distinct.filter(isNumber);
  const others = distinct.filter((value) => !isNumber(value));
  const values = [...others.slice(0, MAX_OTHERS), ...numbers.slice(0, MAX_NUMBERS)];
  return { values, areAll: others.length <= MAX_OTHERS };
}

const isNumber = (value: string) => /^\d+$/.test(value);
