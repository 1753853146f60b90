/** What a hook of a run may change. It is the core's, because hooks' answers are typed by it. */
export type { AttachmentChanges, Mutation, TaskPatch } from "../core/run-mutation.ts";
