/** Tools that give something to the world: packages, images, releases. */
import { arg } from "../arg.ts";
import type { CommandEffect } from "../effect.ts";
import type { Program, Programs } from "../programs.ts";
import { findVerb, type Tool, type VerbRow } from "../verbs.ts";

type Deed = "publish" | "withdraw" | "rights";
type Row = VerbRow<Deed>;

const publish = (words: RegExp, more: Partial<Row> = {}): Row => ({ words, deed: "publish", ...more });
const withdraw = (words: RegExp): Row => ({ words, deed: "withdraw" });
const rights = (words: RegExp, more: Partial<Row> = {}): Row => ({ words, deed: "rights", ...more });

const NPM_VALUES = ["tag", "otp", "registry", "access", "w", "workspace", "C", "prefix", "dir", "filter", "F", "cwd"];

const NPM: readonly Row[] = [
  publish(/^(stage )?publish\b/),
  withdraw(/^(unpublish|deprecate|undeprecate)\b/),
  rights(/^owner (add|rm|remove)\b|^author (add|rm)\b/),
  rights(/^access (public|restricted|grant|revoke|edit|set|2fa-required|2fa-not-required)\b/),
  rights(/^(dist-tags?|tag) (add|set|rm|remove|del|d|delete)\b/),
  rights(/^(team|org) (create|destroy|add|set|rm|remove)\b/),
  rights(/^token (revoke|delete|remove|rm)\b/),
];

const YARN: readonly Row[] = [
  publish(/^(npm )?publish\b/),
  rights(/^(npm )?(tag|owner) (add|remove|rm)\b/),
  ...NPM.filter(({ deed }) => deed === "withdraw"),
  publish(/^workspaces? foreach (.* )?(npm )?publish\b/),
];

const onlyLocal = /Local\b/;

/** Registry by tool, and the rows that reach it. */
const TOOLS: Readonly<Record<string, { readonly registry: string } & Tool<Deed>>> = {
  npm: { registry: "npm", valued: NPM_VALUES, rows: NPM },
  pnpm: {
    registry: "npm",
    valued: NPM_VALUES,
    rows: [publish(/^(-r |recursive )?publish\b/), publish(/^release\b.* publish\b/), ...NPM],
  },
  yarn: { registry: "npm", valued: NPM_VALUES, rows: YARN },
  bun: { registry: "npm", valued: ["tag", "otp", "access", "cwd"], rows: [publish(/^publish\b/)] },
  deno: { registry: "JSR", rows: [publish(/^publish\b/)] },
  jsr: { registry: "JSR", rows: [publish(/^publish\b/)] },
  lerna: { registry: "npm", rows: [publish(/^publish\b/)] },
  changeset: { registry: "npm", rows: [publish(/^publish\b/)] },
  nx: {
    registry: "npm",
    rehearsals: ["d", "skip-publish", "skipPublish", "dryRun"],
    rows: [publish(/^release( publish)?$/)],
  },
  np: { registry: "npm", rehearsals: ["preview", "no-publish", "version"], rows: [publish(/^/)] },
  "release-it": { registry: "npm", rehearsals: ["release-version", "changelog", "version", "v"], rows: [publish(/^/)] },
  "semantic-release": { registry: "its registries", rehearsals: ["d", "version", "v"], rows: [publish(/^/)] },
  "wasm-pack": { registry: "npm", rows: [publish(/^publish\b/)] },
  cargo: {
    registry: "crates.io",
    valued: [
      "p",
      "package",
      "registry",
      "index",
      "token",
      "manifest-path",
      "target-dir",
      "version",
      "vers",
      "j",
      "jobs",
    ],
    rehearsals: ["n"],
    rows: [
      publish(/^(\+\S+ )?(workspaces? |ws |hack )?publish\b/),
      withdraw(/^(\+\S+ )?yank\b/),
      rights(/^(\+\S+ )?owner\b/, { given: ["a", "r", "add", "remove"] }),
      publish(/^(\+\S+ )?(release|smart-release)\b/, { given: ["x", "execute"] }),
    ],
  },
  twine: { registry: "PyPI", rows: [publish(/^(upload|register)\b/)] },
  uv: { registry: "PyPI", valued: ["directory", "project"], rows: [publish(/^publish\b/)] },
  poetry: { registry: "PyPI", valued: ["C", "directory", "P", "project"], rows: [publish(/^publish\b/)] },
  flit: { registry: "PyPI", rows: [publish(/^publish\b/)] },
  hatch: { registry: "PyPI", rows: [publish(/^publish\b/)] },
  pdm: { registry: "PyPI", rows: [publish(/^publish\b/)] },
  rye: { registry: "PyPI", rows: [publish(/^publish\b/)] },
  maturin: { registry: "PyPI", rows: [publish(/^(publish|upload)\b/)] },
  anaconda: { registry: "Anaconda", rows: [publish(/^upload\b/), withdraw(/^remove\b/)] },
  gem: {
    registry: "RubyGems",
    rows: [publish(/^push\b/), withdraw(/^yank\b/), rights(/^owner\b/, { given: ["a", "r", "add", "remove"] })],
  },
  rake: { registry: "RubyGems", rehearsals: ["n", "T"], rows: [publish(/^release$/)] },
  mvn: {
    registry: "its Maven repository",
    valued: ["f", "file", "P", "pl", "s", "settings", "T"],
    rows: [
      publish(/(^|.* )(\S*deploy:\S+|deploy|release:perform|nexus-staging:release|central-publishing:publish)(?= |$)/),
    ],
  },
  gradle: {
    registry: "its Maven repository",
    valued: ["p", "b", "x", "exclude-task", "project-dir", "I"],
    rehearsals: ["m"],
    rows: [
      publish(
        /(^|.* )(:?[\w-]+:)*(publish\w*|uploadArchives|bintrayUpload|artifactoryPublish|\w+AndReleaseRepository|\w+AndReleaseStagingRepository)(?= |$)/,
        {
          when: (_, all) => !onlyLocal.test(all),
        },
      ),
    ],
  },
  sbt: {
    registry: "its repository",
    rows: [publish(/(^|.* )\+?(\w+\/)?(publish|publishSigned|ci-release|sonatype\w*Release|sonaRelease)(?= |$)/)],
  },
  lein: { registry: "Clojars", rows: [publish(/^deploy\b/)] },
  dotnet: { registry: "NuGet", rows: [publish(/^nuget push\b/), withdraw(/^nuget delete\b/)] },
  nuget: { registry: "NuGet", rows: [publish(/^push\b/), withdraw(/^delete\b/)] },
  pod: {
    registry: "CocoaPods",
    rows: [
      publish(/^(trunk push|repo push)\b/),
      withdraw(/^trunk (delete|deprecate)\b/),
      rights(/^trunk (add|remove)-owner\b/),
    ],
  },
  mix: {
    registry: "Hex",
    rows: [publish(/^hex\.publish\b/), withdraw(/^hex\.retire\b/), rights(/^hex\.owner (add|remove|transfer)\b/)],
  },
  cabal: { registry: "Hackage", rows: [publish(/^upload\b/, { given: ["publish"] })] },
  stack: { registry: "Hackage", rows: [publish(/^upload\b/)] },
  luarocks: { registry: "LuaRocks", rows: [publish(/^upload\b/)] },
  dart: { registry: "pub.dev", rehearsals: ["n"], rows: [publish(/^pub (publish|lish)\b/)] },
  flutter: { registry: "pub.dev", rehearsals: ["n"], rows: [publish(/^(pub|packages pub) (publish|lish)\b/)] },
  elm: { registry: "the Elm packages", rows: [publish(/^publish\b/)] },
  vsce: { registry: "the Marketplace", rows: [publish(/^publish\b/), withdraw(/^unpublish\b/)] },
  ovsx: { registry: "Open VSX", rows: [publish(/^publish\b/)] },
  goreleaser: {
    registry: "its release page",
    valued: ["f", "config"],
    rehearsals: ["snapshot", "skip-publish", "version"],
    rows: [
      publish(/^(release\b|$)/, {
        when: ({ values, given }) => !/publish/.test(values.get("skip")?.text ?? "") && !given.has("v"),
      }),
    ],
  },
  snapcraft: { registry: "the Snap store", rows: [publish(/^(upload|push|release)\b/), withdraw(/^close\b/)] },
  conan: { registry: "its Conan remote", rows: [publish(/^upload\b/)] },
  fastlane: {
    registry: "the app stores",
    rows: [publish(/^(ios |android |run )?(deliver|pilot upload|supply|upload_to_\w+)\b/)],
  },
  eas: { registry: "the app stores", rows: [publish(/^submit\b/)] },
  docker: {
    registry: "the image registry",
    valued: ["H", "host", "c", "context", "config", "l", "log-level", "f", "file", "t", "tag", "p", "project-name"],
    rows: [
      publish(/^((image|manifest|compose|plugin) )?push\b/),
      publish(/^(buildx |builder |image )?(build|bake)\b/, { given: ["push"] }),
    ],
  },
  helm: { registry: "the chart registry", rows: [publish(/^(push|cm-push)\b/)] },
  oras: {
    registry: "the image registry",
    rows: [publish(/^(push|attach|cp|copy)\b/), withdraw(/^(manifest|blob|repo) delete\b/)],
  },
  crane: { registry: "the image registry", rows: [publish(/^push\b/), withdraw(/^delete\b/)] },
  skopeo: { registry: "the image registry", rows: [publish(/^copy \S+ docker:\/\//), withdraw(/^delete\b/)] },
  gh: {
    registry: "GitHub",
    valued: ["R", "repo", "t", "title", "n", "notes", "F", "notes-file", "target", "b", "body"],
    rows: [publish(/^release (create|new|upload|edit)\b/)],
  },
  glab: {
    registry: "GitLab",
    valued: ["R", "repo", "n", "name", "N", "notes"],
    rows: [publish(/^release (create|upload)\b/)],
  },
};

const ALIASES: Readonly<Record<string, string>> = {
  gradlew: "gradle",
  mvnw: "mvn",
  "./mvnw": "mvn",
  podman: "docker",
  nerdctl: "docker",
  buildah: "docker",
  "docker-compose": "docker",
};

const program =
  (name: string): Program =>
  ({ program: written, args }) => {
    const tool = TOOLS[name];
    const found = tool && findVerb(written, args, tool);
    return found ? [{ type: "publish", registry: tool.registry, deed: found.deed }] : [];
  };

/** `python -m twine upload`, `python setup.py upload`. */
const python: Program = (invocation, context) => {
  const words = invocation.args;
  const module = words.findIndex(({ text }) => text === "-m");
  const name = module >= 0 ? words[module + 1]?.text : undefined;
  if (name && TOOLS[name]?.registry === "PyPI")
    return program(name)({ ...invocation, program: name, args: words.slice(module + 2) }, context);
  const script = words.findIndex(({ text }) => /(^|\/)setup\.py$/.test(text));
  const uploads = script >= 0 && words.slice(script + 1).some(({ text }) => text === "upload" || text === "register");
  const effect: CommandEffect = { type: "publish", registry: "PyPI", deed: "publish" };
  return uploads ? [effect] : [];
};

export const PUBLISH: Programs = {
  ...Object.fromEntries(Object.keys(TOOLS).map((name) => [name, program(name)])),
  ...Object.fromEntries(Object.entries(ALIASES).map(([name, like]) => [name, program(like)])),
  python,
  python3: python,
  py: python,
  "cargo-release": (invocation, context) =>
    program("cargo")({ ...invocation, args: [arg("release"), ...invocation.args] }, context),
};
