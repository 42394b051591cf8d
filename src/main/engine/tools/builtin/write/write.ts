import { z } from 'zod';
import { defineChangeTool } from '../support/change-tool';
import type { FileChange } from '../support/file-change';
import { PathInput } from '../support/target';
import { planWrite } from './plan-write';

const Input = z.strictObject({
  file_path: PathInput.describe(
    'The file to write: absolute, or relative to the working directory.',
  ),
  content: z.string().describe('The whole new content.'),
});

const DESCRIPTION = `Writes a whole file, replacing what was there.

- An existing file must have been read in this session first; if it changed since, read it again.
- To change a part of a file use Edit: it sends only the difference.
- Missing folders are made. An existing file keeps its encoding, line ends and permissions.
- Create files only when the task needs them; no documentation unless it was asked for.`;

/** The tool that writes whole files. */
export const createWriteTool = () =>
  defineChangeTool({
    name: 'Write',
    description: DESCRIPTION,
    input: Input,
    pathField: 'file_path',
    plan: planWrite,
    report,
  });

function report(change: FileChange, name: string): string {
  const lines = change.after === '' ? 0 : change.after.replace(/\n$/, '').split('\n').length;
  return `${change.created ? 'Created' : 'Replaced'} ${name} (${lines === 1 ? '1 line' : `${lines} lines`}).`;
}
