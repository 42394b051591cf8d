import { expect, test } from 'vitest';
import { coreOf } from '../../src/main/terminal/host/xterm-internals';
import { bufferText } from '../../src/shared/terminal-text';
import { createTerminal, writeTo } from '../support/terminal-state';

const CSI = '\x1b[';

test.each(['1J', '?1J'])('what is above the last cell is erased with it (%s)', async (erase) => {
  const terminal = createTerminal();
  await writeTo(terminal, `abc\r\ndef${CSI}999;999Hx${CSI}${erase}`);
  expect(bufferText(terminal)).toBe('\n');
  await writeTo(terminal, `${CSI}Hnext`);
  expect(bufferText(terminal)).toBe('next\n');
});

test('what makes the parser throw is left out, with the rest of what came at once, and output goes on', async () => {
  const terminal = createTerminal();
  terminal.parser.registerCsiHandler({ final: 'y' }, () => {
    throw new Error('a fault');
  });
  await writeTo(terminal, `before ${CSI}31ylost`);
  await writeTo(terminal, 'after');
  expect(bufferText(terminal)).toBe('before after\n');
});

test('links whose lines are gone are kept within a bound, and the oldest are forgotten first', async () => {
  const terminal = createTerminal();
  const link = (at: number) => `\x1b]8;id=${at};http://a/${at}\x1b\\${CSI}2J`;
  await writeTo(terminal, link(0));
  await writeTo(
    terminal,
    Array.from({ length: 600 }, (_, at) => link(at + 1).replace('2J', 'K')).join(''),
  );
  await writeTo(terminal, `${CSI}2J`);
  const { _oscLinkService: links } = coreOf(terminal);
  const known = Array.from({ length: 700 }, (_, id) => links.getLinkData(id)?.uri ?? '').filter(
    Boolean,
  );
  expect(known.length).toBeLessThanOrEqual(257);
  expect(known.at(-1)).toBe('http://a/600');
});
