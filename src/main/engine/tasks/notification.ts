import type { DurableEvent } from '../../../shared/agent-event';
import { isSettled, type Task } from '../../../shared/task';

/** A piece of news of a task that its agent has not been told yet. */
export interface Notice {
  /** The agent it is for. */
  readonly agentId: string;
  readonly taskId: string;
  /** Names the news in the session's log, so that a restart knows what was told; see {@link readAbout}. */
  readonly about: string;
  /** The `<task-notification>`. */
  readonly text: string;
  /** It waits for the next prompt and wakes nobody. */
  readonly quiet?: boolean;
}

/** The subject of a notice: an end, a question nobody answers, or output up to a byte. */
export type NoticeSubject =
  | { readonly kind: 'ended' }
  | { readonly kind: 'waits' }
  | { readonly kind: 'output'; readonly toldTo: number };

/** Returns what a log names a notice. */
export const aboutText = (taskId: string, subject: NoticeSubject): string =>
  subject.kind === 'output' ? `${taskId} output ${subject.toldTo}` : `${taskId} ${subject.kind}`;

/** Reads what {@link aboutText} wrote; null when it is something else. */
export function readAbout(
  about: string,
): { readonly taskId: string; readonly subject: NoticeSubject } | null {
  const [taskId = '', kind, bytes, ...rest] = about.split(' ');
  if (rest.length > 0) return null;
  if (kind === 'output' && /^\d+$/.test(bytes ?? ''))
    return { taskId, subject: { kind, toldTo: Number(bytes) } };
  return (kind === 'ended' || kind === 'waits') && bytes === undefined
    ? { taskId, subject: { kind } }
    : null;
}

/** The most of a report that a notice carries; all of it is in the output file. Characters. */
const MAX_REPORT = 30_000;

/** Returns what the agent is told when a task has ended. `report`: the words its work ended with. */
export const endNotice = (task: Task, report?: string): Notice => ({
  agentId: task.agentId,
  taskId: task.id,
  about: aboutText(task.id, { kind: 'ended' }),
  text: notification(task, [['status', task.status]], endSummary(task), report),
});

/** Returns what the agent is told when a task seems to wait for somebody to type. */
export const stallNotice = (task: Task): Notice => ({
  agentId: task.agentId,
  taskId: task.id,
  about: aboutText(task.id, { kind: 'waits' }),
  text: notification(task, [['status', 'running']], stallSummary(task)),
});

/** Returns what the agent is told of what a task reports while it runs. */
export const reportNotice = (
  { taskId, callId, title }: { taskId: string; callId: string | undefined; title: string },
  type: string,
  report: string,
): string =>
  notification(
    { id: taskId, type, ...(callId === undefined ? {} : { callId }) },
    [['status', 'running']],
    `"${title}" reports:`,
    report,
  );

function notification(
  task: Pick<Task, 'id' | 'callId' | 'type' | 'outputFile'>,
  state: readonly (readonly [string, string])[],
  summary: string,
  report?: string,
): string {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['task-id', task.id],
    ['tool-use-id', task.callId],
    ['task-type', task.type],
    ['output-file', task.outputFile],
    ...state,
    ['summary', summary],
  ];
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`<${name}>${escapeMarkup(value)}</${name}>`],
  );
  const result = report === undefined ? [] : ['<result>', reportText(report), '</result>'];
  return ['<task-notification>', ...lines, ...result, '</task-notification>'].join('\n');
}

/** Returns a report as a notice holds it: code in it stays readable, and nothing in it can end the notice. */
const reportText = (report: string): string => {
  const kept = report.slice(0, MAX_REPORT);
  const safe = kept.replace(/<(?=\/?(?:task-notification|result)\b)/gi, '&lt;');
  return kept.length === report.length ? safe : `${safe}\n(the rest is in the output file)`;
};

function endSummary({ kind, title, status, result, note }: Task): string {
  const named = `${kind} "${title}"`;
  const remark = note === undefined ? '' : ` ${note}`;
  const code = result?.code ?? null;
  const signal = result?.signal === undefined ? '' : ` by signal ${result.signal}`;
  if (status === 'killed') return `${named} was stopped.${remark}`;
  if (status === 'completed')
    return `${named} completed${code === null ? '' : ` (exit code ${code})`}.${remark}`;
  return code === null && signal !== ''
    ? `${named} was ended${signal}.${remark}`
    : `${named} failed${code === null ? '' : ` with exit code ${code}`}.${remark}`;
}

const stallSummary = ({ kind, title, lastLine }: Task): string =>
  `${kind} "${title}" has been silent for a while and seems to wait for an answer to ${JSON.stringify(lastLine)}. Only the user can type there: ask for it, or stop it and start it again with an option such as --yes.`;

/** Escapes text of a command, so that it cannot end the notification it stands in. */
export const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A task as a session's log left it. */
export interface LoggedTask {
  readonly task: Task;
  /** Data its runner left for taking it up again. */
  readonly memo: unknown;
  /** Bytes of its output that the model has read or was told of. */
  readonly readTo: number;
  readonly toldTo: number;
  /** The model was told that it waits for input. */
  readonly waitTold: boolean;
}

/**
 * Returns the tasks of a log that are not done with: those that ran when the log broke off, and those whose end
 * their agent does not know. Pure.
 */
export function openTasksIn(events: readonly DurableEvent[]): readonly LoggedTask[] {
  const open = new Map<string, LoggedTask>();
  const change = (taskId: string, how: (logged: LoggedTask) => Partial<LoggedTask>) => {
    const logged = open.get(taskId);
    if (logged) open.set(taskId, { ...logged, ...how(logged) });
  };
  for (const event of events) {
    switch (event.type) {
      case 'task_started': {
        const { task, memo } = event;
        const known = open.get(task.id) ?? { readTo: 0, toldTo: 0, waitTold: false };
        open.set(task.id, { ...known, task, memo });
        break;
      }
      case 'task_settled':
        if (event.task.endTold) open.delete(event.task.id);
        else change(event.task.id, () => ({ task: event.task }));
        break;
      case 'attachment': {
        const about = event.kind === 'task_notification' ? readAbout(event.about ?? '') : null;
        if (about === null) break;
        const { taskId, subject } = about;
        if (subject.kind === 'ended') open.delete(taskId);
        else if (subject.kind === 'waits') change(taskId, () => ({ waitTold: true }));
        else if (subject.kind === 'output') change(taskId, () => ({ toldTo: subject.toldTo }));
        break;
      }
      case 'call_settled': {
        const { view } = event;
        if (view?.kind !== 'shell' || view.taskId === undefined) break;
        const { taskId, taskStatus, readTo } = view;
        // The result of a call that waited for its task, or looked at it, told its end.
        if (!view.background || (taskStatus && isSettled(taskStatus))) open.delete(taskId);
        else if (readTo !== undefined) change(taskId, () => ({ readTo }));
        break;
      }
    }
  }
  return [...open.values()];
}

/** A background task that has ended, and how far the model has read its output, in bytes. */
type PastTask = Pick<LoggedTask, 'task' | 'readTo'>;

/** Returns the background tasks of a log that have ended, in the order of their ends. Pure. */
export function pastTasksIn(events: readonly DurableEvent[]): readonly PastTask[] {
  const past = new Map<string, PastTask>();
  const readTo = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'task_settled' && event.task.isBackgrounded)
      past.set(event.task.id, { task: event.task, readTo: 0 });
    if (event.type !== 'call_settled' || event.view?.kind !== 'shell') continue;
    const { taskId, readTo: bytes } = event.view;
    if (taskId !== undefined && bytes !== undefined) readTo.set(taskId, bytes);
  }
  return [...past.values()].map(({ task }) => ({ task, readTo: readTo.get(task.id) ?? 0 }));
}
