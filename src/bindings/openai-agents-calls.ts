/** One call of a guarded tool, from the first hook to the last: its own, that of an MCP server, or one that runs an agent. */
import { AsyncLocalStorage } from "node:async_hooks";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { promptOf as delegationText } from "../embed/delegation.ts";
import type { Session } from "../embed/session.ts";
import { questionText } from "../embed/tool-call.ts";
import { failureText } from "../hosts/answer-text.ts";
import { messageOf, withContext } from "./hook-context.ts";
import { JudgedCalls } from "./judged-calls.ts";
import type { CallDetails, FunctionTool, RunContext } from "./openai-agents-shapes.ts";
import { addContext, givenBack, jsonOf, objectiveOf, objectOf, textOf } from "./openai-agents-values.ts";
import { rewriteProblem } from "./rewrite-problem.ts";

export interface GuardedTool {
  readonly tool: FunctionTool;
  readonly owner: Session;
  /** The agent that the tool runs. */
  readonly target: string | undefined;
}

/** Who acts inside an agent that runs as a tool: it has a runner of its own, and nothing links it to the caller's. */
const acting = new AsyncLocalStorage<{ readonly root: Session; readonly child: Session }>();

export class GuardedCalls {
  /** What people are to be asked, by call. */
  readonly questions = new Map<string, string>();
  readonly #root: Session;
  readonly #suspends: boolean;
  readonly #judged = new JudgedCalls();
  /** Of those who were handed to: the turn of the conversation in which their own began. */
  readonly #turns = new WeakMap<Session, string>();

  constructor(root: Session, suspends: boolean) {
    this.#root = root;
    this.#suspends = suspends;
  }

  /** Whose session a call of an agent is judged in. */
  acting(owner: Session): Session {
    const store = acting.getStore();
    if (store?.root === this.#root) return store.child;
    if (this.#root.turn === "") this.#root.startTurn();
    // Who was handed to hears of no prompt: its turns are those of the conversation.
    const { turn } = this.#root;
    if (owner !== this.#root && (owner.turn === "" || this.#turns.get(owner) !== turn)) {
      owner.startTurn();
      this.#turns.set(owner, turn);
    }
    return owner;
  }

  /** A throw here would end the run: what goes wrong is left to `invoke`, which judges for itself. */
  async needsApproval(
    { tool, owner }: GuardedTool,
    context: RunContext,
    input: unknown,
    callId = "",
  ): Promise<boolean> {
    const own = await tool.needsApproval(context, input, callId);
    // A run inside a tool cannot wait by itself: there a person is asked in process, or the call is blocked.
    const nested = acting.getStore() !== undefined;
    if (!own && (!this.#suspends || nested)) return false;
    if (!isJsonObject(input)) return own;
    try {
      const problem = rewriteProblem(tool.parameters, input);
      const session = this.acting(owner);
      const judged = await session.judgeTool({
        name: tool.name,
        input,
        id: callId,
        needsPermission: own,
        hold: !this.#suspends || nested,
        ...(problem ? { problem } : {}),
      });
      const asks = judged.kind === "ask" || judged.pendingApproval !== undefined;
      const waits = asks && (own || (this.#suspends && !nested));
      if (!waits) {
        this.#judged.keep({ name: tool.name, id: callId, input, turn: session.turn }, judged);
        return false;
      }
      // Answered already: the run goes on, or a person said "always". Nobody will be asked by this.
      const isAnswered = context.isToolApproved({ toolName: tool.name, callId }) !== undefined;
      if (!isAnswered) session.suspendedWith(judged);
      this.questions.set(callId, questionText(judged));
      return true;
    } catch {
      return own;
    }
  }

  async invoke(call: GuardedTool, context: RunContext, input: string, details?: CallDetails): Promise<unknown> {
    const { tool, owner, target } = call;
    const args = objectOf(input);
    if (!args) return `Error: the input of ${tool.name} is not a JSON object, so no hook could look at it.`;
    const callId = details?.toolCall?.callId ?? "";
    this.questions.delete(callId);
    const session = this.acting(owner);
    const judged = this.#judged.take({ name: tool.name, id: callId, input: args, turn: session.turn });
    const problem = rewriteProblem(tool.parameters, args);
    const approved = context.isToolApproved({ toolName: tool.name, callId }) === true;
    let returned: { readonly value: unknown } | undefined;
    const runs = async (final: JsonObject): Promise<Json> => {
      const value = await tool.invoke(context, JSON.stringify(final), details);
      returned = { value };
      return jsonOf(value);
    };
    try {
      const outcome = await session.callTool({
        name: tool.name,
        input: args,
        id: callId,
        hold: !this.#suspends || acting.getStore() !== undefined,
        ...(problem ? { problem } : {}),
        ...(judged ? { judged } : {}),
        ...(approved ? { answered: { allow: true } as const } : {}),
        ...(isStanding(context, tool.name) ? { notAsked: STANDING } : {}),
        ...(details?.signal ? { signal: details.signal } : {}),
        run: target === undefined ? runs : (final) => this.#delegated(session, target, callId, final, runs),
      });
      if (outcome.status === "blocked") return withContext(`Error: ${outcome.reason}`, outcome.context);
      const output = returned ? givenBack(returned.value, outcome.output) : outcome.output;
      return addContext(output, outcome.context, tool.outputSchema !== undefined);
    } catch (error) {
      return `Error: ${failureText(messageOf(error), true)}`;
    }
  }

  async #delegated(
    session: Session,
    target: string,
    toolUseId: string,
    input: JsonObject,
    runs: (input: JsonObject) => Promise<Json>,
  ): Promise<Json> {
    const { field, text } = objectiveOf(input);
    const delegated = await session.delegate({
      target,
      objective: text,
      toolUseId,
      targetProblem: (other) =>
        other === target ? undefined : `this tool asks ${target}; call the tool of ${other} instead`,
      run: async ({ session: child, prompt, context: _told, ...request }) => {
        const changed = delegationText({ ...request, context: null });
        child.startTurn();
        if (field === undefined && changed !== text) throw new Error(NO_ONE_TEXT);
        const asked = field === undefined ? input : { ...input, [field]: prompt };
        return textOf(await acting.run({ root: this.#root, child }, () => runs(asked)));
      },
    });
    if (delegated.status === "failed") throw new Error(delegated.summary);
    return delegated.summary;
  }
}

/** `alwaysApprove`: the SDK then asks nobody about any call of the tool. */
const isStanding = (context: RunContext, toolName: string): boolean =>
  context.isToolApproved({ toolName, callId: "of no call" }) === true;

const STANDING =
  "A standing yes (alwaysApprove) to a tool answers no question of a hook, and while it stands nobody is asked. " +
  "Do something else, or stop and say what you need: whoever runs this agent must approve such calls one by one.";

const NO_ONE_TEXT = "Hooks changed what is asked, and the input of this tool has no one text to change.";
