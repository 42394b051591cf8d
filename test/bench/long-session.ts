import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { encodeLine } from '../../src/main/engine/event-log';
import { sessionPaths } from '../../src/main/engine/sessions/paths';
import type { DurableEvent } from '../../src/shared/agent-event';

/** Lines of the log (issue 10, line 18). */
const LINES = 500_000;
/** Answers that a query takes, each with a call; the last has words only. */
const TURNS = 10;
/** Queries after which what was said is summarised. */
const SUMMARISED = 40;

const ID = '00000000-0000-4000-8000-000000500000';
const MODEL = 'claude-sonnet-5-5';
const BEGAN = 1_700_000_000_000;
const usage = {
  ...{ inputTokens: 1_200, outputTokens: 140, cacheReadTokens: 45_000, cacheWriteTokens: 800 },
};

/** Writes the log of one session of half a million lines, about 130 MB, summarised as it grew, and gives its id. */
export function writeLongSession(latheHome: string, project: string): string {
  const { file } = sessionPaths(latheHome, project, ID);
  mkdirSync(dirname(file), { recursive: true });
  const log = openSync(file, 'w', 0o600);
  let lines = 0;
  const write = (events: readonly DurableEvent[]) => {
    const texts = events.map((event, at) => encodeLine({ at: BEGAN + 200 * (lines + at), event }));
    writeSync(log, texts.join(''));
    lines += events.length;
  };
  write([
    { type: 'session_started', version: 1, cwd: project, createdAt: BEGAN },
    { type: 'title_changed', title: 'Half a million lines' },
  ]);
  for (let query = 1; lines < LINES; query += 1) {
    write(eventsOf(query));
    if (query % SUMMARISED === 0) write([summaryAfter(query)]);
  }
  closeSync(log);
  return ID;
}

const eventsOf = (query: number): readonly DurableEvent[] => [
  { type: 'query_started', queryId: `q${query}` },
  { type: 'user_message', id: `u${query}`, content: [text(`Handle errors in module ${query}.`)] },
  ...Array.from({ length: TURNS }, (_, turn) => turnOf(`a${query}-${turn}`)).flat(),
  answered(`a${query}`, 0, text(`Module ${query} handles errors now.`)),
  counted(`a${query}`, 'end_turn'),
  {
    ...{ type: 'query_finished', queryId: `q${query}`, terminal: 'completed', text: 'Done.' },
    ...{ turns: TURNS + 1, usage, costUsd: 0.1, durationMs: 30_000, apiMs: 20_000, denials: [] },
    stopReason: 'end_turn',
  },
];

/** Returns words, a call with its result, and what ends the turn. */
const turnOf = (id: string): readonly DurableEvent[] => [
  answered(id, 0, text(`Next comes ${id}.ts, where the same has to be done as before.`)),
  answered(id, 1, {
    ...{ type: 'tool_use', id: `c-${id}`, name: 'Read', input: { file_path: `/src/${id}.ts` } },
  }),
  counted(id, 'tool_use'),
  {
    ...{ type: 'call_settled', callId: `c-${id}`, tool: 'Read', status: 'done', isError: false },
    ...{ title: { verb: 'Read', target: `src/${id}.ts` }, view: null, durationMs: 12 },
    content: [text(`    1\tone line of ${id}\n`.repeat(12))],
  },
  { type: 'continued', reason: 'next_turn' },
];

const summaryAfter = (query: number): DurableEvent => ({
  ...{ type: 'compacted', id: `s${query}`, summary: 'What was done so far. '.repeat(200) },
  ...{ tokensBefore: 160_000, tokensAfter: 9_000 },
  removed: Array.from({ length: SUMMARISED }, (_, n) => idsOf(query - SUMMARISED + 1 + n)).flat(),
});

const idsOf = (query: number): readonly string[] => [
  `u${query}`,
  ...Array.from({ length: TURNS }, (_, turn) => [
    `a${query}-${turn}`,
    `c-a${query}-${turn}:result`,
  ]).flat(),
  `a${query}`,
];

const text = (words: string) => ({ type: 'text' as const, text: words });

const answered = (
  messageId: string,
  index: number,
  block: Extract<DurableEvent, { type: 'block_finished' }>['block'],
): DurableEvent => ({ type: 'block_finished', messageId, model: MODEL, index, block });

const counted = (messageId: string, stopReason: string): DurableEvent => ({
  ...{ type: 'message_finished', messageId, model: MODEL, stopReason, usage, costUsd: 0.012 },
  ...{ ttftMs: 640, tokensPerSecond: 71 },
});
