import type { AssistantBlock } from '../../../shared/message';
import { factsOf } from './catalog';
import type { ApiMessage, ModelClient, ModelError, ModelEvent, ModelRequest } from './model-client';

/** Lets the API write summaries itself, and take them back as signed blocks. */
export const COMPACTION_BETA = 'compact-2026-09-04';

/** Asks one endpoint; `compaction`: with the API's own way of summarising. */
type Ask = (
  request: ModelRequest,
  signal: AbortSignal,
  compaction: boolean,
) => AsyncIterable<ModelEvent>;

/** Tells whether an endpoint is still asked for that. The clients of an endpoint share one, so that none tries again. */
export interface CompactionSwitch {
  isOn: boolean;
}

/** Creates a function that returns the switch of an address. */
export function createCompactionSwitches(): (baseUrl: string) => CompactionSwitch {
  const switches = new Map<string, CompactionSwitch>();
  return (baseUrl) => {
    const found = switches.get(baseUrl) ?? { isOn: true };
    switches.set(baseUrl, found);
    return found;
  };
}

/**
 * Has the endpoint summarise in the API's own way (docs/spec.md F5) until it refuses that or answers with none. From
 * then on, and at once for the request that found it out, it is asked in words like any other endpoint.
 */
export function withApiCompaction(ask: Ask, state: CompactionSwitch = { isOn: true }): ModelClient {
  async function* tried(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let hasSummary = request.summarise === undefined;
    let { model } = request;
    let messageId = '';
    for await (const event of ask(request, signal, true)) {
      if (event.type === 'message_started') ({ model, messageId } = event);
      if (event.type === 'block_finished' && summaryIn(event.block) !== null) hasSummary = true;
      const refused = event.type === 'failed' && isRefusal(event.error);
      const empty = event.type === 'message_finished' && !hasSummary;
      if (!refused && !empty) {
        yield event;
        continue;
      }
      state.isOn = false;
      if (event.type === 'message_finished') {
        const { usage, costUsd } = event;
        yield { type: 'spent', model, usage, costUsd };
        yield { type: 'message_voided', messageId, reason: 'It holds no summary.' };
      }
      yield OFF;
      return yield* ask(request, signal, false);
    }
  }
  return {
    stream: (request, signal) =>
      state.isOn && concerns(request) ? tried(request, signal) : ask(request, signal, false),
  };
}

const OFF: ModelEvent = {
  type: 'notice',
  level: 'info',
  code: 'api_compaction_off',
  text: 'The API did not take its own way of summarising. Lathe summarises in its own way until it is started again.',
};

/** Tells whether a request asks for a summary or brings one, for a model that is known to take that. */
const concerns = ({ model, summarise, summary }: ModelRequest): boolean =>
  (summarise !== undefined || summary !== undefined) && factsOf(model)?.adaptiveThinking === true;

/** Tells whether the API refused a request for its compaction and nothing else. */
const isRefusal = ({ status, kind, message }: ModelError): boolean =>
  (status === 400 || kind === 'invalid_request') && /compact/i.test(message);

/** Returns the summary in a block of the API's; null when it is none. */
export function summaryIn(block: AssistantBlock): string | null {
  if (block.type !== 'other' || block.raw['type'] !== 'compaction') return null;
  const content = block.raw['content'];
  return typeof content === 'string' && content.trim() !== '' ? content : null;
}

/** The part of a body that differs when the API summarises. */
interface CompactionFields {
  readonly messages: readonly ApiMessage[];
  readonly compaction?: Readonly<Record<string, unknown>>;
}

/**
 * Makes the messages of a request in the API's own way. The block of a summary comes first, in the place of its words. The
 * words that ask for a summary are no message. Pure.
 */
export function compactionFields(request: ModelRequest): CompactionFields {
  const { summary, summarise } = request;
  const replayed = summary === undefined ? request.messages : withBlock(request.messages, summary);
  if (summarise === undefined) return { messages: replayed };
  return {
    messages: withoutQuestion(replayed, summarise),
    compaction: { type: 'summarize', instructions: summarise },
  };
}

/** Tells whether a body needs {@link COMPACTION_BETA}. */
export function needsCompactionBeta(body: Readonly<Record<string, unknown>>): boolean {
  const { messages } = body as { readonly messages?: readonly ApiMessage[] };
  return 'compaction' in body || messages?.[0]?.content[0]?.['type'] === 'compaction';
}

/** Puts the block in the place of the text that says the same, which stands in the first message. */
function withBlock(
  messages: readonly ApiMessage[],
  { text, block }: NonNullable<ModelRequest['summary']>,
): readonly ApiMessage[] {
  const [first, ...rest] = messages;
  const at = first?.content.findIndex((part) => part['text'] === text) ?? -1;
  // Nothing may be left of it: what comes next could be an answer, and two may not follow each other.
  if (first === undefined || at < 0 || first.content.length === 1) return messages;
  return [{ role: 'assistant', content: [block] }, without(first, at), ...rest];
}

/** Leaves out the words that ask for a summary, at the end. */
function withoutQuestion(messages: readonly ApiMessage[], words: string): readonly ApiMessage[] {
  const last = messages.at(-1);
  if (last === undefined || last.content.at(-1)?.['text'] !== words) return messages;
  const before = messages.slice(0, -1);
  return last.content.length === 1 ? before : [...before, without(last, last.content.length - 1)];
}

/** Leaves a block out of a message; its cache mark goes to the end of what is left. */
function without(message: ApiMessage, at: number): ApiMessage {
  const mark = message.content[at]?.['cache_control'];
  const content = message.content.filter((_, i) => i !== at);
  if (mark === undefined) return { ...message, content };
  return {
    ...message,
    content: content.map((block, i) =>
      i === content.length - 1 ? { ...block, cache_control: mark } : block,
    ),
  };
}
