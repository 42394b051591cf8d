import { expect, test } from 'vitest';
import { bufferText } from '../../src/shared/terminal-text';
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
