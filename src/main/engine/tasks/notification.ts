import type { Task } from '../../../shared/task';
import type { LineNews } from './line-news';

/** What the model is told, once, when a task has ended. */
export function taskNotification(task: Task): string {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['task-id', task.id],
    ['tool-use-id', task.callId],
    ['task-type', task.type],
    ['output-file', task.outputFile],
    ['status', task.status],
    ['summary', summarize(task)],
  ];
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`<${name}>${escapeMarkup(value)}</${name}>`],
  );
  return ['<task-notification>', ...lines, '</task-notification>'].join('\n');
}

/** What the model is told of new lines of a monitor. */
export function lineNotification(task: Task, { lines, leftOut }: LineNews): string {
  const more =
    leftOut === 0 ? [] : ['(more lines came than are shown; all are in the output file)'];
  return [
    '<task-notification>',
    `<task-id>${escapeMarkup(task.id)}</task-id>`,
    `<task-type>${task.type}</task-type>`,
    `<summary>${escapeMarkup(`Monitor "${task.title}" saw:`)}</summary>`,
    '<lines>',
    ...lines.map(escapeMarkup),
    ...more,
    '</lines>',
    '</task-notification>',
  ].join('\n');
}

function summarize(task: Task): string {
  const kind = task.type === 'monitor' ? 'Monitor' : 'Background command';
  const what = `${kind} "${task.title}"`;
  const note = task.note === undefined ? '' : ` ${task.note}`;
  if (task.status === 'killed') return `${what} was stopped.${note}`;
  if (task.status === 'completed') return `${what} completed (exit code 0).`;
  const code =
    task.exitCode === null || task.exitCode === undefined ? '' : ` with exit code ${task.exitCode}`;
  return `${what} failed${code}.${note}`;
}

/** A command's own text must not be able to end the notification it stands in. */
const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
