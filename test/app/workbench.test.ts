import { expect, test } from 'vitest';
import { createWindowRegistry } from '../../src/main/app/workbench';

test('closing the last window of a session denies what it asks; another window keeps it', () => {
  const denied: string[] = [];
  const open = createWindowRegistry((sessionId) => denied.push(sessionId));
  const first = open();
  const second = open();
  first.saw('a');
  first.saw('b');
  second.saw('b');
  first.close();
  expect(denied).toEqual(['a']);
  first.close();
  second.close();
  expect(denied).toEqual(['a', 'b']);
});

test('a page that is back from a reload keeps its questions', () => {
  const denied: string[] = [];
  const open = createWindowRegistry((sessionId) => denied.push(sessionId));
  const before = open();
  before.saw('a');
  const after = open();
  after.saw('a');
  before.close();
  expect(denied).toEqual([]);
});
