import type { AgentEvent } from '../../../shared/agent-event';
import type { HookEvent } from '../../../shared/hooks';
import type { PermissionDenial } from '../../../shared/permission';
import type { Ids } from '../ports';
import type { HookAnswer } from './json-reply';
import type { HookMoment } from './moment';
import { type HookRunner, hookContext } from './runner';
import type { HookVerdict } from './verdict';

/** How often in a row stop hooks may send the model back to work. */
export const MAX_STOP_BLOCKS = 8;

/** Moments that hooks are still being told of without anybody waiting, at most; more are not told. */
const MAX_TOLD = 50;

/** A call as hooks see it. */
export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  /** As people see it, e.g. with absolute paths. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether a permission rule covers it. */
  readonly covers: (rule: string) => Promise<boolean>;
}

/** How a call ended, as hooks see it. */
export type CallEnd =
  | { readonly ok: true; readonly response: unknown; readonly durationMs: number }
  | {
      readonly ok: false;
      readonly error: string;
      readonly interrupted: boolean;
      readonly durationMs: number;
    };

/** What stop hooks want when the model is done (SPEC A4). */
export type StopWish =
  | { readonly kind: 'pass' }
  | { readonly kind: 'block'; readonly message: string }
  | { readonly kind: 'prevent'; readonly reason: string };

/** Where a session comes from, as SessionStart hooks are told (CONVENTIONS 4). */
export type StartSource = 'startup' | 'resume' | 'clear' | 'compact' | 'fork';

/** The hooks of one session, one method for each moment. Nothing here rejects. */
export interface SessionHooks {
  has(event: HookEvent): boolean;
  beforeCall(call: HookedCall, signal: AbortSignal): Promise<HookVerdict>;
  /** An answer in the person's place; null: ask them. */
  onAsk(call: HookedCall, signal: AbortSignal): Promise<HookAnswer | null>;
  /** Tells about a call that has ended; why the query is to end, or null. */
  afterCall(call: HookedCall, end: CallEnd, signal: AbortSignal): Promise<string | null>;
  /** A person's words, before the model gets them. */
  onPrompt(prompt: string, signal: AbortSignal): Promise<HookVerdict>;
  onStop(facts: StopMoment, signal: AbortSignal): Promise<StopWish>;
  onSessionStart(source: StartSource, model: string, signal: AbortSignal): Promise<void>;
  onSessionEnd(reason: string): Promise<void>;
  /** Why a summary must not be made now; null when it may. */
  beforeCompact(moment: CompactMoment, signal: AbortSignal): Promise<string | null>;
  afterCompact(moment: CompactMoment, summary: string, signal: AbortSignal): Promise<void>;
  /** Tells that the person is wanted. Nobody waits for it. */
  notify(type: string, message: string, title: string): void;
  /** Tells that a call was denied, whoever denied it. Nobody waits for it. */
  onDenied(denial: PermissionDenial): void;
  /** Tells that shell commands run in another folder from now on. Nobody waits for it. */
  onCwdChanged(from: string, to: string): void;
  /** Ends what still runs. */
  close(): Promise<void>;
}

/** What stop hooks are told. A sub-agent's end is the same moment under another name. */
export interface StopMoment {
  readonly text: string;
  readonly stopHookActive: boolean;
  readonly agent?: { readonly id: string; readonly type: string };
}

/** A summary that is about to be made, or was. */
export interface CompactMoment {
  readonly trigger: 'manual' | 'auto';
  /** What the person wants kept; '' when they did not say. */
  readonly instructions: string;
}

/** Puts the moments of a session over its runner. */
export function createSessionHooks(
  runner: HookRunner,
  ids: Ids,
  emit: (event: AgentEvent) => void,
): SessionHooks {
  let stopBlocks = 0;
  const closing = new AbortController();
  const told = new Set<Promise<unknown>>();

  /** Runs the moment's hooks; what they have for the model goes into the conversation. */
  const ask = async (moment: HookMoment, signal: AbortSignal): Promise<HookVerdict> => {
    const verdict = await runner.run(moment, signal);
    for (const text of verdict.contexts) emit(hookContext(ids, moment, text));
    return verdict;
  };
  /** Runs the moment's hooks without anybody waiting; what runs at one time is bounded. */
  const tell = (moment: HookMoment) => {
    if (!runner.has(moment.event) || told.size >= MAX_TOLD) return;
    const work = ask(moment, closing.signal);
    told.add(work);
    work.finally(() => told.delete(work)).catch(() => {});
  };
  const ofCall = (event: HookEvent, { id, tool, input, covers }: HookedCall) => ({
    event,
    subject: tool,
    callId: id,
    covers,
    fields: { tool_name: tool, tool_input: input, tool_use_id: id },
  });

  return {
    has: runner.has,
    beforeCall: (call, signal) => ask(ofCall('PreToolUse', call), signal),
    onAsk: async (call, signal) => (await ask(ofCall('PermissionRequest', call), signal)).answer,
    afterCall: async (call, end, signal) => {
      const moment = ofCall(end.ok ? 'PostToolUse' : 'PostToolUseFailure', call);
      const more = end.ok
        ? { tool_response: end.response }
        : { error: end.error, is_interrupt: end.interrupted };
      const fields = { ...moment.fields, ...more, duration_ms: end.durationMs };
      return (await ask({ ...moment, fields }, signal)).stop;
    },
    // The loop tells the model itself: after the words it is about.
    onPrompt: (prompt, signal) =>
      runner.run({ event: 'UserPromptSubmit', subject: '', fields: { prompt }, prompt }, signal),
    onStop: async ({ text, stopHookActive, agent }, signal) => {
      if (!stopHookActive) stopBlocks = 0;
      const moment: HookMoment = {
        event: agent ? 'SubagentStop' : 'Stop',
        subject: agent?.type ?? '',
        fields: {
          stop_hook_active: stopHookActive,
          last_assistant_message: text,
          ...(agent ? { agent_id: agent.id, agent_type: agent.type } : {}),
        },
      };
      const { stop, block } = await ask(moment, signal);
      if (stop !== null) return { kind: 'prevent', reason: stop };
      if (block === null) return { kind: 'pass' };
      stopBlocks += 1;
      if (stopBlocks <= MAX_STOP_BLOCKS) return { kind: 'block', message: block };
      emit({
        type: 'notice',
        level: 'warning',
        code: 'stop_hooks_ignored',
        text: `Stop hooks sent Lathe back to work ${MAX_STOP_BLOCKS} times in a row; it stops here all the same.`,
      });
      return { kind: 'pass' };
    },
    onSessionStart: async (source, model, signal) => {
      await ask({ event: 'SessionStart', subject: source, fields: { source, model } }, signal);
    },
    onSessionEnd: async (reason) => {
      if (!runner.has('SessionEnd')) return;
      const moment: HookMoment = { event: 'SessionEnd', subject: reason, fields: { reason } };
      await runner.run(moment, new AbortController().signal);
    },
    beforeCompact: async ({ trigger, instructions }, signal) => {
      const { stop, block } = await ask(
        {
          event: 'PreCompact',
          subject: trigger,
          fields: { trigger, custom_instructions: instructions },
        },
        signal,
      );
      return block ?? stop;
    },
    afterCompact: async ({ trigger }, summary, signal) => {
      const fields = { trigger, compact_summary: summary };
      await ask({ event: 'PostCompact', subject: trigger, fields }, signal);
    },
    notify: (type, message, title) =>
      tell({
        event: 'Notification',
        subject: type,
        fields: { message, title, notification_type: type },
      }),
    onDenied: ({ tool, toolUseId, input }) =>
      tell({
        event: 'PermissionDenied',
        subject: tool,
        callId: toolUseId,
        fields: { tool_name: tool, tool_input: input, tool_use_id: toolUseId },
      }),
    onCwdChanged: (from, to) =>
      tell({ event: 'CwdChanged', subject: '', fields: { old_cwd: from, new_cwd: to } }),
    close: async () => {
      closing.abort();
      await Promise.all([runner.close(), ...told]);
    },
  };
}
