import { describe, expect, it } from 'vitest';
import { diffRows } from '../../../src/renderer/diff/diff-rows';
import { splitRows } from '../../../src/renderer/diff/split-rows';

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
