import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { answersIn, ReplyGate } from '../../src/main/terminal/host/reply-gate';
import { runs } from '../support/runs';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, spawned } from './support';

/** Answers as xterm.js gives them. */
const ANSWERS: readonly (readonly [string, string])[] = [
  ['device attributes', '\x1b[?1;2c'],
  ['secondary device attributes', '\x1b[>0;276;0c'],
  ['a status report', '\x1b[0n'],
  ['a cursor report', '\x1b[24;80R'],
  ['an extended cursor report', '\x1b[?24;80R'],
  ['a mode', '\x1b[?2026;2$y'],
  ['a colour', '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\'],
  ['a colour of the palette', '\x1b]4;1;rgb:ffff/0000/0000\x1b\\'],
  ['a version', '\x1bP>|xterm.js(6.0.0)\x1b\\'],
];

test.each(ANSWERS)('%s is an answer, and so are several in a row', (_, text) => {
  expect(answersIn(Buffer.from(text))).toBe(1);
  expect(answersIn(Buffer.from(text.repeat(7)))).toBe(7);
  expect(answersIn(Buffer.from(`${text}x`))).toBe(0);
});

test.each([
  '',
  'ls\r',
  '\x1b',
  '\x1b[A',
  '\x1bOP',
  '\x1b[3~',
  '\x1b[200~x\x1b[201~',
  '\x1b[<0;1;1M',
  '\x1b[I',
])('keys, pastes, the mouse and focus are none: %j', (text) => {
  expect(answersIn(Buffer.from(text))).toBe(0);
});

/** Programs of which nothing can be told. */
const QUIET = {
  writtenBy: () => null,
  isPaused: () => false,
};

describe('a gate', () => {
  afterEach(() => void vi.useRealTimers());

  const gate = (state: {
    now: number;
    group: number | null;
    keys: boolean;
    readonly programs?: Readonly<Record<number, string>>;
  }) => {
    const written: string[] = [];
    const made = new ReplyGate({
      pty: {
        pid: 7,
        write: (bytes) => void written.push(Buffer.from(bytes).toString()),
        foreground: () => state.group,
        programOf: (group) => state.programs?.[group] ?? null,
        readsKeys: async () => state.keys,
        ...QUIET,
      },
      now: () => state.now,
      failed: (error) => expect.unreachable(String(error)),
    });
    return { made, written };
  };
  const DA = Buffer.from('\x1b[?1;2c');

  test('drops a late answer to the first of two lines that were typed ahead', async () => {
    const { made, written } = gate({ now: 0, group: 7, keys: true });
    const [run, prompt, query] = ['\x1b[?2004l', '\x1b[?2004h', '\x1b[c'];
    made.output(Buffer.from(`${run}${query}${prompt}`));
    made.output(Buffer.from(`${run}${prompt}`));
    await made.pass(DA, 1);
    expect(written).toEqual([]);
  });

  test('lets through no more than a burst and a steady rate, however much is asked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { minLength: 200, maxLength: 400 }), async (pauses) => {
        const state = { now: 0, group: 1, keys: true };
        const { made, written } = gate(state);
        for (const pause of pauses) {
          state.now += pause;
          await made.pass(DA, 1);
        }
        expect(written.length).toBeLessThanOrEqual(40 + state.now / 100 + 1);
        expect(written.length).toBeGreaterThanOrEqual(40);
      }),
      { numRuns: runs(20) },
    );
  });

  test('drops answers for a program that reads whole lines, or that has gone', async () => {
    const state = { now: 0, group: 7, keys: true };
    const { made, written } = gate(state);
    made.output(Buffer.from('\x1b[c'));
    state.group = 8;
    await made.pass(DA, 1);
    expect(written).toEqual([]);
    state.group = 7;
    await made.pass(DA, 1);
    expect(written).toHaveLength(1);
    state.keys = false;
    state.now += 1_000;
    await made.pass(DA, 1);
    expect(written).toHaveLength(1);
  });

  test('drops answers that come when the shell reads its next line, and no others', async () => {
    const state = { now: 0, group: 7, keys: true };
    const { made, written } = gate(state);
    const printed = (text: string) => made.output(Buffer.from(text));
    // A shell that asks before it reads its first line waits for the answer.
    printed('\x1b[c\x1b[?2004h');
    await made.pass(DA, 1);
    expect(written).toHaveLength(1);
    // A line that asked three times, of which one was answered in time.
    printed('\x1b[?2004l\x1b[6n');
    await made.pass(DA, 1);
    printed('\x1b[c\x1b[5n$ \x1b[?2004h');
    await made.pass(DA, 1);
    await made.pass(DA, 1);
    expect(written).toHaveLength(2);
    // What asks now is answered, and so is a program that the shell started, whatever it marks.
    printed('\x1b[6n');
    await made.pass(DA, 1);
    state.group = 8;
    printed('\x1b[?2004l\x1b[c\x1b[?2004h');
    await made.pass(DA, 1);
    expect(written).toHaveLength(4);
    // An answer that never comes costs none of later programs.
    state.group = 7;
    printed('\x1b[c\x1b[?2004h');
    state.now += 6_000;
    await made.pass(DA, 1);
    expect(written).toHaveLength(5);
  });

  const [RUN, PROMPT] = ['\x1b[?2004l', '\x1b[?2004h'];

  test.each<[string, string, readonly string[], number]>([
    ['a shell in the shell', 'bash', [PROMPT, RUN, '\x1b[6n', PROMPT], 0],
    ['another screen that was left on', 'zsh', ['\x1b[?1049h', PROMPT, RUN, '\x1b[c', PROMPT], 0],
    ['a prompt of Python', 'python3', [PROMPT, RUN, '\x1b[c', PROMPT], 0],
    ['a line of another machine', 'ssh', [PROMPT, RUN, '\x1b[c$ ', PROMPT], 0],
    ['a program that starts', 'vim', ['\x1b[c', PROMPT], 1],
    ['an editor that comes back', 'vim', ['\x1b[?1049h', PROMPT, RUN, '\x1b[c', PROMPT], 1],
    ['an editor on another machine', 'ssh', [PROMPT, RUN, '\x1b[?1049h\x1b[c', PROMPT], 1],
    ['a line editor that asks for itself', 'ipython', [PROMPT, RUN, '\x1b[6n', PROMPT], 1],
    ['the same in parts', 'ipython', [PROMPT, RUN, 'Out\x1b[', '6n', PROMPT], 1],
    ['one whose output asked the same', 'ipython', [PROMPT, RUN, '\x1b[6n\r\n', PROMPT], 0],
    ['what a script runs', '', [PROMPT, RUN, '\x1b[6n', PROMPT], 1],
  ])('in a program of the shell, an answer for %s (%s)', async (_, program, output, passed) => {
    const { made, written } = gate({ now: 0, group: 8, keys: true, programs: { 8: program } });
    for (const part of [RUN, ...output]) made.output(Buffer.from(part));
    await made.pass(DA, 1);
    expect(written).toHaveLength(passed);
  });

  test('looks once what program it is, however many lines begin at once', () => {
    let looks = 0;
    const pty = {
      ...{ pid: 7, write: () => undefined, foreground: () => 8, readsKeys: async () => true },
      ...QUIET,
      programOf: () => `program ${++looks}`,
    };
    const made = new ReplyGate({ pty, now: () => 0, failed: () => undefined });
    made.output(Buffer.from(`${RUN}${PROMPT}`.repeat(1_000)));
    expect(looks).toBe(1);
  });

  test('knows where a line begins by the marks of prompts, too', async () => {
    const { made, written } = gate({ now: 0, group: 7, keys: true });
    made.output(Buffer.from('\x1b]133;C\x07\x1b[c\x1b]133;D;0\x07\x1b]133;A\x1b\\$ '));
    await made.pass(DA, 1);
    expect(written).toHaveLength(0);
    made.output(Buffer.from('\x1b[c'));
    await made.pass(DA, 1);
    expect(written).toHaveLength(1);
  });

  test('drops answers to a job of the shell that reads a line, and not to what makes its prompt', async () => {
    vi.useFakeTimers();
    let byShell = '0';
    const written: string[] = [];
    const made = new ReplyGate({
      pty: {
        ...{ pid: 7, foreground: () => 7, programOf: () => 'bash', readsKeys: async () => true },
        ...{ ...QUIET, writtenBy: () => byShell },
        write: (bytes) => void written.push(Buffer.from(bytes).toString()),
      },
      now: () => performance.now(),
      failed: (error) => expect.unreachable(String(error)),
    });
    made.output(Buffer.from('\x1b]133;A\x07'));
    await vi.advanceTimersByTimeAsync(1_000);
    byShell = '10';
    made.output(Buffer.from('\x1b[c'));
    await made.pass(DA, 1);
    expect(written).toHaveLength(1);
    made.output(Buffer.from(PROMPT));
    await vi.advanceTimersByTimeAsync(1_000);
    made.output(Buffer.from('\x1b[c'));
    await made.pass(DA, 1);
    expect(written).toHaveLength(1);
    // A shell asks by itself, too, as its timers and traps do.
    await vi.advanceTimersByTimeAsync(1_000);
    byShell = '14';
    made.output(Buffer.from('\x1b[c'));
    await made.pass(DA, 1);
    expect(written).toHaveLength(2);
    made.close();
  });

  test.each<[string, readonly string[], number]>([
    ['a colour of the palette', ['\x1b]4;1;?\x07'], 1],
    ['two of them', ['\x1b]4;1;?;2;?\x1b\\'], 2],
    ['a colour and the next one', ['\x1b]10;?;?\x07'], 2],
    ['a setting', ['\x1bP$qm\x1b\\'], 1],
    ['what comes in parts', ['\x1b', '[', 'c\x1b]11', ';?\x07'], 2],
    ['what ends in parts', ['\x1b]11;?\x1b', '\\ and more', '\x1b]4;1;?\x1b\\ x'], 2],
    ['what asks nothing', ['\x1b]4;1;#fff\x07\x1b]11;red\x07\x1b[0m'], 0],
    ['what a terminal does not answer', ['\x1b[1c\x1b[7n\x1b[?5n\x1b[=c\x1b[?c'], 0],
    ['C1 controls', ['\xc2\x9bc\xc2\x9d11;?\xc2\x9c\xc2\x9b>0c\xc2\x9b?2026$p'], 4],
    ['half a C1 control', ['plain \xc2', '\x9b6n'], 1],
    [
      'controls inside of a query',
      ['\x1b\b[\r0;\n1\x07c\x1b[\t\x7f6\bn\x1b[?7$\rp\x1b]1\r1;\n?\x07'],
      4,
    ],
    ['what any ESC ends', ['\x1b]11;?\x1b[m\x1b]10;?\x1b', '[c'], 3],
    ['all colours and more', ['\x1b]10;?;?;?;?;?;?\x07'], 3],
    ['a long list in parts', [`\x1b]4${';1;?'.repeat(30)}${';'.repeat(300)}`, '\x07'], 30],
    ['modes and queries with more numbers', ['\x1b[0;1c\x1b[06;7n\x1b[>;2c\x1b[5:1n'], 4],
  ])('drops late answers about %s', async (_, queries, answers) => {
    const { made, written } = gate({ now: 0, group: 7, keys: true });
    const printed = (text: string) => made.output(Buffer.from(text));
    printed('\x1b[?2004l');
    for (const query of queries) made.output(Buffer.from(query, 'latin1'));
    printed('$ \x1b[?2004h');
    for (let late = 0; late < answers; late += 1) await made.pass(DA, 1);
    expect(written).toHaveLength(0);
    await made.pass(DA, 1);
    expect(written).toHaveLength(1);
  });
});

describe('in a real terminal', () => {
  let terminals: TestTerminals;
  beforeAll(async () => {
    terminals = await startTestTerminals();
  });
  afterAll(() => terminals.stop());

  test('a program that does not read finds no answer in what the user types after it', async () => {
    const outputFile = join(terminals.folder, 'unread.output');
    const spec = bash(terminals, 'printf "\\e[c\\e[6n ready"; read -r line; echo "got <$line>"', {
      outputFile,
    });
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id);
    await pane.untilText('ready');
    for (const [, answer] of ANSWERS) pane.type(answer);
    pane.type('hello\n');
    await pane.untilText('got <hello>');
    await terminals.client.exited(spec.id);
    expect(await readFile(outputFile, 'utf8')).not.toContain('1;2c');
  });

  test('a shell in a shell does not find the answers to what its lines printed', async () => {
    const spec = bash(terminals, 'PS1="ready> " exec bash --norc -i');
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id);
    await pane.untilText('ready>');
    pane.type('PS1="inner> " bash --norc -i\r');
    await pane.untilText('inner> ');
    pane.type("printf '\\e[c\\e[6n\\302\\233c'; printf 'a%s\\n' sked\r");
    await pane.untilText('asked\ninner>');
    pane.type('\x1b[?1;2c');
    pane.type('\x1b[5;1R');
    pane.type('\x1b[?1;2c');
    pane.type('echo "d"one\r');
    await pane.untilText('done');
    expect(await pane.text()).toContain('inner> echo "d"one');
    pane.type('exit\r');
    pane.type('exit\r');
    await terminals.client.exited(spec.id);
  });

  test('a program that reads keys gets its answer', async () => {
    const spec = bash(
      terminals,
      'stty raw -echo; printf "\\e[c ready"; a=$(dd bs=1 count=7 2>/dev/null | od -An -c); stty sane; echo "got $a"',
    );
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id);
    await pane.untilText('ready');
    pane.type('\x1b[?1;2c');
    await pane.untilText('got  033   [   ?   1   ;   2   c');
    // An answer is nothing that the user typed.
    expect(await terminals.client.exited(spec.id)).not.toHaveProperty('note');
  });
});
