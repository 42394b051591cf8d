import { expect, it } from 'vitest';
import { fitted, type Opened } from '../../../src/renderer/app/layout';

const both: Opened = { sideOpen: true, dockOpen: true };
const wanted = { side: 240, dock: 460 };

it.each<[string, number, Opened, number, number]>([
  ['gives both columns what they want where there is room', 1440, both, 240, 460],
  ['lets the dock give way first', 1100, both, 240, 298],
  ['then the list, each down to its least width', 1024, both, 182, 280],
  ['never below that', 900, both, 180, 280],
  ['leaves closed columns closed', 1440, { sideOpen: false, dockOpen: true }, 0, 460],
  ['gives the list what a closed dock leaves', 1024, { sideOpen: true, dockOpen: false }, 240, 0],
])('%s', (_name, width, open, side, dock) => {
  const shares = fitted(wanted, open, width);
  const pixels = (id: string) => Math.round(((shares[id] ?? 0) / 100) * width);
  expect([pixels('side'), pixels('dock')]).toEqual([side, dock]);
  expect(pixels('centre')).toBe(width - side - dock);
});
