import type { OtherOrigin } from '../../../shared/session-search';
import { isInjected, outputOf } from './codex-steps';
import { type Entry, MAX_FOUND_TEXT } from './entries';
import { blocksOf, isObject, type Json, parseObject, str, timeOf } from './other-steps';

/** The words in a line of another agent's log. Their formats are their own and change: what is not understood is passed over. */
export interface OtherLine {
  /** Epoch milliseconds; 0 when it does not say. */
  readonly at: number;
  readonly project?: string;
  readonly title?: string;
  readonly entries: readonly Entry[];
}

/** The most of the result of a tool that can be found. Characters. */
const MAX_RESULT = 4_000;

/** The mark of transcripts that Lathe writes for others: its own logs have them already. */
const OWN = 'lathe';

/** Reads a line of another agent's log, which begins at `offset` bytes; null when it says nothing to people. Pure. */
export function readOtherLine(origin: OtherOrigin, text: string, offset: number): OtherLine | null {
  const line = parseObject(text);
  if (line === null) return null;
  return origin === 'claude' ? claudeLine(line, offset) : codexLine(line, offset);
}

/** Reads a line of `~/.claude/projects`: a message with who said it, or a title. */
function claudeLine(line: Json, offset: number): OtherLine | null {
  const { type, summary, cwd, message } = line;
  if (line['entrypoint'] === OWN || line['isSidechain'] === true) return null;
  const at = timeOf(line['timestamp']);
  if (type === 'summary') return { at, title: str(summary), entries: [] };
  if ((type !== 'user' && type !== 'assistant') || !isObject(message)) return null;
  const facts = typeof cwd === 'string' ? { at, project: cwd } : { at };
  if (line['isMeta'] === true) return { ...facts, entries: [] };
  return { ...facts, entries: entriesOf(type, blocksOf(message['content']), offset) };
}

/** Reads a line of `~/.codex/sessions`: the beginning of a session, a message, a call or its output. */
function codexLine(line: Json, offset: number): OtherLine | null {
  const at = timeOf(line['timestamp']);
  const { payload } = line;
  if (!isObject(payload)) return null;
  if (line['type'] === 'session_meta') return { at, project: str(payload['cwd']), entries: [] };
  if (line['type'] !== 'response_item') return null;
  const { role } = payload;
  switch (payload['type']) {
    case 'message': {
      if (role !== 'user' && role !== 'assistant') return null;
      const blocks = blocksOf(payload['content']).filter(({ text }) => !isInjected(str(text)));
      return { at, entries: entriesOf(role, blocks, offset) };
    }
    case 'function_call':
      return {
        ...{ at, entries: tool(`${str(payload['name'])} ${str(payload['arguments'])}`, offset) },
      };
    case 'function_call_output':
      return { at, entries: tool(outputOf(payload['output']), offset) };
    default:
      return null;
  }
}

/** Returns the entries of a line of blocks: what was said in words, and behind it calls and results. */
function entriesOf(
  who: 'user' | 'assistant',
  blocks: readonly Json[],
  offset: number,
): readonly Entry[] {
  const said = blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
  const done = blocks.flatMap(({ type, name, input, content }) => {
    if (type === 'tool_use') return [`${str(name)} ${JSON.stringify(input) ?? ''}`];
    return type === 'tool_result' ? [wordsIn(content)] : [];
  });
  const words = said.trim() === '' ? [] : [entry(who, String(offset), said, MAX_FOUND_TEXT)];
  return [...words, ...tool(done.join('\n'), offset)];
}

const tool = (text: string, offset: number): readonly Entry[] =>
  text.trim() === '' ? [] : [entry('tool', `${offset}:tool`, text, MAX_RESULT)];

const entry = (who: Entry['who'], itemId: string, text: string, max: number): Entry => ({
  who,
  itemId,
  text: text.slice(0, max),
});

const wordsIn = (content: unknown): string =>
  blocksOf(content)
    .map(({ text }) => str(text))
    .join('\n');
