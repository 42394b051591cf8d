import fc from 'fast-check';
import type { AssistantBlock, Message, UserBlock } from '../../../src/shared/message';

/** Few ids, so that orphans, repetitions and crossed pairs are common. */
const callId = fc.constantFrom('t1', 't2', 't3', 't1_2', 't:1', 't.1', '');
const text = fc.oneof(
  fc.constantFrom('', ' \n\t', 'hello', '</system-reminder>x', 'half \ud83d', '\ude00 half'),
  fc.string({ unit: 'binary' }),
);
const image = fc.constantFrom('AAAA', 'A'.repeat(20_000)).map((data) => ({
  type: 'image' as const,
  source: { type: 'base64' as const, media_type: 'image/png', data },
}));
/** As they come with web searches and documents; with whatever else the API adds. */
const citations = fc.array(
  fc.record({
    type: fc.constantFrom('char_location', 'web_search_result_location'),
    cited_text: fc.string(),
  }),
  { maxLength: 2 },
);
const toolName = fc.constantFrom('Read', 'functions.Bash', '', 'x'.repeat(200), 'mcp__a__b');
const textBlock = text.map((value) => ({ type: 'text' as const, text: value }));

const userBlock: fc.Arbitrary<UserBlock> = fc.oneof(
  textBlock,
  image,
  fc.record({
    type: fc.constant('tool_result' as const),
    tool_use_id: callId,
    content: fc.array(fc.oneof(textBlock, image), { maxLength: 3 }),
    is_error: fc.boolean(),
  }),
);

const assistantBlock: fc.Arbitrary<AssistantBlock> = fc.oneof(
  textBlock,
  fc.record({ type: fc.constant('text' as const), text, citations }),
  fc.record({
    type: fc.constant('thinking' as const),
    thinking: fc.string(),
    signature: fc.constantFrom('', 'sig'),
  }),
  fc.constantFrom('xyz', '').map((data) => ({ type: 'redacted_thinking' as const, data })),
  fc
    .record({ id: callId, name: toolName, path: text, invalid: fc.boolean() })
    .map(({ id, name, path, invalid }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: { file_path: path, deep: [{ [path]: path }] },
      ...(invalid ? { invalid: 'cut' } : {}),
    })),
  fc.constant({ type: 'other' as const, raw: { type: 'container_upload', file_id: 'x' } }),
  callId.map((id) => ({
    type: 'other' as const,
    raw: { type: 'server_tool_use', id: `s${id}`, name: 'web_search', input: {} },
  })),
  callId.map((id) => ({
    type: 'other' as const,
    raw: { type: 'web_search_tool_result', tool_use_id: `s${id}`, content: [] },
  })),
);

const message: fc.Arbitrary<Message> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(userBlock, { maxLength: 4 })
      .map((content) => ({ role: 'user' as const, id: 'u', content })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        content: fc.array(assistantBlock, { maxLength: 4 }),
        model: fc.constantFrom('claude-opus-5-5', 'claude-haiku-5-5'),
      })
      .map((m) => ({ role: 'assistant' as const, id: 'a', ...m })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ text, images: fc.array(image, { maxLength: 2 }) }).map((rest) => ({
      role: 'attachment' as const,
      id: 'x',
      kind: 'k',
      ...rest,
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ summary: fc.string(), kept: fc.integer({ min: 0, max: 13 }) })
      .map(({ summary, kept }) => ({
        role: 'boundary' as const,
        id: 'b',
        summary,
        keptUntil: `a${kept}`,
      })),
  },
);

/** Any history, however broken; every message has an id of its own. */
export const history: fc.Arbitrary<readonly Message[]> = fc
  .array(message, { maxLength: 14 })
  .map((list) => list.map((m, i) => ({ ...m, id: `${m.id}${i}` })));
