import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBodyJson } from '../../../src/main/engine/model/body-json';

const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
const list = fc.oneof(fc.array(object), fc.jsonValue(), fc.constant(undefined));
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: list });
const body = fc.record(
  {
    model: fc.string(),
    max_tokens: fc.nat(),
    system: list,
    tools: list,
    messages: fc.oneof(fc.array(message), list),
    metadata: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
  },
  { requiredKeys: [] },
);

it('makes of any body what JSON.stringify makes, also of parts it has met before', () => {
  fc.assert(
    fc.property(fc.array(body, { maxLength: 3 }), (bodies) => {
      const json = createBodyJson();
      for (const one of [...bodies, ...bodies]) {
        expect(json(one)).toBe(JSON.stringify(one));
        expect(json({ ...one, tools: bodies[0]?.tools })).toBe(
          JSON.stringify({ ...one, tools: bodies[0]?.tools }),
        );
      }
    }),
  );
});

it('turns a message once, and a long one each time', () => {
  const json = createBodyJson();
  let turned = 0;
  const message = (text: string) => ({
    role: 'user',
    get content() {
      turned += 1;
      return text;
    },
  });
  const messages = [message('short'), message('long'.repeat(20_000))];
  for (let i = 0; i < 3; i += 1) json({ messages: [...messages] });
  expect(turned).toBe(1 + 3);
});
