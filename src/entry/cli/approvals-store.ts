/** The store that this person's approvals are in, and who this person is there. */
import { ADMIN, PERSONAL, type Person } from "../../approvals/approval.ts";
import type { Stores } from "../../approvals/store.ts";
import { HoldfastError } from "../../core/errors.ts";
import { osUser } from "../../engine/approval-gate.ts";
import { addressOf } from "../../engine/desks.ts";
import { readyEngine } from "../../engine/ready.ts";
import { openStores } from "../../stores/open.ts";
import type { CommandCall } from "./command.ts";

export interface OpenedApprovals {
  readonly stores: Stores;
  /** Whoever can write the file can decide; in a database that others share, people must be known. */
  readonly isShared: boolean;
}

export async function openApprovals({ cwd, env, distDir }: CommandCall): Promise<OpenedApprovals> {
  const { plan, places, close } = await readyEngine(cwd, env, distDir);
  await close();
  const address = addressOf({ settings: plan.settings.approvals, places, env });
  if ("server" in address)
    throw new HoldfastError("HF901", `approvals are kept by the server ${address.server}`, {
      hint: `decide there: open ${address.server} in a browser`,
    });
  try {
    return { stores: await openStores(address), isShared: /^postgres/i.test(address.url) };
  } catch (error) {
    if (error instanceof HoldfastError) throw error;
    throw new HoldfastError("HF901", `the approvals cannot be opened: ${(error as Error).message}`);
  }
}

export async function personHere({ stores, isShared }: OpenedApprovals): Promise<Person> {
  const id = osUser();
  const known = await stores.person(PERSONAL, id);
  if (known) return known;
  if (isShared)
    throw new HoldfastError("HF903", `nobody is known as ${id} where these approvals are kept`, {
      hint: "an admin can add you on the page of holdfast serve",
    });
  const person: Person = { id, organisation: PERSONAL, name: id, roles: [ADMIN] };
  await stores.putPerson(person);
  return person;
}
