/** Who belongs to the organisation; admins add, change and remove. */
import { ADMIN, APPROVER, type Person } from "../../../../approvals/approval.ts";
import { buttonForm, hidden, sure, textField } from "../form-parts.ts";
import type { Viewer } from "../frame.ts";
import { html, type Markup } from "../markup.ts";
import { isAdmin, teamPage } from "./team-frame.ts";

export function peoplePage(people: readonly Person[], viewer: Viewer, said: Markup | null): Markup {
  const sorted = people.toSorted((one, other) => one.name.localeCompare(other.name));
  return teamPage(
    "/people",
    said,
    html`${isAdmin(viewer) ? addForm(viewer) : html`<p class="quiet">Admins add and change people.</p>`}
    <ul class="rows people">${sorted.map((person, index) => personRow(person, index, viewer))}</ul>`,
  );
}

const ROLE_WORDS: Readonly<Record<string, string>> = {
  [ADMIN]: "decides everything, changes people, channels and settings",
  [APPROVER]: "decides whatever no rule names approvers for",
};

function personRow(person: Person, index: number, viewer: Viewer): Markup {
  const { id, name, roles } = person;
  return html`<li data-item tabindex="-1"><div class="row-call"><strong><bdi>${name}</bdi></strong>${id === viewer.person.id && html` <span class="quiet">(you)</span>`}
      <p class="id quiet">${id}</p></div>
    <p>${roles.length === 0 ? html`<span class="quiet">reads only</span>` : roles.map((role) => html`<span class="badge" title="${ROLE_WORDS[role] ?? "decides where a rule names the role"}">${role}</span> `)}</p>
    ${isAdmin(viewer) && changeForms(person, index, viewer)}</li>`;
}

function changeForms({ id, name, roles }: Person, index: number, viewer: Viewer): Markup {
  const path = `/people/${encodeURIComponent(id)}`;
  return html`<div class="row-actions"><details class="more" id="change-${index}"><summary>Change<span class="sr"> ${name}</span></summary>
    <form class="stack" method="post" action="${path}">${hidden("csrf", viewer.csrf)}
      ${textField({ id: `name-${index}`, name: "name", label: "Name", value: name, isRequired: true, maxLength: 200 })}
      ${textField({ id: `roles-${index}`, name: "roles", label: "Roles, with commas between them", value: roles.join(", "), hint: "admin and approver have a meaning of their own" })}
      <button>Keep</button></form>
    <form class="stack" method="post" action="${path}/identities">${hidden("csrf", viewer.csrf)}
      ${textField({ id: `identity-${index}`, name: "identity", label: "Who they are elsewhere", isRequired: true, hint: "email:ann@example.com, slack:U…, feishu:ou_…, wecom:… or oidc:…" })}
      <div class="actions"><button name="what" value="link">Link it</button><button name="what" value="unlink">Unlink it</button></div></form>
    ${sure(`remove-${index}`, `Remove ${name}…`, "Their sign-ins and tokens end at once. What they decided stays.", buttonForm(viewer, `${path}/remove`, `Remove ${name}`, {}, "refuse"))}
    </details></div>`;
}

const addForm = (viewer: Viewer) => html`<details class="more" id="add-person"><summary>Add somebody</summary>
  <form class="stack sheet" method="post" action="/people">${hidden("csrf", viewer.csrf)}
    ${textField({ id: "new-id", name: "id", label: "Id", isRequired: true, maxLength: 128, hint: "letters, digits and . _ @ + -; it never changes" })}
    ${textField({ id: "new-name", name: "name", label: "Name", isRequired: true, maxLength: 200 })}
    ${textField({ id: "new-roles", name: "roles", label: "Roles, with commas between them", value: APPROVER, hint: "none: they read only" })}
    ${textField({ id: "new-identity", name: "identity", label: "Who they are elsewhere, if they sign in with the team", hint: "email:ann@example.com" })}
    <button class="approve">Add</button></form></details>`;
