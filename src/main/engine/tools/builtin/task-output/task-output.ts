import { z } from 'zod';
import { isSettled, type Task } from '../../../../../shared/task';
import type { NewOutput } from '../../../tasks/output-reader';
import { ownNeeds } from '../../needs';
import { NO_ACCESS } from '../../resource-access';
import { defineTool } from '../../tool';
import { taskName, taskStatusLine, taskView, unknownTask } from '../support/task-view';

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;

const Input = z.strictObject({
  task_id: z.string().min(1).describe('The id that Bash gave for the background command.'),
  block: z
    .boolean()
    .optional()
    .describe(
      'Wait until the task ends or timeout is over (default: true). False: answer at once.',
    ),
  timeout: z
    .number()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe(
      `How long to wait, in milliseconds (default ${DEFAULT_WAIT_MS}, at most ${MAX_WAIT_MS}).`,
    ),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Reads what a background task printed since you last asked, and whether it still runs.

- With block (the default) it waits for the end of the task, at most timeout. Set block to false to look at a server or watcher.
- You are told when a task ends, so there is no need to ask again and again.`;

interface Output extends NewOutput {
  readonly task: Task;
  /** The place up to which the output is read now, in bytes. */
  readonly readTo: number;
}

/** Creates the tool that reads a background task's new output. */
export const createTaskOutputTool = () =>
  defineTool<Input, Output>({
    name: 'TaskOutput',
    seldom: true,
    isRepeatable: true,
    description: DESCRIPTION,
    input: Input,
    access: async () => NO_ACCESS,
    validateInput: async ({ task_id }, { agent: { tasks } }) =>
      tasks.get(task_id) === null ? unknownTask(task_id, tasks.list()) : null,
    needs: ownNeeds('TaskOutput'),
    title: ({ task_id = '' }, env) => ({ verb: 'Task output', target: taskName(task_id, env) }),
    execute: async function* ({ task_id, block = true, timeout }, { agent: { tasks }, signal }) {
      const known = tasks.get(task_id);
      if (known === null) return { ok: false, message: unknownTask(task_id, tasks.list()) };
      if (block && !isSettled(known.status)) {
        yield { view: taskView(known, known.lastLine) };
        await tasks.settled(task_id, timeout ?? DEFAULT_WAIT_MS, signal);
      }
      if (signal.aborted) return { ok: false, message: 'Interrupted; the task goes on.' };
      // The state first: what a settled task printed is then all in the file.
      const task = tasks.get(task_id) ?? known;
      const output = await tasks.readNewOutput(task_id);
      tasks.endSeen(task.id);
      return { ok: true, output: { task, ...output } };
    },
    toModel: (output) => [{ type: 'text', text: report(output) }],
    view: (_, { task, text, readTo }) => taskView(task, text, readTo),
  });

function report({ task, text, skippedBytes, unsaved }: Output): string {
  const where = unsaved === undefined ? `; all of it is in ${task.outputFile ?? 'its file'}` : '';
  const skipped =
    skippedBytes === 0 ? '' : `(${skippedBytes} bytes of older output left out${where})\n`;
  const news = text.trim() === '' ? '(no new output)' : text.trimEnd();
  return `${taskStatusLine(task)}\n\n${skipped}${news}`;
}
