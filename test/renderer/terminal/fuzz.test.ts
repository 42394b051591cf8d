import { Terminal } from '@xterm/headless';
import type { Terminal as PageTerminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { AnnouncementScanner } from '../../../src/main/terminal/host/announcements';
import { ScreenMirror } from '../../../src/main/terminal/host/screen-mirror';
import { guardTerminal } from '../../../src/renderer/terminal/guards';
import { MAX_PROMPTS, Prompts } from '../../../src/shared/prompt-marks';

const CHUNK = 64 * 1024;
const CHUNKS = 160;
/** Bytes that sequences are made of, so that more of the noise means something. */
const GRAMMAR = Buffer.from(
  '\x1b\x1b\x1b\x1b[[[]]PX^_?>=!"$\'()*+#;;;:0123456789hlmrqtsuncpABCDHJKLMSTZ@`\x07\x9c\\\r\n',
);

/** Ten megabytes of noise, the same for one seed: bytes of any kind, and bytes of control sequences. */
function* noise(seed: number): Generator<Buffer> {
  let state = seed;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  for (let at = 0; at < CHUNKS; at += 1) {
    const bytes = Buffer.allocUnsafe(CHUNK);
    const isPlain = at % 2 === 0;
    for (let i = 0; i < CHUNK; i += 1) {
      const random = next();
      bytes[i] = isPlain ? random & 0xff : (GRAMMAR[random % GRAMMAR.length] ?? 0);
    }
    yield bytes;
  }
}

/** Everything an emulator may say about itself: what it is, where its cursor is, its modes, colours and focus; ␛ is ESC. */
const REPORTS = /^(?:␛\[[?>]?[\d;]*(?:c|n|R|\$y)|␛\[[IO]|␛\](?:4;\d+|1[0-2]);rgb:[\da-f/]+␛\\)+$/;

test.each([1, 20_261_122])('ten megabytes of noise leave a pane usable (seed %i)', async (seed) => {
  const terminal = new Terminal({ allowProposedApi: true, cols: 80, rows: 24, logLevel: 'off' });
  guardTerminal(terminal as unknown as Pick<PageTerminal, 'parser'>);
  const prompts = new Prompts(terminal);
  let typed = '';
  terminal.onData((text) => {
    typed += text;
  });
  for (const bytes of noise(seed))
    await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  expect(typed.replaceAll('\x1b', '␛')).toMatch(REPORTS);
  expect({ cols: terminal.cols, rows: terminal.rows }).toEqual({ cols: 80, rows: 24 });
  expect(prompts.list().length).toBeLessThanOrEqual(MAX_PROMPTS);
  await new Promise<void>((resolve) => terminal.write('\x18\x1b\\\x1bc\r\nsentinel', resolve));
  expect(terminal.buffer.active.getLine(1)?.translateToString(true)).toBe('sentinel');
  terminal.dispose();
});

test('ten megabytes of noise leave the host with a picture, bounded facts, and room for what follows', async () => {
  const mirror = new ScreenMirror(80, 24);
  const scanner = new AnnouncementScanner();
  for (const bytes of noise(7)) {
    mirror.push(bytes);
    const { programTitle = '', cwd = '' } = scanner.scan(bytes);
    expect(programTitle.length).toBeLessThanOrEqual(200);
    expect(cwd.length).toBeLessThanOrEqual(4_096);
  }
  mirror.push(Buffer.from('\x18\x1b\\\x1bc\r\nsentinel'));
  const picture = await mirror.snapshot();
  expect(picture).toMatchObject({ cols: 80, rows: 24 });
  expect(Buffer.concat(picture.pieces).toString()).toContain('sentinel');
  expect(await mirror.text(100)).toContain('sentinel');
});

test('a program that says over and over where its prompt is costs nothing that stays', async () => {
  const terminal = new Terminal({ allowProposedApi: true, cols: 80, rows: 24, logLevel: 'off' });
  const prompts = new Prompts(terminal);
  const once = '\x1b]133;A\x07\x1b]133;C\x07\x1b]133;D;1\x07';
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve));
  for (let at = 0; at < 100; at += 1) await write(once.repeat(1_000));
  expect(prompts.list()).toHaveLength(1);
  expect(terminal.markers).toHaveLength(1);
  await write(`${once}\r\n`.repeat(900));
  expect(prompts.list()).toHaveLength(MAX_PROMPTS);
  expect(terminal.markers).toHaveLength(MAX_PROMPTS);
  terminal.dispose();
});
