/** Ways through a script that may not all be taken: `&&`, `||`, `if`, `case`, loops. The shell may stand where any of them ends. */
import type { AndOr, Case, CompoundList, If, PipelineNode, While, Word } from "unbash";
import type { Scope } from "./scope.ts";
import { NEVER, type Places, placesIfFailed, placesOf, standIn } from "./whereabouts.ts";

export interface Walks {
  statements(list: CompoundList, scope: Scope): void;
  pipeline(node: PipelineNode, scope: Scope): void;
  onTooManyPlaces(): void;
}

export class Branches {
  readonly #walks: Walks;

  constructor(walks: Walks) {
    this.#walks = walks;
  }

  /** What comes next comes whether the last command failed or not. */
  settle(scope: Scope): void {
    const { failed } = scope;
    scope.failed = undefined;
    if (failed && failed.likely.length > 0) this.#stand(scope, [...placesOf(scope), ...failed.likely]);
  }

  andOr({ commands, operators }: AndOr, scope: Scope): void {
    commands.forEach((part, index) => {
      if (index === 0) this.#walks.pipeline(part, scope);
      else if (operators[index - 1] === "&&") this.#and(part, scope);
      else this.#or(part, scope);
    });
  }

  #and(part: PipelineNode, scope: Scope): void {
    const wasOver = scope.isOver;
    const left = scope.failed ?? { likely: placesOf(scope), unlikely: [] };
    const isOver = this.#walk(() => this.#walks.pipeline(part, scope), scope);
    const otherwise = [...left.likely, ...left.unlikely];
    scope.isOver = wasOver || (isOver && otherwise.length === 0);
    if (isOver) {
      scope.failed = undefined;
      if (otherwise.length > 0) this.#stand(scope, otherwise);
      return;
    }
    const right = scope.failed ?? { likely: placesOf(scope), unlikely: [] };
    scope.failed = {
      likely: [...left.likely, ...right.likely],
      unlikely: [...left.unlikely, ...right.unlikely],
    };
  }

  #or(part: PipelineNode, scope: Scope): void {
    const wasOver = scope.isOver;
    const ifNot = placesOf(scope);
    const otherwise = placesIfFailed(scope);
    const isReached = otherwise.length > 0;
    if (isReached) this.#stand(scope, otherwise);
    const from = placesOf(scope);
    const isOver = this.#walk(() => this.#walks.pipeline(part, scope), scope);
    scope.isOver = wasOver;
    if (isOver || !isReached) {
      scope.failed = NEVER;
      return this.#stand(scope, ifNot);
    }
    const ends = placesOf(scope);
    scope.failed ??= { likely: ends, unlikely: [] };
    this.#stand(scope, areSame(from, ends) ? [...ifNot, ...ends] : [...ends, ...ifNot]);
  }

  /** `! command`: where it failed, this did not. */
  negate(scope: Scope): void {
    const { failed } = scope;
    if (!failed) return;
    const ifNot = placesOf(scope);
    const otherwise = placesIfFailed(scope);
    if (otherwise.length > 0) this.#stand(scope, otherwise);
    scope.failed = otherwise.length > 0 ? { likely: ifNot, unlikely: [] } : undefined;
  }

  either({ clause, then, elif, else: rest }: If, scope: Scope): void {
    const wasOver = scope.isOver;
    const ends: Places[] = [];
    let isReached = true;
    const branch = (list: CompoundList) => {
      const end = this.#endOf(list, scope);
      if (isReached) ends.unshift(end);
    };
    for (const { clause: condition, then: body } of [{ clause, then }, ...elif]) {
      this.#walks.statements(condition, scope);
      const ifNot = placesOf(scope);
      const otherwise = placesIfFailed(scope);
      branch(body);
      isReached &&= otherwise.length > 0;
      this.#stand(scope, otherwise.length > 0 ? otherwise : ifNot);
    }
    if (rest) branch(rest);
    else if (isReached) ends.push(placesOf(scope));
    this.#goOnFrom(ends.flat(), scope, wasOver);
  }

  oneOf({ items }: Case, scope: Scope): void {
    const wasOver = scope.isOver;
    const from = placesOf(scope);
    const ends: Places[] = [];
    let through: Places = [];
    for (const { body, terminator } of items) {
      this.#stand(scope, [...from, ...through]);
      const end = this.#endOf(body, scope);
      through = terminator === ";&" || terminator === ";;&" ? end : [];
      ends.unshift(end);
    }
    if (!items.some(({ pattern }) => pattern.some(isAnything))) ends.push(from);
    this.#goOnFrom(ends.flat(), scope, wasOver);
  }

  while({ kind, clause, body }: While, scope: Scope): void {
    const wasOver = scope.isOver;
    this.#walks.statements(clause, scope);
    if (kind === "until") this.negate(scope);
    const otherwise = placesIfFailed(scope);
    const ends = this.round(body, scope);
    this.#goOnFrom([...ends, ...otherwise], scope, wasOver);
  }

  /** Once through the body of a loop. Where it ends, or is left by `break` or `continue`. */
  round(body: CompoundList, scope: Scope): Places {
    const outer = scope.leftLoop;
    scope.leftLoop = [];
    const end = this.#endOf(body, scope);
    const left = scope.leftLoop;
    scope.leftLoop = outer;
    return [...end, ...left];
  }

  /** `mayBeSkipped`: nobody knows whether there is anything to go through. */
  each(rounds: Iterable<() => void>, body: CompoundList, mayBeSkipped: boolean, scope: Scope): void {
    const wasOver = scope.isOver;
    const from = placesOf(scope);
    for (const begin of rounds) {
      begin();
      const ends = this.round(body, scope);
      if (ends.length > 0) this.#stand(scope, ends);
    }
    scope.isOver = wasOver;
    scope.failed = undefined;
    if (mayBeSkipped) this.#stand(scope, [...placesOf(scope), ...from]);
  }

  /** Where a function's body ends, or is left by `return`. None: it leaves the shell. */
  endsOfBody(walk: () => void, scope: Scope): Places {
    scope.leftFunction = [];
    scope.leftLoop = undefined;
    const isOver = this.#walk(walk, scope);
    this.settle(scope);
    return [...(isOver ? [] : placesOf(scope)), ...scope.leftFunction];
  }

  #endOf(list: CompoundList, scope: Scope): Places {
    const isOver = this.#walk(() => this.#walks.statements(list, scope), scope);
    this.settle(scope);
    return isOver ? [] : placesOf(scope);
  }

  #walk(walk: () => void, scope: Scope): boolean {
    scope.failed = undefined;
    scope.isOver = false;
    walk();
    return scope.isOver;
  }

  /** What stands behind what never goes on is looked at all the same. */
  #goOnFrom(ends: Places, scope: Scope, wasOver: boolean): void {
    scope.failed = undefined;
    scope.isOver = wasOver || ends.length === 0;
    if (ends.length > 0) this.#stand(scope, ends);
  }

  #stand(scope: Scope, places: Places): void {
    standIn(scope, places, () => this.#walks.onTooManyPlaces());
  }
}

const areSame = (some: Places, others: Places) =>
  some.length === others.length && some.every((place, index) => place === others[index]);

const isAnything = ({ value }: Word) => value === "*";
