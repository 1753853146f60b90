/** Variables: from where they may come, in which order, and what must be there when. */
import { HoldfastError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import type { RunVar } from "../run.ts";
import type { VarDeclaration, VarSource, VarValue } from "./assignment.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Declared = Readonly<Record<string, VarDeclaration>>;
type RunVars = Readonly<Record<string, RunVar>>;

export interface VarRequest {
  readonly declared: Declared;
  /** From the command line, as text. Unknown keys are errors. */
  readonly cli: Readonly<Record<string, string>>;
  readonly web: Readonly<Record<string, VarValue>>;
  readonly env: Environment;
  /** Of the nearest ancestor that has it. */
  readonly parent: (key: string) => RunVar | undefined;
}

/** Sources from left to right, then the default. Also checks what is required from the start. */
export function resolveVars(request: VarRequest): RunVars {
  const { declared, cli, web, env } = request;
  for (const [source, given] of [["cli", cli] as const, ["web", web] as const]) {
    for (const key of Object.keys(given)) assertTaken(key, source, declared);
  }
  const found = Object.entries(declared).flatMap(([key, declaration]) => {
    const value = firstOf(key, declaration, request);
    if (value) coerced(key, value.source === "env" ? (env[value.envName] ?? "") : value.value, declaration);
    return value ? [[key, value.source === "env" ? value : withType(key, value, declaration)] as const] : [];
  });
  const vars: RunVars = Object.fromEntries(found);
  checkRequired(declared, vars, "initial");
  return vars;
}

/** At `prepare`: after its hooks, also what was required from the start. */
export function checkRequired(declared: Declared, vars: RunVars, at: "initial" | "prepare"): void {
  for (const [key, { required, requiredAt, sources, envName, description }] of Object.entries(declared)) {
    if (!required || Object.hasOwn(vars, key) || (at === "initial" && requiredAt === "prepare")) continue;
    const ways = sources.map((source) => WAYS[source](key, envName)).join(", or ");
    const why = requiredAt === "prepare" ? "; no prepare hook set it" : "";
    const what = description ? ` (${description})` : "";
    throw new HoldfastError("HF1011", `variable ${key}${what} has no value${why}`, {
      key,
      hint: `give it with ${ways}`,
    });
  }
}

const WAYS: Readonly<Record<VarSource, (key: string, envName: string) => string>> = {
  cli: (key) => `--var ${key}=…`,
  web: () => "the form on the web page",
  env: (_key, envName) => `the environment variable ${envName}`,
  parent: () => "a parent run that has it",
};

/** After prepare: what its hooks set, of the declared type where it is declared. */
export function typedVars(vars: RunVars, declared: Declared): RunVars {
  const entries = Object.entries(vars).map(([key, entry]): [string, RunVar] => {
    const declaration = declared[key];
    return [
      key,
      entry.source === "prepare" && declaration ? { ...entry, value: coerced(key, entry.value, declaration) } : entry,
    ];
  });
  return Object.fromEntries(entries);
}

/** The values themselves, references to the environment filled in. What is no longer set there is left out. */
export function valuesOf(vars: RunVars, env: Environment): Readonly<Record<string, VarValue>> {
  const entries = Object.entries(vars).flatMap(([key, entry]): [string, VarValue][] => {
    if (entry.source !== "env") return [[key, entry.value]];
    const value = env[entry.envName];
    return value === undefined ? [] : [[key, coerced(key, value, { type: entry.type, values: [value] })]];
  });
  return Object.fromEntries(entries);
}

/** For people and records: what comes from the environment shows only where from. */
export function shownVars(vars: RunVars): Readonly<Record<string, VarValue>> {
  const shown = Object.entries(vars).map(([key, entry]): [string, VarValue] => [
    key,
    entry.source === "env" ? `\${${entry.envName}}` : entry.value,
  ]);
  return Object.fromEntries(shown);
}

function assertTaken(key: string, source: "cli" | "web", declared: Declared): void {
  const declaration = declared[key];
  if (!declaration) {
    const meant = nearest(key, Object.keys(declared));
    const known = Object.keys(declared).join(", ") || "none";
    throw new HoldfastError("HF1011", `the assignment has no variable ${key}`, {
      key,
      hint: meant ? `did you mean ${meant}?` : `variables are ${known}`,
    });
  }
  if (declaration.sources.includes(source)) return;
  throw new HoldfastError(
    "HF1011",
    `variable ${key} is not taken from ${source === "cli" ? "--var" : "the web page"}`,
    {
      key,
      hint: `it comes from ${declaration.sources.join(", ")}`,
    },
  );
}

function firstOf(key: string, declaration: VarDeclaration, request: VarRequest): RunVar | undefined {
  for (const source of declaration.sources) {
    const found = FROM[source](key, declaration, request);
    if (found) return found;
  }
  return declaration.default === null ? undefined : { source: "default", value: declaration.default };
}

type Finder = (key: string, declaration: VarDeclaration, request: VarRequest) => RunVar | undefined;

const FROM: Readonly<Record<VarSource, Finder>> = {
  cli: (key, _declaration, { cli }) => own(cli, key, "cli"),
  web: (key, _declaration, { web }) => own(web, key, "web"),
  env: (_key, { envName, type }, { env }) =>
    env[envName] === undefined ? undefined : { source: "env", envName, type },
  parent(key, _declaration, { parent }) {
    const inherited = parent(key);
    // A reference stays one: the child fills it in from its own environment.
    return inherited?.source === "env" ? inherited : inherited && { source: "parent", value: inherited.value };
  },
};

const own = (given: Readonly<Record<string, VarValue>>, key: string, source: "cli" | "web"): RunVar | undefined =>
  Object.hasOwn(given, key) ? { source, value: given[key] as VarValue } : undefined;

function withType(key: string, entry: Exclude<RunVar, { source: "env" }>, declaration: VarDeclaration): RunVar {
  return { ...entry, value: coerced(key, entry.value, declaration) };
}

/** The value as its declared type; throws where it cannot be one. */
export function coerced(
  key: string,
  value: VarValue,
  { type, values }: Pick<VarDeclaration, "type" | "values">,
): VarValue {
  const wrong = (expected: string, hint?: string) =>
    new HoldfastError("HF1011", `variable ${key} must be ${expected}, not ${JSON.stringify(value)}`, {
      key,
      ...(hint ? { hint } : {}),
    });
  switch (type) {
    case "string":
      return String(value);
    case "number": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
      if (typeof number !== "number" || !Number.isFinite(number)) throw wrong("a number");
      return number;
    }
    case "boolean":
      if (typeof value === "boolean") return value;
      if (value === "true" || value === "false") return value === "true";
      throw wrong("true or false");
    case "enum": {
      if (values.includes(String(value))) return String(value);
      const meant = nearest(String(value), values);
      throw wrong(`one of ${values.join(", ")}`, meant && `did you mean ${meant}?`);
    }
  }
}
