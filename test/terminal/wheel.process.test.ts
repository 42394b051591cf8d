import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isSecretMode } from '../../src/main/terminal/host/pty';
import { QUIET_MS, Wheel, type WheelState } from '../../src/main/terminal/host/wheel';
import type { TerminalInfo } from '../../src/shared/terminal';
import { FrameKind } from '../../src/shared/terminal-wire';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, spawned, until, untilOutput } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

const SECRET = 'correct horse';

describe('a command that asks for a secret', () => {
  /** A command that asks for a password, and what every client is told of it. */
  const startAsking = async (command: string) => {
    const outputFile = join(terminals.folder, 'asked.output');
    const spec = bash(terminals, command, { outputFile });
    let info: TerminalInfo | undefined;
    const other = terminals.connect();
    await spawned(terminals.client, spec);
    await other.list();
    const stop = other.onChanged((all) => {
      info = all.find(({ id }) => id === spec.id);
    });
    return { spec, outputFile, info: () => info, stop };
  };
  const type = (pane: TestPane, text: string) =>
    pane.send(FrameKind.secret, Buffer.from(`${text}\r`));

  test('is answered by the user alone: no screen, log, replay or progress has the answer', async () => {
    const { spec, outputFile, info, stop } = await startAsking(
      'printf "\\e[1mPassword: \\e[0m"; read -rs x; echo; echo "got $(printf %s "$x" | wc -c)"; read -r y; echo "hello $y"',
    );
    // All windows are offered the wheel before anybody has taken it.
    await until(() => info()?.secret === true);
    expect(info()?.wheel).not.toBe(true);
    expect(await terminals.client.takeWheel(spec.id, true)).toEqual({ ok: true, value: null });
    await until(() => info()?.wheel === true);
    const pane = await TestPane.open(terminals.client, spec.id);
    await pane.untilText('Password:');
    type(pane, SECRET);
    await pane.untilText(`got ${SECRET.length}`);
    await until(() => info()?.secret === false);
    // Now a line is read that the terminal shows: what is meant to be a secret is not given to it.
    type(pane, SECRET);
    pane.type('me\n');
    await pane.untilText('hello me');
    const exit = await terminals.client.exited(spec.id);
    expect(exit).toMatchObject({
      exitCode: 0,
      note: 'The user typed into its terminal while it ran.',
    });
    const later = await TestPane.open(terminals.client, spec.id);
    await later.untilText('hello me');
    const everything = [
      await readFile(outputFile, 'utf8'),
      Buffer.concat(pane.data).toString(),
      await later.text(),
      JSON.stringify([exit, await terminals.client.list()]),
    ].join('\n');
    expect(everything).not.toContain(SECRET);
    await until(() => info()?.wheel === undefined);
    stop();
    pane.close();
    later.close();
  });

  test('and progress says that the user typed', async () => {
    const spec = bash(terminals, 'read -r x; echo "got $x"; sleep 600');
    await spawned(terminals.client, spec);
    const typed: (true | undefined)[] = [];
    const end = terminals.client.onProgress(spec.id, (progress) => typed.push(progress.typed));
    const pane = await TestPane.open(terminals.client, spec.id);
    pane.type('x\n');
    await untilOutput(terminals.client, spec.id, 'got x');
    await until(() => typed.at(-1) === true);
    end();
    await terminals.client.kill(spec.id, 0);
    pane.close();
  });
});

describe('the wheel', () => {
  const start = (lastLine: string) => {
    const modes = { secret: false, asked: 0 };
    const states: WheelState[] = [];
    const written: string[] = [];
    const wheel = new Wheel({
      pty: {
        readsSecret: async () => {
          modes.asked += 1;
          return modes.secret;
        },
        write: (bytes) => written.push(Buffer.from(bytes).toString()),
      },
      lastLine: () => lastLine,
      changed: (state) => states.push(state),
      failed: (error) => expect.unreachable(String(error)),
    });
    return { wheel, modes, states, written };
  };

  test.each([
    ['Password: ', 1],
    ['\x1b[1mPassword:\x1b[0m ', 1],
    ['Compiling 12 of 80', 0],
    ['', 0],
  ])('looks at the terminal once a program is silent on %j: %i times', async (line, times) => {
    vi.useFakeTimers();
    const { wheel, modes } = start(line);
    for (let at = 0; at < 100; at += 1) {
      wheel.output();
      await vi.advanceTimersByTimeAsync(QUIET_MS - 1);
    }
    expect(modes.asked).toBe(0);
    await vi.advanceTimersByTimeAsync(10 * QUIET_MS);
    expect(modes.asked).toBe(times);
    wheel.close();
    vi.useRealTimers();
  });

  test('never gives a secret to a program that shows it', async () => {
    const { wheel, modes, states, written } = start('Password: ');
    wheel.take(true);
    await wheel.typeSecret(Buffer.from('one'));
    expect([written, wheel.typed]).toEqual([[], false]);
    modes.secret = true;
    await wheel.typeSecret(Buffer.from('two'));
    expect([written, wheel.typed]).toEqual([['two'], true]);
    wheel.take(false);
    expect(states).toEqual([
      { wheel: true, secret: false },
      { wheel: true, secret: true },
      { wheel: false, secret: true },
    ]);
    wheel.close();
    await wheel.typeSecret(Buffer.from('three'));
    expect(written).toEqual(['two']);
  });
});

test.each([
  ['isig icanon iexten -echo echoe;', true],
  ['isig icanon iexten echo echoe;', false],
  ['isig -icanon -echo;', false],
  ['', false],
])('stty says %j: a secret is read: %s', (modes, secret) => {
  expect(isSecretMode(modes)).toBe(secret);
});
