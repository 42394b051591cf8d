import { readOnlyUse } from './readonly-commands';
import type { ShellAnalysis } from './request';
import { touchesOf } from './shell-paths';

/** Only the kind of access matters here, not where it leads. */
const ANYWHERE = { cwd: '/', home: '/' };

/** Whether everything a shell line runs is known to only read; harmless devices such as /dev/null may be written. */
export const onlyReads = (analysis: ShellAnalysis): boolean =>
  analysis.ok &&
  analysis.commands.every((command) => {
    const onlyStarts = command.role === 'wrapper' && command.doubt === undefined;
    if (!onlyStarts && readOnlyUse(command) === null) return false;
    const { touches, runtime } = touchesOf(command, ANYWHERE);
    return !runtime.has('edit') && touches.every(({ access }) => access === 'read');
  });
