import { describe, expect, it } from 'vitest';
import { blockHolds, footnotesOf, labelsIn, noteOf } from '../../../src/renderer/chat/footnotes';
import { advance, NO_BLOCKS } from '../../../src/renderer/chat/markdown-blocks';

const LABELS = new Set(['1', 'a note', 'tide', '2']);

describe('footnotes', () => {
  it.each([
    ['Late.[^1]', 'Late.[1](#note-1)', []],
    ['No such note.[^9] And `[^1]`.', 'No such note.[^9] And `[^1]`.', []],
    [
      '[^1]: First.\n[^tide]: Second,\n    with more.\n',
      '',
      [
        ['1', 'First.'],
        ['tide', 'Second,\nwith more.'],
      ],
    ],
    ['See[^2].\n[^1]: As[^2] said.', 'See[2](#note-2).', [['1', 'As[2](#note-2) said.']]],
    ['```\n[^1]: code\n```', '```\n[^1]: code\n```', []],
  ])('%j', (block, text, notes) => {
    const found = footnotesOf(block, LABELS);
    expect(found.text).toBe(text);
    expect(found.notes.map(({ label, text: own }) => [label, own])).toEqual(notes);
  });

  it('finds the notes of a text that streams, wherever they stand', () => {
    const before = advance(NO_BLOCKS, 'A[^1] b[^2].\n\n');
    expect([...before.notes]).toEqual([]);
    const after = advance(before, 'A[^1] b[^2].\n\n[^1]: One.\n[^2]: Two.\n');
    expect([...after.notes]).toEqual(['1', '2']);
    expect(advance(after, `${after.source}\nMore.`).notes).toBe(after.notes);
  });

  it('tells where a place is', () => {
    expect(labelsIn('[^a]: x\n[b]: https://b.example')).toEqual(['a']);
    expect(blockHolds('[^a]: x', { scope: '', label: 'a', kind: 'note' })).toBe(true);
    expect(blockHolds('[^a]: x', { scope: '', label: 'a', kind: 'reference' })).toBe(false);
    expect(blockHolds('so[^a] it', { scope: '', label: 'a', kind: 'reference' })).toBe(true);
    expect(noteOf('#note-a%20b')).toBe('a b');
    expect(noteOf('#note-%zz')).toBeNull();
    expect(noteOf('https://a.example/#note-1')).toBeNull();
  });
});
