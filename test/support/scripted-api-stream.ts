import type { MessageReply, ScriptedBlock } from './scripted-api-replies';

/** One server-sent event, or a wait before the next. */
export type WireStep =
  | { readonly event: string; readonly data: Readonly<Record<string, unknown>> }
  | { readonly until: Promise<unknown> };

/** What an answer needs beyond its script. */
export interface AnswerFacts {
  readonly messageId: string;
  readonly model: string;
  readonly callId: () => string;
  readonly sign: (thinking: string) => string;
}

type Data = Readonly<Record<string, unknown>>;
type ContentBlock = Exclude<ScriptedBlock, { kind: 'hold' | 'ping' }>;

/** The steps of a streamed answer, in the API's own order. */
export function streamSteps(reply: MessageReply, facts: AnswerFacts): readonly WireStep[] {
  const steps: WireStep[] = [
    event({ type: 'message_start', message: { ...shell(reply, facts), content: [] } }),
    event({ type: 'ping' }),
  ];
  let index = 0;
  for (const block of reply.blocks) {
    if (block.kind === 'hold') {
      steps.push({ until: block.until });
      continue;
    }
    if (block.kind === 'ping') {
      steps.push(event({ type: 'ping' }));
      continue;
    }
    steps.push(...blockSteps(block, index, reply.pieceChars ?? 24, facts));
    index += 1;
  }
  const usage = { ...usageOf(reply), output_tokens: reply.usage?.output_tokens ?? 20 };
  steps.push(
    event({
      type: 'message_delta',
      delta: {
        ...{ stop_reason: stopReasonOf(reply), stop_sequence: null },
        ...(reply.stopDetails === undefined ? {} : { stop_details: reply.stopDetails }),
      },
      usage,
      ...managementOf(reply),
    }),
    event({ type: 'message_stop' }),
  );
  return steps;
}

/** The same answer as one JSON message, for requests without `stream`. */
export function wholeMessage(reply: MessageReply, facts: AnswerFacts): Data {
  const content = reply.blocks
    .filter((b) => b.kind !== 'hold' && b.kind !== 'ping')
    .map((block) => wholeBlock(block, facts));
  return {
    ...shell(reply, facts),
    content,
    stop_reason: stopReasonOf(reply),
    usage: { ...usageOf(reply), output_tokens: reply.usage?.output_tokens ?? 20 },
    ...managementOf(reply),
  };
}

function wholeBlock(block: ContentBlock, facts: AnswerFacts): Data {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: facts.sign(block.text) };
    case 'tool_use':
      return {
        type: 'tool_use',
        id: block.id ?? facts.callId(),
        name: block.name,
        input: block.input,
      };
    case 'raw':
      return block.start;
  }
}

const event = (data: Data & { readonly type: string }): WireStep => ({ event: data.type, data });

const shell = (reply: MessageReply, facts: AnswerFacts): Data => ({
  id: facts.messageId,
  type: 'message',
  role: 'assistant',
  model: facts.model,
  stop_reason: null,
  stop_sequence: null,
  usage: { ...usageOf(reply), output_tokens: 1 },
});

const managementOf = ({ cleared }: MessageReply): Data =>
  cleared === undefined ? {} : { context_management: { applied_edits: cleared } };

const usageOf = (reply: MessageReply): Data => ({
  input_tokens: reply.usage?.input_tokens ?? 100,
  cache_read_input_tokens: reply.usage?.cache_read_input_tokens ?? 0,
  cache_creation_input_tokens: reply.usage?.cache_creation_input_tokens ?? 0,
});

const stopReasonOf = (reply: MessageReply): string =>
  reply.stopReason ?? (reply.blocks.some((b) => b.kind === 'tool_use') ? 'tool_use' : 'end_turn');

function blockSteps(
  block: ContentBlock,
  index: number,
  pieceChars: number,
  facts: AnswerFacts,
): WireStep[] {
  const { start, deltas } = blockParts(block, pieceChars, facts);
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
}

function blockParts(
  block: ContentBlock,
  pieceChars: number,
  facts: AnswerFacts,
): { readonly start: Data; readonly deltas: readonly Data[] } {
  switch (block.kind) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: pieces(block.text, pieceChars).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(block.text, pieceChars).map((thinking) => ({
            type: 'thinking_delta',
            thinking,
          })),
          { type: 'signature_delta', signature: facts.sign(block.text) },
        ],
      };
    case 'tool_use':
      return {
        start: { type: 'tool_use', id: block.id ?? facts.callId(), name: block.name, input: {} },
        deltas: ['', ...pieces(block.json ?? JSON.stringify(block.input), pieceChars)].map(
          (partial_json) => ({ type: 'input_json_delta', partial_json }),
        ),
      };
    case 'raw':
      return block;
  }
}

/** Cuts between characters, never inside a surrogate pair (the API never sends half a character in JSON). */
function pieces(text: string, size: number): string[] {
  const characters = [...text];
  const out: string[] = [];
  for (let i = 0; i < characters.length; i += size)
    out.push(characters.slice(i, i + size).join(''));
  return out;
}
