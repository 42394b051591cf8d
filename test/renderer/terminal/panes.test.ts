import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  exchanged,
  MAX_PANES,
  moved,
  neighbourOf,
  ONE_PANE,
  onlyWith,
  type PaneSide,
  placeOf,
  resized,
  shown,
  tabsOf,
  without,
  withPlaces,
} from '../../../src/renderer/terminal/panes';
import { PaneNode } from '../../../src/shared/terminal-panes';

/** Draws panes: `a b* | c` for tabs beside each other, `a / b` for one above the other; * is on screen. */
function draw(node: PaneNode): string {
  if (node.kind === 'tabs')
    return node.terminals.map((id) => (id === node.shown ? `${id}*` : id)).join(' ');
  const sign = node.direction === 'row' ? ' | ' : ' / ';
  return node.children.map((c) => (c.kind === 'split' ? `(${draw(c)})` : draw(c))).join(sign);
}

const start = (...ids: string[]) => withPlaces(ONE_PANE, ids, null);
const paneOf = (panes: PaneNode, id: string) => placeOf(panes, id)?.id ?? '';
const move = (panes: PaneNode, id: string, to: string, side: PaneSide) =>
  moved(panes, id, { pane: paneOf(panes, to), side });

describe('the panes of terminals', () => {
  test('a tab dropped on a side makes a pane there, in the middle it joins', () => {
    const tabs = shown(start('a', 'b', 'c'), 'a');
    expect(draw(move(tabs, 'b', 'a', 'right'))).toBe('a* c | b*');
    expect(draw(move(tabs, 'b', 'a', 'left'))).toBe('b* | a* c');
    expect(draw(move(tabs, 'b', 'a', 'top'))).toBe('b* / a* c');
    const split = move(tabs, 'b', 'a', 'bottom');
    expect(draw(split)).toBe('a* c / b*');
    expect(draw(move(split, 'c', 'b', 'right'))).toBe('a* / (b* | c*)');
    expect(draw(move(split, 'c', 'b', 'bottom'))).toBe('a* / b* / c*');
    expect(draw(move(split, 'b', 'a', 'middle'))).toBe('a c b*');
    expect(draw(move(split, 'a', 'b', 'middle'))).toBe('c* / b a*');
  });

  test('a tab that is alone stays where it is', () => {
    const alone = start('a');
    expect(move(alone, 'a', 'a', 'right')).toBe(alone);
    expect(move(alone, 'a', 'a', 'middle')).toBe(alone);
  });

  test('a pane whose last tab goes away goes with it, and its neighbour takes the room', () => {
    const split = move(move(start('a', 'b', 'c'), 'b', 'a', 'right'), 'c', 'b', 'bottom');
    expect(draw(split)).toBe('a | (b* / c*)');
    expect(draw(without(split, 'c'))).toBe('a | b*');
    expect(draw(without(split, 'a'))).toBe('b* / c*');
    expect(draw(without(without(without(split, 'a'), 'b'), 'c'))).toBe('');
  });

  test('one that is closed gives the front to its neighbour', () => {
    expect(draw(without(shown(start('a', 'b', 'c'), 'b'), 'b'))).toBe('a c*');
    expect(draw(without(shown(start('a', 'b', 'c'), 'c'), 'c'))).toBe('a b*');
    expect(draw(without(shown(start('a', 'b', 'c'), 'a'), 'c'))).toBe('a* b');
  });

  test('what runs again takes the place of what has ended', () => {
    const split = move(start('a', 'b'), 'b', 'a', 'right');
    expect(draw(exchanged(split, 'b', 'n'))).toBe('a | n*');
    expect(draw(exchanged(withPlaces(split, ['n'], null), 'b', 'n'))).toBe('a | n*');
  });

  test('new terminals come into the pane in use, and places of others are kept', () => {
    const split = move(start('a', 'b'), 'b', 'a', 'right');
    expect(draw(withPlaces(split, ['c'], paneOf(split, 'b')))).toBe('a | b* c');
    expect(draw(withPlaces(split, ['c'], 'gone'))).toBe('a c | b*');
    const seen = onlyWith(withPlaces(split, ['c'], null), new Set(['b']));
    expect(seen === null ? '' : draw(seen)).toBe('b*');
    expect(onlyWith(split, new Set())).toBeNull();
  });

  test('sizes are kept by pane, and neighbours go round', () => {
    const split = move(start('a', 'b'), 'b', 'a', 'right');
    const sizes = { [paneOf(split, 'a')]: 30, [paneOf(split, 'b')]: 70 };
    expect(tabsOf(resized(split, split.id, sizes)).map(({ size }) => size)).toEqual([30, 70]);
    expect(neighbourOf(split, paneOf(split, 'b'), 1)?.terminals).toEqual(['a']);
    expect(neighbourOf(split, paneOf(split, 'a'), -1)?.terminals).toEqual(['b']);
    expect(neighbourOf(start('a'), null, 1)).toBeNull();
  });

  test('whatever is moved and closed, each terminal has one place, and it can be kept', () => {
    const ids = fc.constantFrom(...'abcdefghijklmnopqr');
    const sides = fc.constantFrom<PaneSide[]>('middle', 'left', 'right', 'top', 'bottom');
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constant('move' as const), ids, ids, sides) },
      fc.tuple(fc.constant('close' as const), ids),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        let panes = start(...'abcdefghijklmnopqr');
        const left = new Set('abcdefghijklmnopqr');
        for (const one of acts) {
          if (one[0] === 'close') left.delete(one[1]);
          else if (left.has(one[1]) && left.has(one[2]))
            panes = move(panes, one[1], one[2], one[3]);
          if (one[0] === 'close') panes = without(panes, one[1]);
          const placed = tabsOf(panes).flatMap(({ terminals }) => terminals);
          expect([...placed].sort()).toEqual([...left].sort());
          expect(tabsOf(panes).length).toBeLessThanOrEqual(MAX_PANES);
          expect(new Set(tabsOf(panes).map(({ id }) => id)).size).toBe(tabsOf(panes).length);
          expect(panes.kind === 'tabs' || tabsOf(panes).every((p) => p.terminals.length > 0)).toBe(
            true,
          );
        }
        expect(PaneNode.safeParse(panes).success).toBe(true);
      }),
    );
  });
});
