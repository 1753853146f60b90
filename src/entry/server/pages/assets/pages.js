// Makes pages live: countdowns, local times, news from the server, keys. Every page works without it.

const { body } = document;
/** Countdowns go by the server's clock. */
const clockAheadMs = Date.parse(body.dataset.now) - Date.now();
const now = () => new Date(Date.now() + clockAheadMs);
const byId = (id) => document.getElementById(id);
const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

function announce(text) {
  byId("announce").textContent = text.replace(/\s+/g, " ").trim();
}

// Times

const fullTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });
const clockTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const clockSeconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const withYear = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

function localise(root) {
  for (const time of root.querySelectorAll("time[data-local]")) {
    const at = new Date(time.dateTime);
    const today = now();
    const isToday = at.toDateString() === today.toDateString();
    const format = isToday
      ? time.dataset.local === "seconds"
        ? clockSeconds
        : clockTime
      : at.getFullYear() === today.getFullYear()
        ? dayAndTime
        : withYear;
    time.textContent = format.format(at);
    time.title = fullTime.format(at);
  }
  for (const time of root.querySelectorAll("time[data-countdown]"))
    time.title = fullTime.format(new Date(time.dateTime));
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];
const URGENT_MS = 120_000;

function duration(ms) {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first < 0) return "0 s";
  let rest = ms;
  return UNITS.slice(first, first + 2)
    .map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count > 0 ? `${count} ${unit}` : "";
    })
    .join(" ")
    .trim();
}

function tick() {
  for (const time of document.querySelectorAll("time[data-countdown]")) {
    const leftMs = Date.parse(time.dateTime) - now().getTime();
    time.textContent = leftMs > 0 ? `${duration(leftMs)} left` : "time is up";
    time.dataset.urgency = leftMs < URGENT_MS ? "urgent" : "calm";
    if (leftMs > 0 || "isOver" in time.dataset) continue;
    time.dataset.isOver = "";
    for (const button of time.closest("[data-item]")?.querySelectorAll("form.decide button") ?? [])
      button.disabled = true;
    refreshSoon();
  }
}

// News: the page is fetched again, and only what changed is put in. Nothing moves under a pointer: what is decided
// stays in its place, what is new goes to the end.

const isChanged = (old, fresh) =>
  "version" in fresh.dataset ? old.dataset.version !== fresh.dataset.version : old.dataset.source !== fresh.innerHTML;

function remember(root) {
  for (const part of root.querySelectorAll("[data-live]:not([data-version])")) part.dataset.source = part.innerHTML;
}

async function takeIn(next) {
  const gone = [];
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = next.getElementById(old.id);
    if (fresh && isChanged(old, fresh)) replace(old, fresh);
    if (!fresh && old.dataset.status === "pending") gone.push(old);
  }
  for (const list of document.querySelectorAll("[data-list]"))
    for (const fresh of next.getElementById(list.id)?.children ?? []) if (!byId(fresh.id)) append(list, fresh);
  document.title = next.title;
  await settle(gone);
}

function replace(old, fresh) {
  const put = document.importNode(fresh, true);
  const typed = old.querySelector("textarea")?.value;
  const isOpen = old.querySelector("details.deny")?.open;
  const key = old.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const hadFocus = old.contains(document.activeElement);
  const opened = [...old.querySelectorAll("details[open][id]")].map(({ id }) => id);
  const scrolled = old.querySelector("[data-follow]");
  const isAtEnd = !scrolled || scrolled.scrollTop + scrolled.clientHeight >= scrolled.scrollHeight - 4;
  old.replaceWith(put);
  if (!("version" in put.dataset)) put.dataset.source = put.innerHTML;
  for (const id of opened) if (byId(id)) byId(id).open = true;
  follow(put, isAtEnd ? undefined : scrolled.scrollTop);
  localise(put);
  const area = put.querySelector("textarea");
  if (area && typed) area.value = typed;
  const deny = put.querySelector("details.deny");
  if (deny && isOpen) deny.open = true;
  if (hadFocus) (put.querySelector(`[data-key="${key}"]`) ?? put).focus({ preventScroll: true });
}

/** Output that grows stays at its end, unless the reader went back. */
function follow(root, top) {
  const text = root.querySelector("[data-follow]");
  if (text) text.scrollTop = top ?? text.scrollHeight;
}

/** The server shows the newest requests, and tells of so many others at a time. */
const MAX_OLDER = 50;

const isInUse = (card) => card.contains(document.activeElement) || Boolean(card.querySelector("textarea")?.value);

/** They are decided, or there are too many newer ones: the latter stay, unless they too are too many for one page. */
async function settle(cards) {
  if (cards.length === 0) return;
  const kept = cards.toSorted((one, other) => isInUse(one) - isInUse(other)).slice(-MAX_OLDER);
  const ids = kept.map((card) => ["id", card.id.replace("card-", "")]);
  const response = await fetch(`/inbox/cards?${new URLSearchParams(ids)}`).catch(() => undefined);
  if (!response?.ok) {
    isBehind = true;
    return;
  }
  const next = parsed(await response.text());
  for (const card of cards) {
    const fresh = next.getElementById(card.id);
    if (!fresh) {
      card.remove();
      continue;
    }
    if (!isChanged(card, fresh)) continue;
    replace(card, fresh);
    const outcome = fresh.querySelector(".settled p");
    if (outcome) announce(`${fresh.querySelector("h2").textContent}: ${outcome.textContent}`);
  }
}

function append(list, fresh) {
  const put = document.importNode(fresh, true);
  put.classList.add("new");
  list.append(put);
  localise(put);
  announce(`New request: ${put.querySelector("h2")?.textContent ?? ""}`);
}

let isRefreshing = false;
let isWanted = false;
/** The last attempt failed: what the page shows may be old. */
let isBehind = false;
let soon;

/** A stream of news never puts it off: the first one sets the time. */
function refreshSoon() {
  if (soon === undefined) soon = setTimeout(refresh, 120);
}

async function refresh() {
  soon = undefined;
  if (!document.querySelector("[data-live]")) return;
  if (isRefreshing) {
    isWanted = true;
    return;
  }
  isRefreshing = true;
  try {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    if (response.redirected && new URL(response.url).pathname === "/sign-in") return location.reload();
    isBehind = !response.ok;
    if (response.ok) await takeIn(parsed(await response.text()));
  } catch {
    isBehind = true;
  } finally {
    showLiveness();
    isRefreshing = false;
    if (isWanted) refreshSoon();
    isWanted = false;
  }
}

// The stream is closed while nobody looks: browsers allow only six connections to a server, whatever the tabs.

const LIVENESS = { on: "Live", off: "Not connected: trying again" };
const POLL_MS = 10_000;
let stream;

function showLiveness() {
  const state = stream?.readyState === EventSource.OPEN && !isBehind ? "on" : "off";
  const shown = byId("liveness");
  shown.textContent = LIVENESS[state];
  shown.dataset.state = state;
}

function listen() {
  stream?.close();
  stream = undefined;
  if (document.hidden) return;
  stream = new EventSource(body.dataset.liveFrom);
  stream.addEventListener("open", () => {
    showLiveness();
    refreshSoon();
  });
  stream.addEventListener("error", showLiveness);
  for (const name of ["awaiting_confirmation", "approval", "run", "knowledge", "missed", "overflow"])
    stream.addEventListener(name, refreshSoon);
}

// Decisions: posted and taken in without leaving the page.

async function post(form, submitter) {
  const fields = new URLSearchParams(new FormData(form, submitter));
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  try {
    const response = await fetch(form.action, { method: "POST", body: fields, headers: { accept: "text/html" } });
    const next = parsed(await response.text());
    if (!response.ok) return byId("main").replaceChildren(...next.getElementById("main").childNodes);
    byId("said").replaceChildren(...(next.getElementById("said")?.childNodes ?? []));
    announce(byId("said").textContent);
    await takeIn(next);
    nextPending(form)?.focus();
  } catch {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
    announce("The server could not be reached. Try again.");
    isBehind = true;
    showLiveness();
  }
}

const nextPending = () => document.querySelector('.card[data-status="pending"]');

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-swap]")) return;
  event.preventDefault();
  post(event.target, event.submitter);
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.theme")) return;
  event.preventDefault();
  const { value } = event.submitter;
  document.documentElement.dataset.theme = value;
  for (const button of event.target.elements)
    if (button.name === "theme") button.ariaPressed = String(button.value === value);
  fetch(event.target.action, {
    method: "POST",
    body: new URLSearchParams(new FormData(event.target, event.submitter)),
  });
});

// Keys

const items = () => [...document.querySelectorAll("[data-item]")];
const current = () => document.activeElement?.closest("[data-item]") ?? (items().length === 1 ? items()[0] : undefined);

function move(step) {
  const all = items();
  const at = all.indexOf(document.activeElement?.closest("[data-item]"));
  const item = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))];
  item?.focus();
  item?.scrollIntoView({ block: "nearest" });
}

const inCurrent = (key) => current()?.querySelector(`[data-key="${key}"]`) ?? undefined;

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  o: () => inCurrent("o")?.click(),
  a() {
    if (!current()) return move(0);
    const button = inCurrent("a");
    button?.focus();
    announce(button ? `Press Enter to ${button.textContent.toLowerCase()}` : "You cannot decide this one");
  },
  d() {
    if (!current()) return move(0);
    const summary = inCurrent("d");
    if (!summary) return announce("You cannot decide this one");
    if (summary.matches("button")) {
      summary.focus();
      return announce(`Press Enter to ${summary.textContent.toLowerCase()}`);
    }
    summary.parentElement.open = true;
    summary.parentElement.querySelector("textarea").focus();
  },
  "/": () => document.querySelector('[data-key="/"]')?.focus(),
  "?": () => byId("keys")?.showModal(),
};

const isOff = () => localStorage.getItem("holdfast-keys") === "off";
const isTyping = (target) => target.matches("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  const deny = target.closest?.("details.deny");
  if (deny && key === "Escape") {
    deny.open = false;
    deny.querySelector("summary").focus();
  }
  if (deny && key === "Enter" && (event.ctrlKey || event.metaKey))
    deny.closest("form").requestSubmit(deny.querySelector("button"));
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target) || document.querySelector("dialog[open]"))
    return;
  if (!Object.hasOwn(KEYS, key) || (isOff() && key !== "?")) return;
  event.preventDefault();
  KEYS[key]();
});

if (byId("keys")) {
  const button = byId("keys-button");
  button.hidden = false;
  button.addEventListener("click", KEYS["?"]);
  byId("keys-on").checked = !isOff();
  byId("keys-on").addEventListener("change", ({ target }) =>
    localStorage.setItem("holdfast-keys", target.checked ? "on" : "off"),
  );
}

document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(target)) menu.open = false;
});

remember(document);
follow(document);
document.querySelector("header nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
localise(document);
setInterval(tick, 1_000);
tick();
if (body.dataset.liveFrom) {
  listen();
  document.addEventListener("visibilitychange", listen);
  addEventListener("online", listen);
  setInterval(() => {
    if (isBehind || stream?.readyState !== EventSource.OPEN) refreshSoon();
    // A browser does not try again by itself where the server refused.
    if (stream?.readyState === EventSource.CLOSED) listen();
  }, POLL_MS);
}
