import { expect, test } from 'vitest';
import type { CommandEnd, CommandSpec } from '../../../src/main/engine/ports';
import { keepStatusLine } from '../../../src/main/engine/session/status-line';
import type { AgentEvent, Stamped } from '../../../src/shared/agent-event';
import { countingIds, memoryClock } from '../../support/memory-clock';

const ended = (stdout: string, exitCode = 0): CommandEnd => ({
  ...{ kind: 'exited', exitCode, stdout, stderr: 'oops\u202e' },
});

const ABORTED: CommandEnd = { kind: 'aborted', exitCode: null, stdout: '', stderr: '' };

/** A session in which commands end as the test says. */
function session(command: string | undefined, end: (signal: AbortSignal) => Promise<CommandEnd>) {
  const clock = memoryClock();
  const recorded: AgentEvent[] = [];
  const runs: CommandSpec[] = [];
  let hear: (stamped: Stamped) => void = () => {};
  const settings = { command };
  const stop = keepStatusLine({
    log: {
      listen: (listener) => {
        hear = listener;
        return () => {};
      },
    },
    clock,
    ids: countingIds(),
    commands: {
      run: (spec, signal) => {
        runs.push(spec);
        return end(signal);
      },
    },
    command: () => settings.command,
    cwd: () => '/p',
    env: async () => ({ A: 'b' }),
    facts: () => ({ model: { id: 'opus' } }),
    record: (event) => recorded.push(event),
  });
  const happens = (type: string) => hear({ event: { type } } as unknown as Stamped);
  return { clock, recorded, runs, stop, settings, happens };
}

test('the first line of what the command prints is shown, colours and hidden characters taken out', async () => {
  const t = session('line', async () => ended('\u001b[31mopus\u001b[0m \u2028 $1\nsecond\n'));
  await t.clock.advance(300);
  expect(t.runs).toMatchObject([
    { argv: ['bash', '--norc', '-c', 'line'], cwd: '/p', env: { A: 'b' } },
  ]);
  expect(JSON.parse(t.runs[0]?.input ?? '')).toEqual({ model: { id: 'opus' } });
  expect(t.recorded).toEqual([{ type: 'status_line', text: 'opus \ufffd $1' }]);
  await t.stop();
});

test('a command that a signal ended is told as such', async () => {
  const t = session('line', async () => ({ ...ended(''), exitCode: null }) as CommandEnd);
  await t.clock.advance(300);
  expect(t.recorded).toMatchObject([{ text: expect.stringContaining('a signal ended it. oops') }]);
  await t.stop();
});

test('nothing of sequences for a terminal is shown, whatever they would do', async () => {
  const t = session('line', async () =>
    ended(
      '\u001b[?25l\u001b]0;title\u0007\u001b]8;;https://x\u001b\\opus\u001b]8;;\u0007\u001b[2K\u001b[1G 3\u001b(B %\u001b7\u001b[38;2;1;2;3m.',
    ),
  );
  await t.clock.advance(300);
  expect(t.recorded).toEqual([{ type: 'status_line', text: 'opus 3 %.' }]);
  await t.stop();
});

test('it runs again after what it may tell, once for all that comes together, and tells no line twice', async () => {
  const t = session('line', async () => ended('same'));
  await t.clock.advance(300);
  for (const type of ['message_finished', 'query_finished', 'block_delta']) t.happens(type);
  await t.clock.advance(300);
  expect(t.runs).toHaveLength(2);
  t.happens('block_delta');
  await t.clock.advance(300);
  expect(t.runs).toHaveLength(2);
  expect(t.recorded).toHaveLength(1);
  t.settings.command = undefined;
  t.happens('query_finished');
  await t.clock.advance(300);
  expect(t.recorded.at(-1)).toEqual({ type: 'status_line', text: '' });
  await t.stop();
});

test('one that fails or takes too long leaves the line empty, and is told once', async () => {
  const t = session('line', async () => ended('', 3));
  await t.clock.advance(300);
  t.happens('query_finished');
  await t.clock.advance(300);
  expect(t.recorded).toEqual([
    expect.objectContaining({
      code: 'status_line',
      text: 'The command of statusLine failed: exit code 3. oops\ufffd',
    }),
  ]);
  await t.stop();
  const slow = session(
    'line',
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(ABORTED))),
  );
  await slow.clock.advance(300);
  await slow.clock.advance(5_000);
  expect(slow.recorded).toMatchObject([{ text: expect.stringContaining('longer than 5 s') }]);
  await slow.stop();
});

test('without a command nothing runs, and the end of the session ends a run', async () => {
  const none = session(undefined, async () => ended('x'));
  none.happens('query_finished');
  await none.clock.advance(300);
  expect(none.runs).toEqual([]);
  await none.stop();
  const t = session(
    'line',
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(ABORTED))),
  );
  await t.clock.advance(300);
  await t.stop();
  expect(t.recorded).toEqual([]);
});
