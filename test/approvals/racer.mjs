// A process among several that all want something of the same approvals. Says on stdout what it was told, a line each,
// and only after it was told: whatever was said must be found in the store, whenever this process is killed.
import { writeSync } from "node:fs";
import { Approvals } from "../../dist/approvals/service.js";
import { openStores } from "../../dist/stores/open.js";

const { url, name, ids, digests, rounds } = JSON.parse(process.argv[2]);
const stores = await openStores({ url });
const approvals = new Approvals(stores);
const say = (line) => writeSync(1, `${JSON.stringify({ name, ...line })}\n`);

say({ did: "ready" });
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdin.pause();

const person = { id: name, organisation: "personal", name, roles: ["approver"] };
const wishes = {
  approve: (id) => approvals.vote(id, { person, kind: "approve", reason: name, via: "api" }),
  deny: (id) => approvals.vote(id, { person, kind: "deny", reason: name, via: "api" }),
  withdraw: (id) => approvals.withdraw(id, name, name),
  use: (id, index, eventId) => approvals.use(id, { digest: digests[index], eventId }),
  delegate: (id) => approvals.delegate(id, person, { ...person, id: `${name}-friend` }),
};
const RARELY = ["deny", "withdraw", "delegate"];

for (let round = 0; round < rounds; round++) {
  for (const [index, id] of ids.entries()) {
    const wish = Math.random() < 0.15 ? RARELY[Math.floor(Math.random() * RARELY.length)] : round ? "use" : "approve";
    await attempt(wish, id, index, `${name}-${round}-${index}`);
    if (Math.random() < 0.05) await attempt("sweep", id, index);
  }
}
await stores.close();
say({ did: "end" });

async function attempt(wish, id, index, event) {
  try {
    if (wish === "sweep") return void (await approvals.sweep());
    const { kind, code } = await wishes[wish](id, index, event);
    say({ did: wish, id, kind, code, event });
  } catch (error) {
    say({ did: wish, id, kind: "error", why: error.message });
  }
}
