/** A run with what a hook changes in it. Pure: the files of attachments are somebody else's. */
import type { Mutation } from "../mutation.ts";
import type { Attachment, Capability, Phase, Run } from "../run.ts";

export interface MutationRights {
  readonly phase: Phase;
  /** null: everything the phase allows that is not locked. */
  readonly may: readonly Capability[] | null;
}

/** Throws HookFailure("invalid-answer") where the hook may not, or names what is not there. */
export function applyMutation(
  _run: Run,
  _mutation: Mutation,
  _rights: MutationRights,
  _attachments?: readonly Attachment[],
): Run {
  throw new Error("being built");
}
