/** Who belongs to the organisation, with which roles, and by which names they are known elsewhere. */
import { z } from "zod";
import { ADMIN, type Person } from "../../../approvals/approval.ts";
import type { ServerContext } from "../context.ts";
import { noteDeparture } from "../departures.ts";
import { Problem, unknown } from "../problem.ts";
import { route } from "../route.ts";
import { identifier, person } from "../schemas.ts";
import { madeForOthers } from "../tokens.ts";

const identity = z
  .string()
  .max(500)
  .regex(
    /^(feishu|slack|wecom|webhook|oidc|email):\S+$/,
    "an identity reads feishu:…, slack:…, wecom:…, webhook:<channel>/…, oidc:… or email:…",
  )
  // An issuer's address is looked up in small letters.
  .overwrite((text) => (text.startsWith("email:") ? text.toLowerCase() : text));

const nameAndRoles = {
  name: z.string().min(1).max(200),
  roles: z.array(identifier).max(50).describe("approver and admin have a meaning of their own"),
};

export const peopleRoutes = [
  route({
    method: "get",
    path: "/api/people",
    operation: "listPeople",
    summary: "The people of the organisation",
    access: ["member"],
    answer: z.strictObject({ people: z.array(person) }),
    handle: async ({ context, organisation }) => ({ people: [...(await context.stores.people(organisation))] }),
  }),
  route({
    method: "post",
    path: "/api/people",
    operation: "addPerson",
    summary: "Adds a person who is not there yet",
    access: ["admin"],
    body: z.strictObject({ id: identifier, ...nameAndRoles, identity: identity.optional() }),
    answer: person,
    refusals: [409],
    handle: async ({ context, organisation, body, write }) => {
      const { id, name, roles, identity: elsewhere } = body;
      const other = elsewhere === undefined ? undefined : await context.stores.identified(elsewhere, organisation);
      if (other && other.id !== id)
        throw new Problem(409, "HF915", `the identity ${elsewhere} is ${other.name} (${other.id}) already`, {
          fix: "Unlink it there first, or leave it out.",
        });
      const added: Person = { id, organisation, name, roles };
      if (!(await write().addPerson(added, elsewhere)))
        throw new Problem(409, "HF915", `there is somebody with the id ${id} already, who was left as they are`, {
          fix: "Choose another id, or change that person.",
        });
      return added;
    },
  }),
  route({
    method: "put",
    path: "/api/people/:id",
    operation: "putPerson",
    summary: "Adds a person, or changes their name and roles",
    access: ["admin"],
    body: z.strictObject(nameAndRoles),
    answer: person,
    refusals: [409],
    handle: async ({ context, organisation, params, body, write }) => {
      const id = identifier.safeParse(params.id);
      if (!id.success) throw new Problem(400, "HF914", "the id of a person is letters, digits and . _ @ + -");
      const wanted: Person = { id: id.data, organisation, name: body.name, roles: body.roles };
      const known = await context.stores.person(organisation, wanted.id);
      const isNoAdminAnyMore = known?.roles.includes(ADMIN) === true && !wanted.roles.includes(ADMIN);
      const ending = isNoAdminAnyMore ? await madeForOthers(context.stores, organisation, wanted.id) : [];
      if (!(await write().putPerson(wanted, ADMIN))) throw lastAdmin(wanted.id);
      logEnded(context, organisation, wanted.id, ending);
      return wanted;
    },
  }),
  route({
    method: "delete",
    path: "/api/people/:id",
    operation: "removePerson",
    summary: "Removes a person: their sign-ins and the tokens they made end at once, what they decided stays",
    access: ["admin"],
    answer: null,
    refusals: [404, 409],
    handle: async ({ context, organisation, params, write }) => {
      const leaving = await context.stores.person(organisation, params.id);
      if (!leaving) throw unknown(`person ${params.id}`);
      const ending = await madeForOthers(context.stores, organisation, params.id);
      // The role first: who may not leave loses nothing else by having been asked to. On the word of who asks only this is:
      // it may be their own, and whoever began a removal as an admin has it ended.
      const roles = leaving.roles.filter((role) => role !== ADMIN);
      if (!(await write().putPerson({ ...leaving, roles }, ADMIN))) throw lastAdmin(params.id);
      await noteDeparture(context.stores, organisation, params.id);
      if (!(await context.stores.removePerson(organisation, params.id, ADMIN)))
        throw (await context.stores.person(organisation, params.id))
          ? lastAdmin(params.id)
          : unknown(`person ${params.id}`);
      await noteDeparture(context.stores, organisation, params.id);
      logEnded(context, organisation, params.id, ending);
    },
  }),
  route({
    method: "post",
    path: "/api/people/:id/identities",
    operation: "linkIdentity",
    summary: "Says who a person is elsewhere: in a channel, or at the sign-in of the team",
    access: ["admin"],
    body: z.strictObject({ identity }),
    answer: null,
    refusals: [404],
    handle: async ({ context, organisation, params, body, write }) => {
      if (!(await context.stores.person(organisation, params.id))) throw unknown(`person ${params.id}`);
      await write().linkIdentity(body.identity, organisation, params.id);
    },
  }),
  route({
    method: "delete",
    path: "/api/people/:id/identities",
    operation: "unlinkIdentity",
    summary: "Whoever it was elsewhere is no longer taken for this person, and what they signed in to ends",
    access: ["admin"],
    query: z.strictObject({ identity }),
    answer: null,
    refusals: [404],
    handle: async ({ context, organisation, params, query, write }) => {
      const known = await context.stores.identified(query.identity, organisation);
      if (known?.id !== params.id) throw unknown("such identity");
      await write().unlinkIdentity(query.identity, organisation);
    },
  }),
];

/** Machines that used them are refused from now on: whoever runs the server can see why. */
function logEnded({ log }: ServerContext, organisation: string, id: string, names: readonly string[]): void {
  if (names.length > 0)
    log(
      `${organisation}: ${id} is no admin any more, and so the tokens are good no more that they made: ${JSON.stringify(names)}`,
    );
}

/** An organisation that lost its last admin could not be mended by anybody. */
const lastAdmin = (id: string) =>
  new Problem(409, "HF915", `${id} is the only admin of the organisation`, {
    fix: "Make somebody else an admin first.",
  });
