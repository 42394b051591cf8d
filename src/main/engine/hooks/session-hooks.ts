import { createHash } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import type { AgentEvent } from '../../../shared/agent-event';
import type { HookEvent } from '../../../shared/hooks';
import { err, ok, type Result } from '../../../shared/result';
import type { Clock, Ids } from '../ports';
import type { ConfigChange } from '../settings/changes';
import type { PermissionUpdate } from '../settings/permission-update';
import type { HookAudience, HookedAgent, HookRequest } from './hook-request';
import type { LoadedInstructions } from './instructions';
import type { HookAnswer, HookElicited } from './json-reply';
import { type HookRunner, hookContext } from './runner';
import {
  type BatchedCall,
  batchField,
  type CallEnd,
  type CompactRequest,
  type DisplayPart,
  decidesDisplay,
  displayed,
  type Elicited,
  type Expansion,
  elicitation,
  elicitationResult,
  elicitedBy,
  type FolderSource,
  type HookedCall,
  type ModelSwitchFacts,
  type PromptFacts,
  type StartFacts,
  type StopFailure,
  type StopMoment,
  stopped,
  teammateIdle,
} from './told-facts';
import type { HookVerdict } from './verdict';

/** The most times in a row that stop hooks may send the model back to work. */
export const MAX_STOP_BLOCKS = 8;

/** The time that the end of a session waits for hooks that nobody waited for. Milliseconds. */
const LAST_WORDS_MS = 1_500;

/** Requests that hooks are still being told of without anybody waiting, at most; more are not told. */
const MAX_TOLD = 50;

/** The wish of stop hooks when the model is done (docs/spec.md A4). */
type StopWish =
  | { readonly kind: 'pass' }
  | { readonly kind: 'block'; readonly message: string }
  | { readonly kind: 'prevent'; readonly reason: string };

/** The wish of hooks for a step of the todo list: why it must not be, and why the query is to end; null: neither. */
type StepWish = Pick<HookVerdict, 'block' | 'stop'>;

/** The reason for which a run sets up its folder. */
export type SetupTrigger = 'init' | 'maintenance';

/** The hooks of one session, one method for each event. Nothing here rejects. */
export interface SessionHooks {
  has(event: HookEvent): boolean;
  beforeCall(call: HookedCall, signal: AbortSignal): Promise<HookVerdict>;
  /** An answer in the user's place; null: ask them. */
  onAsk(
    call: HookedCall,
    suggestions: readonly PermissionUpdate[],
    signal: AbortSignal,
  ): Promise<HookAnswer | null>;
  /** Tells about a call that has ended; why the query is to end, or null. */
  afterCall(call: HookedCall, end: CallEnd, signal: AbortSignal): Promise<string | null>;
  /** Tells about all calls of a response, when each has its result; why the query is to end, or null. */
  afterBatch(calls: readonly BatchedCall[], signal: AbortSignal): Promise<string | null>;
  /** Tells that the automatic mode refused a call. */
  onDenied(call: HookedCall, reason: string, signal: AbortSignal): Promise<void>;
  /** A user's words, before the model gets them. */
  onPrompt(prompt: string, facts: PromptFacts, signal: AbortSignal): Promise<HookVerdict>;
  /** A command that a user typed, before its text takes the place of their words. */
  onExpansion(expansion: Expansion, prompt: string, signal: AbortSignal): Promise<HookVerdict>;
  onStop(facts: StopMoment, signal: AbortSignal): Promise<StopWish>;
  /** Tells that a sub-agent begins; returns what is to be said to it. */
  onSubAgent(agent: HookedAgent, signal: AbortSignal): Promise<readonly string[]>;
  /** The model did something: it no longer goes in circles. */
  onWork(): void;
  /** Tells that the API failed and the query ends with it. */
  onFailure(failure: StopFailure, signal: AbortSignal): Promise<void>;
  /** Tells that a run was started to set the folder up, or to look after it. */
  onSetup(trigger: SetupTrigger, signal: AbortSignal): Promise<void>;
  /** Asks about a step of the todo list that is new, or marked as done. */
  onStep(
    event: 'TaskCreated' | 'TaskCompleted',
    step: string,
    signal: AbortSignal,
  ): Promise<StepWish>;
  /** Tells that a session begins; what its first prompt begins with, and whether definitions are to be read again. */
  onSessionStart(
    facts: StartFacts,
    signal: AbortSignal,
  ): Promise<Pick<HookVerdict, 'openings' | 'reloads'>>;
  onSessionEnd(reason: string): Promise<void>;
  /** The reason a summary must not be made now; null when it may. */
  beforeCompact(request: CompactRequest, signal: AbortSignal): Promise<string | null>;
  afterCompact(request: CompactRequest, summary: string, signal: AbortSignal): Promise<void>;
  /** Tells that the user is wanted. Nobody waits for it. */
  notify(type: string, message: string, title: string): void;
  /** Tells that shell commands run in another folder from now on. Nobody waits for it. */
  onCwdChanged(from: string, to: string): void;
  /** Tells that a folder may be worked in from now on, too. Nobody waits for it. */
  onDirectoryAdded(directory: string, source: FolderSource): void;
  /** The reason another model must not answer from now on; null when it may. */
  beforeModelSwitch(facts: ModelSwitchFacts, signal: AbortSignal): Promise<string | null>;
  /** Tells that another model answers from now on. Nobody waits for it. */
  onModelSwitch(facts: ModelSwitchFacts): void;
  /** An answer to the question of a tool server in the user's place; null: ask them. */
  onElicitation(asked: Elicited, signal: AbortSignal): Promise<HookElicited | null>;
  /** Another answer than `given`, which goes to the server otherwise; null: that one. */
  onElicited(
    asked: Elicited,
    given: HookElicited,
    signal: AbortSignal,
  ): Promise<HookElicited | null>;
  /** Returns whether text is held back until hooks say what of it is shown. */
  holdsText(): boolean;
  /** Asks what is shown of a part of a message; null: that part as it is. */
  onDisplay(part: DisplayPart, to: HookAudience, signal: AbortSignal): Promise<string | null>;
  /** Tells of a part of a message that is shown already. Nobody waits for it. */
  tellDisplay(part: DisplayPart, to: HookAudience): void;
  /** Tells of a file that something else changed. Nobody waits for it. */
  onFileChanged(path: string, change: 'add' | 'change' | 'unlink'): void;
  /** Has hooks make the folder of a worktree; the error is for the model. */
  makeWorktree(name: string, signal: AbortSignal): Promise<Result<string, string>>;
  /** Has hooks remove a worktree that one of them made. */
  removeWorktree(path: string, signal: AbortSignal): Promise<void>;
  /** Tells of a file of instructions that the model was given. Nobody waits for it. */
  onInstructions(loaded: LoadedInstructions): void;
  /** Asks the hooks; true when a settings file that changed is not to hold for this session. */
  onConfigChange(change: ConfigChange, signal: AbortSignal): Promise<boolean>;
  /** Ends what still runs. */
  close(): Promise<void>;
}

interface SessionHooksDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  /** Takes files that hooks want to hear of. */
  readonly watch: (paths: readonly string[]) => void;
}

/** Creates the hooks of a session over its runner. */
export function createSessionHooks(
  runner: HookRunner,
  { ids, clock, watch }: SessionHooksDeps,
  emit: (event: AgentEvent) => void,
): SessionHooks {
  let stopBlocks = 0;
  const closing = new AbortController();
  const told = new Set<Promise<unknown>>();

  /** Runs the hooks that fit; what they have for the model goes into the conversation. */
  const ask = async (request: HookRequest, signal: AbortSignal): Promise<HookVerdict> => {
    const verdict = await runner.run(request, signal);
    watch(verdict.watches);
    for (const text of verdict.contexts) emit(hookContext(ids, request, text));
    return named(verdict);
  };
  const named = (verdict: HookVerdict): HookVerdict => {
    if (verdict.title !== null) emit({ type: 'title_changed', title: verdict.title });
    return verdict;
  };
  /** Runs the hooks that fit without anybody waiting; what runs at one time is bounded. */
  const tell = (request: HookRequest) => {
    if (!runner.has(request.event) || told.size >= MAX_TOLD) return;
    const work = ask(request, closing.signal);
    told.add(work);
    work.finally(() => told.delete(work)).catch(() => {});
  };
  const ofCall = (event: HookEvent, { id, tool, input, server, covers }: HookedCall) => ({
    event,
    subject: tool,
    callId: id,
    covers,
    fields: {
      ...{ tool_name: tool, tool_input: input, tool_use_id: id },
      ...(server === undefined ? {} : { mcp_server: server }),
    },
  });

  return {
    has: (event) => runner.has(event),
    beforeCall: async (call, signal) => {
      const request = ofCall('PreToolUse', call);
      const verdict = await runner.run(request, signal);
      // A deferred call is asked about again: what is to be said then is not said now.
      const contexts = verdict.permission?.behavior === 'defer' ? [] : verdict.contexts;
      for (const text of contexts) emit(hookContext(ids, request, text));
      return verdict;
    },
    onAsk: async (call, suggestions, signal) => {
      const request = ofCall('PermissionRequest', call);
      const fields = { ...request.fields, permission_suggestions: suggestions };
      return (await ask({ ...request, fields }, signal)).answer;
    },
    afterCall: async (call, end, signal) => {
      const request = ofCall(end.ok ? 'PostToolUse' : 'PostToolUseFailure', call);
      const more = end.ok
        ? { tool_response: end.response }
        : { error: end.error, is_interrupt: end.interrupted };
      const fields = { ...request.fields, ...more, duration_ms: end.durationMs };
      const { stop, output } = await ask({ ...request, fields }, signal);
      if (output !== null) emit(replacedResult(call.id, output));
      return stop;
    },
    afterBatch: async (calls, signal) => {
      const fields = { tool_calls: calls.map(batchField) };
      const request: HookRequest = { event: 'PostToolBatch', subject: '', fields };
      const { stop, block } = await ask(request, signal);
      const reason = stop ?? block;
      if (reason !== null) emit(hookContext(ids, request, reason));
      return reason;
    },
    onDenied: async (call, reason, signal) => {
      const request = ofCall('PermissionDenied', call);
      const { retry } = await ask({ ...request, fields: { ...request.fields, reason } }, signal);
      if (retry) emit(hookContext(ids, request, RETRY));
    },
    // The loop tells the model itself: after the words it is about.
    onPrompt: async (prompt, facts, signal) =>
      named(
        await runner.run(
          { event: 'UserPromptSubmit', subject: '', fields: { prompt, ...facts }, prompt },
          signal,
        ),
      ),
    onExpansion: async ({ type, name, args, source }, prompt, signal) =>
      named(
        await runner.run(
          {
            event: 'UserPromptExpansion',
            subject: name,
            fields: {
              expansion_type: type,
              command_name: name,
              command_args: args,
              command_source: source,
              prompt,
            },
            prompt,
          },
          signal,
        ),
      ),
    onWork: () => {
      stopBlocks = 0;
    },
    onStop: async (moment, signal) => {
      const { agent } = moment;
      if (!moment.stopHookActive) stopBlocks = 0;
      let message = '';
      for (const request of [
        stopped(moment),
        ...(agent?.teammate ? [teammateIdle(agent.teammate)] : []),
      ]) {
        const { stop, block, contexts } = await runner.run(request, signal);
        if (stop !== null) return { kind: 'prevent', reason: stop };
        // Whatever a hook has to say now, the model can only act on when it goes on.
        message = [block, ...contexts].filter((words) => words !== null).join('\n\n');
        if (message !== '') break;
      }
      if (message === '') return { kind: 'pass' };
      stopBlocks += 1;
      if (stopBlocks <= MAX_STOP_BLOCKS) return { kind: 'block', message };
      emit({
        type: 'notice',
        level: 'warning',
        code: 'stop_hooks_ignored',
        text: `Stop hooks sent Lathe back to work ${MAX_STOP_BLOCKS} times in a row; it stops here all the same.`,
      });
      return { kind: 'pass' };
    },
    onSubAgent: async ({ id, type }, signal) => {
      const fields = { agent_id: id, agent_type: type };
      const verdict = await runner.run({ event: 'SubagentStart', subject: type, fields }, signal);
      return verdict.contexts;
    },
    onFailure: async ({ error, details, message }, signal) => {
      const fields = { error, error_details: details, last_assistant_message: message };
      await runner.run({ event: 'StopFailure', subject: error, fields }, signal);
    },
    onSetup: async (trigger, signal) => {
      await ask({ event: 'Setup', subject: trigger, fields: { trigger } }, signal);
    },
    onStep: (event, step, signal) => {
      // A step has no name but its words: the same words are the same step.
      const id = createHash('sha256').update(step).digest('hex').slice(0, 8);
      return ask({ event, subject: '', fields: { task_id: id, task_subject: step } }, signal);
    },
    onSessionStart: (facts, signal) =>
      ask({ event: 'SessionStart', subject: facts.source, fields: { ...facts } }, signal),
    onSessionEnd: async (reason) => {
      if (!runner.has('SessionEnd')) return;
      const request: HookRequest = { event: 'SessionEnd', subject: reason, fields: { reason } };
      await runner.run(request, new AbortController().signal);
    },
    beforeCompact: async ({ trigger, instructions }, signal) => {
      const fields = { trigger, custom_instructions: instructions };
      const { stop, block } = await ask({ event: 'PreCompact', subject: trigger, fields }, signal);
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
    onCwdChanged: (from, to) =>
      tell({ event: 'CwdChanged', subject: '', fields: { old_cwd: from, new_cwd: to } }),
    onDirectoryAdded: (directory, source) =>
      tell({ event: 'DirectoryAdded', subject: '', fields: { directory, source } }),
    beforeModelSwitch: async (facts, signal) => {
      const request: HookRequest = { event: 'PreModelSwitch', subject: '', fields: { ...facts } };
      const { block, stop, permission } = await runner.run(request, signal);
      const refused = permission !== null && permission.behavior !== 'allow';
      return block ?? stop ?? (refused ? permission.reason || NO_REASON : null);
    },
    onElicitation: async (asked, signal) =>
      elicitedBy(await runner.run(elicitation(asked), signal)),
    onElicited: async (asked, given, signal) =>
      elicitedBy(await runner.run(elicitationResult(asked, given), signal)),
    holdsText: () => runner.has('MessageDisplay', decidesDisplay),
    onDisplay: async (part, to, signal) => (await ask(displayed(part, to), signal)).display,
    tellDisplay: (part, to) => tell(displayed(part, to)),
    onFileChanged: (path, event) =>
      tell({ event: 'FileChanged', subject: basename(path), fields: { file_path: path, event } }),
    makeWorktree: async (name, signal) => {
      const request: HookRequest = { event: 'WorktreeCreate', subject: '', fields: { name } };
      const { block, stop, worktree } = await runner.run(request, signal);
      const why = block ?? stop;
      if (why !== null) return err(`A hook makes no worktree: ${why}`);
      return worktree !== null && isAbsolute(worktree)
        ? ok(worktree)
        : err('The hook that makes worktrees named no folder by its whole path.');
    },
    removeWorktree: async (path, signal) => {
      const fields = { worktree_path: path };
      const either = AbortSignal.any([signal, closing.signal]);
      await runner.run({ event: 'WorktreeRemove', subject: '', fields }, either);
    },
    onModelSwitch: (facts) => tell({ event: 'PostModelSwitch', subject: '', fields: { ...facts } }),
    onInstructions: (loaded) =>
      tell({ event: 'InstructionsLoaded', subject: loaded.load_reason, fields: { ...loaded } }),
    onConfigChange: async ({ source, file }, signal) => {
      const fields = { source, file_path: file };
      const request: HookRequest = { event: 'ConfigChange', subject: source, fields };
      return (await runner.run(request, signal)).block !== null;
    },
    close: async () => {
      const heard = new AbortController();
      const all = Promise.allSettled(told).then(() => heard.abort());
      if (told.size > 0) await clock.sleep(LAST_WORDS_MS, heard.signal);
      closing.abort();
      await Promise.all([runner.close(), all]);
    },
  };
}

const NO_REASON = 'A hook does not let the model be changed.';

/** The words for the model when a hook lets it try again. */
const RETRY = 'The call that was refused may be tried again.';

/** Has the model read `text` in place of the result of a call, which stays in the log. */
const replacedResult = (callId: string, text: string): AgentEvent => ({
  type: 'context_edited',
  layer: 'hook',
  edits: [{ kind: 'replace_result', callId, content: [{ type: 'text', text }] }],
  freed: 0,
  counted: 0,
});
