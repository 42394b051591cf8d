import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetOf, contextLimits } from '../../../src/main/engine/context/limits';
import { snip } from '../../../src/main/engine/context/snip';
import { messagesTokens } from '../../../src/main/engine/context/tokens';
import { normalizeMessages } from '../../../src/main/engine/messages/normalize';
import { project } from '../../../src/main/engine/messages/projection';
import type { AssistantBlock, Message } from '../../../src/shared/message';
import { runs } from '../../support/runs';
import { noCompaction, WARM } from './support';

const LIMITS = contextLimits(200_000, 8_192);

/** One turn: thinking, words, a call, and its result of so many tokens. */
function turn(n: number, resultTokens: number, thinkingTokens = 0): readonly Message[] {
  const thinking: AssistantBlock[] =
    thinkingTokens === 0
      ? []
      : [{ type: 'thinking', thinking: 't'.repeat(thinkingTokens * 4), signature: 's' }];
  const call: AssistantBlock = { type: 'tool_use', id: `c${n}`, name: 'Read', input: { n } };
  return [
    {
      role: 'assistant',
      id: `a${n}`,
      model: 'm',
      content: [...thinking, { type: 'text', text: `words ${n}` }, call],
    },
    {
      role: 'user',
      id: `c${n}:result`,
      content: [
        {
          type: 'tool_result',
          tool_use_id: `c${n}`,
          content: [{ type: 'text', text: 'r'.repeat(resultTokens * 4) }],
        },
      ],
    },
  ];
}

const prompt: Message = { role: 'user', id: 'u', content: [{ type: 'text', text: 'do it' }] };
const turns = (first: number, count: number, resultTokens: number, thinkingTokens = 0) =>
  Array.from({ length: count }, (_, i) => turn(first + i, resultTokens, thinkingTokens)).flat();
const conversation = (count: number, resultTokens: number, thinkingTokens = 0) => [
  prompt,
  ...turns(0, count, resultTokens, thinkingTokens),
];

function snipped(messages: readonly Message[], tokens = messagesTokens(messages)) {
  const budget = budgetOf(tokens, LIMITS, WARM);
  const outcome = snip.apply(messages, budget, noCompaction, new AbortController().signal);
  if (!('edits' in outcome)) throw new Error('This layer asks no model.');
  return { ...outcome, sent: project(messages, outcome.edits) };
}

const isDropped = (message: Message | undefined) =>
  JSON.stringify(message).includes('left out to save space');

describe('old results and thinking', () => {
  it('stay below the threshold', () => {
    const messages = conversation(28, 5_000);
    expect(messagesTokens(messages)).toBeLessThan(LIMITS.autocompact * 0.8);
    expect(snipped(messages).edits).toEqual([]);
  });

  it('go from the oldest on until there is room again; calls, words and recent turns stay', () => {
    const messages = conversation(32, 5_000);
    const before = messagesTokens(messages);
    expect(before).toBeGreaterThan(LIMITS.autocompact * 0.8);
    const { sent, freed, edits } = snipped(messages);
    expect(before - freed).toBeLessThan(LIMITS.autocompact * 0.52);
    expect(before - freed).toBeGreaterThan(LIMITS.autocompact * 0.45);
    expect(messagesTokens(sent)).toBe(before - freed);
    const dropped = sent.map(isDropped);
    const last = dropped.lastIndexOf(true);
    expect(dropped.filter(Boolean)).toHaveLength(edits.length);
    expect(last).toBe(edits.length * 2);
    expect(JSON.stringify(sent)).toContain('words 0');
    expect(sent.slice(-20)).toEqual(messages.slice(-20));
  });

  it('stay when they are recent, small, or too few to be worth the cache', () => {
    expect(snipped(conversation(10, 16_000)).edits).toEqual([]);
    expect(snipped(conversation(400, 300), 170_000).edits).toEqual([]);
    const few = [...conversation(2, 5_000), ...turns(2, 10, 16_000)];
    expect(snipped(few).edits).toEqual([]);
  });

  it('takes thinking along: the old, and all that came after what was changed', () => {
    const messages = conversation(32, 4_000, 1_000);
    const { sent } = snipped(messages);
    expect(JSON.stringify(sent)).not.toContain('"thinking"');
    const recent = conversation(32, 4_000).slice(-20);
    expect(sent.slice(-20)).toEqual(recent);
  });

  it('stay when another call of the same id, from an old log, would be meant as well', () => {
    const messages = [...conversation(32, 5_000), ...turns(0, 32, 5_000)];
    expect(snipped(messages).edits).toEqual([]);
  });

  it('is done once: what was dropped does not go again', () => {
    const { sent } = snipped(conversation(32, 5_000));
    expect(snipped(sent, LIMITS.autocompact).edits.length).toBeLessThan(32);
    const again = snipped(sent, LIMITS.autocompact);
    expect(again.edits.every((edit) => !isDropped(findResult(sent, edit)))).toBe(true);
  });

  it('never parts a call from its result', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(9_000), fc.nat(2_000)), { minLength: 15, maxLength: 60 }),
        (sizes) => {
          const messages = [prompt, ...sizes.flatMap(([r, t], n) => turn(n, r, t))];
          const { sent } = snipped(messages, 175_000);
          const wire = normalizeMessages(sent, { model: 'm' });
          const uses = JSON.stringify(wire).match(/"type":"tool_use"/g)?.length;
          const results = JSON.stringify(wire).match(/"type":"tool_result"/g)?.length;
          expect([uses, results]).toEqual([sizes.length, sizes.length]);
          expect(JSON.stringify(wire)).not.toContain('interrupted');
        },
      ),
      { numRuns: runs(50) },
    );
  });
});

const findResult = (sent: readonly Message[], edit: { readonly kind: string }) =>
  'callId' in edit ? sent.find(({ id }) => id === `${edit.callId}:result`) : undefined;
