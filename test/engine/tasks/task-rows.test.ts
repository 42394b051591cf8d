import { describe, expect, it } from 'vitest';
import { localBash } from '../../../src/main/engine/tasks/runners/local-bash';
import { settle, setUp } from './set-up';

describe('the row of a task', () => {
  it('shows what hides in its title and in its last line', async () => {
    const { terminals, folder, tasks } = await setUp();
    const spec = { terminalId: 'trm_1', project: folder, command: 'x', argv: ['sh'], cwd: folder };
    const about = { title: 'a\u202eb\nc', command: 'x', background: true };
    await tasks.start(localBash, { ...spec, env: {} }, about).running;
    terminals.progress('trm_1', { bytes: 9, lines: 1, tail: 'sure\u200b?' });
    expect(tasks.list()).toMatchObject([{ title: 'a\uFFFDb c', lastLine: 'sure\uFFFD?' }]);
  });

  it.each([
    [{ output: 'one\r\n\x1b[32mtwo\x1b[0m\r\n', lines: 2 }, 'two'],
    [{ tail: 'line 9999\r\n', lines: 9_999 }, 'line 9999'],
  ])(
    'has its last line although it was over before its progress was asked for: %j',
    async (exit, lastLine) => {
      const { terminals, tasks, begin } = await setUp();
      await begin(1).running;
      terminals.exit('trm_1', { exitCode: 0, bytes: 90_000, ...exit });
      await settle();
      expect(tasks.get('b_1')).toMatchObject({ lastLine, outputLines: exit.lines });
    },
  );
});
