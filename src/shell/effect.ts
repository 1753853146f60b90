/** What a command would do to the world, typed. Rules are written over these, never over text. */

export type CommandEffect =
  /** `irrecoverable`: overwritten as well as removed (shred, wipe). */
  | { readonly type: "delete"; readonly path: Target; readonly recursive: boolean; readonly irrecoverable?: boolean }
  /**
   * `lands`: files that nobody can name are put in the directory `path`, or at any depth below it. `unread`: something
   * that could not be read names them, made for files that are there.
   */
  | {
      readonly type: "overwrite";
      readonly path: Target;
      readonly append: boolean;
      readonly lands?: Landing;
      readonly unread?: true;
    }
  /** Something is there afterwards that may not have been before. What was there is as it was. */
  | { readonly type: "make"; readonly what: "file" | "directory"; readonly path: Target }
  /** `kept`: copied or fed to a program, not shown. */
  | { readonly type: "read"; readonly path: Target; readonly kept?: boolean }
  | { readonly type: "move"; readonly from: Target; readonly to: Target }
  | { readonly type: "permissions"; readonly path: Target; readonly recursive: boolean; readonly mode: string }
  | { readonly type: "device"; readonly path: Target; readonly deed: DeviceDeed }
  | { readonly type: "kill"; readonly whom: "one" | "many" | "all"; readonly signal: string }
  | { readonly type: "power"; readonly deed: string }
  | { readonly type: "git"; readonly deed: GitDeed; readonly detail: string; readonly repository: Target }
  | { readonly type: "database"; readonly deed: DatabaseDeed; readonly detail: string }
  | { readonly type: "container"; readonly deed: string; readonly detail: string }
  | { readonly type: "cloud"; readonly provider: string; readonly deed: string; readonly detail: string }
  | { readonly type: "publish"; readonly registry: string; readonly deed: string }
  /** Something is brought into service, or what is in service is changed. */
  | { readonly type: "deploy"; readonly detail: string }
  | { readonly type: "run-remote-code"; readonly source: string }
  | { readonly type: "run-hidden-code"; readonly how: string }
  | { readonly type: "exfiltrate"; readonly secret: string; readonly to: string }
  | { readonly type: "system"; readonly deed: string; readonly detail: string }
  /** A file whose content would be run; what it does is judged where the content is known. */
  | { readonly type: "run-script"; readonly path: Target; readonly interpreter: string }
  /** What could not be understood; judged by a conservative fallback. `unseen`: a part of it was not looked at at all. */
  | { readonly type: "unclear"; readonly why: string; readonly text: string; readonly unseen?: true };

/** In place of an interpreter: the path is a directory, and whatever lies in it may be run. */
export const PROGRAM_IN_IT = "a program in it";

export type Landing = "in" | "below";

export type DeviceDeed = "write" | "format" | "partition" | "remove-volume";

export type GitDeed =
  | "force-push"
  | "delete-remote-branch"
  | "delete-remote-tag"
  | "hard-reset"
  | "discard-changes"
  | "clean"
  | "delete-branch"
  | "delete-tag"
  | "drop-stash"
  | "rewrite-history"
  | "expire-reflog"
  | "delete-worktree"
  | "reset-branch"
  | "move-remote-tag"
  | "bypass-hooks"
  | "redirect-hooks"
  | "push-mirror";

export type DatabaseDeed =
  | "drop"
  /** A column, an index, a view, a role: less than a table. */
  | "drop-part"
  | "truncate"
  | "delete-all"
  | "update-all"
  | "flush"
  | "grant"
  /** Rebuilds from nothing: migrations from zero, resets. */
  | "reset";

/** A path as the command names it and as it resolves. */
export interface Target {
  readonly written: string;
  /** Absolute, with `..` and `~` resolved; undefined where a part of it cannot be known. */
  readonly path: string | undefined;
  /** Everything under a directory (`dir/*`), not the directory itself. */
  readonly contents: boolean;
  readonly glob: boolean;
  /** What cannot be known of it is where the repository is: `$(git rev-parse --show-toplevel)/x`. */
  readonly inRepository?: true;
  /** The files whose names it has, as an absolute pattern: those that the shell finds for a wildcard. */
  readonly named?: string;
  /** Where the name itself stands, if it is a link: who deletes or replaces it touches that. */
  readonly link?: string;
}

/** An effect with the simple command that has it, for messages. */
export interface FoundEffect {
  readonly effect: CommandEffect;
  /** The piece of the command line, as written. */
  readonly source: string;
  /** What it went through: sudo, sh -c, find -exec, ... */
  readonly via: readonly string[];
  /** Where, if not on this machine. */
  readonly elsewhere?: string;
}
