import type { AgentEvent } from '../../../shared/agent-event';
import {
  type HookEvent,
  type HookReport,
  type HookSetting,
  WITHOUT_SUBJECT,
} from '../../../shared/hooks';
import type { Clock, Commands, Ids } from '../ports';
import { readMatcher } from '../settings/hook-matchers';
import { cap } from './cap';
import { createSignals } from './give-signals';
import { createHookProgress, type HookProgress } from './hook-progress';
import { type HookFacts, type HookRequest, hookInput } from './hook-request';
import { type HookEnd, type HookReply, readReply } from './reply';
import { type AsyncAnswer, runCommandHook } from './run-command';
import { startLimit, timeLimit } from './time-limit';
import { type HookVerdict, joinReplies, NO_VERDICT } from './verdict';

/** Hooks that nobody waits for, at most, at one time in one session. */
const MAX_ASYNC = 20;

/** As much of a running command as a line shows. UTF-16 units. */
const MAX_SHOWN = 300;

/** Runs a hook that is no command, e.g. over HTTP. Never rejects. */
export type OtherHook = (
  hook: HookSetting,
  input: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<HookEnd>;

export interface HookRunnerOptions {
  /** Returns the hooks of this point in time; those that are off stay off. */
  readonly hooks: () => readonly HookSetting[];
  readonly facts: () => HookFacts;
  /** The folder in which commands start. Absolute. */
  readonly cwd: () => string;
  /** The environment of commands, secrets removed. */
  readonly env: (hook: HookSetting) => Promise<Readonly<Record<string, string>>>;
  readonly commands: Commands;
  /** Runs those that are no commands. */
  readonly others: Readonly<Record<Exclude<HookSetting['type'], 'command'>, OtherHook>>;
  /** The hooks that ran in this session and run no second time. */
  readonly ranOnce: Set<string>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly emit: (event: AgentEvent) => void;
  /** A hook that nobody waited for has something for the model to act on. */
  readonly wake: () => void;
}

/** Runs the hooks of one session. */
export interface HookRunner {
  /**
   * Returns whether any hook, of those that `takes` says yes to, is for an event; where there is none, nothing is to be done
   * at all.
   */
  has(event: HookEvent, takes?: (hook: HookSetting) => boolean): boolean;
  /** Runs what fits the request, all at once, and joins what they say. Never rejects. */
  run(request: HookRequest, signal: AbortSignal): Promise<HookVerdict>;
  /** Ends the hooks that nobody waits for. */
  close(): Promise<void>;
}

/** Creates it. Every run is an event of the session. */
export function createHookRunner(options: HookRunnerOptions): HookRunner {
  const { clock, emit } = options;
  const closing = new AbortController();
  const unwaited = new Set<Promise<void>>();
  const giveSignals = createSignals(clock, emit);

  /**
   * Runs one to its end. Once `onBackground` agrees that nobody waits any more, it goes on like one of which the settings
   * say so.
   */
  const runOne = async (
    setting: HookSetting,
    request: HookRequest,
    input: string,
    signal: AbortSignal,
    onBackground: () => boolean,
  ): Promise<Ended> => {
    const id = options.ids.next('hook');
    const { event, subject } = request;
    const startedAt = clock.date();
    const began = clock.now();
    let hook = setting;
    const run = cap(hook.statusMessage ?? hook.run, MAX_SHOWN);
    const running = {
      id,
      event,
      subject,
      run,
      startedAt,
      awaited: !hook.async && event !== 'MessageDisplay',
    };
    emit({ type: 'hook_started', hook: running });
    const progress = createHookProgress(running, clock, emit);
    const limit = startLimit(timeLimit(hook), clock, signal);
    const onAsync = ({ timeoutMs }: AsyncAnswer) => {
      // A guard may print what it was given, and the model words that.
      if (!hook.async && (hook.onFailure === 'block' || !onBackground())) return;
      if (!hook.async) emit({ type: 'hook_backgrounded', hookId: id });
      hook = { ...hook, async: true };
      limit.restart(timeoutMs ?? timeLimit(hook), closing.signal);
    };
    const ended = await start(hook, { id, input, progress, onAsync }, limit.signal)
      .catch(notRun)
      .finally(() => {
        progress.stop();
        limit.stop();
      });
    const ms = limit.exceeded();
    const end = unskippable(
      hook,
      ms === null
        ? ended
        : { kind: 'timeout', message: `did not end within ${ms / 1000} s and was stopped` },
    );
    const said = readReply(event, end);
    const reply = hook.widened ? withoutConsent(said) : said;
    const report = reportOf({ id, hook, request, end, reply }, clock.now() - began);
    return { hook, report, reply };
  };

  const start = async (
    hook: HookSetting,
    { id, input, progress, onAsync }: Started,
    signal: AbortSignal,
  ): Promise<HookEnd> => {
    const given = await options.env(hook);
    const env = hook.plugin ? { ...given, CLAUDE_PLUGIN_ROOT: hook.plugin.root } : given;
    if (hook.type !== 'command') return options.others[hook.type](hook, input, env, signal);
    const surroundings = { id, cwd: options.cwd(), env, input };
    const listeners = { onStart: progress.begin, onAsync };
    return runCommandHook(hook, surroundings, options.commands, signal, listeners);
  };

  /** Nobody waits: it decides nothing, and what it has to tell the model is told when it ends. */
  const hearLater = (hook: HookSetting, request: HookRequest, ended: Promise<Ended>) => {
    const work = ended.then(({ report, reply }) => {
      const wakes = hook.asyncRewake === true && report.exitCode === 2;
      // Its settings say that it decides something, and then it asked not to be waited for.
      const isLate = !hook.async && report.outcome === 'blocked';
      const outcome = report.outcome === 'blocked' || wakes ? 'done' : report.outcome;
      const late = { outcome: 'failed', note: `${TOO_LATE}: ${report.note}` } as const;
      emit({ type: 'hook_settled', report: { ...report, outcome, ...(isLate ? late : {}) } });
      giveSignals(hook, reply);
      const said = wakes ? report.stderr.trim() || report.stdout.trim() || SILENT_WAKE : null;
      // What is shown is for people alone, and so are the words about it.
      const words = request.event === 'MessageDisplay' ? [] : [reply.context, reply.systemMessage];
      const told = [said, ...words].filter((text) => text !== null);
      for (const text of new Set(told)) emit(hookContext(options.ids, request, text));
      if (wakes) options.wake();
    });
    unwaited.add(work);
    work.finally(() => unwaited.delete(work)).catch(() => {});
  };

  const runUnwaited = (hook: HookSetting, request: HookRequest, input: string) => {
    if (unwaited.size >= MAX_ASYNC) {
      const text = `A hook was not run, because ${MAX_ASYNC} that nobody waits for still run: ${cap(hook.run, MAX_SHOWN)}`;
      return emit({ type: 'notice', level: 'warning', code: 'hook_not_run', text });
    }
    hearLater(
      hook,
      request,
      runOne(hook, request, input, closing.signal, () => true),
    );
  };

  /** Waits for a hook; null when it asked in its first line not to be waited for any more. */
  const runWaited = (
    hook: HookSetting,
    request: HookRequest,
    input: string,
    signal: AbortSignal,
  ): Promise<Ended | null> =>
    new Promise((resolve) => {
      const ended = runOne(hook, request, input, signal, () => {
        // Where too many go on already it is waited for, so that none is without a bound.
        if (unwaited.size >= MAX_ASYNC) return false;
        hearLater(hook, request, ended);
        resolve(null);
        return true;
      });
      ended.then(resolve);
    });

  return {
    has: (event, takes = () => true) =>
      options.hooks().some((hook) => hook.event === event && hook.off === null && takes(hook)),
    run: async (request, signal) => {
      const fitting = await hooksFor(options.hooks(), request);
      const hooks = fitting.filter((hook) => !hook.once || !options.ranOnce.has(onceKey(hook)));
      for (const hook of hooks) if (hook.once) options.ranOnce.add(onceKey(hook));
      if (hooks.length === 0) return NO_VERDICT;
      const input = hookInput(options.facts(), request);
      for (const hook of hooks) if (hook.async) runUnwaited(hook, request, input);
      const waited = hooks.filter((hook) => !hook.async);
      const all = await Promise.all(waited.map((hook) => runWaited(hook, request, input, signal)));
      for (const [at, hook] of waited.entries())
        if (all[at]?.reply.outcome === 'failed') request.audience?.onFailed?.(hook);
      const ended = all.filter((one) => one !== null);
      for (const { hook, report, reply } of ended) {
        emit({ type: 'hook_settled', report });
        giveSignals(hook, reply);
      }
      return joinReplies(ended.map(({ reply }) => reply));
    },
    close: async () => {
      closing.abort();
      await Promise.all(unwaited);
    },
  };
}

/** Events at which a callback that gives no answer blocks, unless it says otherwise: its program may have meant to deny. */
const GUARDED: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'UserPromptSubmit',
  'UserPromptExpansion',
]);

/** Events whose end or stop a failure never blocks: work would go on for ever. */
const NEVER_BLOCKED: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'Stop',
  'SubagentStop',
  'TaskCompleted',
  'TeammateIdle',
]);

/** Returns the end of a hook as it counts: the failure of one that guards something is a block (docs/hooks.md). */
function unskippable(hook: HookSetting, end: HookEnd): HookEnd {
  const { type, event, onFailure, async } = hook;
  const isGuard =
    onFailure === undefined
      ? type === 'callback' && GUARDED.has(event)
      : onFailure === 'block' && !NEVER_BLOCKED.has(event);
  const { outcome, note } = readReply(event, end);
  if (!isGuard || async || outcome !== 'failed') return end;
  const why = `The hook gave no usable answer, so this is blocked: ${note}`;
  if (event !== 'PermissionRequest')
    return { kind: 'exited', exitCode: 2, stdout: '', stderr: why };
  const decision = { behavior: 'deny', message: why };
  const stdout = JSON.stringify({ hookSpecificOutput: { hookEventName: event, decision } });
  return { kind: 'exited', exitCode: 0, stdout, stderr: '' };
}

/** Returns a reply without what it allows or changes. Such a reply says so. */
function withoutConsent(reply: HookReply): HookReply {
  const { permission, answer, updatedInput } = reply;
  const allows = permission?.behavior === 'allow' || answer?.behavior === 'allow';
  if (!allows && updatedInput === null) return reply;
  return {
    ...reply,
    permission: allows ? null : permission,
    answer: allows ? null : answer,
    updatedInput: null,
    note: WIDENED,
  };
}

const WIDENED =
  'What it allows or changes does not count until its condition and matcher can be read';

/** Returns the end of a hook that something kept from running at all. */
const notRun = (thrown: unknown): HookEnd => ({
  kind: 'failed',
  message: `could not be run: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
});

const TOO_LATE = 'It said no after it had asked not to be waited for';
const SILENT_WAKE = 'It ended with exit code 2 and did not say why.';

/** Builds the attachment by which a hook tells the model something. */
export const hookContext = (ids: Ids, request: HookRequest, text: string): AgentEvent => ({
  type: 'attachment',
  id: ids.next('att'),
  kind: 'hook',
  text: `A ${nameOf(request)} hook of the user says:\n\n${text}`,
});

const nameOf = ({ event, subject }: HookRequest): string =>
  subject === '' ? event : `${event} (${subject})`;

/** The end of one run: what people are told of it, and what it wishes. */
interface Ended {
  readonly hook: HookSetting;
  readonly report: HookReport;
  readonly reply: HookReply;
}

/** The parts of a run that is about to start. */
interface Started {
  readonly id: string;
  readonly input: string;
  readonly progress: HookProgress;
  /** A command says that nobody is to wait for it. */
  readonly onAsync: (answer: AsyncAnswer) => void;
}

interface Run {
  readonly id: string;
  readonly hook: HookSetting;
  readonly request: HookRequest;
  readonly end: HookEnd;
  readonly reply: HookReply;
}

function reportOf({ id, hook, request, end, reply }: Run, durationMs: number): HookReport {
  const { event, subject, callId, prompt, audience } = request;
  const kept = prompt !== undefined && reply.outcome === 'blocked' && !reply.hidesPrompt;
  return {
    id,
    event,
    subject,
    ...(callId === undefined ? {} : { callId }),
    run: cap(hook.run),
    file: hook.file,
    outcome: reply.outcome,
    note: reply.note,
    exitCode: end.kind === 'exited' ? end.exitCode : null,
    durationMs,
    stdout: end.kind === 'exited' ? cap(end.stdout) : '',
    stderr: end.kind === 'exited' ? cap(end.stderr) : '',
    ...(kept ? { keptPrompt: prompt } : {}),
    ...(audience?.knownToFail ? { knownToFail: true } : {}),
  };
}

/** Returns the hooks that fit a request, in the order of the settings, each command once (docs/hooks.md). */
async function hooksFor(
  hooks: readonly HookSetting[],
  request: HookRequest,
): Promise<readonly HookSetting[]> {
  const fitting = hooks.filter((hook) => fits(hook, request));
  const wanted = await Promise.all(
    fitting.map((hook) => hook.if === undefined || (request.covers?.(hook.if) ?? false)),
  );
  return distinct(fitting.filter((_, i) => wanted[i]));
}

function fits(hook: HookSetting, { event, subject, audience }: HookRequest): boolean {
  if (hook.off !== null || hook.event !== event || audience?.takes(hook) === false) return false;
  if (WITHOUT_SUBJECT.has(event)) return true;
  const matcher = readMatcher(hook.matcher, event);
  return matcher.ok && matcher.value(subject);
}

const onceKey = ({ file, line, event, run }: HookSetting): string =>
  JSON.stringify([file, line, event, run]);

/** Removes doubles: the same hook from two places or two matchers runs once. */
function distinct(hooks: readonly HookSetting[]): readonly HookSetting[] {
  const seen = new Set<string>();
  return hooks.filter((hook) => {
    const { type, run, args, shell, headers, call, model, async, onFailure, plugin } = hook;
    const own = [type, run, args, shell, headers, call, model, async, onFailure, plugin?.root];
    const key = JSON.stringify(own);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
