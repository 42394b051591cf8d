import { describe, expect, it } from 'vitest';
import { collapse } from '../../../src/main/engine/context/collapse';
import { budgetOf, contextLimits } from '../../../src/main/engine/context/limits';
import { messagesTokens } from '../../../src/main/engine/context/tokens';
import { createHistory } from '../../../src/main/engine/messages/history';
import { normalizeMessages } from '../../../src/main/engine/messages/normalize';
import { project } from '../../../src/main/engine/messages/projection';
import type { DurableEvent } from '../../../src/shared/agent-event';
import type { Message } from '../../../src/shared/message';
import { noCompaction, WARM } from './support';

const LIMITS = contextLimits(200_000, 8_192);

const prompt = (id: string): Message => ({
  role: 'user',
  id,
  content: [{ type: 'text', text: `please do ${id}` }],
});
const answer = (id: string, text: string): Message => ({
  role: 'assistant',
  id,
  model: 'm',
  content: [{ type: 'text', text }],
});
const turn = (id: string, tokens: number, failed = false): readonly Message[] => [
  {
    role: 'assistant',
    id: `a-${id}`,
    model: 'm',
    content: [
      { type: 'text', text: `looking at ${id}` },
      { type: 'tool_use', id, name: 'Agent', input: { prompt: `find ${id}` } },
    ],
  },
  {
    role: 'user',
    id: `${id}:result`,
    content: [
      {
        type: 'tool_result',
        tool_use_id: id,
        content: [{ type: 'text', text: 'found '.repeat(tokens) }],
        ...(failed ? { is_error: true } : {}),
      },
    ],
  },
];
const turns = (name: string, count: number, tokens = 2_000) =>
  Array.from({ length: count }, (_, n) => turn(`${name}${n}`, tokens)).flat();

/** A finished query, and one that runs. */
const talk: readonly Message[] = [
  prompt('first'),
  ...turns('x', 9),
  ...turn('broken', 100, true),
  answer('done', 'The first is done.'),
  prompt('second'),
  ...turns('y', 14),
];

type Folds = readonly Extract<
  Extract<DurableEvent, { type: 'context_edited' }>['edits'][number],
  { kind: 'fold' }
>[];

function folded(
  messages: readonly Message[],
  tokens: number,
  { pins = [] as readonly string[], how = collapse.apply } = {},
) {
  const deps = { ...noCompaction, pinned: () => new Set(pins) };
  const outcome = how(messages, budgetOf(tokens, LIMITS, WARM), deps, new AbortController().signal);
  if (!('edits' in outcome)) throw new Error('This layer asks no model.');
  const folds = outcome.edits.filter((edit) => edit.kind === 'fold') as Folds;
  return { ...outcome, folds, sent: project(messages, outcome.edits) };
}

describe('finished spans of work', () => {
  it('name the newest of many calls, and those that failed; of the others how many there were', () => {
    const many = [prompt('first'), ...turn('bad', 100, true), ...turns('x', 99), ...turns('y', 10)];
    const { folds } = folded(many, 170_000);
    const account = folds.map(({ text }) => text).join();
    expect(account).toContain('- 39 × Agent, and then:');
    expect(account).toContain('find bad');
    expect(account).not.toContain('find x38');
    expect(account).toContain('find x39');
    expect(account).toContain('looking at x0');
  });

  it('stay while there is room and little to gain', () => {
    expect(folded(talk, 100_000).edits).toEqual([]);
  });

  it('are folded when the window fills up: prompts, final answers and recent work stay', () => {
    const { sent, freed, folds } = folded(talk, 175_000);
    expect(folds).toHaveLength(2);
    expect(messagesTokens(sent)).toBe(messagesTokens(talk) - freed);
    const said = JSON.stringify(normalizeMessages(sent, { model: 'm' }));
    expect(said).toContain('please do first');
    expect(said).toContain('The first is done.');
    expect(said).toContain('looking at x3');
    expect(said).toContain('- Agent {\\"prompt\\":\\"find x3\\"}');
    expect(said).toMatch(/find broken\\"} failed: found/);
    expect(said).not.toContain('"id":"x3"');
    expect(sent.slice(-20)).toEqual(talk.slice(-20));
  });

  it('stay whole where something in them is pinned', () => {
    const { folds } = folded(talk, 175_000, { pins: ['x2:result'] });
    expect(folds.map(({ messageIds }) => messageIds[0])).toEqual(['a-y0']);
  });

  it('are folded up to the newest two answers when the API refused the request', () => {
    const how = collapse.overflow?.apply;
    const { folds } = folded(talk, 1_000, { how: how ?? collapse.apply });
    expect(folds.at(-1)?.messageIds.at(-1)).toBe('y11:result');
    expect(collapse.overflow?.retry).toBe('collapse_drain_retry');
  });

  it('are folded for money once they were carried long enough', () => {
    const long = [prompt('first'), ...turns('x', 49, 300), answer('done', 'Done.')];
    const more = [...long, prompt('second'), ...turns('y', 40, 10)];
    const { folds } = folded(more, messagesTokens(more));
    expect(folds).toHaveLength(2);
    expect(folded(more.slice(0, -2), messagesTokens(more)).folds).toEqual([]);
  });

  it('come back as they were', () => {
    const history = createHistory();
    for (const message of talk) {
      if (message.role === 'user' && message.content[0]?.type === 'text')
        history.fold({ type: 'user_message', id: message.id, content: [...message.content] });
      else if (message.role === 'assistant')
        for (const [index, block] of message.content.entries())
          history.fold({
            ...{ type: 'block_finished', messageId: message.id, model: 'm', index, block },
          });
      else if (message.role === 'user' && message.content[0]?.type === 'tool_result')
        history.fold({
          ...{ type: 'call_settled', callId: message.content[0].tool_use_id, tool: 'Agent' },
          ...{ title: { verb: '', target: '' }, status: 'done', view: null, durationMs: 0 },
          content: [...message.content[0].content],
          isError: message.content[0].is_error === true,
        });
    }
    const before = history.messages();
    const { edits, freed, folds, sent } = folded(before, 175_000);
    const event = { type: 'context_edited', layer: 'collapse', counted: 0 } as const;
    history.fold({ ...event, edits: [...edits], freed });
    expect(history.messages()).toEqual(sent);
    const undo = folds.map(({ id }) => ({ kind: 'unfold' as const, id }));
    history.fold({ ...event, edits: undo, freed: -freed });
    expect(history.messages()).toEqual(before);
    history.fold({ ...event, edits: undo, freed: 0 });
    expect(history.messages()).toEqual(before);
  });
});
