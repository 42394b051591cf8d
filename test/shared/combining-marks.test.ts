import { describe, expect, test } from 'vitest';
import { ScreenMirror } from '../../src/main/terminal/host/screen-mirror';
import { MAX_MARKS, withBoundedMarks } from '../../src/shared/combining-marks';
import { createTerminal, stateOf, writeTo } from '../support/terminal-state';

const MARK = '\u0301';
const cellsOf = (terminal: ReturnType<typeof createTerminal>) => {
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, y) =>
    Array.from(
      { length: terminal.cols },
      (_, x) => active.getLine(y)?.getCell(x)?.getChars() ?? '',
    ),
  ).flat();
};

describe('marks on one character of a terminal', () => {
  test.each([
    ['a letter', 'a'],
    ['a wide character', '漢'],
  ])('are bounded on %s, and none is lost', async (_what, letter) => {
    const terminal = createTerminal(80, 24, 1_000);
    await writeTo(terminal, `${letter}${MARK.repeat(20_000)}b`);
    const cells = cellsOf(terminal);
    expect(Math.max(...cells.map((chars) => chars.length))).toBeLessThanOrEqual(MAX_MARKS + 1);
    expect(cells.join('').split(MARK).length - 1).toBe(20_000);
  });

  test('are bounded without a letter, too', async () => {
    const terminal = createTerminal(80, 24, 1_000);
    await writeTo(terminal, `${MARK.repeat(20_000)}\x1b[m${MARK.repeat(20_000)}`);
    const longest = Math.max(...cellsOf(terminal).map((chars) => chars.length));
    expect(longest).toBeLessThanOrEqual(MAX_MARKS + 1);
  });

  test('stay on their letter up to the bound', async () => {
    const terminal = createTerminal(80, 24);
    const whole = `e${MARK.repeat(MAX_MARKS)}`;
    await writeTo(terminal, `${whole}x`);
    expect(cellsOf(terminal).slice(0, 2)).toEqual([whole, 'x']);
  });

  test('look the same after a replay', async () => {
    const live = createTerminal(80, 24, 1_000);
    const output = `a${MARK.repeat(100)}b\u200d${MARK.repeat(50)}\r\n漢${MARK.repeat(70)}c`;
    await writeTo(live, output);
    const mirror = new ScreenMirror(80, 24);
    mirror.push(Buffer.from(output));
    const { pieces } = await mirror.snapshot();
    const replayed = createTerminal(80, 24, 1_000);
    await writeTo(replayed, Buffer.concat(pieces));
    expect(stateOf(replayed)).toEqual(stateOf(live));
  });
});

test('marks in a text are bounded the same way', () => {
  expect(withBoundedMarks(`e${MARK}`)).toBe(`e${MARK}`);
  expect(withBoundedMarks(`e${MARK.repeat(MAX_MARKS)}x`)).toBe(`e${MARK.repeat(MAX_MARKS)}x`);
  const bounded = withBoundedMarks(`e${MARK.repeat(20_000)}`);
  const runs = bounded.match(/\p{M}+/gu) ?? [];
  expect(Math.max(...runs.map((run) => run.length))).toBe(MAX_MARKS);
  expect(runs.join('')).toBe(MARK.repeat(20_000));
});
