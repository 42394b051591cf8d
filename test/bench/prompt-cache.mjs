import { createHash } from 'node:crypto';

/** How many blocks before a breakpoint the API looks back for something it has kept. */
const LOOK_BACK_BLOCKS = 20;

/** Bytes that count as one token. */
const BYTES_PER_TOKEN = 4;

/** Tokens of a request's prompt (tools, system, messages), at four bytes a token. */
export const promptTokens = (body) => {
  const { tools, system, messages } = JSON.parse(body);
  return Buffer.byteLength(JSON.stringify({ tools, system, messages })) / BYTES_PER_TOKEN;
};

/**
 * Creates a cache by prefix. Each breakpoint keeps the prefix that ends there; a request reads the longest kept prefix that
 * ends at one of its own breakpoints or up to 20 blocks before. Nothing expires.
 */
export function createPromptCache() {
  const kept = new Set();
  return {
    /** Counts a parsed request, and keeps what it marks: its bytes of JSON, and how many tokens of it were read, written and neither. */
    count: (body) => {
      const blocks = prefixes(body);
      const marks = blocks.flatMap(({ isBreakpoint }, i) => (isBreakpoint ? [i] : []));
      const known = blocks.filter(
        ({ hash }, i) =>
          kept.has(hash) && marks.some((at) => i <= at && at - i <= LOOK_BACK_BLOCKS),
      );
      for (const at of marks) kept.add(blocks[at].hash);
      const bytes = blocks.at(-1)?.bytes ?? 0;
      const read = known.at(-1)?.bytes ?? 0;
      const marked = blocks[marks.at(-1)]?.bytes ?? 0;
      const tokens = (size) => Math.round(size / BYTES_PER_TOKEN);
      const written = tokens(Math.max(0, marked - read));
      return { bytes, read: tokens(read), written, input: tokens(bytes) - tokens(read) - written };
    },
  };
}

/** The share of input that a cache by prefix would have served in all requests after the first, in percent. */
export function cachedShare(bodies) {
  const cache = createPromptCache();
  const counts = bodies.map((body) => cache.count(JSON.parse(body))).slice(1);
  const read = counts.reduce((sum, one) => sum + one.read, 0);
  return (100 * read) / counts.reduce((sum, one) => sum + one.read + one.written + one.input, 0);
}

/** The prefixes of a request in the order the API hashes them, each with its size and whether it ends at a breakpoint. */
function prefixes({ tools = [], system = [], messages = [] }) {
  const hash = createHash('sha256');
  let bytes = 0;
  const listed = typeof system === 'string' ? [{ type: 'text', text: system }] : system;
  const spoken = messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) => ({
      role,
      ...block,
    })),
  );
  return [...tools, ...listed, ...spoken].map(({ cache_control: mark, ...block }) => {
    const text = JSON.stringify(block);
    bytes += Buffer.byteLength(text);
    return {
      hash: hash.update(text).copy().digest('hex'),
      bytes,
      isBreakpoint: mark !== undefined,
    };
  });
}
