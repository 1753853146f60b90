/** A session and those of its sub-agents, which are known by their ids: those outlive the process that made them. */

/** Marked, because ids that people give may hold slashes too: sessions of one team or tenant are not one session. */
const SUB_AGENT = "/agent-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const BELOW = new RegExp(`^(?:${SUB_AGENT})*$`);
const END = new RegExp(`(?:${SUB_AGENT})+$`);

export const subAgentSession = (above: string, uuid: string): string => `${above}/agent-${uuid}`;

/** The session at the top, of which this one is a part. */
export const wholeSession = (session: string): string => session.replace(END, "");

/** Whether it is that very session, or of a sub-agent of it, at any depth. */
export const isPartOf = (session: string, whole: string): boolean =>
  session.startsWith(whole) && BELOW.test(session.slice(whole.length));
