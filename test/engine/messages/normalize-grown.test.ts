import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNormalizer, normalizeMessages } from '../../../src/main/engine/messages/normalize';
import type { AssistantBlock, Message } from '../../../src/shared/message';
import { runs } from '../../support/runs';
import { history } from './arbitraries';
import { assistant, result, think, use, user } from './builders';

/** The lengths at which a request is made of a growing history. */
const cuts = fc
  .array(fc.nat({ max: 14 }), { maxLength: 6 })
  .map((list) => list.sort((a, b) => a - b));
const options = fc.record({
  model: fc.constantFrom('claude-opus-5-5', 'claude-haiku-5-5'),
  context: fc.constantFrom('', 'facts'),
  maxImages: fc.integer({ min: 0, max: 5 }),
  freshFrom: fc.constantFrom('none', 'u3', 'a5', null),
});

/** Calls with ids of their own, as a model makes them; now and then one that is used again. */
const healthy = fc
  .array(
    fc.record({
      calls: fc.array(fc.constantFrom('own', 'own', 'own', 'again'), { maxLength: 3 }),
      prompt: fc.boolean(),
      thinks: fc.boolean(),
      image: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((turns) =>
    turns.flatMap(({ calls, prompt, thinks, image }, turn): Message[] => {
      const ids = calls.map((kind, i) => (kind === 'own' ? `c${turn}_${i}` : 'c0_0'));
      return [
        ...(prompt || turn === 0 ? [user(`prompt ${turn}`)] : []),
        assistant(...(thinks ? [think(`t${turn}`)] : []), `answer ${turn}`, ...ids.map(use)),
        ...ids.map((id) => user(result(id))),
        ...(image ? [picture(turn)] : []),
      ];
    }),
  );
const picture = (turn: number): Message => ({
  role: 'attachment',
  id: `p${turn}`,
  kind: 'mention',
  text: 'a picture',
  images: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } }],
});

describe('a normalizer', () => {
  it('makes of a history that grows what normalizing it anew would make', () => {
    fc.assert(
      fc.property(fc.oneof(history, healthy), cuts, options, (all, lengths, given) => {
        const normalize = createNormalizer();
        for (const length of [...lengths, all.length]) {
          const now = all.slice(0, length);
          expect(normalize(now, given)).toEqual(normalizeMessages(now, given));
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  it('follows a history that changes, and options that do', () => {
    fc.assert(
      fc.property(history, healthy, fc.array(options, { maxLength: 3 }), (a, b, given) => {
        const normalize = createNormalizer();
        for (const one of given)
          for (const h of [a, [...a, ...b], b, b.slice(1)])
            expect(normalize(h, one)).toEqual(normalizeMessages(h, one));
      }),
      { numRuns: runs(300) },
    );
  });

  it('takes none of the thinking in a tail that lacks its end, however it grows', () => {
    const normalize = createNormalizer();
    const given = { model: 'claude-opus-5-5', context: 'facts' };
    const boundary: Message = { role: 'boundary', id: 'b', summary: 'S', keptUntil: 'gone' };
    const tail = [boundary, assistant(think('t'), 'one', use('a')), user(result('a'))];
    const all = [...tail, assistant(think('u'), 'two'), user('go on')];
    for (const now of [tail, all]) {
      expect(normalize(now, given)).toEqual(normalizeMessages(now, given));
      expect(JSON.stringify(normalize(now, given))).not.toContain('"thinking"');
    }
  });

  it('joins an answer to the one before when the results between them have no call', () => {
    const normalize = createNormalizer();
    const given = { model: 'claude-opus-5-5', context: '' };
    const lone: AssistantBlock = {
      type: 'other',
      raw: { type: 'web_search_tool_result', tool_use_id: 'st1', content: [] },
    };
    const cut = [assistant(think('t'), lone), user(result('gone'))];
    const all = [...cut, assistant('two'), user('go on')];
    for (const now of [cut, all])
      expect(normalize(now, given)).toEqual(normalizeMessages(now, given));
    expect(JSON.stringify(normalize(all, given))).toContain('"thinking":"t"');
  });

  it('leaves what was sent the same objects', () => {
    const normalize = createNormalizer();
    const given = { model: 'claude-opus-5-5', context: 'facts' };
    const first = [user('go'), assistant('one', use('a')), user(result('a'))];
    const before = normalize(first, given);
    const after = normalize([...first, assistant('two', use('b')), user(result('b'))], given);
    expect(after).toHaveLength(5);
    expect(before.map((message, i) => message === after[i])).toEqual([true, true, true]);
  });
});
