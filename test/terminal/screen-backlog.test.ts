import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { dropPlainText, ScreenBacklog } from '../../src/main/terminal/host/screen-backlog';
import { ScreenMirror } from '../../src/main/terminal/host/screen-mirror';
import { runs } from '../support/runs';

/** Returns what dropping plain text means, said with one expression over a string of all. */
function dropped(old: string): string | null {
  const line = old.indexOf('\n') + 1;
  const colours = new Map<string, string>();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  const control = /\x1b\[[\d:;]{0,64}m|[\x07\x0e\x0f\x18\x1a\x1b]|[\x80-\x9f]/g;
  for (const [text] of old.slice(line).matchAll(control)) {
    if (!text.endsWith('m')) return null;
    if (/\[(?:m|0[;m])/.test(text)) colours.clear();
    const key = /\[([345]8)(?:;5;\d+|;2;\d+;\d+;\d+|:[\d:]+)m$/.exec(text)?.[1] ?? text;
    colours.delete(key);
    colours.set(key, text);
  }
  return colours.size > 100 ? null : old.slice(0, line) + [...colours.values()].join('');
}

const number = fc.nat(300).map(String);
const setting = fc.oneof(
  fc.constantFrom('', '0', '0;1', '00', '1', '31', '1;32', '4:3', '38;5;7', '48;2;1;2;3', '58:5:9'),
  number,
  number.map((n) => `38;5;${n}`),
  fc.array(number, { maxLength: 40 }).map((all) => all.join(';')),
);
const colour = setting.map((text) => `\x1b[${text}m`);
const plain = fc.constantFrom('text', '\r\n', '\n', '\t', 'é', '\u00c2\u00a0', '漢', '\b');
const other = fc.constantFrom(
  '\x1b',
  '\x1b[',
  '\x1b[1',
  '\x1b[1K',
  '\x1b]0;',
  '\x07',
  '\u009b',
  '\x0e',
);
const output = (rare: number) =>
  fc
    .array(
      fc.oneof(
        { weight: 50, arbitrary: colour },
        { weight: 50, arbitrary: plain },
        { weight: rare, arbitrary: other },
      ),
      { maxLength: 300 },
    )
    .map((parts) => parts.join(''));

test('only the colours that count stay of plain text, and nothing is left out where more than colours was set', () => {
  fc.assert(
    fc.property(fc.oneof(output(0), output(1)), (old) => {
      expect(dropPlainText(Buffer.from(old))?.toString() ?? null).toBe(dropped(old));
    }),
    { numRuns: runs(400) },
  );
});

test('many settings without a reset are bounded, and those that a reset makes up for do not count', () => {
  const same = `${'\x1b[38;5;1mx\x1b[1my'.repeat(5_000)}`;
  expect(dropPlainText(Buffer.from(same))?.toString()).toBe('\x1b[38;5;1m\x1b[1m');
  const many = Array.from({ length: 3_000 }, (_, i) => `\x1b[${i}mx`).join('');
  expect(dropPlainText(Buffer.from(many))).toBeNull();
  const few = Array.from({ length: 150 }, (_, i) => `\x1b[${i}mx`).join('');
  expect(dropPlainText(Buffer.from(few))).toBeNull();
  expect(dropPlainText(Buffer.from(`${few}\x1b[mx`))?.toString()).toBe('\x1b[m');
});

test.each(['\x1bc', '\x1b#8', '\x1b[99S', '\x1b[?1049h\x1b[?1049l'])(
  'a screen that is drawn anew without end (%j) lets others have their turn',
  async (sequence) => {
    const mirror = new ScreenMirror(80, 24);
    mirror.push(Buffer.from(sequence.repeat(640)));
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 20;
      return now;
    });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await mirror.snapshot(0);
    clearInterval(timer);
    clock.mockRestore();
    expect(turns).toBeGreaterThan(5);
  },
);

test('of output before a reset only what outlives it waits, and the end of a sequence that began before', () => {
  const backlog = new ScreenBacklog();
  const colour = '\x1b]4;1;#123456\x07';
  backlog.push(Buffer.from(`;half a title\x07${colour}`));
  for (let frame = 0; frame < 20_000; frame += 1)
    backlog.push(Buffer.from(`\x1bc\x1b[31mframe ${frame} of very many frames\r\n`));
  backlog.push(Buffer.from('\x1b]133;A\x1b\\'));
  backlog.leaveHidden();
  expect(backlog.take(1_000)?.toString()).toBe(
    `;half a title\x07${colour}\x1bc\x1b[31mframe 19999 of very many frames\r\n\x1b]133;A\x1b\\`,
  );
});

const frame = fc.constantFrom(
  ...[
    '\x1bc',
    'text',
    '\r\n',
    'é漢',
    '\x1b[31m',
    '\x1b[?1049h',
    '\x1b[2;4r',
    '\x1b[4h',
    '\x1b(0',
    '\x1b]0;t',
  ],
  ...[
    '\x07',
    '\x1b]4;1;#12ab34\x07',
    '\x1bP$',
    '\x1b[',
    '\x1b[?25l',
    '\x1b]8;;http://a/\x07',
    '\x1b[5;5H',
  ],
);

test('a screen whose output resets it is the same however much of it waits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 40 }), async (frames) => {
      const output = Buffer.from(frames.join(''));
      const [early, late] = [new ScreenMirror(20, 6), new ScreenMirror(20, 6)];
      const filling = Buffer.from('\x1b[1;1Hx'.repeat(10_000));
      early.push(filling);
      await early.snapshot();
      early.push(output);
      late.push(filling);
      late.push(output);
      expect((await late.snapshot()).pieces.join('')).toBe(
        (await early.snapshot()).pieces.join(''),
      );
    }),
    { numRuns: runs(60) },
  );
});
