import { expect, test } from 'vitest';
import { createKeptForms } from '../../../src/renderer/store/kept-forms';

/** A storage that holds what it is given, or takes nothing. */
function storage(full = false) {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (full) throw new Error('full');
      kept.set(key, value);
    },
  };
}

test('what was begun is there after a reload, until it is forgotten', () => {
  const tab = storage();
  const before = createKeptForms(tab);
  before.set('reason a', 'use y');
  before.set('reason __proto__', 'use z');
  before.set('plan b', 'first');
  before.set('plan b', null);
  const after = createKeptForms(tab);
  expect(after.get('reason a')).toBe('use y');
  expect(after.get('reason __proto__')).toBe('use z');
  expect(after.get('plan b')).toBeNull();
});

test('the oldest make room, and what is too long for the storage is not kept', () => {
  const tab = storage();
  const forms = createKeptForms(tab);
  for (let n = 0; n < 60; n += 1) forms.set(`reason ${n}`, 'x');
  forms.set('reason long', 'x'.repeat(100_000));
  const after = createKeptForms(tab);
  expect(after.get('reason 0')).toBeNull();
  expect(after.get('reason 59')).toBe('x');
  expect(after.get('reason long')).toBeNull();
});

test.each(['', 'null', '[1]', '{"a":1}', 'not json'])('a storage with %j is none', (text) => {
  const tab = storage();
  tab.setItem('lathe.forms', text);
  expect(createKeptForms(tab).get('a')).toBeNull();
});

test('a full storage does not stop the typing', () => {
  const forms = createKeptForms(storage(true));
  forms.set('reason a', 'use y');
  expect(forms.get('reason a')).toBe('use y');
});
