// A server that sends cards, to be killed at any moment.
import { Approvals } from "../../dist/approvals/service.js";
import { sealingKey } from "../../dist/channels/credentials.js";
import { startDispatcher } from "../../dist/channels/dispatcher.js";
import { OpenChannels } from "../../dist/channels/open-channels.js";
import { openStores } from "../../dist/stores/open.js";

const { url, secret } = JSON.parse(process.argv[2]);
const stores = await openStores({ url });
await startDispatcher({
  stores,
  approvals: new Approvals(stores),
  channels: new OpenChannels(stores, [sealingKey(secret)]),
  linkTo: () => null,
  onProblem: (approval, problem) => console.error(approval, problem),
  pollMs: 500,
  leaseMs: 1_000,
});
console.log("ready");
