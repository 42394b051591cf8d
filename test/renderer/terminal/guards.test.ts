import { Terminal } from '@xterm/headless';
import type { Terminal as PageTerminal } from '@xterm/xterm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  guardTerminal,
  planAgain,
  planPaste,
  resetAfterExit,
  withoutBrackets,
} from '../../../src/renderer/terminal/guards';
import { COUNTED_FINALS } from '../../../src/shared/terminal-counts';

/** A guarded terminal of the same core the page uses, and everything it would send to the program. */
function guarded(prepare: (terminal: Terminal) => void = () => {}) {
  const terminal = new Terminal({ allowProposedApi: true, cols: 40, rows: 10 });
  prepare(terminal);
  guardTerminal(terminal as unknown as Pick<PageTerminal, 'parser'>);
  const replies: string[] = [];
  terminal.onData((text) => replies.push(text));
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve));
  const line = (y: number) => terminal.buffer.active.getLine(y)?.translateToString(true);
  return { terminal, write, replies, line };
}

test.each(COUNTED_FINALS)(
  'THREATS 14: CSI with a count over the limit does nothing: %s',
  async (final) => {
    const { write, line, terminal } = guarded();
    for (const counts of ['2147483647', '10001', '1;10001', '1:10001'])
      await write(`\x1b[H\x1b[2Kab\x1b[${counts}${final}c`);
    expect(line(0)).toBe('abc');
    expect(terminal.buffer.active.length).toBe(10);
  },
);

test('counts that programs really use still work', async () => {
  const { write, line } = guarded();
  await write('a\x1b[5b\x1b[1G\x1b[2P\x1b[99999C!');
  expect(line(0)).toBe(`aaaa${' '.repeat(35)}!`);
});

test.each([
  ['DECRQSS', '\x1bP$qm\x1b\\'],
  ['title report', '\x1b]0;rm -rf ~\x07\x1b[21t'],
  ['window size report', '\x1b[14t'],
  ['clipboard read', '\x1b]52;c;?\x07'],
  ['clipboard protocol of kitty', '\x1b]5522;type=read;dGV4dA==\x1b\\'],
])('THREATS 14: nothing is typed back for a %s', async (_name, bytes) => {
  const { write, replies, line } = guarded();
  await write(`${bytes}still here`);
  expect(replies).toEqual([]);
  expect(line(0)).toBe('still here');
});

test.each(['52;c;aGVsbG8=', '52;c;?', '5522;type=write;dGV4dA=='])(
  'THREATS 14: the clipboard is out of reach, whatever else is loaded: %s',
  async (sequence) => {
    const asked: string[] = [];
    const { write } = guarded(({ parser }) => {
      for (const code of [52, 5522])
        parser.registerOscHandler(code, (text) => asked.push(text) > 0);
    });
    await write(`\x1b]${sequence}\x07`);
    expect(asked).toEqual([]);
  },
);

test('a program that dies in the alternate screen leaves a normal one', async () => {
  const { write, terminal, line } = guarded();
  await write('shell\x1b[?1049h\x1b[?1000h\x1b[?2004hfull screen');
  resetAfterExit(terminal);
  await write('');
  await write('');
  expect(terminal.buffer.active.type).toBe('normal');
  expect(terminal.modes.mouseTrackingMode).toBe('none');
  expect(terminal.modes.bracketedPasteMode).toBe(false);
  expect(line(0)).toBe('shell');
});

test('a program that dies in the alternate screen leaves the cursor where the output before it ends', async () => {
  const { write, terminal } = guarded();
  await write('one\r\ntwo\x1b[?1049h\x1b[9;20Hfull screen');
  resetAfterExit(terminal);
  await write('');
  await write('');
  expect([terminal.buffer.active.cursorX, terminal.buffer.active.cursorY]).toEqual([3, 1]);
});

test('a program that ends in order leaves the cursor at the end of its output', async () => {
  const { write, terminal } = guarded();
  await write('one\r\n\x1b7two');
  resetAfterExit(terminal);
  await write('');
  await write('');
  expect([terminal.buffer.active.cursorX, terminal.buffer.active.cursorY]).toEqual([3, 1]);
});

test.each([
  ['one line', 'ls -l', false, { text: 'ls -l', needsConsent: false, lines: 1, removed: 0 }],
  ['a line with its end', 'ls\n', false, { text: 'ls\r', needsConsent: true, lines: 1 }],
  ['two lines', 'a\r\nb', false, { text: 'a\rb', needsConsent: true, lines: 2 }],
  ['two lines, bracketed', 'a\nb', true, { text: '\x1b[200~a\rb\x1b[201~', needsConsent: false }],
  ['tabs stay', 'a\tb', false, { text: 'a\tb', removed: 0 }],
  ['unicode stays', 'größe 🚢', false, { text: 'größe 🚢', removed: 0 }],
  ['a bracket that ends early', 'a\x1b[201~\nrm -rf ~', true, { removed: 1 }],
  ['control keys', '\x03\x15evil', false, { text: 'evil', removed: 2 }],
])('%s', (_name, text, bracketed, expected) => {
  expect(planPaste(text, bracketed, () => false)).toMatchObject(expected);
});

test('THREATS 14: nothing pasted can act as a key or leave its brackets', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, bracketed) => {
      const { text: sent } = planPaste(text, bracketed, () => false);
      const body = bracketed ? sent.slice('\x1b[200~'.length, -'\x1b[201~'.length) : sent;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      expect(body).not.toMatch(/[\x00-\x08\x0a-\x0c\x0e-\x1f\x7f-\x9f]/);
    }),
  );
});

test('THREATS 14: a paste that runs lines by itself always asks', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const plan = planPaste(text, false, () => false);
      expect(plan.text.includes('\r') && !plan.needsConsent).toBe(false);
    }),
  );
});

test('what does not show in a paste is asked about, also where its lines would not run', () => {
  for (const bracketed of [true, false]) {
    const plan = planPaste('ls\u200b', bracketed, (text) => text.includes('\u200b'));
    expect(plan).toMatchObject({ needsConsent: true, hides: true, runsLines: false });
    expect(withoutBrackets(plan.text)).toBe('ls\u200b');
  }
});

test.each([
  ['whose brackets nobody reads any more', 'a\u200b\nb', true, false, 'a\u200b\rb', true],
  ['that still has its brackets', 'a\u200b\nb', true, true, '\x1b[200~a\u200b\rb\x1b[201~', false],
  ['of one line, without its brackets', 'a\u200b', true, false, 'a\u200b', false],
  ['whose lines run as they did before', 'a\nb', false, false, 'a\rb', false],
  ['that gets brackets', 'a\nb\n', false, true, '\x1b[200~a\rb\r\x1b[201~', false],
])('a paste that was agreed to %s', (_, text, before, now, sent, needsConsent) => {
  const agreed = planPaste(`\x03${text}`, before, (all) => all.includes('\u200b'));
  expect(agreed.needsConsent).toBe(true);
  expect(planAgain(agreed, now)).toMatchObject({ text: sent, needsConsent, removed: 1 });
});
