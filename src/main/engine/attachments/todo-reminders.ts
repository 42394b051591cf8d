import type { Message } from '../../../shared/message';
import type { TodoItem } from '../../../shared/tool-call';
import type { Collector } from './attachment';
import { answersSince, todoReminderDue } from './cadence';

const KIND = 'todo_reminder';
const TODO_TOOL = 'TodoWrite';

/** Items repeated in a reminder. */
const MAX_ITEMS = 50;
const MAX_ITEM_CHARS = 200;

/** Reminds of a list with open items that was not touched for a while, or that a compaction took out of sight. */
export const createTodoReminders = (todos: () => readonly TodoItem[]): Collector => ({
  name: 'todo reminders',
  collect: ({ history }) => {
    const items = todos();
    const due = todoReminderDue(
      items.filter((item) => item.status !== 'completed').length,
      answersSince(history, writesTodos),
      answersSince(history, (m) => m.role === 'attachment' && m.kind === KIND),
    );
    return due ? [{ attachment: { kind: KIND, text: reminder(items) } }] : [];
  },
});

const writesTodos = (message: Message): boolean =>
  message.role === 'assistant' &&
  message.content.some((block) => block.type === 'tool_use' && block.name === TODO_TOOL);

const MARKS = { completed: 'x', in_progress: '>', pending: ' ' } as const;

function reminder(items: readonly TodoItem[]): string {
  const lines = items
    .slice(0, MAX_ITEMS)
    .map((item) => `[${MARKS[item.status]}] ${item.content.slice(0, MAX_ITEM_CHARS)}`);
  const more = items.length > MAX_ITEMS ? [`… and ${items.length - MAX_ITEMS} more`] : [];
  return [
    'Your todo list has open items and was not updated for a while. If it still fits, go on with it and mark what is done; if not, write a new one.',
    ...lines,
    ...more,
  ].join('\n');
}
