import { createHash } from 'node:crypto';

/** One content block on the wire. */
type WireBlock = Readonly<Record<string, unknown>> & { readonly type: string };

/** One message on the wire. */
export interface WireMessage {
  readonly role: string;
  readonly content: string | readonly WireBlock[];
}

/** The body of `POST /v1/messages`. */
export interface WireRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream?: boolean;
  readonly system?: string | readonly WireBlock[];
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
  readonly [field: string]: unknown;
}

/**
 * What the API would refuse in this request: its words, or null. Everything that Lathe promises about
 * histories (SPEC B3, B5, C3) is checked here, so that every test against the server checks it too.
 */
export function refusal(body: WireRequest, betas: readonly string[]): string | null {
  return (
    fields(body) ??
    halfCharacters(body.messages) ??
    cacheBreakpoints(body) ??
    toolNames(body) ??
    compaction(body, betas) ??
    clearing(body, betas) ??
    roles(body) ??
    contents(body.messages) ??
    toolPairs(body.messages) ??
    serverToolPairs(body.messages) ??
    imageCount(body.messages) ??
    thinkingBlocks(body, betas)
  );
}

/** Signs a thinking block: bound to its model and to everything before it (tools, system, messages). */
export function sign(body: WireRequest, thinking: string): string {
  return `scripted.${body.model}.${prefixDigests(body).at(-1)}.${digest(thinking)}`;
}

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** Returns the digests of what comes before each block of the messages, in one pass, and of everything at the end. */
function prefixDigests(body: WireRequest): string[] {
  const hash = createHash('sha256').update(JSON.stringify(setting(body)));
  const soFar = () => hash.copy().digest('hex').slice(0, 16);
  const parts = body.messages.flatMap(flatten);
  return [
    soFar(),
    ...parts.map((part) => {
      hash.update(JSON.stringify(part));
      return soFar();
    }),
  ];
}

/** Tools and system, without cache marks. */
const setting = (body: WireRequest): unknown[] => {
  const system = Array.isArray(body.system) ? body.system : [body.system];
  return [...(body.tools ?? []), ...system].map((part) =>
    typeof part === 'object' ? { ...part, cache_control: undefined } : part,
  );
};

const flatten = (message: WireMessage): unknown[] =>
  blocksOf(message).map(({ cache_control: _, ...block }) => [message.role, block]);

const blocksOf = (message: WireMessage): readonly WireBlock[] =>
  typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;

function fields(body: WireRequest): string | null {
  if (typeof body.model !== 'string' || body.model === '') return 'model: Field required';
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1)
    return 'max_tokens: Input should be a positive integer';
  for (const name of ['temperature', 'top_p', 'top_k'])
    if (name in body) return `${name}: Extra inputs are not permitted`;
  const choice = body['tool_choice'] as { readonly type?: string } | undefined;
  if (choice?.type === 'tool' || choice?.type === 'any')
    return 'tool_choice: forced tool use is not supported by this model';
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return 'messages: at least one message is required';
  return null;
}

/** A lone surrogate is an escape in JSON that no other parser takes. */
const halfCharacters = (messages: readonly WireMessage[]): string | null =>
  /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(messages))
    ? 'The request body is not valid JSON: no low surrogate in string'
    : null;

function cacheBreakpoints(body: WireRequest): string | null {
  const system = Array.isArray(body.system) ? body.system : [];
  const all = [...system, ...(body.tools ?? []), ...body.messages.flatMap(blocksOf)];
  const count = all.filter((b) => 'cache_control' in b).length;
  return count > 4
    ? `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`
    : null;
}

function toolNames(body: WireRequest): string | null {
  const names = (body.tools ?? []).map((t) => t.name);
  if (new Set(names).size !== names.length) return 'tools: Tool names must be unique.';
  const bad = names.find((n) => !/^[a-zA-Z0-9_-]{1,128}$/.test(n));
  if (bad !== undefined) return `tools: name ${bad} does not match ^[a-zA-Z0-9_-]{1,128}$`;
  for (const { name, input_schema } of body.tools ?? []) {
    const { type, properties = {}, ...rest } = Object(input_schema);
    if (type !== 'object') return `tools.${name}.input_schema.type: must be object`;
    if (Object.keys(rest).some((key) => /^(any|one|all)Of$/.test(key)))
      return `tools.${name}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    if (!Object.keys(properties).every((key) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)))
      return `tools.${name}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`;
  }
  return null;
}

const COMPACTION_BETA = 'compact-2026-09-04';
const isCompaction = (message: WireMessage | undefined): boolean =>
  message !== undefined && blocksOf(message)[0]?.type === 'compaction';

/** The block of a summary stands first and alone, as it was signed. */
function compaction({ messages, ...body }: WireRequest, betas: readonly string[]): string | null {
  const blocks = messages.flatMap(blocksOf).filter(({ type }) => type === 'compaction');
  if (!('compaction' in body) && blocks.length === 0) return null;
  if (!betas.includes(COMPACTION_BETA)) return 'compaction: Extra inputs are not permitted';
  const [block] = blocks;
  if (block === undefined) return null;
  if (blocks.length > 1 || !isCompaction(messages[0]) || messages[0]?.content.length !== 1)
    return 'messages: a compaction block must be the only content of the first message';
  return block['signature'] === digest(block['content'])
    ? null
    : 'messages.0: the signature of the compaction block is invalid';
}

/** The edits of the API's own clearing: thinking first, and nothing but what it knows. */
function clearing(body: WireRequest, betas: readonly string[]): string | null {
  const management = body['context_management'] as
    | { readonly edits?: readonly WireBlock[] }
    | undefined;
  if (management === undefined) return null;
  if (!betas.includes('context-management-2025-06-27'))
    return 'context_management: Extra inputs are not permitted';
  if ('compaction' in body) return 'compaction: cannot be combined with context_management';
  const types = management.edits?.map(({ type }) => type).join();
  return types === 'clear_thinking_20251015,clear_tool_uses_20250919' ||
    types === 'clear_tool_uses_20250919'
    ? null
    : `context_management.edits: ${types} is not a valid list`;
}

/** A block as the API answers a request for a summary with. */
export const compactionBlock = (content: string) => ({
  ...{ type: 'compaction', content, encrypted_content: 'opaque' },
  signature: digest(content),
});

function roles({ messages, ...body }: WireRequest): string | null {
  if (messages[0]?.role !== 'user' && !isCompaction(messages[0]))
    return 'messages: first message must use the "user" role';
  for (const [i, message] of messages.entries()) {
    if (message.role !== 'user' && message.role !== 'assistant')
      return `messages.${i}.role: must be user or assistant`;
    if (i > 0 && messages[i - 1]?.role === message.role)
      return `messages.${i}: roles must alternate between "user" and "assistant", found "${message.role}" twice in a row`;
  }
  const last = messages.at(-1);
  const paused = last !== undefined && blocksOf(last).at(-1)?.type === 'server_tool_use';
  return last?.role === 'assistant' && !paused && !('compaction' in body)
    ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
    : null;
}

function contents(messages: readonly WireMessage[]): string | null {
  for (const [i, message] of messages.entries()) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) return `messages.${i}: content must not be empty`;
    for (const [j, block] of blocks.entries()) {
      if (typeof block.type !== 'string') return `messages.${i}.content.${j}.type: Field required`;
      if (block.type === 'text' && String(block['text'] ?? '').trim() === '')
        return `messages.${i}.content.${j}: text content blocks must contain non-whitespace text`;
      const problem = call(block);
      if (problem !== null) return `messages.${i}.content.${j}.${problem}`;
      if ('invalid' in block)
        return `messages.${i}.content.${j}.invalid: Extra inputs are not permitted`;
    }
    const last = blocks.at(-1)?.type;
    if (message.role === 'assistant' && (last === 'thinking' || last === 'redacted_thinking'))
      return `messages.${i}: The final block in an assistant message cannot be \`thinking\`.`;
  }
  return null;
}

/** Returns what is wrong with a tool use, or with the result of one. */
function call(block: WireBlock): string | null {
  const id = { tool_use: block['id'], tool_result: block['tool_use_id'] }[block.type];
  if (id !== undefined && !/^[a-zA-Z0-9_-]+$/.test(String(id)))
    return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
  if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]{1,128}$/.test(String(block['name'])))
    return "tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
  if (block.type === 'redacted_thinking' && block['data'] === '')
    return 'redacted_thinking.data: Field required';
  const inner = block.type === 'tool_result' ? block['content'] : null;
  const other = Array.isArray(inner) && inner.some(({ type }) => type !== 'text');
  return block['is_error'] === true && other
    ? 'tool_result: all content must be type `text` if `is_error` is true'
    : null;
}

const idsOf = (message: WireMessage | undefined, type: string, key: string): string[] =>
  message === undefined
    ? []
    : blocksOf(message)
        .filter((b) => b.type === type)
        .map((b) => String(b[key]));

function toolPairs(messages: readonly WireMessage[]): string | null {
  const seen = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const uses = idsOf(message, 'tool_use', 'id');
    for (const id of uses) {
      if (seen.has(id)) return `messages.${i}: \`tool_use\` ids must be unique (${id})`;
      seen.add(id);
    }
    const next = idsOf(messages[i + 1], 'tool_result', 'tool_use_id');
    const missing = uses.filter((id) => !next.includes(id));
    if (missing.length > 0)
      return `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`;
    const problem = results(message, messages[i - 1], i);
    if (problem !== null) return problem;
  }
  return null;
}

function results(message: WireMessage, before: WireMessage | undefined, i: number): string | null {
  const ids = idsOf(message, 'tool_result', 'tool_use_id');
  if (message.role === 'assistant' && ids.length > 0)
    return `messages.${i}: \`tool_result\` blocks can only be in \`user\` messages`;
  const asked = idsOf(before, 'tool_use', 'id');
  const stray = ids.find((id) => !asked.includes(id));
  if (stray !== undefined)
    return `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  if (new Set(ids).size !== ids.length)
    return `messages.${i}: each tool_use must have a single result`;
  const types = blocksOf(message).map((b) => b.type === 'tool_result');
  return ids.length > 0 && types.lastIndexOf(true) !== ids.length - 1
    ? `messages.${i}: \`tool_result\` blocks must come first in the content`
    : null;
}

/** Calls that the server ran have their results in the same message, but for the last one, which it goes on with. */
function serverToolPairs(messages: readonly WireMessage[]): string | null {
  for (const [i, message] of messages.entries()) {
    const uses = idsOf(message, 'server_tool_use', 'id');
    const results = blocksOf(message)
      .filter((b) => b.type !== 'tool_result' && b.type.endsWith('_tool_result'))
      .map((b) => String(b['tool_use_id']));
    const open = uses.filter((id) => !results.includes(id));
    if (open.length > 0 && i < messages.length - 1)
      return `messages.${i}: \`server_tool_use\` ids were found without results: ${open.join(', ')}`;
    const stray = results.find((id) => !uses.includes(id));
    if (stray !== undefined) return `messages.${i}: result of unknown \`server_tool_use\` ${stray}`;
  }
  return null;
}

function imageCount(messages: readonly WireMessage[]): string | null {
  const count = JSON.stringify(messages).match(/"type":"image"/g)?.length ?? 0;
  return count > 100 ? `messages: at most 100 images, found ${count}` : null;
}

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

function thinkingBlocks(body: WireRequest, betas: readonly string[]): string | null {
  const thinking = body['thinking'] as
    | { readonly block_binding?: { readonly prefix_mismatch_behavior?: string } }
    | undefined;
  const dropsMismatches =
    betas.includes(BINDING_BETA) &&
    thinking?.block_binding?.prefix_mismatch_behavior === 'drop_block';
  if (thinking?.block_binding !== undefined && !betas.includes(BINDING_BETA))
    return 'thinking.block_binding: Extra inputs are not permitted';
  let digests: readonly string[] | null = null;
  let first = 0;
  for (const [i, message] of body.messages.entries()) {
    const blocks = blocksOf(message);
    for (const [j, block] of blocks.entries()) {
      if (block.type !== 'thinking') continue;
      const signature = String(block['signature'] ?? '');
      if (signature === '') return `messages.${i}.content.${j}.signature: Field required`;
      if (dropsMismatches || !signature.startsWith('scripted.')) continue;
      const parts = signature.slice('scripted.'.length).split('.');
      const [text, prefix, model] = [parts.pop(), parts.pop(), parts.join('.')];
      if (text !== digest(block['thinking']))
        return `messages.${i}.content.${j}: \`thinking\` blocks cannot be modified`;
      if (model !== body.model)
        return `messages.${i}.content.${j}: \`thinking\` block was produced by ${model} and cannot be sent to ${body.model}`;
      digests ??= prefixDigests(body);
      // Merged answers share a message.
      if (!digests.slice(first, first + blocks.length).includes(prefix ?? ''))
        return `messages.${i}.content.${j}: \`thinking\` block is bound to a different prefix`;
    }
    first += blocks.length;
  }
  return null;
}
