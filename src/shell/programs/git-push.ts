/** What a push does to what others share. */
import { readOptions } from "../options.ts";
import { type Deed, did, gives, type Verb } from "./git-call.ts";

export const push: Verb = ({ args }) => {
  const options = readOptions(args, { valued: ["repo", "o", "push-option", "receive-pack", "exec"] });
  if (gives(options, "n", "dry-run")) return [];
  const [, ...refspecs] = options.operands;
  const found: Deed[] = [];
  const force = options.given.has("f") || [...options.given].some((name) => FORCE.test(name));
  const deletes = gives(options, "d", "delete");
  if (gives(options, "", "mirror")) found.push(did("push-mirror"));
  if (gives(options, "", "prune", 4)) found.push(did("delete-remote-branch", "*"));
  if (force && refspecs.length === 0) found.push(did("force-push"));
  for (const refspec of refspecs) {
    const plus = refspec.text.startsWith("+");
    const [source = "", destination = source] = refspec.text.replace(/^\+/, "").split(":");
    const name = destination.replace(/^refs\/heads\//, "");
    const isTag = name.startsWith("refs/tags/") || /^v?\d+(\.\d+)+/.test(name);
    if (deletes || (source === "" && destination !== ""))
      found.push(
        isTag ? did("delete-remote-tag", name.replace(/^refs\/tags\//, "")) : did("delete-remote-branch", name),
      );
    else if (force || plus) {
      if (isTag || name === "tag") found.push(did("move-remote-tag", name.replace(/^refs\/tags\//, "")));
      else found.push(did("force-push", /^(HEAD|@|)$/.test(name) ? "" : name));
    }
  }
  if (gives(options, "", "no-verify", 6)) found.push(did("bypass-hooks", "push"));
  return found;
};

const FORCE = /^forc?e?$|^force-(w.*|i.*)$/;
