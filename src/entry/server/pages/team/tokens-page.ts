/** API tokens: made and revoked by the people they belong to. A secret is shown once, on the page that made it. */
import type { Person } from "../../../../approvals/approval.ts";
import { AGENT_SCOPES } from "../../principal.ts";
import type { ShownToken } from "../../token-rest.ts";
import { buttonForm, hidden, sure, textField } from "../form-parts.ts";
import type { Viewer } from "../frame.ts";
import { html, type Markup } from "../markup.ts";
import { moment } from "../moment.ts";
import { type Names, personName } from "../person-name.ts";
import { isAdmin, teamPage } from "./team-frame.ts";

export interface Tokens {
  readonly tokens: readonly ShownToken[];
  readonly people: readonly Person[];
  readonly names: Names;
  readonly said: Markup | null;
  /** Just made: the only time that it can be seen. */
  readonly secret?: string;
}

export function tokensPage({ tokens, people, names, said, secret }: Tokens, viewer: Viewer): Markup {
  return teamPage(
    "/tokens",
    said,
    html`${secret !== undefined && secretView(secret)}
    <p class="quiet">${isAdmin(viewer) ? "All tokens of the organisation." : "Your tokens."} A token of an agent asks and waits; it never decides.</p>
    ${createForm(viewer, people)}
    ${
      tokens.length === 0
        ? html`<div class="empty"><p><strong>There is no token.</strong></p></div>`
        : html`<ul class="rows tokens">${tokens.map((token) => tokenRow(token, names, viewer))}</ul>`
    }`,
  );
}

const secretView = (secret: string) => html`<section class="secret" aria-labelledby="secret-title">
  <h2 id="secret-title">Copy it now</h2>
  <p>This is the only time it is shown. Whoever has it can use it until it is revoked.</p>
  <pre class="command"><code id="secret">${secret}</code></pre></section>`;

const SCOPE_WORDS: Readonly<Record<(typeof AGENT_SCOPES)[number], string>> = {
  request: "ask for approvals and withdraw them",
  wait: "wait for them and read them",
  use: "use a yes",
  ingest: "hand in audit rows",
};

const tokenRow = (token: ShownToken, names: Names, viewer: Viewer) => html`<li data-item tabindex="-1">
  <div class="row-call"><strong><bdi>${token.name}</bdi></strong>${token.rests && html` <span class="badge" data-look="no">rests</span>`}
    ${token.rests && html`<p class="problem">It is refused: ${token.rests.why}. ${token.rests.fix}</p>`}
    <p class="quiet">${token.kind === "person" ? html`speaks for ${personName(token.person ?? "", names)}` : html`of ${token.agent === null ? "any agent" : html`the agent <bdi>${token.agent}</bdi>`}${actsFor(token, names)}; may ${token.scopes.map((scope) => SCOPE_WORDS[scope]).join(", ")}`}</p>
    <p class="id quiet">hf_${token.id}_…</p></div>
  <p class="quiet">made by ${personName(token.createdBy, names)} ${moment(token.createdAt)}, ends ${moment(token.expiresAt)}</p>
  <div class="row-actions">${sure(`revoke-${token.id}`, html`Revoke<span class="sr"> ${token.name}</span>…`, "Whatever uses it is refused from then on.", buttonForm(viewer, `/tokens/${token.id}/revoke`, "Revoke it", {}, "refuse"))}</div>
</li>`;

/** In the form: no id of a person reads so. */
export const EACH_CALL = "*";

function actsFor({ person, namesInitiator }: ShownToken, names: Names): Markup | string {
  if (person !== null) return html`, for ${personName(person, names)}`;
  return namesInitiator ? ", for whoever each call says" : ", for nobody";
}

const createForm = (
  viewer: Viewer,
  people: readonly Person[],
) => html`<details class="more" id="add-token"><summary>Make a token</summary>
  <form class="stack sheet" method="post" action="/tokens">${hidden("csrf", viewer.csrf)}
    ${textField({ id: "token-name", name: "name", label: "What it is for", isRequired: true, maxLength: 200 })}
    <div class="field"><label for="token-kind">Who uses it</label><select id="token-kind" name="kind"><option value="agent">An agent, or the gate of a machine</option><option value="person">A program of mine: it may what I may, except with tokens</option></select></div>
    <fieldset><legend>For an agent</legend>
      ${textField({ id: "token-agent", name: "agent", label: "Only the agent of this name", hint: "empty: any" })}
      ${
        isAdmin(viewer) &&
        html`<div class="field"><label for="token-for">On whose behalf</label><select id="token-for" name="onBehalfOf"><option value="">Nobody: where the initiator may not decide, it cannot ask</option><option value="${EACH_CALL}">Whoever each call says: what uses it is trusted with that, and sees all their requests</option>${people.map(({ id, name }) => html`<option value="${id}">${name === id ? id : `${name} (${id})`}</option>`)}</select></div>`
      }
      ${AGENT_SCOPES.map((scope) => html`<label class="check"><input type="checkbox" name="scope-${scope}" checked> It may ${SCOPE_WORDS[scope]}</label>`)}
    </fieldset>
    ${textField({ id: "token-days", name: "days", label: "Days until it ends", value: "90", isRequired: true, type: "number" })}
    <button class="approve">Make it</button></form></details>`;
