import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answers, CWD } from './conversation';

export const SAMPLE = join(import.meta.dirname, '../../resources/demo/project');

export const DENIED = {
  isError: true,
  text: '<tool_use_error>The user denied this call. Do not try the same thing in another way; ask what they would prefer, or go on without it.</tool_use_error>',
};
export const deniedSaying = (words: string) => ({
  isError: true,
  text: `<tool_use_error>The user denied this call and said: ${words}</tool_use_error>`,
});
export const INTERRUPTED = {
  isError: true,
  text: '<tool_use_error>Interrupted by the user before it finished.</tool_use_error>',
};
/** What a command leaves that was stopped in the middle, and a call that a crash cut. */
export const CUT_SHORT = {
  isError: true,
  text: '<tool_use_error>✔ the 06:10 ferry\n\nInterrupted before it finished.</tool_use_error>',
};
export const CRASHED = {
  isError: true,
  text: '<tool_use_error>Lathe stopped while this ran, so its result is unknown. It may have taken effect; check before repeating it.</tool_use_error>',
};
export const STALE = {
  isError: true,
  text: '<tool_use_error>clock.js has changed since it was read (by a user, a formatter or a command). Read it again, then change it.</tool_use_error>',
};

const RED =
  '✖ before midnight the night ferry comes next\nℹ tests 21\nℹ pass 20\nℹ fail 1\nℹ cancelled 0\n✖ EACCES: permission denied\n';
const GREEN = 'ℹ tests 21\nℹ pass 21\nℹ fail 0\n';

type Answer = ReturnType<Answers>;

/** How one tool answers instead: always so, or so the first times only. */
export type Overrides = Readonly<Record<string, Answers | readonly Answer[]>>;

/** Answers of a project in which everything works: real files of the sample, edits in memory, tests that tell the truth. */
export function goodProject(overrides: Overrides = {}): Answers {
  const asked = new Map<string, number>();
  const files = new Map<string, string>();
  const read = (path: string): string =>
    files.get(path) ?? readFileSync(join(SAMPLE, path.slice(CWD.length)), 'utf8');
  const testOutput = (): string =>
    /return time - now;/.test(read(`${CWD}/src/clock.js`)) ? RED : GREEN;
  const answers: Record<string, Answers> = {
    Read: ({ input }) => ({ text: numbered(read(String(input['file_path']))) }),
    Grep: () => ({ text: 'src/clock.js:25:export function minutesUntil(time, now) {' }),
    TodoWrite: () => ({ text: 'Todos updated.' }),
    Bash: ({ input }) =>
      input['run_in_background'] === true
        ? {
            text: 'It runs in the background as task b_x7. Its output goes to /s/tasks/b_x7.output; TaskOutput reads what is new. You will be told when it ends.',
          }
        : { text: `${testOutput()}\n\nExit code 1`, isError: testOutput() === RED },
    TaskOutput: ({ input }) => ({
      text:
        Number(input['timeout']) < 2000
          ? 'Task b_x7 is running\n\n✔ the 06:10 ferry is called'
          : `Task b_x7 is failed, exit code 1\n\n${testOutput()}`,
    }),
    Edit: ({ input }) => {
      const path = String(input['file_path']);
      const before = read(path);
      const after = before.replace(String(input['old_string']), String(input['new_string']));
      if (after === before) return STALE;
      files.set(path, after);
      return { text: 'Edited.' };
    },
  };
  return (call) => {
    const override = overrides[call.name];
    const times = asked.get(call.name) ?? 0;
    asked.set(call.name, times + 1);
    const other = typeof override === 'function' ? override(call) : override?.[times];
    return other ?? answers[call.name]?.(call) ?? { text: 'no such tool', isError: true };
  };
}

const numbered = (text: string): string =>
  text
    .split('\n')
    .map((line, i) => `${String(i + 1).padStart(6)}\t${line}`)
    .join('\n');
