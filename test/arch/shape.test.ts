import { expect, test } from 'vitest';
import { measureShape } from './shape';
import { readSource } from './source-file';

const lines = (count: number, first = ''): string =>
  [first, ...Array.from({ length: count - 1 }, (_, i) => `export const a${i} = ${i};`)].join('\n');

const measure = (files: Readonly<Record<string, string>>) =>
  measureShape(Object.entries(files).map(([path, text]) => readSource(path, text)));

test('counts files and lines, with median, 90th percentile and what is over the cap', () => {
  const sizes = [10, 20, 30, 40, 50, 60, 70, 80, 90, 401];
  const shape = measure(Object.fromEntries(sizes.map((n) => [`src/f${n}.ts`, lines(n)])));
  expect(shape).toMatchObject({
    files: 10,
    lines: 851,
    medianLines: 60,
    p90Lines: 401,
    maxLines: 401,
  });
  expect(shape.overCap).toEqual(['src/f401.ts']);
});

test('a file is a crumb when it is short and one neighbour alone imports it', () => {
  const shape = measure({
    'src/a/user.ts': lines(
      70,
      "import './crumb'; import './big'; import './shared'; import '../b/far';",
    ),
    'src/a/other.ts': lines(70, "import './shared';"),
    'src/a/crumb.ts': lines(59),
    'src/a/big.ts': lines(60),
    'src/a/shared.ts': lines(10),
    'src/b/far.ts': lines(10),
  });
  expect(shape.oneNeighbour).toEqual(['src/a/crumb.ts', 'src/a/big.ts']);
  expect(shape.crumbs).toEqual(['src/a/crumb.ts']);
  expect(shape.cycles).toEqual([]);
});

test('two imports by one file are one importer, and cycles are told as a way round', () => {
  const shape = measure({
    'src/a.ts': "import type { B } from './b'; import { b } from './b';",
    'src/b.ts': "import './a';",
  });
  expect(shape.crumbs).toEqual(['src/a.ts', 'src/b.ts']);
  expect(shape.cycles).toEqual([['src/a.ts', 'src/b.ts', 'src/a.ts']]);
});

test('nothing has a shape too', () => {
  expect(measure({})).toMatchObject({
    files: 0,
    medianLines: 0,
    p90Lines: 0,
    maxLines: 0,
    crumbs: [],
  });
});
