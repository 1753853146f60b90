// A process with some of the approvers: each clicks at every request, in an order of their own.
import { join } from "node:path";
import { root } from "../../scripts/ensure.mjs";
import { ballotOf } from "./drafts.mjs";

const { openStores } = await import(join(root, "dist/stores/open.js"));
const { Approvals } = await import(join(root, "dist/approvals/service.js"));

const { url, ids, first, approvers } = JSON.parse(process.argv[2]);
const stores = await openStores({ url });
const approvals = new Approvals(stores);

process.once("message", async () => {
  const won = [];
  await Promise.all(
    Array.from({ length: approvers }, async (_, index) => {
      const ballot = ballotOf(`approver-${first + index}`, index % 2 ? "approve" : "deny");
      for (const id of shuffled(ids)) if ((await approvals.vote(id, ballot)).kind === "done") won.push(id);
    }),
  );
  process.send({ won });
  await stores.close();
  process.disconnect();
});
process.send("ready");

function shuffled(values) {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ value }) => value);
}
