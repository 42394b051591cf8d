import { expect, test } from 'vitest';
import { createReadingPlaces } from '../../../src/renderer/store/reading-places';

function memory(kept = new Map<string, string>()) {
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}
const place = (key: string) => ({ open: ['toolu_1'], top: { key, offset: 12 } });

test('a reload finds each conversation as it was left, the newest twenty of them', () => {
  const storage = memory();
  const before = createReadingPlaces(storage);
  for (let n = 0; n < 25; n += 1) before.save(`s${n}`, place(`row ${n}`));
  before.save('s5', { open: [], top: null });
  const after = createReadingPlaces(storage);
  expect(after.get('s24')).toEqual(place('row 24'));
  expect(after.get('s5')).toEqual({ open: [], top: null });
  expect(after.get('s4')).toBeNull();
});

test.each(['', 'null', '{', '[["s1", {"open": 7}]]'])('a broken storage (%j) has nothing', (text) =>
  expect(createReadingPlaces(memory(new Map([['lathe.reading', text]]))).get('s1')).toBeNull(),
);

test('a full storage costs what a reload would keep', () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full');
    },
  };
  const places = createReadingPlaces(full);
  places.save('s1', place('row'));
  expect(places.get('s1')).toEqual(place('row'));
});
