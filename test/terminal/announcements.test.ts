import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AnnouncedFacts,
  AnnouncementScanner,
  Announcements,
  folderOf,
  plainTitle,
} from '../../src/main/terminal/host/announcements';
import { runs } from '../support/runs';

/** Returns what a scanner finds in all of some output, which comes in these pieces. */
function foundIn(pieces: readonly Buffer[]) {
  const scanner = new AnnouncementScanner();
  const found = pieces.map((piece) => scanner.scan(piece));
  const rang = found.some((one) => one.rang);
  return Object.assign({ rang }, ...found, { rang }) as (typeof found)[number];
}

const OUTPUTS: readonly (readonly [string, string, ReturnType<typeof foundIn>])[] = [
  ['plain text', 'hello\r\n', { rang: false }],
  ['a bell', 'ready\x07', { rang: true }],
  ['a title ended by BEL', '\x1b]0;build\x07', { programTitle: 'build', rang: false }],
  ['a title ended by ST', '\x1b]2;build\x1b\\', { programTitle: 'build', rang: false }],
  ['the last of two titles', '\x1b]0;a\x07b\x1b]2;c\x07', { programTitle: 'c', rang: false }],
  ['a title and a bell', '\x1b]0;a\x07\x07', { programTitle: 'a', rang: true }],
  ['an icon name alone', '\x1b]1;icon\x07', { rang: false }],
  ['a cancelled title', '\x1b]0;no\x18yes\x07', { rang: true }],
  ['an empty title', '\x1b]0;\x07', { programTitle: '', rang: false }],
  ['a title in UTF-8', '\x1b]0;größe ✓\x07', { programTitle: 'größe ✓', rang: false }],
  ['controls in a title', '\x1b]0;a\tb\x9bc\x07', { programTitle: 'abc', rang: false }],
  ['a folder', '\x1b]7;file://localhost/tmp/a%20b\x07', { cwd: '/tmp/a b', rang: false }],
  ['a folder elsewhere', '\x1b]7;file://elsewhere.example/tmp\x07', { rang: false }],
  ['a title too long', `\x1b]0;${'x'.repeat(10_000)}\x07`, { rang: false }],
  ['a title in C1 controls', '\x9d0;größe\x9c°C\x07', { programTitle: 'größe', rang: true }],
  ['a title that a C1 control ends', '\x1b]2;a\x9cb', { programTitle: 'a', rang: false }],
  ['one in another', '\x1b]0;a\x1b]2;b\x07', { programTitle: 'b', rang: false }],
];

describe('what a program announces', () => {
  test.each(OUTPUTS)('%s is found, however the bytes come', (_, output, expected) => {
    const bytes = Buffer.from(output);
    expect(foundIn([bytes])).toEqual(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.byteLength), { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.byteLength];
        const pieces = at.slice(1).map((end, n) => bytes.subarray(at[n], end));
        expect(foundIn(pieces)).toEqual(expected);
      }),
      { numRuns: runs(50) },
    );
  });

  test('a title neither hides nor turns text around, and is bounded', () => {
    expect(plainTitle('safe\u202eexe\u200b\u2066')).toBe('safeexe');
    expect(plainTitle('  a \u00a0 b ')).toBe('a b');
    expect(plainTitle('a\u3164\u{1d159}\u2800b\u034f')).toBe('a b');
    expect(plainTitle('⚠️ 👨‍👩‍👧')).toBe('⚠️ 👨‍👩‍👧');
    expect(plainTitle('x'.repeat(1_000))).toHaveLength(200);
    expect(plainTitle(`${'x'.repeat(199)}😀`).isWellFormed()).toBe(true);
  });

  test.each([
    ...[
      '\u3164',
      '\u115f',
      '\u1160',
      '\uffa0',
      '\u2800',
      '\u034f',
      '\u{1d159}',
      '\u{16fe4}',
      '\u{13441}',
    ],
    ...[
      '\u{13442}',
      '\u200b',
      '\ufe0f',
      '\u180e',
      '\u{e0061}',
      '\u2003',
      '\u00ad',
      '\ufffc',
      '\uffff',
      ' \t ',
    ],
  ])('a title that looks empty is none: %j', (blank) => {
    expect(plainTitle(`${blank} ${blank}${blank}`)).toBe('');
  });

  test('a folder is taken from this machine only', () => {
    expect(folderOf('file://me/tmp', 'me')).toBe('/tmp');
    expect(folderOf('file:///tmp', 'me')).toBe('/tmp');
    expect(folderOf('file://you/tmp', 'me')).toBeNull();
    expect(folderOf('file:///tmp%0a', 'me')).toBeNull();
    expect(folderOf('file:///%ff', 'me')).toBeNull();
    expect(folderOf('tmp', 'me')).toBeNull();
  });
});

describe('what clients are told of it', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const start = () => {
    const told: AnnouncedFacts[] = [];
    const announcements = new Announcements((facts) => told.push(facts));
    const print = (text: string, isSeen: boolean) =>
      announcements.output(Buffer.from(text), isSeen);
    return { told, announcements, print };
  };

  test('a thousand titles are told as one', () => {
    const { told, print } = start();
    for (let at = 0; at < 1_000; at += 1) print(`\x1b]0;${at}\x07`, true);
    vi.runAllTimers();
    expect(told).toEqual([{ programTitle: '999', bell: false, unread: false }]);
  });

  test('it is unread only when somebody has looked away, and not once they look again', () => {
    const { told, announcements, print } = start();
    print('first\n', false);
    vi.runAllTimers();
    expect(told).toEqual([]);
    announcements.seen();
    print('seen\n', true);
    print('unseen\n', false);
    print('unseen\n', false);
    vi.runAllTimers();
    expect(told).toEqual([{ bell: false, unread: true }]);
    announcements.seen();
    vi.runAllTimers();
    expect(told.at(-1)).toEqual({ bell: false, unread: false });
  });

  test('a bell counts when nobody looks', () => {
    const { told, print } = start();
    print('\x07', true);
    vi.runAllTimers();
    expect(told).toEqual([]);
    print('\x07', false);
    vi.runAllTimers();
    expect(told).toEqual([{ bell: true, unread: false }]);
  });

  test('what is not told yet is told at the end', () => {
    const { told, announcements, print } = start();
    print('\x1b]0;last\x07', true);
    announcements.close();
    expect(told).toEqual([{ programTitle: 'last', bell: false, unread: false }]);
    vi.runAllTimers();
    expect(told).toHaveLength(1);
  });
});
