// Another process, which waits: for approvals through a store, and for the bare means beside it. Says when it woke, by
// the clock that all processes of a machine share.
import { watch } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { root } from "../../scripts/ensure.mjs";
import { BareFile } from "./bare-file.mjs";

const { openStores } = await import(join(root, "dist/stores/open.js"));
const { Approvals } = await import(join(root, "dist/approvals/service.js"));

const { url, directory } = JSON.parse(process.argv[2]);
const stores = await openStores({ url });
const approvals = new Approvals(stores);
const said = (message) => process.send({ at: String(process.hrtime.bigint()), ...message });

let stopBare;
if (url.startsWith("sqlite:")) {
  const bare = new BareFile(directory);
  const watching = watch(directory, () => {
    for (const id of bare.added()) said({ woke: id });
  });
  stopBare = () => watching.close();
} else {
  const client = new pg.Client(url);
  await client.connect();
  client.on("notification", ({ payload }) => said({ woke: payload }));
  await client.query("listen bare");
  stopBare = () => client.end();
}

process.on("message", async (message) => {
  if (message.wait) {
    let watching = 0;
    for (const id of message.wait) {
      // A poll would hide a push that failed: it comes only after an hour.
      const never = new AbortController().signal;
      void approvals.until(id, ({ status }) => status !== "pending", never, 3_600_000).then(() => said({ woke: id }));
      if (++watching % 100 === 0) await stores.get(id);
    }
    await stores.get(message.wait.at(-1));
    said({ waiting: watching });
  }
  if (message.end) {
    await stopBare();
    await stores.close();
    process.disconnect();
  }
});
process.once("disconnect", () => process.exit());
said({ ready: true });
