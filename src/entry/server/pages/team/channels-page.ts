/** Channels people are asked in. Credentials are never shown; a test message says whether they work. */
import { CHANNEL_TYPES, type ChannelType, isChannelType } from "../../../../approvals/channel.ts";
import type { ShownChannel } from "../../../../channels/administration.ts";
import { SETTINGS, type Setting } from "../../../../channels/settings.ts";
import { buttonForm, hidden, sure, textField } from "../form-parts.ts";
import type { Viewer } from "../frame.ts";
import { html, type Markup } from "../markup.ts";
import { moment } from "../moment.ts";
import { isAdmin, teamPage } from "./team-frame.ts";

export interface Channels {
  /** Null: the server has no key to open their settings. */
  readonly channels: readonly ShownChannel[] | null;
  readonly said: Markup | null;
}

export function channelsPage({ channels, said }: Channels, viewer: Viewer): Markup {
  if (channels === null)
    return teamPage(
      "/channels",
      said,
      html`<div class="empty"><p><strong>This server cannot open the secrets of channels.</strong></p><p class="quiet">Start it with <code>HOLDFAST_SECRET_KEY</code>, the key they were sealed with.</p></div>`,
    );
  return teamPage(
    "/channels",
    said,
    html`${isAdmin(viewer) ? addForms(viewer) : html`<p class="quiet">Admins add and change channels. Everybody may try one out.</p>`}
    ${
      channels.length === 0
        ? html`<div class="empty"><p><strong>There is no channel.</strong></p><p class="quiet">Without one, people are asked here and in the terminal.</p></div>`
        : html`<ul class="rows channels">${channels.map((channel, index) => channelRow(channel, index, viewer))}</ul>`
    }`,
  );
}

const TYPE_WORDS: Readonly<Record<ChannelType, string>> = {
  feishu: "Feishu or Lark",
  slack: "Slack",
  wecom: "WeCom",
  webhook: "A signed webhook",
};

const wordOf = (type: string) => (isChannelType(type) ? TYPE_WORDS[type] : type);

function channelRow(channel: ShownChannel, index: number, viewer: Viewer): Markup {
  const { id, type, name, isActive, config, problem } = channel;
  const path = `/channels/${encodeURIComponent(id)}`;
  return html`<li data-item tabindex="-1"><div class="row-call"><strong><bdi>${name}</bdi></strong> <span class="badge" data-look="${isActive ? "yes" : "quiet"}">${isActive ? "active" : "switched off"}</span>
      <p class="quiet">${wordOf(type)} · <span class="id">${id}</span> · changed ${moment(channel.updatedAt)}</p>
      ${problem !== null && html`<p class="problem">${problem}</p>`}
      <dl class="facts">${Object.entries(config).map(([key, value]) => html`<div><dt>${key}</dt><dd><code>${value}</code></dd></div>`)}</dl></div>
    <div class="row-actions">${buttonForm(viewer, `${path}/test`, html`Send a test message<span class="sr"> to ${name}</span>`)}
    ${
      isAdmin(viewer) &&
      html`${buttonForm(viewer, `${path}/active`, html`${isActive ? "Switch it off" : "Switch it on"}<span class="sr">: ${name}</span>`, { isActive: String(!isActive) })}
      ${isChannelType(type) && changeForm(channel, type, index, path, viewer)}
      ${sure(`remove-${index}`, html`Remove<span class="sr"> ${name}</span>…`, "Approvals that were asked in it stay, with their history.", buttonForm(viewer, `${path}/remove`, "Remove it", {}, "refuse"))}`
    }</div></li>`;
}

const changeForm = (channel: ShownChannel, type: ChannelType, index: number, path: string, viewer: Viewer) =>
  html`<details class="more" id="change-${index}"><summary>Change<span class="sr"> ${channel.name}</span></summary>
    <form class="stack" method="post" action="${path}">${hidden("csrf", viewer.csrf)}
      ${hidden("was-name", channel.name)}
      ${textField({ id: `name-${index}`, name: "name", label: "Name", value: channel.name, isRequired: true, maxLength: 200 })}
      ${Object.entries(SETTINGS[type]).map(
        ([key, setting]) => html`${hidden(`was-setting-${key}`, shownValue(setting, channel.config[key]))}
      ${settingField(`${index}`, key, setting, channel.config[key])}`,
      )}
      <button>Keep</button></form></details>`;

/** Of a secret that is there, nothing goes into the page: left empty it stays as it is. */
function settingField(prefix: string, key: string, setting: Setting, value: string | undefined): Markup {
  const isKept = setting.isSecret === true && value !== undefined;
  return textField({
    id: `setting-${prefix}-${key}`,
    name: `setting-${key}`,
    label: key,
    value: shownValue(setting, value),
    hint: isKept ? `${setting.doc}. It is kept: leave this empty to keep it.` : setting.doc,
    isRequired: setting.isRequired === true && !isKept,
    type: setting.isSecret ? "password" : "text",
  });
}

const shownValue = (setting: Setting, value: string | undefined) =>
  setting.isSecret ? "" : (value ?? setting.default ?? "");

const addForms = (viewer: Viewer) =>
  html`<section><h2>Add a channel</h2>${CHANNEL_TYPES.map(
    (type) => html`<details class="more" id="add-${type}"><summary>${TYPE_WORDS[type]}</summary>
    <form class="stack sheet" method="post" action="/channels">${hidden("csrf", viewer.csrf)}${hidden("type", type)}
      ${textField({ id: `new-${type}-name`, name: "name", label: "Name", isRequired: true, maxLength: 200 })}
      ${Object.entries(SETTINGS[type]).map(([key, setting]) => settingField(`new-${type}`, key, setting, undefined))}
      <button class="approve">Add</button></form></details>`,
  )}</section>`;
