import { MAIN_AGENT } from '../../../shared/agent-event';
import { lineId } from '../../../shared/line-id';
import type { AssistantBlock, Message } from '../../../shared/message';
import type { EventLog } from '../event-log';
import type { AppendFile, Clock, Files } from '../ports';

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

interface ClaudeTranscriptOptions extends LineFacts {
  readonly file: string;
  readonly history: () => readonly Message[];
  readonly log: Pick<EventLog, 'sessionId' | 'listen'>;
}

/** The mark of the lines that are Lathe's: a file without it is somebody else's. */
const OWN = 'lathe';

/** The first line of a file is looked for as far as this. Bytes. */
const MAX_FIRST_LINE = 1024 * 1024;

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
  const { file, history, log } = options;
  if (!(await isOurs(files, file))) return null;
  const written = new Set<string>();
  const linesOf = (messages: readonly Message[], before: Message | undefined): string => {
    for (const { id } of messages) written.add(id);
    return transcriptLines(messages, before, options, clock.now());
  };
  const begun = await files.write(file, linesOf(shown(history()), undefined), 0o600);
  const opened = begun.ok ? await files.openAppend(file) : begun;
  if (!opened.ok) return null;
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
    const text = linesOf(all.slice(from), all[from - 1]);
    if (text === '') return;
    waiting += 1;
    isOver = waiting > MAX_WAITING;
    writing = writing.then(async () => {
      const done = await append.append(text);
      waiting -= 1;
      isOver ||= !done.ok;
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

/** Returns the lines of a conversation that goes on after `before`. Pure. */
function transcriptLines(
  messages: readonly Message[],
  before: Message | undefined,
  facts: LineFacts,
  now: number,
): string {
  const entries = messages.map((message, at) =>
    entryOf(message, (messages[at - 1] ?? before)?.id, facts, now),
  );
  return entries.map((entry) => (entry === null ? '' : `${JSON.stringify(entry)}\n`)).join('');
}

/** Writes the whole conversation of a sub-agent in the same shape, and returns the file; null when it cannot be. */
export async function writeAgentTranscript(
  { files, clock }: { readonly files: Files; readonly clock: Clock },
  file: string,
  history: readonly Message[],
  facts: LineFacts,
): Promise<string | null> {
  const lines = transcriptLines(
    shown(history),
    undefined,
    { ...facts, isSidechain: true },
    clock.now(),
  );
  return (await files.write(file, lines, 0o600)).ok ? file : null;
}

/** Events after which the history has a whole message more. */
const ADDS: ReadonlySet<string> = new Set([
  'user_message',
  'message_finished',
  'call_settled',
  'compacted',
  'query_finished',
]);

/** Returns the messages that a person would see: notes for the model are left out. */
const shown = (history: readonly Message[]): readonly Message[] =>
  history.filter(({ role }) => role !== 'attachment');

/** Tells whether a file is not there, or was written by Lathe. */
async function isOurs(files: Files, file: string): Promise<boolean> {
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
