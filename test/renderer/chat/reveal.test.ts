import { expect, it } from 'vitest';
import { rowOfItem } from '../../../src/renderer/chat/reveal';
import { createRowList } from '../../../src/renderer/chat/rows';
import type { Item } from '../../../src/shared/transcript';

const call = (id: string): Item =>
  ({
    ...{ kind: 'call', id, tool: 'Read', title: { verb: 'Read', target: id }, status: 'done' },
    ...{ view: null },
  }) as Item;
const long = Array.from({ length: 300 }, (_, i) => `Paragraph ${i} with some words.`).join('\n\n');

it.each([
  ['p', 'Go', 'p'],
  ['t', 'Paragraph 0 ', 't'],
  ['t', 'Paragraph 290', 't'],
  ['t', 'nothing of it', 't'],
  ['c3', 'c3', 'c3'],
  ['none', 'x', null],
])('finds the row of %s with %j', (itemId, text, expected) => {
  const committed: Item[] = [
    { kind: 'prompt', id: 'p', text: 'Go', at: 1 },
    ...['c1', 'c2', 'c3', 'c4', 'c5'].map(call),
    { kind: 'text', id: 't', text: long, done: true },
  ];
  const rows = createRowList()({ committed, active: [], running: null });
  const at = rowOfItem(rows, { itemId, text });
  if (expected === null) {
    expect(at).toBe(-1);
    return;
  }
  const row = rows.at(at);
  const ids =
    row.kind === 'fold'
      ? row.rows.map(({ item }) => item.id)
      : row.kind === 'item'
        ? [row.item.id]
        : [];
  expect(ids).toContain(expected);
  if (row.kind !== 'item' || row.part === undefined) return;
  expect(row.part.blocks.join('').includes(text)).toBe(text !== 'nothing of it');
});
