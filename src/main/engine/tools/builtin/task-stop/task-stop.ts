import { z } from 'zod';
import type { Task } from '../../../../../shared/task';
import { ownNeeds } from '../../needs';
import { defineTool } from '../../tool';
import { taskName, taskView, unknownTask } from '../support/task-view';

const Input = z.strictObject({
  task_id: z.string().min(1).describe('The id of the background task to end.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = 'Ends a background task and every process it started.';

interface Output {
  readonly task: Task;
  readonly message: string;
}

/** Creates the tool that ends background tasks. */
export const createTaskStopTool = () =>
  defineTool<Input, Output>({
    name: 'TaskStop',
    seldom: true,
    description: DESCRIPTION,
    input: Input,
    validateInput: async ({ task_id }, { agent: { tasks } }) =>
      tasks.get(task_id) === null ? unknownTask(task_id, tasks.list()) : null,
    needs: ownNeeds('TaskStop'),
    title: ({ task_id = '' }, env) => ({ verb: 'Stop task', target: taskName(task_id, env) }),
    // biome-ignore lint/correctness/useYield: a stop is one step, there is nothing to report on the way
    execute: async function* ({ task_id }, { agent: { tasks } }) {
      const known = tasks.get(task_id);
      if (known === null) return { ok: false, message: unknownTask(task_id, tasks.list()) };
      const { ok, message } = await tasks.stop(task_id, 'Stopped by the model.');
      tasks.endSeen(task_id);
      const output = { task: tasks.get(task_id) ?? known, message };
      return ok ? { ok, output } : { ok, message, output };
    },
    toModel: ({ message }) => [{ type: 'text', text: message }],
    view: (_, { task }) => taskView(task, task.lastLine),
  });
