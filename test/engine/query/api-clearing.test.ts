import { describe, expect, it } from 'vitest';
import { contextReport } from '../../../src/main/engine/context/report';
import { CLEARED } from '../../../src/main/engine/messages/cache';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { createEchoTool } from '../../support/echo-tool';
import type { RecordedRequest } from '../../support/scripted-api';
import {
  error,
  type MessageReply,
  type Reply,
  reply,
  thinking,
  toolUse,
} from '../../support/scripted-api-replies';
import type { TestSession, TestSessionOptions } from '../../support/session';
import { endOf, ofType, sessionsOfFile } from './support';

const start = sessionsOfFile();

const BETA = 'context-management-2025-06-27';
/** The calls of the first prompt: from the 20th or so on, clearing all old results is worth the cache that it breaks. */
const CALLS = 26;
/** The tokens of each result. */
const RESULT_TOKENS = 5_000;

interface Edit {
  readonly type: string;
  readonly keep: { readonly value: number } | 'all';
  readonly exclude_tools?: readonly string[];
}
const editsOf = ({ body }: RecordedRequest): readonly Edit[] =>
  (body['context_management'] as { readonly edits: readonly Edit[] } | undefined)?.edits ?? [];
const isAsked = (request: RecordedRequest): boolean => editsOf(request).length > 0;

type Block = Readonly<Record<string, unknown>>;
const blocksOf = ({ body }: RecordedRequest): readonly Block[] =>
  body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : [...content]));
const countOf = (request: RecordedRequest, type: string): number =>
  blocksOf(request).filter((block) => block['type'] === type).length;

/** Returns what a server clears that takes the newest calls and thinking as kept, whatever kind they are. */
function appliedTo(request: RecordedRequest): readonly Block[] {
  const [think, results] = editsOf(request);
  if (think === undefined || results === undefined) return [];
  const calls = blocksOf(request).filter(({ type }) => type === 'tool_use');
  const kept = results.keep === 'all' ? calls.length : results.keep.value;
  const gone = calls
    .slice(0, calls.length - kept)
    .filter(({ name }) => !results.exclude_tools?.includes(String(name)));
  const turns = countOf(request, 'thinking');
  const thoughts = think.keep === 'all' ? 0 : Math.max(0, turns - think.keep.value);
  return [
    { type: think.type, cleared_thinking_turns: thoughts, cleared_input_tokens: thoughts },
    {
      type: results.type,
      cleared_tool_uses: gone.length,
      cleared_input_tokens: gone.length * RESULT_TOKENS,
    },
  ];
}

/** The ids of the calls whose results a request asks to clear. */
const asked = (request: RecordedRequest): string => {
  const results = editsOf(request)[1];
  const calls = blocksOf(request).filter(({ type }) => type === 'tool_use');
  const kept = results?.keep === 'all' ? calls.length : (results?.keep.value ?? 0);
  return calls
    .slice(0, calls.length - kept)
    .map(({ id }) => id)
    .join();
};

/** Answers with a thought and a call until enough are made; `last` has the last word about each. */
const working =
  (last: (request: RecordedRequest, usual: MessageReply) => Reply = (_, usual) => usual) =>
  (request: RecordedRequest): Reply => {
    const cleared = isAsked(request) ? appliedTo(request) : undefined;
    const made = countOf(request, 'tool_use');
    const gone = Number(cleared?.[1]?.['cleared_tool_uses'] ?? 0);
    const usage = { input_tokens: 2_000 + (made - gone) * RESULT_TOKENS, output_tokens: 20 };
    const how = { usage, ...(cleared === undefined ? {} : { cleared }) };
    const tool = made === 0 ? 'Once' : 'Echo';
    const usual =
      made >= CALLS
        ? reply('Done.', how)
        : reply(
            [
              thinking(`Thought ${made}.`),
              toolUse(tool, { text: `${made}`.padStart(20), times: 1_000 }, `c${made}`),
            ],
            how,
          );
    return last(request, usual);
  };

const options = (more: TestSessionOptions = {}): TestSessionOptions => ({
  tools: [
    { ...createEchoTool(), isRepeatable: true },
    { ...createEchoTool(), name: 'Once' },
  ],
  client: { betas: [BETA] },
  ...more,
});
const isCleared = (request: RecordedRequest | undefined): boolean =>
  JSON.stringify(request?.body).includes(CLEARED);
const last = (t: TestSession): RecordedRequest | undefined => t.api.requests.at(-1);

describe('the API’s own clearing of old results', () => {
  it('is asked for where the endpoint has it: the same results in each request, with all thinking that is newer', async () => {
    const t = await start(working(), options());
    const events = await t.run('work');
    expect(endOf(events).terminal).toBe('completed');
    const requests = t.api.requests.filter(isAsked);
    expect(requests.length).toBeGreaterThan(1);
    expect(t.api.requests.indexOf(requests[0] as RecordedRequest)).toBeGreaterThan(8);
    expect(t.api.requests.some(isCleared)).toBe(false);
    expect(new Set(requests.map(asked)).size).toBe(1);
    for (const request of requests) {
      const [thoughts, results] = editsOf(request);
      expect(thoughts).toMatchObject({ type: 'clear_thinking_20251015' });
      expect(results).toMatchObject({
        type: 'clear_tool_uses_20250919',
        exclude_tools: ['Once'],
      });
      expect(thoughts?.keep).toEqual({
        type: 'thinking_turns',
        value: results?.keep === 'all' ? 0 : results?.keep.value,
      });
      expect(countOf(request, 'thinking')).toBe(countOf(request, 'tool_use'));
      expect(request.betas).toContain(BETA);
    }
    expect(ofType(events, 'context_edited').map(({ layer }) => layer)).toEqual(['microcompact']);
  });

  it('is read from the answer, told in the report, and goes on the same after a restart', async () => {
    const t = await start(working(), options());
    const events = await t.run('work');
    const { cleared } = ofType(events, 'message_finished').at(-1) ?? {};
    expect(cleared?.results).toBeGreaterThan(5);
    const told = `Cleared by the API in the newest request: ${cleared?.results} results, ${cleared?.tokens} tokens`;
    expect(contextReport(t.session.log.transcript(), 200_000)).toContain(told);
    const before = asked(last(t) as RecordedRequest);
    await t.reopen();
    expect(contextReport(t.session.log.transcript(), 200_000)).toContain(told);
    await t.run('go on');
    expect(asked(last(t) as RecordedRequest)).toBe(before);
    expect(isCleared(last(t))).toBe(false);
  });

  it('leaves the size as it is counted to what the API says, and before that to our own estimate', async () => {
    const t = await start(working(), options());
    const events = await t.run('work');
    const [edited] = ofType(events, 'context_edited');
    expect(edited?.counted).toBeGreaterThan(40_000);
    const at = events.indexOf(edited as AgentEvent);
    const told = ofType(events.slice(at), 'context_changed')[0];
    expect(told?.usedTokens).toBeLessThan(40_000);
  });

  it('gives way to our own at once where the API refuses it, and is not tried again', async () => {
    const refusing = working((request, usual) =>
      isAsked(request) ? error(400, 'context_management: Extra inputs are not permitted') : usual,
    );
    const t = await start(refusing, options());
    const events = await t.run('work');
    expect(endOf(events).terminal).toBe('completed');
    expect(ofType(events, 'notice')).toMatchObject([{ level: 'info', code: 'api_clearing_off' }]);
    expect(t.api.requests.filter(isAsked)).toHaveLength(1);
    expect(isCleared(last(t))).toBe(true);
  });

  it('gives way where the API clears less than it was asked to', async () => {
    const ignoring = working((_, usual) => ({ ...usual, cleared: [] }));
    const t = await start(ignoring, options());
    const events = await t.run('work');
    expect(ofType(events, 'notice')).toMatchObject([{ code: 'api_clearing_off' }]);
    expect(t.api.requests.filter(isAsked)).toHaveLength(1);
    expect(isCleared(last(t))).toBe(true);
  });

  it('leaves thinking alone from then on where the API counts its turns in another way', async () => {
    const counting = working((request, usual) => ({
      ...usual,
      cleared: appliedTo(request).filter(({ type }) => type !== 'clear_thinking_20251015'),
    }));
    const t = await start(counting, options());
    await t.run('work');
    const keeps = t.api.requests.filter(isAsked).map((request) => editsOf(request)[0]?.keep);
    expect(keeps[0]).not.toBe('all');
    expect(new Set(keeps.slice(1))).toEqual(new Set(['all']));
  });

  it('goes without thinking where the answers have none', async () => {
    const plain = working((_, usual) => ({
      ...usual,
      blocks: usual.blocks.filter(({ kind }) => kind !== 'thinking'),
    }));
    const t = await start(plain, options());
    await t.run('work');
    expect(editsOf(last(t) as RecordedRequest)[0]?.keep).toBe('all');
    expect(isCleared(last(t))).toBe(false);
  });

  it('is left alone where nobody said that the endpoint has it', async () => {
    const t = await start(working(), options({ client: {} }));
    await t.run('work');
    expect(t.api.requests.some(isAsked)).toBe(false);
    expect(isCleared(last(t))).toBe(true);
  });
});
