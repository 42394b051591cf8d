import { expect, test } from 'vitest';
import { checkArchitecture } from './check';
import { BROKEN_IMPORTS, type Fakes } from './samples-imports';
import { BROKEN_SHAPES, FINE } from './samples-shape';
import { readSource } from './source-file';

const check = (fakes: Fakes) =>
  checkArchitecture(Object.entries(fakes).map(([path, text]) => readSource(path, text)));

test.each([...BROKEN_IMPORTS, ...BROKEN_SHAPES])('flags %s', (_what, rule, line, fakes) => {
  expect(check(fakes).map((v) => ({ rule: v.rule, line: v.line }))).toEqual([{ rule, line }]);
});

test.each(FINE)('allows %s', (_what, fakes) => {
  expect(check(fakes)).toEqual([]);
});
