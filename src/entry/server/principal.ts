/** Who makes a request. */
import { ADMIN, type Person } from "../../approvals/approval.ts";

export type Principal =
  | { readonly kind: "person"; readonly person: Person; readonly via: "web" | "api"; readonly organisation: string }
  | {
      readonly kind: "agent";
      readonly organisation: string;
      /** The only agent the token is for; null: any of the organisation. */
      readonly agent: string | null;
      /** On whose behalf it acts; null: on nobody's, unless it names them itself. */
      readonly initiator: string | null;
      /** An admin trusts whatever has it to say on whose behalf each call is made. */
      readonly namesInitiator: boolean;
      readonly scopes: readonly AgentScope[];
      readonly token: string;
    };

/** What a token of an agent may be good for. Deciding is never among them. */
export const AGENT_SCOPES = ["request", "wait", "use", "ingest"] as const;
export type AgentScope = (typeof AGENT_SCOPES)[number];

/** Whom a route is for. `member`: every person of the organisation. */
export type Access = "public" | "member" | "admin" | `agent:${AgentScope}`;

export function mayEnter(access: readonly Access[], principal: Principal): boolean {
  return access.some((wanted) => {
    if (wanted === "public") return true;
    if (principal.kind === "agent") return principal.scopes.some((scope) => wanted === `agent:${scope}`);
    return wanted === "member" || (wanted === "admin" && principal.person.roles.includes(ADMIN));
  });
}

/** Whose attempts are counted together: the same id elsewhere is somebody else. */
export const countedAs = ({ organisation, id }: Pick<Person, "organisation" | "id">): string =>
  `person:${JSON.stringify([organisation, id])}`;
