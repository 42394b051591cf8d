import { describe, expect, it, test } from 'vitest';
import { readAsyncAnswer, withoutAsyncAnswer } from '../../../src/main/engine/hooks/run-command';
import { createHookRunner } from '../../../src/main/engine/hooks/runner';
import type { CommandEnd, Commands } from '../../../src/main/engine/ports';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { countingIds, memoryClock } from '../../support/memory-clock';
import { ofType } from '../query/support';
import { until } from '../tasks/set-up';
import { hook } from './support';

describe('the first line of a command', () => {
  test.each([
    ['{"async":true}\n', null],
    ['{"async":true}', null],
    [' \r\n{ "async": true }\r\nmore', null],
    ['{"async":true,"asyncTimeout":null}', null],
    ['{"async":true,"asyncTimeout":0}', null],
    ['{"async":true,"asyncTimeout":2500}\n', 2_500],
    ['{"async":true,"asyncTimeout":0.5}\n', 0.5],
    ['{"async":true,"asyncTimeout":1e15}\n', 86_400_000],
  ])('%j ends the waiting', (printed, timeoutMs) => {
    expect(readAsyncAnswer(printed)).toEqual({ timeoutMs });
  });

  test.each([
    '{"async":false}\n',
    '{"async":"true"}\n',
    '{"async":1}\n',
    '{"async":true,"asyncTimeout":-1}\n',
    '{"async":true,"asyncTimeout":"5"}\n',
    '{"async":true,"decision":"block"}\n',
    '{"async":true,"hookSpecificOutput":{"permissionDecision":"deny"}}\n',
    '[{"async":true}]\n',
    '{\n"async":true}\n',
    'Starting.\n{"async":true}\n',
    `{"x":"${'y'.repeat(2_000)}`,
    '"async"',
    'null\n',
  ])('%j does not', (printed) => {
    expect(readAsyncAnswer(printed)).toBeNull();
    expect(withoutAsyncAnswer(printed)).toBe(printed);
  });

  test.each(['', '  \n', '{', '{"async":tr', '{"async":true} '.slice(0, 13)])(
    '%j may still become one',
    (printed) => {
      expect(readAsyncAnswer(printed)).toBe('unknown');
      expect(withoutAsyncAnswer(printed)).toBe(printed);
    },
  );

  it('is known as soon as it is whole, in whatever pieces it comes', () => {
    const printed = '{"async":true,"asyncTimeout":100}\n{"systemMessage":"late"}\n';
    const end = printed.indexOf('}') + 1;
    for (let length = 0; length <= printed.length; length += 1) {
      const read = readAsyncAnswer(printed.slice(0, length));
      expect(read).toEqual(length < end ? 'unknown' : { timeoutMs: 100 });
    }
    expect(withoutAsyncAnswer(printed)).toBe('{"systemMessage":"late"}\n');
    expect(withoutAsyncAnswer('{"async":true}')).toBe('');
  });
});

/** A runner whose commands print a line at once and end when they are told to. */
function setUp(
  own: Parameters<typeof hook>[2] = {},
  env: () => Promise<Readonly<Record<string, string>>> = async () => ({}),
) {
  const events: AgentEvent[] = [];
  const ends: ((end: CommandEnd) => void)[] = [];
  const run: Commands['run'] = (_, signal, onStart, onStdout) =>
    new Promise((resolve) => {
      const stdout = '{"async":true}\n';
      ends.push(resolve);
      signal.addEventListener('abort', () =>
        resolve({ kind: 'aborted', exitCode: null, stdout, stderr: '' }),
      );
      onStart?.(() => ({ stdout, stderr: '' }));
      onStdout?.();
    });
  const others = async () => ({ kind: 'failed', message: 'unused' }) as const;
  const clock = memoryClock();
  const runner = createHookRunner({
    hooks: () => [hook('PreToolUse', 'x', { timeoutMs: 1_000, ...own })],
    facts: () => ({
      ...{ sessionId: 's', promptId: null, transcriptPath: '/t', cwd: '/' },
      ...{ mode: 'default', effort: 'high' },
    }),
    cwd: () => '/',
    env,
    commands: { run, start: () => Promise.reject(new Error('unused')) as never },
    others: { http: others, prompt: others, agent: others, mcp_tool: others, callback: others },
    ranOnce: new Set(),
    clock,
    ids: countingIds(),
    emit: (event) => events.push(event),
    wake: () => {},
  });
  const ask = () =>
    runner.run({ event: 'PreToolUse', subject: 'Bash', fields: {} }, new AbortController().signal);
  return { events, ends, ask, runner, clock };
}

describe('hooks that let themselves not be waited for', () => {
  it('are waited for where twenty go on already', async () => {
    const { events, ends, ask, runner, clock } = setUp();
    for (let count = 0; count < 20; count += 1) await ask();
    const waited = ask();
    await until(() => ends.length === 21);
    expect(ofType(events, 'hook_backgrounded')).toHaveLength(20);
    ends[20]?.({ kind: 'exited', exitCode: 2, stdout: '{"async":true}\n', stderr: 'no' });
    expect((await waited).block).toBe('no');
    // The limit of the setting was for the waiting.
    await clock.advance(5_000);
    expect(ofType(events, 'hook_settled')).toHaveLength(1);
    await runner.close();
    expect(ofType(events, 'hook_settled')).toHaveLength(21);
  });

  it('block nothing any more, however they end', async () => {
    const { events, ends, ask, runner } = setUp();
    expect((await ask()).block).toBeNull();
    ends[0]?.({ kind: 'exited', exitCode: 1, stdout: '{"async":true}\n', stderr: 'oops' });
    await until(() => ofType(events, 'hook_settled').length === 1);
    expect(ofType(events, 'hook_settled')[0]?.report).toMatchObject({
      outcome: 'failed',
      note: 'exit code 1',
      stdout: '',
    });
    await runner.close();
  });

  it('tell the user of a denial that came too late', async () => {
    const { events, ends, ask, runner } = setUp();
    expect((await ask()).block).toBeNull();
    ends[0]?.({ kind: 'exited', exitCode: 2, stdout: '{"async":true}\n', stderr: 'no keys' });
    await until(() => ofType(events, 'hook_settled').length === 1);
    expect(ofType(events, 'hook_settled')[0]?.report).toMatchObject({
      outcome: 'failed',
      note: 'It said no after it had asked not to be waited for: no keys',
    });
    await runner.close();
  });

  it('are waited for where their failure blocks: what they print may be the words of the model', async () => {
    const { events, ends, ask, runner } = setUp({ onFailure: 'block' });
    const waited = ask();
    await until(() => ends.length === 1);
    ends[0]?.({ kind: 'exited', exitCode: 2, stdout: '{"async":true}\n', stderr: 'no keys' });
    expect((await waited).block).toBe('no keys');
    expect(ofType(events, 'hook_backgrounded')).toEqual([]);
    await runner.close();
  });

  it('fail where they cannot be run at all, and leave no timer', async () => {
    const cannot = () => Promise.reject(new Error('no environment'));
    const { events, ask, runner, clock } = setUp({}, cannot);
    expect((await ask()).failed).toBe(true);
    expect(ofType(events, 'hook_settled')[0]?.report.note).toBe('could not be run: no environment');
    expect(clock.sleepers()).toBe(0);
    const guarded = setUp({ onFailure: 'block' }, cannot);
    expect((await guarded.ask()).block).toContain('could not be run: no environment');
    await runner.close();
  });
});
