import { MAIN_AGENT } from '../../../shared/agent-event';
import { lineId } from '../../../shared/line-id';
import type { AssistantBlock, Message } from '../../../shared/message';
import type { EventLog } from '../event-log';
import type { AppendFile, Clock, Files } from '../ports';
import { titleFromPrompt } from './list';

/** A conversation in the shape that programs of the ecosystem read; never read by Lathe (docs/headless.md). */
export interface ClaudeTranscript {
  readonly file: string;
  /** Resolves when all is written that could be. */
  close(): Promise<void>;
}

/** The facts that every line of a transcript has. */
interface LineFacts {
  readonly project: string;
  readonly version: string;
  readonly log: Pick<EventLog, 'sessionId'>;
  /** The lines are a sub-agent's. */
  readonly isSidechain?: boolean;
}

/** Takes lines that were written into a file, each once. */
export type Mirror = (file: string, entries: readonly Entry[]) => Promise<void>;

interface ClaudeTranscriptOptions extends LineFacts {
  readonly mirror?: Mirror | undefined;
  readonly file: string;
  readonly history: () => readonly Message[];
  readonly log: Pick<EventLog, 'sessionId' | 'listen' | 'transcript'>;
}

/** The mark of the lines that are Lathe's: a file without it is somebody else's. */
export const OWN = 'lathe';

/** The first line of a file is looked for as far as this. Bytes. */
const MAX_FIRST_LINE = 1024 * 1024;

/** A longer file is given to a mirror again from its beginning. Bytes. */
const MAX_KNOWN = 256 * 1024 * 1024;

/** More lines do not wait for the disk; the file then ends there. */
const MAX_WAITING = 1_000;

/**
 * Begins to write a conversation along, with what it holds already. Null: the file is another program's, or cannot be
 * written; nothing is changed then.
 */
export async function openClaudeTranscript(
  { files, clock }: { readonly files: Files; readonly clock: Clock },
  options: ClaudeTranscriptOptions,
): Promise<ClaudeTranscript | null> {
  const { file, history, log, mirror } = options;
  if (!(await isOurs(files, file))) return null;
  const written = new Set<string>();
  const entriesFor = (messages: readonly Message[], before: Message | undefined) => {
    for (const { id } of messages) written.add(id);
    return transcriptEntries(messages, before, options, clock.date());
  };
  let named = '';
  /** Adds a new title that is more than the prompt's first words, behind what is written: no file begins with it. */
  const withTitle = (entries: readonly Entry[]): readonly Entry[] => {
    const { title } = log.transcript();
    if (written.size === 0 || title === named || title === firstWords(history())) return entries;
    named = title;
    return [...entries, { type: 'custom-title', customTitle: title, sessionId: log.sessionId }];
  };
  const isKnown = mirror === undefined ? () => false : await linesIn(files, file);
  const first = withTitle(entriesFor(shown(history()), undefined));
  const begun = await files.write(file, linesOf(first), 0o600);
  const opened = begun.ok ? await files.openAppend(file) : begun;
  if (!opened.ok) return null;
  const fresh = first.filter((entry) => !isKnown(entry));
  if (fresh.length > 0) await mirror?.(file, fresh);
  const append: AppendFile = opened.value;
  let writing = Promise.resolve();
  let waiting = 0;
  let isOver = false;
  let isStreaming = false;
  const unlisten = log.listen(({ event, agentId }) => {
    if (agentId !== MAIN_AGENT || isOver) return;
    // An answer is written when it is whole, and its results behind it.
    if (event.type === 'block_finished') isStreaming = true;
    if (event.type === 'message_finished' || event.type === 'query_finished') isStreaming = false;
    if (isStreaming || !ADDS.has(event.type)) return;
    const all = shown(history());
    const from = all.findLastIndex(({ id }) => written.has(id)) + 1;
    const entries = withTitle(entriesFor(all.slice(from), all[from - 1]));
    if (entries.length === 0) return;
    waiting += 1;
    isOver = waiting > MAX_WAITING;
    writing = writing.then(async () => {
      const done = await append.append(linesOf(entries));
      waiting -= 1;
      isOver ||= !done.ok;
      if (done.ok) await mirror?.(file, entries);
    });
  });
  return {
    file,
    close: async () => {
      unlisten();
      await writing;
      await append.close();
    },
  };
}

/** Returns the entries of a conversation that goes on after `before`. Pure. */
const transcriptEntries = (
  messages: readonly Message[],
  before: Message | undefined,
  facts: LineFacts,
  now: number,
): readonly Entry[] =>
  messages
    .map((message, at) => entryOf(message, (messages[at - 1] ?? before)?.id, facts, now))
    .filter((entry) => entry !== null);

const linesOf = (entries: readonly Entry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** Returns a test whether a file has a line: by its id, else word for word. False where the file is too long to be looked at. */
async function linesIn(files: Files, file: string): Promise<(entry: Entry) => boolean> {
  const read = await files.read(file, MAX_KNOWN);
  const text = read.ok ? new TextDecoder().decode(read.value) : '';
  const ids = new Set([...text.matchAll(/"uuid":"([^"]+)"/g)].map(([, id = '']) => id));
  return (entry) =>
    entry['uuid'] === undefined ? text.includes(linesOf([entry])) : ids.has(String(entry['uuid']));
}

/** Writes the whole conversation of a sub-agent in the same shape, and returns the file; null when it cannot be. */
export async function writeAgentTranscript(
  { files, clock }: { readonly files: Files; readonly clock: Clock },
  file: string,
  history: readonly Message[],
  facts: LineFacts,
): Promise<string | null> {
  const entries = transcriptEntries(
    shown(history),
    undefined,
    { ...facts, isSidechain: true },
    clock.date(),
  );
  return (await files.write(file, linesOf(entries), 0o600)).ok ? file : null;
}

/** Events after which the history has a whole message more, or the session another title. */
const ADDS: ReadonlySet<string> = new Set([
  'user_message',
  'message_finished',
  'call_settled',
  'compacted',
  'query_finished',
  'title_changed',
]);

/** Returns the messages that a user would see: notes for the model are left out. */
const shown = (history: readonly Message[]): readonly Message[] =>
  history.filter(({ role }) => role !== 'attachment');

/** Returns what a session is called that nobody gave a title. */
const firstWords = (history: readonly Message[]): string => {
  const prompt = history.find((one) => one.role === 'user' && one.synthetic !== true);
  return prompt?.role === 'user' ? titleFromPrompt(prompt.content) : '';
};

/** Tells whether a file is not there, or was written by Lathe. */
export async function isOurs(files: Files, file: string): Promise<boolean> {
  const start = await files.readRange(file, 0, MAX_FIRST_LINE);
  if (!start.ok) return start.error.code === 'not_found' || start.error.code === 'not_directory';
  const [first = ''] = new TextDecoder().decode(start.value).split('\n', 1);
  if (first === '') return true;
  try {
    return Object(JSON.parse(first))['entrypoint'] === OWN;
  } catch {
    return false;
  }
}

type Entry = Readonly<Record<string, unknown>>;

/** Returns the line of a message; null for one that has none. */
function entryOf(
  message: Message,
  parent: string | undefined,
  { project, version, log, isSidechain = false }: LineFacts,
  now: number,
): Entry | null {
  const common = {
    uuid: lineId(message.id),
    parentUuid: parent === undefined ? null : lineId(parent),
    isSidechain,
    userType: 'external',
    entrypoint: OWN,
    cwd: project,
    sessionId: log.sessionId,
    version,
    timestamp: new Date(now).toISOString(),
  };
  switch (message.role) {
    case 'user': {
      const isResult = message.content.some(({ type }) => type === 'tool_result');
      return {
        ...common,
        type: 'user',
        ...(message.synthetic === true && !isResult ? { isMeta: true } : {}),
        message: { role: 'user', content: message.content },
      };
    }
    case 'assistant': {
      const { id, model, content } = message;
      const api = { id, type: 'message', role: 'assistant', model, content: content.map(blockOf) };
      return {
        ...common,
        type: 'assistant',
        message: { ...api, stop_reason: null, usage: NO_USE },
      };
    }
    case 'boundary':
      return {
        ...common,
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
      };
    default:
      return null;
  }
}

const NO_USE = { input_tokens: 0, output_tokens: 0 };

const blockOf = (block: AssistantBlock): Entry => (block.type === 'other' ? block.raw : block);
