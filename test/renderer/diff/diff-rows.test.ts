import { describe, expect, it } from 'vitest';
import {
  changedParts,
  countChanges,
  diffRows,
  diffSides,
  splitRows,
} from '../../../src/renderer/diff/diff-rows';

describe('diffRows', () => {
  it('numbers the lines of both sides', () => {
    const rows = diffRows([{ oldStart: 4, newStart: 4, lines: [' a', '-b', '+c', '+d', ' e'] }]);
    expect(
      rows.map((r) => ('oldLine' in r ? [r.kind, r.oldLine, r.newLine, r.text] : [r.kind])),
    ).toEqual([
      ['gap'],
      ['context', 4, 4, 'a'],
      ['removed', 5, null, 'b'],
      ['added', null, 5, 'c'],
      ['added', null, 6, 'd'],
      ['context', 6, 7, 'e'],
    ]);
  });

  it('counts unchanged lines before and between hunks', () => {
    const rows = diffRows([
      { oldStart: 1, newStart: 1, lines: [' a', '-b'] },
      { oldStart: 10, newStart: 9, lines: [' x'] },
    ]);
    expect(rows.filter((r) => r.kind === 'gap')).toMatchObject([{ count: 7 }]);
  });

  it('keeps what is no line, empty lines and keys apart', () => {
    const rows = diffRows([
      { oldStart: 1, newStart: 1, lines: ['', '-x', '\\ No newline at end of file', '+', '++'] },
    ]);
    expect(rows.map((r) => r.kind)).toEqual(['context', 'removed', 'note', 'added', 'added']);
    expect(rows.at(-1)).toMatchObject({ text: '+' });
    expect(new Set(rows.map((r) => r.key)).size).toBe(rows.length);
  });

  it('marks the changed words of paired lines only', () => {
    const rows = diffRows([
      { oldStart: 1, newStart: 1, lines: ['-const a = total + 1;', '+const a = total + 2;'] },
    ]);
    expect(rows).toMatchObject([
      { part: { start: 18, end: 19 } },
      { part: { start: 18, end: 19 } },
    ]);
    const uneven = diffRows([{ oldStart: 1, newStart: 1, lines: ['-a b c d', '+a b c e', '+f'] }]);
    expect(uneven.every((r) => !('part' in r) || r.part === null)).toBe(true);
  });

  it('counts changes', () => {
    const hunks = [{ oldStart: 1, newStart: 1, lines: ['+a', '+b', '-c', ' d', '\\ x'] }];
    expect(countChanges(hunks)).toEqual({ added: 2, removed: 1 });
  });
});

describe('changedParts', () => {
  it.each([
    ['a whole word', 'let count = value;', 'let count = values;', 'value', 'values'],
    [
      'something put in',
      'if (x) go(); // same tail',
      'if (x && y) go(); // same tail',
      '',
      ' && y',
    ],
    ['something taken out', 'run(a, b, c)', 'run(a, c)', 'b, ', ''],
    ['repeated letters', 'const aa = 1; // text', 'const aaa = 1; // text', 'aa', 'aaa'],
  ])('%s', (_, before, after, old, next) => {
    const parts = changedParts(before, after);
    expect(before.slice(parts?.old.start, parts?.old.end)).toBe(old);
    expect(after.slice(parts?.new.start, parts?.new.end)).toBe(next);
  });

  it.each([
    ['equal lines', 'same', 'same'],
    ['nothing in common', 'return true;', 'throw new Error(message);'],
    ['one empty', '', 'x'],
  ])('says nothing for %s', (_, before, after) => expect(changedParts(before, after)).toBeNull());
});

/** Each row as `left | right`. */
const drawn = (lines: readonly string[]): readonly string[] =>
  splitRows(diffRows([{ oldStart: 1, newStart: 1, lines: [...lines] }])).map((row) =>
    row.kind === 'pair' ? `${row.left?.text ?? '·'} | ${row.right?.text ?? '·'}` : row.kind,
  );

describe('splitRows', () => {
  it.each([
    ['context on both sides', [' a'], ['a | a']],
    ['a change side by side', ['-a', '+b'], ['a | b']],
    ['more removed than added', ['-a', '-b', '+c'], ['a | c', 'b | ·']],
    ['more added than removed', ['-a', '+b', '+c'], ['a | b', '· | c']],
    ['only added', ['+a', ' b'], ['· | a', 'b | b']],
    ['two changes in a row', ['-a', '+b', '-c', '+d'], ['a | b', 'c | d']],
    ['a note across', ['-a', '\\ No newline at end of file', '+a'], ['a | ·', 'note', '· | a']],
  ])('%s', (_, lines, rows) => expect(drawn(lines)).toEqual(rows));
});

describe('diffSides', () => {
  it('gives each side as text, and the line of each row in it', () => {
    const rows = diffRows([
      { oldStart: 4, newStart: 4, lines: [' a', '-b', '+c', '+d', ' e', '\\ No newline'] },
      { oldStart: 20, newStart: 21, lines: [' f'] },
    ]);
    const { before, after } = diffSides(rows);
    expect(before.code).toBe('a\nb\ne\nf');
    expect(after.code).toBe('a\nc\nd\ne\nf');
    for (const [at, side] of [before, after].entries())
      for (const row of rows) {
        const line = side.lines.get(row.key);
        const shows = 'oldLine' in row && row.kind !== (at === 0 ? 'added' : 'removed');
        expect(line === undefined ? null : side.code.split('\n')[line]).toBe(
          shows && 'text' in row ? row.text : null,
        );
      }
  });
});
