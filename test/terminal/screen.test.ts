import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  dropPlainText,
  KEEP_BYTES,
  keepSequences,
  MAX_BACKLOG_BYTES,
  ScreenBacklog,
  TRIM_BYTES,
} from '../../src/main/terminal/host/screen-backlog';
import { ScreenMirror, type Snapshot } from '../../src/main/terminal/host/screen-mirror';
import { MAX_SCROLLBACK_LINES, SCROLLBACK_LINES } from '../../src/shared/terminal';
import { COUNTED_FINALS } from '../../src/shared/terminal-counts';
import { screenText } from '../support/terminal-pane';

const { Terminal } = createRequire(import.meta.url)(
  '@xterm/headless',
) as typeof import('@xterm/headless');

const newTerminal = (cols: number, rows: number) =>
  new Terminal({
    cols,
    rows,
    scrollback: SCROLLBACK_LINES,
    allowProposedApi: true,
    logLevel: 'off',
  });

/** Returns what a pane shows after it was given a picture. */
async function shown({ cols, rows, pieces }: Snapshot): Promise<string> {
  const terminal = newTerminal(cols, rows);
  await new Promise<void>((resolve) => terminal.write(Buffer.concat(pieces), resolve));
  return screenText(terminal);
}

/** Bytes in use after all that nobody needs is collected. */
async function memoryInUse(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // What a finished parser holds goes with the turn of the event loop in which it finished.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const mirrorOf = (...output: string[]) => {
  const mirror = new ScreenMirror(80, 24);
  for (const part of output) mirror.push(Buffer.from(part));
  return mirror;
};

describe('the mirror of a screen', () => {
  test('gives the same screen and scrollback as a terminal that saw everything', async () => {
    const output = Array.from(
      { length: 300 },
      (_, at) => `\x1b[${31 + (at % 6)}mline ${at} ✓ 漢字 🚀\x1b[0m\r\n`,
    ).join('');
    const real = newTerminal(80, 24);
    await new Promise<void>((resolve) => real.write(output, resolve));
    expect(await shown(await mirrorOf(output).snapshot())).toBe(screenText(real));
  });

  test('keeps 10 000 lines above the screen', async () => {
    const output = Array.from({ length: 20_000 }, (_, at) => `${at}\r\n`).join('');
    const lines = (await shown(await mirrorOf(output).snapshot())).split('\n');
    expect(lines[0]).toBe(String(20_000 - SCROLLBACK_LINES - 23));
    expect(lines.at(-1)).toBe('19999');
  });

  test.each([
    ['in the scroll region of a program', '\x1b[5;10r\x1b[5;1H', '\r\n'],
    ['after a line that ends in the middle', 'begun', '\r\n'],
    ['with stairs first', 'a\nb\nc\n', '\r\n'],
    ['as stairs', '', '\n'],
    ['wider than the screen', 'x'.repeat(200), `${'wide '.repeat(40)}\r\n`],
    ['in colour from before', '\x1b[32m', '\r\n'],
    ['in the alternate screen', 'shell\r\n\x1b[?1049h', '\r\n'],
    ['with colours', '', '\x1b[1;32m green\x1b[39m\x1b[44m\x1b[K\r\n\x1b[22m'],
    ['with colours and resets', '', '\x1b[1;32m green\x1b[0m\r\n'],
  ])('a flood of plain lines shows what a real terminal shows: %s', async (_, before, end) => {
    const flood = Array.from({ length: 30_000 }, (__, at) => `${at} ✓ 漢${end}`).join('');
    const real = newTerminal(80, 24);
    const mirror = mirrorOf(before);
    await mirror.snapshot();
    if (before !== '') await mirror.rest();
    mirror.push(Buffer.from(flood));
    await new Promise<void>((resolve) => real.write(before + flood, resolve));
    const picture = await mirror.snapshot();
    expect(await shown(picture)).toBe(screenText(real));
    mirror.push(Buffer.from('next'));
    await new Promise<void>((resolve) => real.write('next', resolve));
    expect(await shown(await mirror.snapshot())).toBe(screenText(real));
  });

  test('a picture holds what came before it was asked for, and nothing later', async () => {
    const mirror = mirrorOf('before');
    const picture = mirror.snapshot();
    mirror.push(Buffer.from(' after'));
    expect(await shown(await picture)).toBe('before');
    expect(await shown(await mirror.snapshot())).toBe('before after');
  });

  test('a screen that rests is the same as one that does not, whatever happens to it then', async () => {
    const before = `first\r\n\x1b[32mgreen\x1b[0m ${'x'.repeat(100)}\x1b[3;5r\x1b[2;4H`;
    const acts: readonly ((mirror: ScreenMirror) => unknown)[] = [
      () => undefined,
      (mirror) => mirror.push(Buffer.from('after')),
      (mirror) => mirror.push(Buffer.from('\nafter'.repeat(100_000))),
      (mirror) => mirror.resize(40, 12),
      (mirror) => mirror.clear(),
      (mirror) => mirror.rest(),
      (mirror) => mirror.snapshot(),
      (mirror) => mirror.end(),
    ];
    for (const act of acts) {
      const [rested, awake] = [mirrorOf(before), mirrorOf(before)];
      await rested.rest();
      await awake.snapshot();
      for (const mirror of [rested, awake]) {
        // What comes while it goes to rest counts, too.
        const rest = mirror === rested ? mirror.rest() : null;
        await act(mirror);
        mirror.push(Buffer.from(' later'));
        await rest;
      }
      const [one, other] = [await rested.snapshot(), await awake.snapshot()];
      expect(Buffer.concat(one.pieces).toString(), String(act)).toBe(
        Buffer.concat(other.pieces).toString(),
      );
    }
  });

  test('a screen does not rest in the middle of a sequence', async () => {
    const mirror = mirrorOf('shown\x1b]0;a long title');
    await mirror.rest();
    mirror.push(Buffer.from(' that ends\x07.'));
    expect(await shown(await mirror.snapshot())).toBe('shown.');
  });

  test('output before a new size has the old one, and the line of a command’s cursor is wrapped anew', async () => {
    const mirror = new ScreenMirror(80, 24, { isCommand: true });
    mirror.push(Buffer.from(`${'-'.repeat(50)}\r${'='.repeat(50)}\r\n${'x'.repeat(100)}`));
    mirror.resize(40, 10);
    mirror.push(Buffer.from('\r\nnarrow'));
    const picture = await mirror.snapshot();
    expect(picture).toMatchObject({ cols: 40, rows: 10 });
    const lines = ['='.repeat(40), '='.repeat(10)];
    lines.push('x'.repeat(40), 'x'.repeat(40), 'x'.repeat(20), 'narrow');
    expect(await shown(picture)).toBe(lines.join('\n'));
  });

  test('the line of a shell’s cursor is left to the shell', async () => {
    const mirror = mirrorOf(`$ ${'x'.repeat(50)}`);
    mirror.resize(40, 10);
    expect(await shown(await mirror.snapshot())).toBe(`$ ${'x'.repeat(38)}`);
  });

  test.each([false, true])(
    'stays as it was after the end (looked at before: %s)',
    async (before) => {
      const mirror = mirrorOf('last words');
      if (before) await mirror.snapshot();
      mirror.end();
      await mirror.settle();
      mirror.push(Buffer.from('ghost'));
      mirror.resize(10, 5);
      const pictures = await Promise.all([mirror.snapshot(), mirror.snapshot()]);
      expect(pictures[0]).toMatchObject({ cols: 80, rows: 24 });
      expect(await shown(pictures[0])).toBe('last words');
      expect(pictures[1]).toBe(pictures[0]);
    },
  );

  test.each([false, true])(
    'an ended terminal of 20 000 lines keeps less than 1 MB (looked at before: %s)',
    async (before) => {
      const line =
        'a line of output in \x1b[32mcolour\x1b[0m that is some eighty characters long, as most are';
      const output = Buffer.from(`${line}\r\n`.repeat(20_000));
      const endOne = async (): Promise<ScreenMirror> => {
        const mirror = mirrorOf();
        mirror.push(output);
        if (before) await mirror.snapshot();
        mirror.end();
        await mirror.settle();
        return mirror;
      };
      // What only the first ones make, compiled code above all, is kept once.
      for (let time = 0; time < 2; time += 1) await endOne();
      const bytesBefore = await memoryInUse();
      const ended: ScreenMirror[] = [];
      // Many, so that what the process itself takes meanwhile does not count.
      while (ended.length < 6) ended.push(await endOne());
      const each = async () => ((await memoryInUse()) - bytesBefore) / ended.length;
      // A timer of the emulator may hold it for a moment longer, on a machine in use.
      await expect.poll(each).toBeLessThan(1024 * 1024);
      const picture = await shown(await (ended[0] as ScreenMirror).snapshot());
      expect(picture.split('\n')).toHaveLength(SCROLLBACK_LINES + 23);
    },
  );

  test('a screen that rests keeps less than 2 MB, also beside a flood in colour', async () => {
    const line = 'a line of output in \x1b[32mcolour\x1b[39m that is some eighty characters long';
    const output = Buffer.from(`${line}\r\n`.repeat(20_000));
    const bytesBefore = await memoryInUse();
    const more = async () => (await memoryInUse()) - bytesBefore;
    const mirror = mirrorOf();
    mirror.push(output);
    await mirror.snapshot();
    await mirror.rest();
    // What the parser held may go a moment later, on a machine in use.
    await expect.poll(more).toBeLessThan(2 * 1024 * 1024);
    for (let at = 0; at < 10; at += 1) mirror.push(output);
    expect(await more()).toBeLessThan(6 * 1024 * 1024);
    expect((await shown(await mirror.snapshot())).split('\n')).toHaveLength(SCROLLBACK_LINES + 23);
  });

  test.each([
    [0, 0],
    [200, 200],
    [20_000, 20_000],
    [1_000_000, MAX_SCROLLBACK_LINES],
    [Number.NaN, 0],
  ])(
    '%d lines above the screen are kept as %d, also of an ended terminal',
    async (wanted, kept) => {
      const mirror = new ScreenMirror(80, 24, { scrollback: wanted });
      const part = Array.from({ length: 1_000 }, (_, at) =>
        `a line of usual width ${at}`.padEnd(70),
      );
      for (let at = 0; at < 60; at += 1) mirror.push(Buffer.from(`${part.join('\r\n')}\r\n`));
      const count = async () =>
        Buffer.concat((await mirror.snapshot()).pieces)
          .toString()
          .split('\n').length;
      expect(await count()).toBe(kept + 24);
      mirror.end();
      await mirror.settle();
      expect(await count()).toBe(kept + 24);
    },
  );

  test('long output ends with the right last lines, however much came', async () => {
    const mirror = new ScreenMirror(80, 24);
    const part = Buffer.from('a plain line of output that is repeated\r\n'.repeat(2_000));
    for (let at = 0; at < 200; at += 1) mirror.push(part);
    mirror.push(Buffer.from('the end'));
    const lines = (await shown(await mirror.snapshot())).split('\n');
    expect(lines.at(-1)).toBe('the end');
    expect(lines.length).toBe(SCROLLBACK_LINES + 24);
  });

  test('colourful output faster than it can be parsed keeps its last state', async () => {
    const mirror = mirrorOf('\x1b[?2004h\x1b[?1h');
    const part = Buffer.from('\x1b[32mgreen\x1b[0m and more of it\r\n'.repeat(3_000));
    for (let at = 0; at < 200; at += 1) mirror.push(part);
    mirror.push(Buffer.from('the end'));
    const picture = await mirror.snapshot();
    expect((await shown(picture)).endsWith('the end')).toBe(true);
    expect(Buffer.concat(picture.pieces).toString()).toContain('\x1b[?2004h');
  });
});

describe('THREATS 14: sequences with absurd counts', () => {
  test.each(COUNTED_FINALS)('CSI 2147483647 %s neither hangs nor does anything', async (end) => {
    for (const count of ['2147483647', '2000000000;2', '10001']) {
      const text = await shown(
        await mirrorOf(`abc\r\n\x1b[1;2r\x1b[2;2H\x1b[${count}${end}\x1b[rsentinel`).snapshot(),
      );
      expect(text).toContain('sentinel');
      expect(text.length).toBeLessThan(100);
    }
  });

  test('ordinary counts work', async () => {
    expect(await shown(await mirrorOf('x\x1b[9b|\x1b[3D\x1b[2P!').snapshot())).toBe('xxxxxxxx!');
  });

  test.each([
    ['an image of 60000 × 60000', '\x1bPq"1;1;60000;60000#0!60000~-\x1b\\'],
    ['a clipboard read', '\x1b]52;c;?\x07'],
    ['another clipboard protocol', '\x1b]5522;type=read;dGV4dA==\x1b\\'],
    ['132 columns', '\x1b[?3h'],
    ['a locked keyboard', '\x1b[2h'],
  ])('%s changes nothing', async (_what, sequence) => {
    const picture = await mirrorOf(`a${sequence}sentinel`).snapshot();
    expect(picture).toMatchObject({ cols: 80, rows: 24 });
    expect(await shown(picture)).toContain('sentinel');
  });
});

describe('what waits for the parser', () => {
  const line = Buffer.from(`${'x'.repeat(1_023)}\n`);
  const fill = (backlog: ScreenBacklog, bytes: number, part = line) => {
    for (let at = 0; at < bytes; at += part.byteLength) backlog.push(part);
  };
  const drain = (backlog: ScreenBacklog) => {
    const parts: Buffer[] = [];
    for (let part = backlog.take(100_000); part !== null; part = backlog.take(100_000))
      parts.push(part);
    return Buffer.concat(parts);
  };

  test('comes out as it went in', () => {
    const backlog = new ScreenBacklog();
    fill(backlog, 300_000);
    expect(backlog.bytes).toBe(293 * 1024);
    expect(drain(backlog)).toEqual(Buffer.concat(Array.from({ length: 293 }, () => line)));
    expect(backlog.bytes).toBe(0);
  });

  test('plain text that has scrolled away is left out', () => {
    const backlog = new ScreenBacklog();
    fill(backlog, 100 * 1024 * 1024);
    expect(backlog.bytes).toBeLessThanOrEqual(TRIM_BYTES);
    expect(backlog.bytes).toBeGreaterThanOrEqual(KEEP_BYTES - line.byteLength);
  });

  test('text with controls stays until there is far too much of it; then only they stay', () => {
    const backlog = new ScreenBacklog();
    backlog.push(Buffer.from('first\n\x1b[?1049h\x1b[31m'));
    fill(backlog, TRIM_BYTES + 1024 * 1024);
    expect(backlog.bytes).toBeGreaterThan(TRIM_BYTES);
    fill(backlog, MAX_BACKLOG_BYTES);
    expect(backlog.bytes).toBeLessThanOrEqual(MAX_BACKLOG_BYTES);
    expect(drain(backlog).toString('latin1').startsWith('\x1b[?1049h\x1b[31m')).toBe(true);
  });

  test('of plain lines only the newest are left, with the first and the line end before them', () => {
    const backlog = new ScreenBacklog();
    const lines = Array.from({ length: 50_000 }, (_, at) => `line ${at}\r\n`);
    for (const each of lines) backlog.push(Buffer.from(each));
    backlog.leaveHidden();
    const kept = drain(backlog).toString();
    expect(kept).toBe(`${lines[0]}\r\n${lines.slice(-SCROLLBACK_LINES - 1_000).join('')}`);
  });

  test('short plain lines never take much room, however many come', () => {
    const backlog = new ScreenBacklog();
    const lines = Buffer.from('1234567890\r\n'.repeat(5_000));
    for (let at = 0; at < 1_000; at += 1) {
      backlog.push(lines);
      expect(backlog.bytes).toBeLessThan(1024 * 1024);
    }
  });

  test.each([
    ['controls above', '\x1b[5Hplaced\r\n', '\r\n'],
    ['no carriage return', 'plain\n', '\n'],
  ])('nothing is left out where that would show: %s', (_, first, end) => {
    const backlog = new ScreenBacklog();
    const all = `first${end}${first}${`a line${end}`.repeat(50_000)}`;
    backlog.push(Buffer.from(all));
    backlog.leaveHidden();
    expect(drain(backlog).toString()).toBe(all);
  });

  test('one endless line is cut between characters', () => {
    const backlog = new ScreenBacklog();
    fill(backlog, 20 * 1024 * 1024, Buffer.from('✓'.repeat(341)));
    expect(drain(backlog).toString()).toMatch(/^✓+$/);
  });

  test.each([
    ['plain\nlines\n', 'plain\n'],
    ['plain ✓ ümläut\nlines\n', 'plain ✓ ümläut\n'],
    ['1m\nlines\n', '1m\n'],
    ['x\na\x1b[1m\n', 'x\n\x1b[1m'],
    ['x\na\x1b[31mb\x1b[1mc\x1b[31md\n', 'x\n\x1b[1m\x1b[31m'],
    [
      'x\na\x1b[38;5;1mb\x1b[38;2;1;2;3mc\x1b[48:2::1:2:3m\n',
      'x\n\x1b[38;2;1;2;3m\x1b[48:2::1:2:3m',
    ],
    ['x\na\x1b[31mb\x1b[0;1mc\n', 'x\n\x1b[0;1m'],
    ['x\na\x1b[31mb\x1b[m\n', 'x\n\x1b[m'],
    [`x\n${'y'.repeat(64 * 1024 - 2)}\x1b[31mz\n`, 'x\n\x1b[31m'],
    ['x\na\x1b[1mb\x1b[K\n', null],
    ['x\na\x1b[\n', null],
    ['x\na\x07\n', null],
    ['x\na\u009b1m\n', null],
  ])('%j shortened is %j', (old, short) => {
    expect(dropPlainText(Buffer.from(old))?.toString() ?? null).toBe(short);
  });

  test('control sequences are kept, text and payloads are not', () => {
    const old = 'a\x1b[1;31mb\x1b]0;title\x07c\x1b(0d\x1b7e\x1b[?25l\n\x1b-A\x0ef\x1bog\x1b%G';
    expect(keepSequences(Buffer.from(old)).toString()).toBe(
      '\x1b[1;31m\x1b(0\x1b7\x1b[?25l\x1b-A\x0e\x1bo\x1b%G',
    );
  });
});
