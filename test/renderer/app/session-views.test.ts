import { expect, test } from 'vitest';
import { defaultLayout, readLayout, writeLayout } from '../../../src/renderer/app/layout';
import {
  byFile,
  changesIn,
  foregroundCall,
  latestTodos,
  promptsIn,
} from '../../../src/renderer/app/session-views';
import type { Item } from '../../../src/shared/transcript';
import { fakeScenario } from '../../support/fake-host/scenario';

const items = fakeScenario('busy', 1_000_000).transcripts[0]?.active ?? [];
const edit = items.find((i) => i.kind === 'call' && i.view?.kind === 'diff');

const again = (id: string, over: object): Item => ({ ...edit, id, ...over }) as Item;

test('changes are summed by file, the one touched last first; what did not happen is left out', () => {
  const view = edit?.kind === 'call' && edit.view?.kind === 'diff' ? edit.view : null;
  const files = byFile(
    changesIn([
      ...items,
      again('c7', { view: { ...view, path: '/p/other.ts', created: true } }),
      again('c8', {}),
      again('c9', { status: 'denied' }),
    ]),
  );
  expect(
    files.map((f) => [f.path.split('/').at(-1), f.changes.length, f.added, f.removed]),
  ).toEqual([
    ['require-user.ts', 2, 6, 2],
    ['other.ts', 1, 3, 1],
  ]);
  expect(files[1]?.created).toBe(true);
});

test('the newest plan counts', () => {
  const plan = items.find((i) => i.kind === 'call' && i.view?.kind === 'todo');
  const newer = { ...plan, id: 'c10', view: { kind: 'todo', items: [] } } as Item;
  expect(latestTodos(items)?.length).toBe(4);
  expect(latestTodos([...items, newer])).toEqual([]);
  expect(latestTodos([])).toBeNull();
});

test('earlier prompts, without repeating the last one', () => {
  const prompt = (id: string, text: string): Item => ({ kind: 'prompt', id, text, at: 0 });
  expect(promptsIn([prompt('1', 'a'), prompt('2', 'a'), prompt('3', 'b')])).toEqual(['a', 'b']);
});

test('only a running foreground command can be moved to the background', () => {
  expect(foregroundCall(items)).toBe('c5');
  expect(foregroundCall(items.slice(0, -1))).toBeNull();
});

test.each([1024, 1100, 1280, 2560, 5120])('at %i px the columns fit', (width) => {
  const { side, dock } = defaultLayout(width);
  const centre = (width * (100 - side - dock)) / 100;
  expect(centre).toBeGreaterThanOrEqual(562);
});

test('the dock waits for something in it where room is scarce, unless the user chose', () => {
  expect([1024, 1279, 1280].map((width) => readLayout(undefined, width).dockOpen)).toEqual([
    false,
    false,
    true,
  ]);
  expect(readLayout({ dockOpen: 1 }, 1024).dockOpen).toBe(true);
  expect(readLayout({ dockOpen: 0 }, 1280).dockOpen).toBe(false);
});

test('a layout survives being written down', () => {
  const layout = { side: 21.25, dock: 33.5, panels: 60, sideOpen: false, dockOpen: true };
  const chosen = { ...layout, dockChosen: true };
  expect(readLayout(writeLayout(chosen), 1280)).toEqual(chosen);
  const open = { ...layout, dockChosen: false };
  expect(readLayout(writeLayout(open), 1024).dockOpen).toBe(false);
});

test('nonsense sizes fall back', () => {
  expect(readLayout({ side: -3, dock: 400, panels: Number.NaN }, 1280)).toEqual(
    defaultLayout(1280),
  );
});
