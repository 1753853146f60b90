/** Where a command stands: what kind of place a path is, seen from the agent's project. */
import { UNKNOWN } from "../../shell/arg.ts";
import type { Target } from "../../shell/effect.ts";
import { below, isInside, normal } from "../../shell/places.ts";

export interface World {
  /** Where the agent stands, before any `cd` of the command itself. */
  readonly cwd: string;
  readonly rootDir: string;
  readonly homeDir: string;
  /** true: nothing would be lost; undefined: nobody knows. Looks at the disk only when a rule asks. */
  gitIsClean(directory: string | undefined): boolean | undefined;
  /** The branch that is checked out; undefined: nobody knows. */
  gitBranch(directory: string | undefined): string | undefined;
}

export type Place =
  | "root"
  | "system"
  | "home"
  | "precious"
  /** Inside a person's own folders: ~/Documents/x, ~/.config/x. */
  | "personal"
  | "other-home"
  | "repository"
  | "here"
  | "above"
  | "inside"
  | "temporary"
  | "in-home"
  | "outside"
  | "unknown";

/** What kind of place a target is. Contents of a directory count as the directory. */
export function placeOf(target: Target, world: World): Place {
  const { path } = target;
  if (path === undefined) return "unknown";
  const root = normal(world.rootDir);
  // An agent that went out of its project has not taken the project with it.
  const cwd = isInside(normal(world.cwd), root) ? normal(world.cwd) : root;
  const home = normal(world.homeDir);
  if (path === "/" || path === `/${UNKNOWN}`) return "root";
  if (path === home) return "home";
  if (REPOSITORY.test(path) && (isInside(path, root) || path === below(cwd, ".git"))) return "repository";
  if (path === cwd || path === root) return "here";
  if (isInside(cwd, path) || isInside(root, path))
    return isInside(path, home) || isTemporary(path) ? "above" : "system";
  if ([cwd, root].some((dir) => isProject(dir, home) && isInside(path, dir))) return "inside";
  const isOfHome = (name: string) => path === below(home, name) || isInside(path, below(home, name));
  if (PRECIOUS.some(isOfHome)) return "precious";
  const personal = PERSONAL.find(isOfHome);
  if (personal && !CACHES.test(path)) return path === below(home, personal) ? "precious" : "personal";
  if (isTemporary(target.contents ? `${path}/*` : path)) return "temporary";
  if (home !== "/" && isInside(path, home)) return "in-home";
  if (/^\/(home|Users)\/[^/]+$/.test(path)) return "other-home";
  if (SYSTEM.test(path)) return "system";
  if (root === "/" && !OTHERS.test(path)) return "inside";
  return AT_THE_TOP.test(path) && !WORK.test(path) ? "system" : "outside";
}

/** What lies in a project is the agent's; a home, what is above it and the system's directories hold what is others'. */
const isProject = (dir: string, home: string) =>
  dir !== "/" && dir !== home && !isInside(home, dir) && !(AT_THE_TOP.test(dir) && SYSTEM.test(dir));

/** A repository, or what it cannot do without: a lock or an unfinished rebase in it may go. */
const REPOSITORY = /\/\.git(\/(objects(\/pack)?|refs(\/(heads|tags))?|logs))?$/;

const AT_THE_TOP = /^\/[^/]+$/;

/** Directories at the top of the machine in which people and programs have theirs. */
const OTHERS = /^\/(home|Users|opt|srv|mnt|media|Volumes)(\/|$)/;

const isTemporary = (path: string) => /^\/(private\/)?(tmp|var\/tmp|var\/folders|dev\/shm)\/./.test(path);

/** Directories of the operating system, at any depth; of /opt, /srv, /mnt and the like only the top. */
const SYSTEM =
  /^\/(etc|usr|bin|sbin|lib\d*|libx32|boot|sys|proc|dev|var|root|run|System|Library|Applications|private\/etc|private\/var|Volumes\/[^/]+$|opt$|srv$|mnt$|media$|home$|Users$|nix|snap|cygdrive\/\w$|mnt\/\w$)(\/|$)/;

/** Where containers and cloud machines keep a project. */
const WORK = /^\/(app|apps|workspace|workspaces|code|repo|repos|project|projects|src|work|build|builds|out|output)$/;

/** A person's own folders: lost as a whole never, in part not without asking. */
const PERSONAL = [".config", ".local", "Documents", "Desktop", "Downloads", "Pictures", "Library"];
const CACHES =
  /\/(Library\/(Caches|Developer\/Xcode\/DerivedData)|\.local\/(bin|share\/(Trash|pnpm|uv|virtualenvs)))(\/|$)/;

/** What nobody means to lose from a home directory. */
const PRECIOUS = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".kube",
  ".password-store",
  ".bashrc",
  ".zshrc",
  ".profile",
  ".gitconfig",
  ".netrc",
  ".bash_history",
  ".zsh_history",
];
