import { describe, expect, it } from 'vitest';
import {
  dataSize,
  duration,
  elapsed,
  money,
  plural,
  relativePath,
  tildePath,
  tildeText,
  timeLimit,
  timeTaken,
  tokens,
} from '../../../src/renderer/ui/format';

describe('format', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [12_449, '12.4 kB'],
    [999_940, '1 MB'],
    [1_230_000, '1.2 MB'],
    [240_400_000, '240 MB'],
    [1_100_000_000, '1.1 GB'],
    [5e15, '5000 TB'],
  ])('a size of %d bytes is %s', (bytes, text) => expect(dataSize(bytes)).toBe(text));

  it.each([
    [0, ''],
    [49, ''],
    [50, '0.1 s'],
    [2_000, '2.0 s'],
  ])('work of %d ms took "%s"', (ms, text) => expect(timeTaken(ms)).toBe(text));

  it.each([
    [500, '0 s'],
    [45_000, '45 s'],
    [120_000, '2 m'],
    [150_000, '2m 30s'],
    [3_600_000, '1h 00m'],
  ])('a limit of %d ms is %s', (ms, text) => expect(timeLimit(ms)).toBe(text));

  it.each([
    [-5, '0.0 s'],
    [84, '0.1 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [31_200, '31 s'],
    [59_600, '1m 00s'],
    [124_000, '2m 04s'],
    [3_599_400, '59m 59s'],
    [3_599_600, '1h 00m'],
    [3_720_000, '1h 02m'],
  ])('duration of %d ms is %s', (ms, text) => expect(duration(ms)).toBe(text));

  it.each([
    [-1, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [60_000, '1m 00s'],
    [3_600_000, '1h 00m'],
  ])('elapsed %d ms is %s', (ms, text) => expect(elapsed(ms)).toBe(text));

  it.each([
    [0, '$0.00'],
    [0.00001, '<$0.0001'],
    [0.0042, '$0.004'],
    [0.0099, '$0.01'],
    [0.384, '$0.38'],
    [12, '$12.00'],
  ])('%d dollars are %s', (usd, text) => expect(money(usd)).toBe(text));

  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1k'],
    [12_400, '12.4k'],
    [124_400, '124k'],
    [999_900, '1M'],
    [1_240_000, '1.2M'],
  ])('%d tokens are %s', (count, text) => expect(tokens(count)).toBe(text));

  it('counts things', () => {
    expect(plural(1, 'file')).toBe('1 file');
    expect(plural(0, 'match', 'matches')).toBe('0 matches');
    expect(plural(1200, 'line')).toBe('1,200 lines');
  });

  it.each([
    ['/home/mira/x', '/home/mira', '~/x'],
    ['/home/mira', '/home/mira', '~'],
    ['/home/mira-evil/x', '/home/mira', '/home/mira-evil/x'],
    ['C:\\Users\\mira\\x', 'C:\\Users\\mira', '~\\x'],
    ['/a', '', '/a'],
  ])('%s with home %s reads %s', (path, home, text) => expect(tildePath(path, home)).toBe(text));

  it.each([
    ['left out: /home/mira/x is too large', '/home/mira', 'left out: ~/x is too large'],
    ['@/home/mira/x, “/home/mira/y”', '/home/mira', '@~/x, “~/y”'],
    ['/mnt/home/mira/x and /home/mira-evil/x', '/home/mira', null],
    ['/home/mira/home/mira/x', '/home/mira', '~/home/mira/x'],
    ['C:\\Users\\mira\\x is', 'C:\\Users\\mira', '~\\x is'],
    ['/a', '', null],
  ])('“%s” with home %s reads %s', (text, home, short) =>
    expect(tildeText(text, home)).toBe(short ?? text),
  );

  it.each([
    ['/p/src/a.ts', '/p', 'src/a.ts'],
    ['/p/src/a.ts', '/p/', 'src/a.ts'],
    ['/project-evil/a', '/project', '/project-evil/a'],
    ['/p', '/p', '/p'],
  ])('%s in %s reads %s', (path, folder, text) => expect(relativePath(path, folder)).toBe(text));
});
