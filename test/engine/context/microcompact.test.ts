import { describe, expect, it } from 'vitest';
import { budgetOf, contextLimits } from '../../../src/main/engine/context/limits';
import { createMicrocompact } from '../../../src/main/engine/context/microcompact';
import type { CacheFacts } from '../../../src/main/engine/context/policy';
import { messagesTokens } from '../../../src/main/engine/context/tokens';
import { project } from '../../../src/main/engine/messages/projection';
import type { Message } from '../../../src/shared/message';
import { noCompaction, WARM } from './support';

/** One call of a tool, and its result of so many tokens. */
const turn = (n: number, tool: string, resultTokens: number): readonly Message[] => [
  {
    role: 'assistant',
    id: `a${n}`,
    model: 'm',
    content: [{ type: 'tool_use', id: `c${n}`, name: tool, input: { n } }],
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
const prompt: Message = { role: 'user', id: 'u', content: [{ type: 'text', text: 'do it' }] };
const conversation = (tools: readonly string[], tokens = 5_000): readonly Message[] => [
  prompt,
  ...tools.flatMap((tool, n) => turn(n, tool, tokens)),
];
const reads = (count: number) => Array.from({ length: count }, () => 'Read');

function cleared(messages: readonly Message[], cache: CacheFacts = WARM) {
  const layer = createMicrocompact((tool) => tool === 'Read');
  const budget = budgetOf(messagesTokens(messages), contextLimits(1_000_000, 8_192), cache);
  const outcome = layer.apply(messages, budget, noCompaction, new AbortController().signal);
  if (!('edits' in outcome)) throw new Error('This layer asks no model.');
  const calls = outcome.edits.map((edit) => (edit.kind === 'replace_result' ? edit.callId : ''));
  return { ...outcome, calls, sent: project(messages, outcome.edits) };
}

describe('old results of calls that can be made again', () => {
  it('of a long conversation need one look at each tool, not one for each call', () => {
    const asked: string[] = [];
    const layer = createMicrocompact((tool) => asked.push(tool) > 0);
    const messages = conversation([...reads(500), 'Bash', ...reads(500)], 300);
    const budget = budgetOf(messagesTokens(messages), contextLimits(1_000_000, 8_192), WARM);
    layer.apply(messages, budget, noCompaction, new AbortController().signal);
    expect(asked).toEqual(['Read', 'Bash']);
  });

  it('stay while they cost less than the cache that clearing them breaks', () => {
    expect(cleared(conversation(reads(9))).calls).toEqual([]);
  });

  it('go once they have cost more; the calls and the newest three results stay', () => {
    const messages = conversation(reads(14));
    const { calls, sent, freed } = cleared(messages);
    expect(calls).toEqual(Array.from({ length: 11 }, (_, n) => `c${n}`));
    expect(messagesTokens(sent)).toBe(messagesTokens(messages) - freed);
    expect(sent.filter(({ role }) => role === 'assistant')).toHaveLength(14);
    expect(JSON.stringify(sent[2])).toContain('[Old result cleared, about 5000 tokens]');
    expect(sent.slice(-6)).toEqual(messages.slice(-6));
  });

  it('go at once when the cache is gone', () => {
    expect(cleared(conversation(reads(6)), { ...WARM, isCold: true }).calls).toHaveLength(3);
  });

  it('stay when the limit leaves too few turns', () => {
    expect(cleared(conversation(reads(14)), { ...WARM, turnsLeft: 1 }).calls).toEqual([]);
  });

  it('stay when they are of other tools, or small', () => {
    expect(cleared(conversation(reads(40).map(() => 'Agent'))).calls).toEqual([]);
    expect(cleared(conversation(reads(400), 200)).calls).toEqual([]);
  });

  it('go once only', () => {
    const { sent } = cleared(conversation(reads(14)));
    expect(cleared(sent).calls).toEqual([]);
  });
});
