import type { AgentEvent } from '../../../shared/agent-event';
import type { HookReport, RunningHook } from '../../../shared/hooks';
import type { Refusal } from '../../../shared/model-name';
import { recalledNotes } from '../../../shared/recalled-notes';
import type { Task } from '../../../shared/task';
import type { Json } from './api-shape';

type QueryFinished = Extract<AgentEvent, { type: 'query_finished' }>;

const hookName = ({ event, subject }: Pick<HookReport, 'event' | 'subject'>): string =>
  subject === '' ? event : `${event}:${subject}`;

export const hookStarted = (hook: RunningHook): Json => ({
  type: 'system',
  subtype: 'hook_started',
  hook_id: hook.id,
  hook_event: hook.event,
  hook_name: hookName(hook),
});

/** Tells what a running hook printed so far. */
export const hookProgress = ({
  hook,
  stdout,
  stderr,
}: Extract<AgentEvent, { type: 'hook_progress' }>): Json => ({
  type: 'system',
  subtype: 'hook_progress',
  hook_id: hook.id,
  hook_event: hook.event,
  hook_name: hookName(hook),
  output: stdout + stderr,
  stdout,
  stderr,
});

/** The outcomes of hooks as programs know them; `blocked` is one that did what it was there for. */
const HOOK_OUTCOMES: Readonly<Record<HookReport['outcome'], string>> = {
  done: 'success',
  blocked: 'success',
  failed: 'error',
  cancelled: 'cancelled',
};

export const hookLine = (report: HookReport): Json => ({
  type: 'system',
  subtype: 'hook_response',
  hook_id: report.id,
  hook_event: report.event,
  hook_name: hookName(report),
  output: report.stdout + report.stderr,
  stdout: report.stdout,
  stderr: report.stderr,
  ...(report.exitCode === null ? {} : { exit_code: report.exitCode }),
  outcome: HOOK_OUTCOMES[report.outcome],
  blocked: report.outcome === 'blocked',
  note: report.note,
});

const callOf = ({ callId }: Task): Json => (callId === undefined ? {} : { tool_use_id: callId });

export const taskStarted = (task: Task): Json => ({
  type: 'system',
  subtype: 'task_started',
  task_id: task.id,
  ...callOf(task),
  task_type: task.type,
  description: task.title,
  is_backgrounded: task.isBackgrounded,
});

export const taskUpdated = ({ id, status, endedAt, note }: Task): Json => ({
  type: 'system',
  subtype: 'task_updated',
  task_id: id,
  patch: {
    status,
    ...(endedAt === undefined ? {} : { end_time: endedAt }),
    ...(status === 'failed' && note !== undefined ? { error: note } : {}),
  },
});

export const taskEnded = (task: Task): Json => ({
  type: 'system',
  subtype: 'task_notification',
  task_id: task.id,
  ...callOf(task),
  status: task.status === 'killed' ? 'stopped' : task.status === 'failed' ? 'failed' : 'completed',
  output_file: task.outputFile ?? '',
  summary: task.note ?? task.lastLine,
});

/** Tells that a tool server has what it sent the user to an address for. */
export const elicitationCompleted = ({
  server,
  elicitationId,
}: Extract<AgentEvent, { type: 'elicitation_completed' }>): Json => ({
  type: 'system',
  subtype: 'elicitation_complete',
  mcp_server_name: server,
  elicitation_id: elicitationId,
});

/** Tells which notes of earlier work go along with a request; null for an attachment that holds none. */
export function memoryRecall(attachment: Extract<AgentEvent, { type: 'attachment' }>): Json | null {
  const paths = recalledNotes(attachment);
  if (paths.length === 0) return null;
  const memories = paths.map((path) => ({ path, scope: 'personal' }));
  return { type: 'system', subtype: 'memory_recall', mode: 'select', memories };
}

/** Tells what a command said that was carried out without the model; nothing for any other query. */
export const localOutput = ({ terminal, turns, text }: QueryFinished): readonly Json[] =>
  terminal === 'completed' && turns === 0 && text !== ''
    ? [{ type: 'system', subtype: 'local_command_output', content: text }]
    : [];

/** Tells that the conversation begins anew: its id stays that of the session. */
export const conversationReset = (sessionId: string, prompt: string | null): Json => ({
  ...{ type: 'conversation_reset', new_conversation_id: sessionId, trigger: 'clear' },
  ...(prompt === null ? {} : { user_message_uuid: prompt }),
});

type MessageFinished = Extract<AgentEvent, { type: 'message_finished' }>;

const refusalFields = (refusal: Refusal | undefined): Json => ({
  request_id: null,
  api_refusal_category: refusal?.category ?? null,
  api_refusal_explanation: refusal?.explanation ?? null,
});

/** Tells that the model of the last answer declined a prompt, and none answers it; nothing for any other query. */
export const refusalLine = (
  { terminal, stopReason, text }: QueryFinished,
  last: Pick<MessageFinished, 'model' | 'refusal'> | null,
): readonly Json[] =>
  terminal === 'model_error' && stopReason === 'refusal' && last?.refusal?.kept !== true
    ? [
        {
          ...{ type: 'system', subtype: 'model_refusal_no_fallback' },
          ...{ original_model: last?.model ?? '', ...refusalFields(last?.refusal), content: text },
        },
      ]
    : [];

/** Tells that another model answers in the place of one that declined; null for any other change. */
export const refusalFallback = (
  { declined, model }: Extract<AgentEvent, { type: 'model_changed' }>,
  { prompt, isMain }: { readonly prompt: string | null; readonly isMain: boolean },
): Json | null =>
  declined === undefined
    ? null
    : {
        ...{ type: 'system', subtype: 'model_refusal_fallback', trigger: 'refusal' },
        ...{ direction: 'retry', scope: isMain ? 'session' : 'local' },
        ...{ original_model: declined.model, fallback_model: model, ...refusalFields(declined) },
        // An answer is printed when nothing can take it back any more.
        retracted_message_uuids: [],
        refused_user_message_uuid: prompt,
        content: `${declined.model} declined to answer; ${model} answers from here.`,
      };

type Notice = Extract<AgentEvent, { type: 'notice' }>;

/** The notices that are about a moment and pass, each with how much it matters. What else is told stays in sight. */
const PASSING: ReadonlyMap<string, 'low' | 'medium'> = new Map([
  ['api_clearing_off', 'low'],
  ['api_compaction_off', 'low'],
  ['cache_missed', 'low'],
  ['provider_failover', 'medium'],
  ['sandbox_blocked', 'medium'],
]);

/** Tells a notice: as a passing one where it is about a moment, else as a line of the conversation. */
export function noticeLine({ level, code, text, fix }: Notice): Json {
  const priority = level === 'info' ? PASSING.get(code) : undefined;
  return priority === undefined
    ? {
        ...{
          type: 'system',
          subtype: 'informational',
          level: level === 'info' ? level : 'warning',
        },
        ...{ code, content: text },
        ...(fix === undefined ? {} : { fix }),
      }
    : { type: 'system', subtype: 'notification', key: code, text, priority };
}

/** A wait that is as long as this is told as a passing notice, which stands until it is over. Milliseconds. */
const LONG_WAIT_MS = 60_000;

/** Tells a wait for the API, and a long one as a passing notice too. */
export function waitLines({
  attempt,
  maxAttempts,
  delayMs,
  status,
  error,
  reason,
}: Extract<AgentEvent, { type: 'retry_waiting' }>): readonly Json[] {
  const retry = {
    ...{ type: 'system', subtype: 'api_retry' },
    // The first try is no retry.
    ...{ attempt: attempt - 1, max_retries: maxAttempts - 1, retry_delay_ms: delayMs },
    ...{ error_status: status ?? null, error: errorName(error), message: reason },
  };
  if (delayMs < LONG_WAIT_MS) return [retry];
  const text = `${reason.replace(/\.$/, '')}; trying again in ${Math.ceil(delayMs / 60_000)} min.`;
  const notice = { type: 'system', subtype: 'notification', key: 'api_wait', text };
  return [retry, { ...notice, priority: 'high', timeout_ms: delayMs }];
}

/** The names of errors that programs know. */
const ERROR_NAMES: ReadonlySet<string> = new Set([
  'authentication_failed',
  'billing_error',
  'rate_limit',
  'overloaded',
  'invalid_request',
  'model_not_found',
  'server_error',
  'max_output_tokens',
  'cloud_credential_error',
]);

/** Returns an error by a name that programs know. */
export const errorName = (name: string | undefined): string =>
  name !== undefined && ERROR_NAMES.has(name) ? name : 'unknown';
