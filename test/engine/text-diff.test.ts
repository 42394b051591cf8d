import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from '../../src/main/engine/text-diff';
import type { DiffHunk } from '../../src/shared/tool-call';

const text = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');

/** Makes the new text out of the old one and the hunks. */
function applyHunks(before: string, hunks: readonly DiffHunk[]): string {
  const old = before.split('\n');
  const result: string[] = [];
  let at = 0;
  for (const { oldStart, lines } of hunks) {
    const start = Math.max(oldStart - 1, 0);
    result.push(...old.slice(at, start));
    at = start;
    for (const line of lines) {
      if (line[0] !== '-') result.push(line.slice(1));
      if (line[0] !== '+') at += 1;
    }
  }
  return [...result, ...old.slice(at)].join('\n');
}

describe('diffLines', () => {
  it('shows three lines around each change', () => {
    const before = text(20, (i) => `line ${i}`);
    const diff = diffLines(before, before.replace('line 10', 'LINE 10'), 100);
    expect(diff).toMatchObject({ added: 1, removed: 1 });
    expect(diff.hunks).toEqual([
      {
        oldStart: 8,
        newStart: 8,
        lines: [
          ' line 7',
          ' line 8',
          ' line 9',
          '-line 10',
          '+LINE 10',
          ' line 11',
          ' line 12',
          ' line 13',
        ],
      },
    ]);
  });

  it('says what its bound left out, and counts it all the same', () => {
    const diff = diffLines('', text(50, String), 10);
    expect(diff.added).toBe(50);
    expect(diff.hunks.flatMap((hunk) => hunk.lines)).toHaveLength(11);
    expect(diff.hunks.at(-1)?.lines.at(-1)).toContain('40 more lines');
  });

  it('stays quick and right when everything changed', () => {
    const before = `same\n${text(20_000, (i) => `old ${i}`)}end\n`;
    const after = `same\n${text(20_000, (i) => `new ${i}`)}end\n`;
    const diff = diffLines(before, after, 100_000);
    expect(diff).toMatchObject({ added: 20_000, removed: 20_000 });
    expect(applyHunks(before, diff.hunks)).toBe(after);
  });

  it('finds as few changes as a search through the whole of both texts, however their lines end', () => {
    const piece = fc.constantFrom('a', 'b', '\n', '\r\n', '\n\n', '😀');
    const texts = fc.array(piece, { maxLength: 60 }).map((all) => all.join(''));
    fc.assert(
      fc.property(texts, texts, texts, texts, (head, old, now, tail) => {
        const [before, after] = [head + old + tail, head + now + tail];
        const whole = structuredPatch('', '', before, after).hunks.flatMap(({ lines }) => lines);
        const count = (sign: string) => whole.filter((line) => line.startsWith(sign)).length;
        const diff = diffLines(before, after, 1000);
        expect(diff).toMatchObject({ added: count('+'), removed: count('-') });
      }),
    );
  });

  it('the hunks turn the old text into the new one', () => {
    const line = fc.constantFrom('a', 'b', 'c', '- d', '+ e', '');
    const lines = fc.array(line, { maxLength: 30 }).map((all) => all.map((l) => `${l}\n`).join(''));
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(applyHunks(before, diffLines(before, after, 1000).hunks)).toBe(after);
      }),
    );
  });
});
