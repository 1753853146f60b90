/** Every error Holdfast reports to a person: one table, its docs page is generated from it. */
export const ERRORS = {
  HF101: { title: "The config file cannot be read", fix: "Check that the file exists, is readable and is UTF-8 text." },
  HF102: { title: "The config file is not valid YAML, TOML or JSON", fix: "Fix the syntax at the line given." },
  HF103: { title: "Two config files in one place", fix: "Keep one of holdfast.yaml, holdfast.toml and holdfast.json." },
  HF104: { title: "Unset environment variable in the config", fix: "Set it, or give a default after `:-`." },
  HF105: {
    title: "The managed rules are not where they are said to be",
    fix: "Give HOLDFAST_MANAGED_DIR the absolute path of a directory that exists, or unset it.",
  },
  HF200: { title: "The config does not fit its schema", fix: "See docs/reference/config.md for what may stand there." },
  HF201: { title: "Unknown event", fix: "Use an event of docs/reference/events.md." },
  HF202: { title: "Unknown key", fix: "Remove it, or use a key that docs/reference/config.md has there." },
  HF203: { title: "Invalid regular expression", fix: "Matchers are RE2: no look-around, no back-references." },
  HF204: {
    title: "A matcher on an event that takes none",
    fix: "Remove the matcher; the hooks run on every such event.",
  },
  HF205: { title: "A hook entry without exactly one source", fix: "Give one of command, path, name." },
  HF206: { title: "A group without hooks", fix: "Add a hook to the group or remove the group." },
  HF207: { title: "A command that does not exist", fix: "Correct the path, or install the program." },
  HF208: {
    title: "A hook module that cannot be found or loaded",
    fix: "Correct the path, or mend what the message names.",
  },
  HF209: {
    title: "A lower layer loosens a rule",
    fix: "Only the layer that set a rule can loosen it; change it there.",
  },
  HF210: { title: "Two hooks with one name", fix: "Give each hook a name of its own." },
  HF211: { title: "A hook on an event it cannot have", fix: "See which hook serves which event: holdfast hooks." },
  HF301: {
    title: "The payload on stdin cannot be used",
    fix: "The host must send one JSON object; see docs/guide/hosts.md.",
  },
  HF302: { title: "Unknown host", fix: "Use one of the hosts listed." },
  HF401: {
    title: "A host's settings file cannot be changed",
    fix: "Fix the file by hand, then run holdfast init again.",
  },
  HF402: {
    title: "A host has no settings of that level",
    fix: "Leave that host out with --hosts, or register it on another level.",
  },
  HF403: {
    title: "A host's program cannot be run",
    fix: "Install the program, or name the hosts you have with --host.",
  },
  HF404: {
    title: "What is registered for everybody cannot be run by everybody",
    fix: "Install Holdfast and Node for the whole machine, outside of homes, and run init --managed from there.",
  },
  HF501: {
    title: "Trust needs a person at a terminal",
    fix: "Run holdfast trust yourself, in a terminal of your own.",
  },
  HF601: {
    title: "The record was changed",
    fix: "Look at the line named; restore the file from a backup if you have one.",
  },
  HF602: {
    title: "A record could not be written",
    fix: "Free space or fix permissions; spooled records are added later.",
  },
  HF701: { title: "The command line cannot be used", fix: "See holdfast --help." },
  HF801: {
    title: "The project has no workflow state",
    fix: "Start one: holdfast state init <name> --phase <phase> --phases <n>.",
  },
  HF802: { title: "The workflow does not allow this", fix: "holdfast state shows the step and what comes next." },
  HF803: { title: "The phase is blocked", fix: "Settle what blocks it, then run holdfast state unblock." },
  HF804: { title: "The workflow cannot use this value", fix: "Give it as the message says." },
  HF805: { title: "There is no such plan or blocker", fix: "holdfast state and holdfast plans show what there is." },
  HF806: {
    title: "A workflow file cannot be read or written",
    fix: "Repair .holdfast/state.toml or .holdfast/workflow.toml, or free what holds them.",
  },
  HF901: {
    title: "Where approvals are kept cannot be reached",
    fix: "Look at approvals_store in your user config, and whether its file, database or server is there.",
  },
  HF902: { title: "There is no such approval", fix: "holdfast approvals list shows what there is." },
  HF903: {
    title: "This approval is not yours to decide now",
    fix: "holdfast approvals show <id> says who may, and what was decided.",
  },
  HF911: { title: "Nobody is signed in", fix: "Sign in at /sign-in, or send an API token." },
  HF912: { title: "This is not yours to do", fix: "Ask somebody who has the right, or an admin of the organisation." },
  HF913: { title: "There is no such thing here", fix: "Check the id; things of other organisations are not shown." },
  HF914: { title: "The server cannot use the request", fix: "Send it as docs/reference/openapi.json describes." },
  HF915: { title: "It has been settled already", fix: "Read it again: what was decided holds." },
  HF916: { title: "Too many attempts", fix: "Wait as long as Retry-After says, then try again." },
  HF917: {
    title: "The store of approvals cannot be reached",
    fix: "Try again soon. Nothing runs that was not approved; see the server's log.",
  },
  HF918: { title: "The server cannot be started like this", fix: "See docs/guide/server.md." },
  HF919: { title: "The server failed", fix: "See its log, and report what it says." },
  HF921: { title: "A page of a list that no list gave out", fix: "Begin again at the first page." },
  HF922: {
    title: "The address of the store cannot be used",
    fix: "Give sqlite:<file>, the path of a file, or postgres://<user>@<host>/<database>.",
  },
  HF923: {
    title: "The store was made by a newer version",
    fix: "Update Holdfast here, or give this version a store of its own.",
  },
  HF924: {
    title: "The store cannot be opened",
    fix: "Mend what the message names; until then guarded calls stay closed.",
  },
  HF931: {
    title: "There is no usable key for credentials",
    fix: "Set HOLDFAST_SECRET_KEY to at least 32 random characters, or repair the key file named.",
  },
  HF932: {
    title: "Stored credentials cannot be opened",
    fix: "Put the key they were sealed with after the current one in HOLDFAST_SECRET_KEY, or enter them again.",
  },
  HF933: { title: "The settings of a channel cannot be used", fix: "Give them as docs/guide/channels.md says." },
  HF934: { title: "A channel's platform refused a message", fix: "Do what the message says, then test the channel." },
  HF935: {
    title: "A channel's platform cannot be reached",
    fix: "Look at the network and the base URL; approvals can be decided in the inbox meanwhile.",
  },
  HF936: { title: "A channel cannot be used for this", fix: "Name an active channel of the same organisation." },
  HF925: {
    title: "The store failed",
    fix: "Mend what the message names; until then guarded calls stay closed. What was to be stored may be or may not: ask.",
  },
  HF1091: {
    title: "Records cannot be handed to a server",
    fix: "Name one in your user config, records.server with records.token_env, and set that variable.",
  },
  HF1001: {
    title: "There is no such assignment, agent or task file",
    fix: "Use one of the names that exist, or a path that begins with ./ or /.",
  },
  HF1002: {
    title: "A definition without front matter",
    fix: "Begin the file with a line ---, then YAML, then a line ---.",
  },
  HF1003: {
    title: "A definition does not fit its schema",
    fix: "See docs/reference/assignments.md for what may stand there.",
  },
  HF1004: { title: "An unknown key in a definition", fix: "Remove it, or use a key of docs/reference/assignments.md." },
  HF1005: {
    title: "An unknown phase",
    fix: "Phases are prepare, beforeAttempt, afterAttempt, afterExit and taskTransition.",
  },
  HF1006: { title: "A hook of a run without exactly one source", fix: "Give one of builtin, name, path." },
  HF1007: {
    title: "A hook of a run cannot be found or loaded",
    fix: "Correct its name or path, or mend what the message names.",
  },
  HF1008: { title: "An unknown built-in hook of runs", fix: "Use one of the built-ins listed." },
  HF1009: {
    title: "A `when` that cannot be meant",
    fix: "See docs/guide/assignments.md for what each phase can filter by.",
  },
  HF1010: {
    title: "An unknown {{key}}",
    fix: "Declare it under vars, use the name suggested, or write \\{{ where the braces are meant.",
  },
  HF1011: {
    title: "A variable is missing or does not fit",
    fix: "Give it as the message says, for example --var name=value.",
  },
  HF1012: {
    title: "A ${VAR} that cannot be filled in",
    fix: "Set the environment variable, give a default (${VAR:-x}), and let it be the whole value.",
  },
  HF1013: {
    title: "A field that is locked",
    fix: "Leave it as the agent or the assignment sets it, or unlock it there.",
  },
  HF1014: {
    title: "A task id that is not there, or there twice",
    fix: "Give every task an id of its own, and use those.",
  },
  HF1015: {
    title: "Hook code of an assignment that nobody trusted",
    fix: "Look at it, then run holdfast trust --assignment <name> in a terminal of your own.",
  },
  HF1016: {
    title: "A built-in hook of runs that cannot be used so",
    fix: "See docs/guide/assignments.md for its phases and options.",
  },
  HF1021: { title: "There is no such run", fix: "holdfast runs list shows the runs there are." },
  HF1022: { title: "More than one run has this id", fix: "Say it again in the repository the run belongs to." },
  HF1023: { title: "The run's state does not allow this", fix: "holdfast status shows the state of the run." },
  HF1024: {
    title: "Another process drives the run",
    fix: "Wait for it, or end that process; a dead one is replaced by itself.",
  },
  HF1025: { title: "A hook rejected the edit", fix: "Do what the reason asks for, then edit the task again." },
  HF1026: { title: "The field is locked", fix: "Leave it as it is, or unlock it in the assignment or the agent." },
  HF1027: { title: "The run cannot go on", fix: "Say what to do with --message, or add a task." },
  HF1028: {
    title: "The record of a run cannot be read",
    fix: "Restore run.json from a backup, or delete the run's directory.",
  },
  HF1029: { title: "The attachment cannot be taken", fix: "Attach fewer or smaller files, under plain file names." },
  HF1030: {
    title: "The dependency cannot be taken",
    fix: "Runs depend on other runs while initialized, in no circle.",
  },
  HF1031: {
    title: "Runs are nested too deep",
    fix: "Let a run further up start it, or raise HOLDFAST_MAX_CALL_DEPTH.",
  },
  HF1032: { title: "A prepare hook refused the run", fix: "Do what the reason asks for, then start it again." },
  HF1033: {
    title: "The run kept changing while its hooks ran",
    fix: "Try again; a hook that edits its own run must come to rest.",
  },
  HF1034: {
    title: "A hook of the run failed",
    fix: "Mend the hook the message names; holdfast audit has the details.",
  },
  HF1035: { title: "There is no such task", fix: "holdfast task list shows the tasks of the run." },
  HF1036: { title: "The edit cannot be made", fix: "Give it as the message says." },
  HF1037: { title: "The run waits for other runs", fix: "Finish the runs it depends on first." },
  HF1041: { title: "There is no such backend", fix: "Use one of those listed, or write one of your own." },
  HF1042: { title: "The backend's program cannot be run", fix: "Install it, or name it with backendConfig.command." },
  HF1043: { title: "The backend cannot use this setting", fix: "Give it as the message says." },
  HF1044: { title: "A passive run does nothing by itself", fix: "Edit its tasks with holdfast task set." },
  HF1045: {
    title: "A backend of your own misbehaves",
    fix: "Mend what the message names in backends/<name>/backend.ts.",
  },
  HF1046: { title: "A run may not touch this run", fix: "Leave it to the person, or to the run that started it." },
  HF1061: {
    title: "Where runs are kept cannot be told",
    fix: "Mend the user or managed config file the message names; holdfast check shows what is wrong.",
  },
  HF1062: {
    title: "There is no queue here",
    fix: "Set runs.store in the user's or the managed config to a postgres:// address.",
  },
  HF1063: {
    title: "The run is in the queue",
    fix: "holdfast queue cancel <run> takes it out; holdfast queue show <run> says where it stands.",
  },
  HF1064: { title: "The run is not in the queue", fix: "holdfast queue list shows what is; --all what is over too." },
  HF1065: {
    title: "The worker may not run this",
    fix: "Allow it in runs.worker of that machine, or trust its code there; then holdfast queue retry <run>.",
  },
  HF1066: {
    title: "The database of the runs does not answer",
    fix: "Start it, or mend its address in runs.store. Runs that workers drive wait for it, and go on.",
  },
  HF1081: {
    title: "Nobody drives the run",
    fix: "holdfast status shows how it stands; holdfast resume goes on with it.",
  },
  HF1082: { title: "It was stopped while its hooks were asked", fix: "Nothing of it was stored; say it again." },
  HF1083: {
    title: "The disk does not let runs be kept",
    fix: "Free space or mend the rights; what was stored is there, and holdfast resume <run> goes on from it.",
  },
  HF1101: { title: "The project has no knowledge base", fix: "Start one: holdfast knowledge init." },
  HF1102: { title: "A node cannot be read", fix: "Mend the file the message names, then try again." },
  HF1103: { title: "A node cannot be written as it is", fix: "Mend what the message names." },
  HF1104: {
    title: "The name of a node is taken too often",
    fix: "Change one of those nodes, or choose another title.",
  },
  HF1105: { title: "A folder of nodes cannot be used", fix: "Name a folder inside nodes/, such as build/tests." },
  HF1106: { title: "There is no such node", fix: "holdfast knowledge search finds nodes by what they say." },
  HF1107: { title: "There is no such proposal", fix: "holdfast knowledge curate --list shows what waits." },
  HF1108: {
    title: "The input does not fit its schema",
    fix: "Mend what the message names; holdfast schema prints it.",
  },
  HF1109: {
    title: "A file of the base is damaged",
    fix: "Restore it from git, or delete it and run holdfast knowledge index.",
  },
  HF1110: { title: "The proposal cannot be applied", fix: "Decide it again, as the message says." },
  HF1111: { title: "The project's documents cannot be read", fix: "Mend what the message names." },
  HF1112: {
    title: "The knowledge base is being changed by another process",
    fix: "Try again in a moment. If it stays so, see which process the message names.",
  },
  HF1121: { title: "A session log is damaged", fix: "Mend the file the message names, or delete it." },
  HF1122: {
    title: "The session has no id a log can be named by",
    fix: "Update the host: holdfast hosts shows what is known of it.",
  },
  HF1123: { title: "The host's transcript cannot be read", fix: "See that the file the message names is readable." },
  HF1124: {
    title: "The session log cannot be written",
    fix: "Make the folder the message names writable, or free space.",
  },
  HF1130: {
    title: "The drain is switched off",
    fix: "Switch it on in your own config: knowledge: { drain: { enabled: true } }; --dry-run says what it costs.",
  },
  HF1131: {
    title: "No program can make the proposals",
    fix: "Install the agent the sessions were on, or name another with knowledge.drain.host.",
  },
  HF1132: { title: "Another drain is at work", fix: "Wait for it: holdfast knowledge status shows what it does." },
  HF1133: {
    title: "The model's answer cannot be used",
    fix: "It is tried again by itself; what the model said is in the log named.",
  },
  HF1134: {
    title: "The headless run failed",
    fix: "It is tried again by itself; what the program said is in the log named.",
  },
  HF1141: {
    title: "A node was left out of what a prompt is answered with",
    fix: "Mend the file the message names; holdfast knowledge lint shows all of them.",
  },
  HF1142: {
    title: "The index of the knowledge base could not be kept",
    fix: "Make .holdfast/knowledge/.state writable; until then each prompt takes longer.",
  },
} as const;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorPlace {
  readonly file?: string;
  readonly line?: number;
  /** The key path inside the file. */
  readonly key?: string;
  /** What to do, more exact than the table's. */
  readonly hint?: string;
}

export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  readonly code: ErrorCode;
  readonly place: ErrorPlace;

  constructor(code: ErrorCode, message: string, place: ErrorPlace = {}) {
    super(message);
    this.code = code;
    this.place = place;
  }

  get fix(): string {
    return this.place.hint ?? ERRORS[this.code].fix;
  }
}
