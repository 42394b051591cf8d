import type { PermissionDenial } from '../../../shared/permission';
import type { DeferredCall, ToolView } from '../../../shared/tool-call';
import { covers } from '../hooks/condition';
import type { SessionHooks } from '../hooks/session-hooks';
import type { HookedCall } from '../hooks/told-facts';
import type { HookVerdict } from '../hooks/verdict';
import type { Decide, DecisionContext } from '../permissions/request';
import { asUpdate, type PermissionUpdate } from '../settings/permission-update';
import { type GatedCall, INTERRUPTED, type Verdict } from './gated-call';
import type { HookAdvice } from './hook-advice';
import type { HookAnswers } from './hook-answer';
import { observableInput } from './observable-input';
import type { PermissionGate } from './permission-gate';
import { parseHookInput } from './registry';
import type { ToolContent, ToolEnvironment } from './tool';

/** What the hooks around calls need. */
export interface CallHooksOptions {
  readonly hooks: SessionHooks;
  readonly environment: ToolEnvironment;
  readonly decide: Decide;
  readonly context: () => DecisionContext;
  /** Whether a person can be asked in this session. */
  readonly attended: boolean;
  readonly onDenied: (denial: PermissionDenial) => void;
  /** A hook put a call off, which ends the query. */
  readonly onDeferred: (call: DeferredCall) => void;
  /** A hook put a call off that cannot be; for the person. */
  readonly onNotDeferred: (text: string) => void;
  /** A hook wants the query to end, and why. */
  readonly onStop: (reason: string) => void;
  /** Carries out what came with an answer; complains by itself. */
  readonly update: (updates: readonly PermissionUpdate[]) => Promise<void>;
}

/** How a call went, for the hooks after it. */
export type CallOutcome =
  | { readonly ok: true; readonly content: ToolContent; readonly view: ToolView | null }
  | { readonly ok: false; readonly message: string; readonly view: ToolView | null };

/** The hooks around calls: before the decision, in the person's place, and after the call. Never rejects. */
export interface CallHooks {
  /** A gate that asks the hooks first. */
  before(gate: PermissionGate): PermissionGate;
  /** Answers in the person's place; where there is none, hooks are told that the person is wanted. */
  readonly answers: HookAnswers;
  after(
    call: GatedCall,
    outcome: CallOutcome,
    durationMs: number,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Puts hooks around the calls of a session. Where there are none, nothing is done and nothing is awaited. */
export function createCallHooks(options: CallHooksOptions): CallHooks {
  const { hooks, environment, onStop } = options;

  const hooked = ({ id, tool, input }: GatedCall): HookedCall => ({
    id,
    tool: tool.name,
    input: observableInput(tool, input, environment),
    covers: async (rule) =>
      covers(rule, await tool.needs(input, environment), options.decide, options.context()),
  });

  const refuse = (call: GatedCall, message: string): Verdict => {
    const { tool, input } = hooked(call);
    options.onDenied({ tool, toolUseId: call.id, input: { ...input } });
    return { allowed: false, status: 'denied', message };
  };

  /** A call can be put off where nobody is there, and only by itself: its siblings would be left without it. */
  const canPutOff = async ({ tool, alone }: GatedCall): Promise<boolean> => {
    const why = options.attended
      ? 'a person is here to decide it'
      : (await alone?.())
        ? null
        : 'the model made several calls at once';
    if (why !== null)
      options.onNotDeferred(`A hook put a call of ${tool.name} off. That was not done: ${why}.`);
    return why === null;
  };

  /** The call with the input a hook put in its place; a text says why that cannot run. */
  const changed = async (
    call: GatedCall,
    input: Readonly<Record<string, unknown>>,
  ): Promise<GatedCall | string> => {
    const parsed = parseHookInput(call.tool, input);
    if (!parsed.ok) return parsed.error;
    const objection = await call.tool.validateInput(parsed.value, environment);
    return objection ?? { ...call, input: parsed.value };
  };

  const check = async (
    gate: PermissionGate,
    call: GatedCall,
    onAsk: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<Verdict> => {
    const wish = await hooks.beforeCall(hooked(call), signal);
    if (signal.aborted) return INTERRUPTED;
    if (wish.stop !== null) onStop(wish.stop);
    const denial = wish.permission?.behavior === 'deny' ? wish.permission.reason : null;
    const refusal = wish.block ?? denial ?? wish.stop;
    if (refusal !== null) return refuse(call, `A hook of the user blocked this call: ${refusal}`);
    const defers = wish.permission?.behavior === 'defer';
    if (defers && (await canPutOff(call))) {
      options.onDeferred({ id: call.id, name: call.tool.name, input: { ...call.input } });
      return { allowed: false, status: 'deferred' };
    }
    const { updatedInput } = wish;
    const next = updatedInput === null || defers ? call : await changed(call, updatedInput);
    if (typeof next === 'string') {
      return refuse(call, `A hook of the user changed this call so that it cannot run: ${next}`);
    }
    const verdict = await gate.check({ ...next, ...adviceOf(wish.permission) }, onAsk, signal);
    return verdict.allowed && next !== call && verdict.input === undefined
      ? { ...verdict, input: next.input, changedBy: 'hook' }
      : verdict;
  };

  return {
    before: (gate) => ({
      denial: gate.denial,
      check: (call, onAsk, signal) =>
        hooks.has('PreToolUse')
          ? check(gate, call, onAsk, signal)
          : gate.check(call, onAsk, signal),
    }),
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
    after: async (call, outcome, durationMs, signal) => {
      if (signal.aborted || !hooks.has(outcome.ok ? 'PostToolUse' : 'PostToolUseFailure')) return;
      const end = outcome.ok
        ? { ok: true as const, response: responseOf(outcome), durationMs }
        : { ok: false as const, error: errorOf(outcome), interrupted: false, durationMs };
      const stop = await hooks.afterCall(hooked(call), end, signal);
      if (stop !== null) onStop(stop);
    },
  };
}

/** What the decision on a call is to take into account. */
function adviceOf(permission: HookVerdict['permission']): { readonly advice?: HookAdvice } {
  if (permission?.behavior !== 'allow' && permission?.behavior !== 'ask') return {};
  return { advice: { behavior: permission.behavior, reason: permission.reason } };
}

/** What went wrong, as hooks get it: of a command that ended, its exit code comes first, where scripts look for it. */
const errorOf = ({ message, view }: Extract<CallOutcome, { ok: false }>): string =>
  view?.kind === 'shell' && view.exitCode !== null
    ? `Exit code ${view.exitCode}\n${message}`
    : message;

/**
 * A result as hooks get it: what the model reads, and under their usual names what scripts look for. Images are
 * left out.
 */
export function responseOf({
  content,
  view,
}: Extract<CallOutcome, { ok: true }>): Record<string, unknown> {
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
