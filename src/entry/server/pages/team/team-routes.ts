/** People, tokens and channels as pages. Everything they do, the API does. */
import { Hono } from "hono";
import type { Person } from "../../../../approvals/approval.ts";
import type { ShownChannel } from "../../../../channels/administration.ts";
import { isHidden } from "../../../../channels/masking.ts";
import type { ServerCall, ServerContext, ServerEnv } from "../../context.ts";
import { AGENT_SCOPES } from "../../principal.ts";
import type { ShownToken } from "../../token-rest.ts";
import { leaveWord, type Sentences, takeWord } from "../flash.ts";
import { html } from "../markup.ts";
import { ownApi } from "../own-api.ts";
import { answerPage, viewerOf } from "../page-call.ts";
import { namesOf } from "../person-name.ts";
import { channelsPage } from "./channels-page.ts";
import { peoplePage } from "./people-page.ts";
import { EACH_CALL, type Tokens, tokensPage } from "./tokens-page.ts";

const SAID: Sentences = {
  "person-added": (name) => html`<bdi>${name}</bdi> belongs to the team now.`,
  "person-kept": (name) => html`<bdi>${name}</bdi> is kept as you said.`,
  "person-removed": (id) => html`<bdi>${id}</bdi> is removed, and signed out everywhere.`,
  "identity-linked": (identity) => html`<bdi>${identity}</bdi> is taken for this person from now on.`,
  "identity-unlinked": (identity) => html`<bdi>${identity}</bdi> is no longer taken for this person.`,
  "token-revoked": () => html`The token is worth nothing from now on.`,
  "channel-kept": (name) => html`The channel <bdi>${name}</bdi> is kept as you said.`,
  "channel-removed": () => html`The channel is removed.`,
  "channel-tried": (message) => html`The platform took the message. Look for it there: <bdi>${message}</bdi>`,
};

export function teamRoutes(context: ServerContext): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  const done = (c: ServerCall, path: string, sentence: string, about = "") => {
    leaveWord(context, c, sentence, about);
    return c.redirect(path, 303);
  };

  app.get("/people", async (c) => {
    const viewer = await viewerOf(context, c);
    const { people } = await ownApi<{ people: Person[] }>(context, c, "listPeople");
    return answerPage(context, c, viewer, "People", peoplePage(people, viewer, takeWord(context, c, SAID)));
  });
  app.post("/people", async (c) => {
    const { id = "", name = "", roles = "", identity: typed = "" } = context.form(c);
    const identity = typed.trim();
    const body = { id: id.trim(), name, roles: namesIn(roles), ...(identity === "" ? {} : { identity }) };
    await ownApi(context, c, "addPerson", { body });
    return done(c, "/people", "person-added", name);
  });
  app.post("/people/:id", async (c) => {
    const { name = "", roles = "" } = context.form(c);
    await ownApi(context, c, "putPerson", { params: { id: c.req.param("id") }, body: { name, roles: namesIn(roles) } });
    return done(c, "/people", "person-kept", name);
  });
  app.post("/people/:id/identities", async (c) => {
    const { identity: typed = "", what } = context.form(c);
    const [params, identity] = [{ id: c.req.param("id") }, typed.trim()];
    if (what === "unlink") await ownApi(context, c, "unlinkIdentity", { params, query: { identity } });
    else await ownApi(context, c, "linkIdentity", { params, body: { identity } });
    return done(c, "/people", what === "unlink" ? "identity-unlinked" : "identity-linked", identity);
  });
  app.post("/people/:id/remove", async (c) => {
    const id = c.req.param("id");
    await ownApi(context, c, "removePerson", { params: { id } });
    return done(c, "/people", "person-removed", id);
  });

  app.get("/tokens", (c) => showTokens(c, {}));
  app.post("/tokens", async (c) => {
    const { name = "", kind = "", days = "", agent = "", onBehalfOf = "", ...form } = context.form(c);
    const scopes = AGENT_SCOPES.filter((scope) => form[`scope-${scope}`] !== undefined);
    const own = { kind, name, days: Number(days) };
    const namesInitiator = onBehalfOf === EACH_CALL;
    const forWhom = { onBehalfOf: namesInitiator ? null : onBehalfOf || null, namesInitiator };
    const body = kind === "agent" ? { ...own, agent: agent || null, ...forWhom, scopes } : own;
    const { token } = await ownApi<{ token: string }>(context, c, "createToken", { body });
    return showTokens(c, { secret: token });
  });
  app.post("/tokens/:id/revoke", async (c) => {
    await ownApi(context, c, "revokeToken", { params: { id: c.req.param("id") } });
    return done(c, "/tokens", "token-revoked");
  });

  app.get("/channels", async (c) => {
    const viewer = await viewerOf(context, c);
    const channels = context.channels
      ? (await ownApi<{ channels: ShownChannel[] }>(context, c, "listChannels")).channels
      : null;
    return answerPage(
      context,
      c,
      viewer,
      "Channels",
      channelsPage({ channels, said: takeWord(context, c, SAID) }, viewer),
    );
  });
  app.post("/channels", async (c) => {
    const { type = "", name = "", ...form } = context.form(c);
    const given = Object.entries(settingsIn(form)).filter(([, value]) => value !== "");
    await ownApi(context, c, "createChannel", { body: { type, name, config: Object.fromEntries(given) } });
    return done(c, "/channels", "channel-kept", name);
  });
  app.post("/channels/:id", async (c) => {
    const params = { id: c.req.param("id") };
    const { name, ...form } = touched(context.form(c));
    const channel = await ownApi<ShownChannel>(context, c, "getChannel", { params });
    const config = changeOf(settingsIn(form), channel);
    await ownApi(context, c, "changeChannel", { params, body: { ...(name === undefined ? {} : { name }), config } });
    return done(c, "/channels", "channel-kept", name ?? channel.name);
  });
  app.post("/channels/:id/active", async (c) => {
    const isActive = context.form(c).isActive === "true";
    const params = { id: c.req.param("id") };
    const { name } = await ownApi<ShownChannel>(context, c, "changeChannel", { params, body: { isActive } });
    return done(c, "/channels", "channel-kept", name);
  });
  app.post("/channels/:id/test", async (c) => {
    const params = { id: c.req.param("id") };
    const { message } = await ownApi<{ message: string }>(context, c, "testChannel", { params });
    return done(c, "/channels", "channel-tried", message);
  });
  app.post("/channels/:id/remove", async (c) => {
    await ownApi(context, c, "removeChannel", { params: { id: c.req.param("id") } });
    return done(c, "/channels", "channel-removed");
  });
  return app;

  async function showTokens(c: ServerCall, made: Pick<Tokens, "secret">): Promise<Response> {
    const viewer = await viewerOf(context, c);
    const [{ tokens }, people] = await Promise.all([
      ownApi<{ tokens: ShownToken[] }>(context, c, "listTokens"),
      context.stores.people(viewer.person.organisation),
    ]);
    const shown = { ...made, tokens, people, names: namesOf(people), said: takeWord(context, c, SAID) };
    return answerPage(context, c, viewer, "Tokens", tokensPage(shown, viewer));
  }
}

const namesIn = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Without the fields that are as they were shown: what somebody else changed since is theirs. */
const touched = (form: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(form).filter(([name, value]) => form[`was-${name}`] !== value));

const PREFIX = "setting-";

const settingsIn = (form: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) =>
      name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value.trim()]] : [],
    ),
  );

/** An empty field takes away what was shown; of a secret nothing was shown, so it stays. */
function changeOf(
  given: Readonly<Record<string, string>>,
  { type, config }: Pick<ShownChannel, "type" | "config">,
): Record<string, string | null> {
  const entries = Object.entries(given).flatMap(([key, value]): [string, string | null][] => {
    if (value !== "") return [[key, value]];
    return config[key] === undefined || isHidden(type, key) ? [] : [[key, null]];
  });
  return Object.fromEntries(entries);
}
