import { z } from 'zod';
import type { TodoItem } from '../../../../../shared/tool-call';
import { ownNeeds } from '../../needs';
import { defineTool } from '../../tool';

const MAX_TODOS = 200;
const MAX_TODO_CHARS = 2000;

const Text = z.string().min(1).max(MAX_TODO_CHARS);
const Input = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: Text.describe('What is to be done: "Run the tests".'),
        status: z.enum(['pending', 'in_progress', 'completed']),
        activeForm: Text.describe('The same while it is being done: "Running the tests".'),
      }),
    )
    .max(MAX_TODOS)
    .describe('The whole list; it replaces the one before.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Keeps the list of steps that the user sees while you work.

- Use it for work of three or more steps, or when the user gives several tasks. Not for a single simple step or a question.
- Send the whole list each time. Exactly one item is in_progress while you work.
- Mark an item completed as soon as it is done and not before: not while tests fail or something is missing.`;

/** Creates the tool that keeps the todo list. */
export const createTodoWriteTool = () =>
  defineTool<Input, readonly TodoItem[]>({
    name: 'TodoWrite',
    description: DESCRIPTION,
    input: Input,
    needs: ownNeeds('TodoWrite'),
    title: ({ todos = [] }) => ({ verb: 'Todos', target: progress(todos) }),
    // biome-ignore lint/correctness/useYield: setting a list is one step, there is nothing to report on the way
    execute: async function* ({ todos }) {
      return { ok: true, output: todos };
    },
    toModel: (todos) => [{ type: 'text', text: `The list was updated (${progress(todos)}).` }],
    view: (_, todos) => ({ kind: 'todo', items: [...todos] }),
  });

const progress = (todos: readonly Partial<TodoItem>[]): string =>
  `${todos.filter((todo) => todo.status === 'completed').length} of ${todos.length} done`;
