import path from 'node:path';
import { unheardEndPath } from '../../../shared/terminal';
import type { Files } from '../ports';
import type { LoggedTask } from './notification';

/** The end of the name of an end that stands beside an output file. */
const SUFFIX = unheardEndPath('');

/** Removes the ends that were left beside output files in a folder, but those of tasks in `open`: the log has the others. */
export async function removeToldEnds(
  files: Files,
  folder: string,
  open: readonly Pick<LoggedTask, 'task'>[],
): Promise<void> {
  const kept = new Set(open.map(({ task }) => unheardEndPath(task.outputFile ?? '')));
  const listed = await files.list(folder);
  const left = (listed.ok ? listed.value : [])
    .filter(({ name, kind }) => kind === 'file' && name.endsWith(SUFFIX))
    .map(({ name }) => path.join(folder, name))
    .filter((end) => !kept.has(end));
  await Promise.all(left.map((end) => files.remove(end)));
}
