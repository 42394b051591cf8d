import { expect, test } from 'vitest';
import { bufferText, writeInPieces } from '../../src/shared/terminal-text';
import { createTerminal, writeTo } from '../support/terminal-state';

test.each([
  ['wide characters that leave a cell over', '日本語'.repeat(6)],
  ['spaces at the end of a line of the screen', `${'a'.repeat(18)}    b`],
  ['a line as wide as the screen', 'x'.repeat(21)],
])('a line that wraps is read as it was printed: %s', async (_, line) => {
  const terminal = createTerminal(21);
  await writeTo(terminal, `${line}\r\nnext`);
  expect(bufferText(terminal)).toBe(`${line}\nnext\n`);
  terminal.resize(13, 6);
  expect(bufferText(terminal)).toBe(`${line}\nnext\n`);
});

test.each<[what: string, output: string, pieces: number]>([
  ['nothing', '', 1],
  ['a little', 'ab\x1b[31mc', 1],
  ['much text', 'x'.repeat(10_000), 5],
  ['many sequences', '\x1bc'.repeat(1_000), 32],
  ['many sequences behind text', `text${'\x1b[2J'.repeat(64)}`, 3],
])('%s is written in pieces of little work, and told once', (_, output, pieces) => {
  for (const whole of [output, Buffer.from(output)]) {
    const written: (string | Uint8Array)[] = [];
    let told = 0;
    writeInPieces(
      {
        write: (piece, then) => {
          written.push(piece);
          then?.();
        },
      },
      whole,
      () => {
        told = written.length;
      },
    );
    expect([written.length, told]).toEqual([pieces, pieces]);
    const text = written.map((piece) => Buffer.from(piece as string).toString());
    expect(text.join('')).toBe(output);
    expect(
      text.slice(1).every((piece) => !output.includes('\x1b') || piece.startsWith('\x1b')),
    ).toBe(true);
  }
});
