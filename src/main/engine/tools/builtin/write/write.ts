import { z } from 'zod';
import type { ApprovalSubject } from '../../../../../shared/permission';
import { defineTool } from '../../tool';
import { changeSubject, changeView, commitChange, type FileChange } from '../support/file-change';
import { fileReach, fileRequest, locate, shortPath, withAbsolutePath } from '../support/target';
import { planWrite } from './plan-write';

const Input = z.strictObject({
  file_path: z
    .string()
    .min(1)
    .describe('The file to write: absolute, or relative to the working directory.'),
  content: z.string().describe('The whole new content.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Writes a whole file, replacing what was there.

- An existing file must have been read in this session first; if it changed since, read it again.
- To change a part of a file use Edit: it sends only the difference.
- Missing folders are made. An existing file keeps its encoding, line ends and permissions.
- Create files only when the task needs them; no documentation unless it was asked for.`;

interface Output {
  readonly change: FileChange;
  readonly name: string;
}

/** The tool that writes whole files. */
export const createWriteTool = () =>
  defineTool<Input, Output>({
    name: 'Write',
    description: DESCRIPTION,
    input: Input,
    reach: async (input, env) => fileReach('edit', await locate(input.file_path, env)),
    validateInput: async (input, env) => {
      const planned = await planWrite(input, env);
      return planned.ok ? null : planned.error;
    },
    needs: async (input, env) => [fileRequest('Write', 'edit', await locate(input.file_path, env))],
    subject: async (input, env): Promise<ApprovalSubject> => {
      const planned = await planWrite(input, env);
      if (planned.ok) return changeSubject(planned.value);
      const target = await locate(input.file_path, env);
      return { kind: 'edit', files: [{ ...target, created: false, hunks: [] }] };
    },
    backfillObservableInput: withAbsolutePath,
    title: ({ file_path = '' }) => ({ verb: 'Write', target: file_path }),
    // biome-ignore lint/correctness/useYield: a write is one step, there is nothing to report on the way
    execute: async function* (input, context) {
      const planned = await planWrite(input, context);
      if (!planned.ok) return { ok: false, message: planned.error };
      if (context.signal.aborted)
        return { ok: false, message: 'Interrupted; nothing was changed.' };
      const done = await commitChange(planned.value, context);
      if (!done.ok) return { ok: false, message: done.error };
      const name = shortPath(planned.value.target.path, context);
      return { ok: true, output: { change: planned.value, name } };
    },
    toModel: ({ change, name }) => [{ type: 'text', text: report(change, name) }],
    view: (_, { change }) => changeView(change),
  });

function report(change: FileChange, name: string): string {
  const lines = change.after === '' ? 0 : change.after.replace(/\n$/, '').split('\n').length;
  return `${change.created ? 'Created' : 'Replaced'} ${name} (${lines} lines).`;
}
