/** The commands by which people decide. */
import type { CommandRow } from "./command.ts";
import { dryRun, json } from "./flags.ts";

export const PEOPLE_COMMANDS: readonly CommandRow[] = [
  {
    name: "approvals",
    group: "people",
    summary: "what agents ask people to approve: list, show, and (a person, at a terminal) approve or deny",
    usage: "approvals [list | show <id> | approve <id> | deny <id> | review]",
    examples: [
      "holdfast approvals",
      "holdfast approvals show A-8mg8hwrs43",
      "holdfast approvals approve A-8mg8hwrs43",
      `holdfast approvals deny A-8mg8hwrs43 --reason "not before Monday"`,
    ],
    flags: {
      all: { type: "boolean", doc: "list what was decided, too; without it only what waits" },
      last: { type: "string", value: "n", doc: "list the newest n; default 50" },
      session: { type: "string", value: "id", doc: "list only this session" },
      reason: { type: "string", value: "text", doc: "why; the agent is told (approve, deny)" },
      "dry-run": dryRun,
      json,
    },
    words: [0, 2],
    load: () => import("./approvals.ts"),
  },
  {
    name: "serve",
    group: "people",
    summary:
      "the inbox where people approve calls, and its API; `serve link` prints a new link to sign in, `serve tokens` which tokens there are and which rest",
    usage:
      "serve [link | tokens] [--port n] [--host h] [--store url] [--organisation name] [--public-url u] [--behind-proxy | --tls-cert f --tls-key f] [--oidc-issuer u --oidc-client-id id]",
    examples: [
      "holdfast serve",
      "holdfast serve --port 0 --json",
      "holdfast serve tokens",
      "holdfast serve --host 0.0.0.0 --behind-proxy --public-url https://holdfast.example.com --store postgres://holdfast@db/holdfast",
    ],
    flags: {
      port: { type: "string", value: "n", doc: "default 4560; 0: any that is free" },
      host: { type: "string", value: "h", doc: "address to listen on; default 127.0.0.1, this machine only" },
      store: { type: "string", value: "url", doc: "sqlite:<file> or postgres://…; default: this machine's approvals" },
      organisation: {
        type: "string",
        value: "name",
        doc: "whose owner the printed link signs in, whose tokens are listed; default personal",
      },
      "public-url": { type: "string", value: "u", doc: "where people reach it" },
      "behind-proxy": { type: "boolean", doc: "a proxy in front does TLS and says who connects" },
      "tls-cert": { type: "string", value: "file", doc: "certificate chain, PEM" },
      "tls-key": { type: "string", value: "file", doc: "its private key, PEM" },
      "oidc-issuer": { type: "string", value: "u", doc: "the team signs in there (OpenID Connect)" },
      "oidc-client-id": {
        type: "string",
        value: "id",
        doc: "by which the issuer knows this server; its secret is in HOLDFAST_OIDC_CLIENT_SECRET",
      },
      json: { type: "boolean", doc: "print one line of JSON with the URL and the link when it is ready" },
    },
    words: [0, 1],
    load: () => import("./serve.ts"),
  },
];
