import type { PermissionDenial } from '../../../../shared/permission';
import type { DeferredCall, TodoItem } from '../../../../shared/tool-call';
import { covers } from '../../hooks/condition';
import type { SessionHooks } from '../../hooks/session-hooks';
import type { HookedCall } from '../../hooks/told-facts';
import type { HookVerdict } from '../../hooks/verdict';
import type { Decide, DecisionContext } from '../../permissions/request';
import { asUpdate, type PermissionUpdate } from '../../settings/permission-update';
import { needsContext, type ToolEnvironment } from '../environment';
import { requestsOf, type ToolWithNeeds } from '../needs';
import { observableInput, parseHookInput } from '../parse-input';
import {
  type CallMiddleware,
  type CallOutcome,
  type GatedCall,
  interrupted,
  isCallStopped,
  type RefusedCall,
  type ToolCall,
} from './call-middleware';
import type { HookAnswers } from './hook-answers';

/** The session's side of the hooks around calls. */
export interface CallHooksOptions {
  readonly hooks: SessionHooks;
  readonly environment: ToolEnvironment;
  readonly decide: Decide;
  readonly context: () => DecisionContext;
  /** True when a user can be asked in this session. */
  readonly attended: boolean;
  /** True when the calls are a sub-agent's, which ends with its query. */
  readonly ofSubAgent: boolean;
  readonly onDenied: (denial: PermissionDenial) => void;
  /** Called when a hook deferred a call, which ends the query. */
  readonly onDeferred: (call: DeferredCall) => void;
  /** Tells the user of a hook that deferred a call which cannot be deferred. */
  readonly onNotDeferred: (text: string) => void;
  /** Called when a hook wants the query to end, with its reason. */
  readonly onStop: (reason: string) => void;
  /** Carries out what came with an answer; reports its own failures. */
  readonly update: (updates: readonly PermissionUpdate[]) => Promise<void>;
}

/** The hooks around calls: before the decision, in the user's place, and after the call. Never rejects. */
export interface CallHooks {
  /** Asks PreToolUse hooks, which may block, defer or change the call, or advise on its permission. */
  readonly before: CallMiddleware;
  /** Tells PostToolUse and PostToolUseFailure hooks of every call that ran, before those that wait for it go on. */
  readonly after: CallMiddleware;
  /** Answers in the user's place; where there is none, hooks are told that the user is wanted. */
  readonly answers: HookAnswers;
}

/** Creates the hooks around the calls of one response. Where there are none, nothing is done and nothing is awaited. */
export function createCallHooks(options: CallHooksOptions): CallHooks {
  const { hooks, environment, onStop } = options;

  const coversOf =
    (tool: ToolWithNeeds, input: Readonly<Record<string, unknown>>) =>
    async (rule: string): Promise<boolean> =>
      covers(
        rule,
        await requestsOf(tool, input, needsContext(environment)),
        options.decide,
        options.context(),
      );

  const hooked = ({ id, tool, input }: GatedCall): HookedCall => ({
    id,
    tool: tool.name,
    server: tool.server,
    input: observableInput(tool, input, environment),
    covers: coversOf(tool, input),
  });

  const refuse = (call: ToolCall, message: string): RefusedCall => {
    const { tool, input } = hooked(call);
    options.onDenied({ tool, toolUseId: call.id, input: { ...input } });
    return { kind: 'refused', status: 'denied', message };
  };

  /**
   * Tells whether a call can be deferred: in an unattended session, by its main agent, which can take it up again, and
   * only when it is alone, because its siblings would be left without it.
   */
  const canDefer = async ({ tool, control }: ToolCall): Promise<boolean> => {
    const why = options.attended
      ? 'a user is here to decide it'
      : options.ofSubAgent
        ? 'a sub-agent made it, and it cannot be taken up again later'
        : (await control.isAlone())
          ? null
          : 'the model made several calls at once';
    if (why !== null)
      options.onNotDeferred(`A hook put a call of ${tool.name} off. That was not done: ${why}.`);
    return why === null;
  };

  /** Returns the call with the input a hook gave it, or a text that says why that cannot run. */
  const changed = async (
    call: ToolCall,
    input: Readonly<Record<string, unknown>>,
  ): Promise<ToolCall | string> => {
    const parsed = parseHookInput(call.tool, input);
    if (!parsed.ok) return parsed.error;
    const objection = await call.tool.validateInput(parsed.value, environment);
    return objection ?? { ...call, input: parsed.value, changedBy: 'hook' };
  };

  /**
   * Asks PreToolUse hooks of the calls that a tool makes itself. What they want other than to allow or to ask cannot be
   * done to a part of a call, so it refuses the whole.
   */
  const askInner = async (call: ToolCall): Promise<InnerAnswer> => {
    let advice: InnerAnswer['advice'] = {};
    for (const { tool, input } of (await call.tool.innerCalls?.(call.input, environment)) ?? []) {
      const told = { id: call.id, tool: tool.name, input, covers: coversOf(tool, input) };
      const wish = await hooks.beforeCall(told, call.signal);
      if (call.signal.aborted) break;
      if (wish.stop !== null) onStop(wish.stop);
      const { permission } = wish;
      const denial = permission?.behavior === 'deny' ? permission.reason : null;
      const refusal = wish.block ?? denial ?? wish.stop;
      const what = `${tool.name} within ${call.tool.name}`;
      if (refusal !== null)
        return { refusal: `A hook of the user blocked ${what}: ${refusal}`, advice };
      if (wish.updatedInput !== null || permission?.behavior === 'defer')
        return {
          refusal: `A hook of the user changed or deferred ${what}, which cannot be done.`,
          advice,
        };
      if (permission?.behavior === 'ask') advice = adviceOf(permission);
    }
    return { refusal: null, advice };
  };

  /** Asks hooks about the steps that a todo list adds, and those that it marks as done: one that must not be refuses the call. */
  const withSteps: CallMiddleware = async (call, next) => {
    const told =
      call.tool.name === TODOS && (hooks.has('TaskCreated') || hooks.has('TaskCompleted'));
    for (const [event, step] of told ? newSteps(environment.agent.todos(), call.input) : []) {
      const { block, stop } = await hooks.onStep(event, step, call.signal);
      if (call.signal.aborted) return interrupted(call.signal);
      if (stop !== null) onStop(stop);
      const why = block ?? stop;
      const what = event === 'TaskCreated' ? 'be added' : 'be marked as done';
      if (why !== null)
        return refuse(call, `A hook of the user does not let “${step}” ${what}: ${why}`);
    }
    return next(call);
  };

  const before: CallMiddleware = async (call, next) => {
    if (!hooks.has('PreToolUse')) return withSteps(call, next);
    const wish = await hooks.beforeCall(hooked(call), call.signal);
    if (call.signal.aborted) return interrupted(call.signal);
    if (wish.stop !== null) onStop(wish.stop);
    const denial = wish.permission?.behavior === 'deny' ? wish.permission.reason : null;
    const refusal = wish.block ?? denial ?? wish.stop;
    if (refusal !== null) return refuse(call, `A hook of the user blocked this call: ${refusal}`);
    const defers = wish.permission?.behavior === 'defer';
    if (defers && (await canDefer(call))) {
      options.onDeferred({ id: call.id, name: call.tool.name, input: { ...call.input } });
      return { kind: 'deferred' };
    }
    const inner = await askInner(call);
    if (call.signal.aborted) return interrupted(call.signal);
    if (inner.refusal !== null) return refuse(call, inner.refusal);
    const { updatedInput } = wish;
    const going = updatedInput === null || defers ? call : await changed(call, updatedInput);
    if (typeof going === 'string') {
      return refuse(call, `A hook of the user changed this call so that it cannot run: ${going}`);
    }
    return withSteps({ ...going, ...adviceOf(wish.permission), ...inner.advice }, next);
  };

  const after: CallMiddleware = async (call, next) => {
    const outcome = await next(call);
    if (outcome.kind !== 'done' && outcome.kind !== 'failed') return outcome;
    // A call that the user stopped alone is told of as usual: the query goes on.
    const stopped = isCallStopped(call.signal);
    const signal = stopped ? call.control.query : call.signal;
    const event = outcome.kind === 'done' ? 'PostToolUse' : 'PostToolUseFailure';
    if (signal.aborted || !hooks.has(event)) return outcome;
    const { durationMs } = outcome;
    const end =
      outcome.kind === 'done'
        ? { ok: true as const, response: responseOf(outcome), durationMs }
        : { ok: false as const, error: errorOf(outcome), interrupted: stopped, durationMs };
    const stop = await hooks.afterCall(hooked(outcome.call), end, signal);
    if (stop !== null) onStop(stop);
    return outcome;
  };

  return {
    before,
    after,
    answers: {
      any: () => hooks.has('PermissionRequest'),
      ask: async (call, suggestions, signal) => {
        const answer = hooks.has('PermissionRequest')
          ? await hooks.onAsk(hooked(call), suggestions.map(asUpdate), signal)
          : null;
        if (!signal.aborted && answer?.behavior === 'deny' && answer.interrupt) {
          onStop(answer.message || `A hook denied ${call.tool.name} and ended this.`);
        }
        return answer;
      },
      refused: async (call, reason, signal) => {
        if (hooks.has('PermissionDenied')) await hooks.onDenied(hooked(call), reason, signal);
      },
      accepted: ({ updates }) => options.update(updates),
    },
  };
}

/** The tool that keeps the todo list. */
const TODOS = 'TodoWrite';

/** Returns the steps that a list adds to the one before, and those that are done in it and were not, each once. */
function newSteps(
  before: readonly TodoItem[],
  { todos }: Readonly<Record<string, unknown>>,
): readonly (readonly ['TaskCreated' | 'TaskCompleted', string])[] {
  const after = todos as readonly TodoItem[];
  const of = (list: readonly TodoItem[]) => [...new Set(list.map(({ content }) => content))];
  const done = (list: readonly TodoItem[]) => of(list.filter((one) => one.status === 'completed'));
  const fresh = (all: readonly string[], known: readonly string[]) =>
    all.filter((step) => !known.includes(step));
  return [
    ...fresh(of(after), of(before)).map((step) => ['TaskCreated', step] as const),
    ...fresh(done(after), done(before)).map((step) => ['TaskCompleted', step] as const),
  ];
}

/** The answer of hooks to the calls within a call. */
interface InnerAnswer {
  /** The message for the model when one of them must not run. */
  readonly refusal: string | null;
  readonly advice: Pick<ToolCall, 'advice'>;
}

/** Returns the part of a hook's wish that the permission decision has to take into account. */
function adviceOf(permission: HookVerdict['permission']): Pick<ToolCall, 'advice'> {
  if (permission?.behavior !== 'allow' && permission?.behavior !== 'ask') return {};
  return { advice: { behavior: permission.behavior, reason: permission.reason } };
}

/** Returns the error as hooks get it: of a command, its exit code comes first, where scripts look for it. */
const errorOf = ({ message, view }: Extract<CallOutcome, { kind: 'failed' }>): string =>
  view?.kind === 'shell' && view.exitCode !== null
    ? `Exit code ${view.exitCode}\n${message}`
    : message;

/** Returns the result as hooks get it: the model's text under the names that scripts look for. Leaves images out. */
function responseOf({
  content,
  view,
}: Pick<Extract<CallOutcome, { kind: 'done' }>, 'content' | 'view'>): Record<string, unknown> {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const common = { success: true, content: text };
  switch (view?.kind) {
    case 'shell':
      return { ...common, stdout: text, stderr: '', exitCode: view.exitCode, interrupted: false };
    case 'diff':
    case 'file':
      return { ...common, filePath: view.path };
    default:
      return common;
  }
}
