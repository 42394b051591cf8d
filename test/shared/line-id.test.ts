import { expect, it } from 'vitest';
import { lineId } from '../../src/shared/line-id';

it('is a UUID, the same for the same id and another for another', () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => lineId(`msg_${at}`));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[0]).toBe(lineId('msg_0'));
  for (const id of ids.slice(0, 100))
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const own = '0b6f2c1e-6c1d-4b52-9a51-4a35a4cf6d10';
  expect(lineId(own)).toBe(own);
});
