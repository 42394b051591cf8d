import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeLine, isDurable } from '../../../src/main/engine/event-log';
import { resumeLog, startLog } from '../../../src/main/engine/sessions/open-log';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../../src/main/node/files';
import { createNodeLocks } from '../../../src/main/node/locks';
import type { AgentEvent, DurableEvent } from '../../../src/shared/agent-event';
import { countSteps } from '../../support/count-steps';
import { countingIds, memoryClock } from '../../support/memory-clock';

/** Turns of a short and of a long session. */
const FEW = 400;
const MANY = 1600;
/** A cost in a line grows by four; the log drops its oldest events in batches, which the long session meets first. */
const LINEAR = 6;

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The events of one turn: words, one call, its result. */
const turn = (n: number): readonly AgentEvent[] => [
  { type: 'message_started', messageId: `m${n}`, model: 'm' },
  { type: 'block_started', messageId: `m${n}`, index: 0, kind: 'text' },
  { type: 'block_delta', messageId: `m${n}`, index: 0, text: `Look at ${n}.` },
  block(n, 0, { type: 'text', text: `Look at ${n}.` }),
  block(n, 1, { type: 'tool_use', id: `c${n}`, name: 'Read', input: { file_path: `/f${n}` } }),
  {
    type: 'message_finished',
    messageId: `m${n}`,
    model: 'm',
    stopReason: 'tool_use',
    usage,
    costUsd: 0,
  },
  {
    type: 'call_settled',
    callId: `c${n}`,
    tool: 'Read',
    title: { verb: 'Read', target: `/f${n}` },
    status: 'done',
    content: [{ type: 'text', text: 'lines' }],
    isError: false,
    view: null,
    durationMs: 1,
  },
  { type: 'continued', reason: 'next_turn' },
];

const block = (
  n: number,
  index: number,
  made: Extract<DurableEvent, { type: 'block_finished' }>['block'],
): DurableEvent => ({ type: 'block_finished', messageId: `m${n}`, model: 'm', index, block: made });

const asked = (n: number): readonly AgentEvent[] => [
  { type: 'query_started', queryId: `q${n}` },
  { type: 'user_message', id: `u${n}`, content: [{ type: 'text', text: `Do ${n}.` }] },
];

const ended = (n: number): AgentEvent => ({
  type: 'query_finished',
  queryId: `q${n}`,
  terminal: 'completed',
  text: 'Done.',
  turns: 1,
  usage,
  costUsd: 0,
  durationMs: 1,
  apiMs: 1,
  denials: [],
  stopReason: 'end_turn',
});

const replaced = (n: number, from: number): AgentEvent => ({
  type: 'compacted',
  id: `k${n}`,
  summary: 'So far.',
  removed: Array.from({ length: n - from }, (_, i) => [
    `m${from + i}`,
    `c${from + i}:result`,
  ]).flat(),
  tokensBefore: 2,
  tokensAfter: 1,
});

const takenBack = (n: number): AgentEvent => ({
  type: 'tombstone',
  messageId: `m${n}`,
  reason: 'r',
  calls: [`c${n}`],
});

const times = (n: number, make: (n: number) => readonly AgentEvent[]): readonly AgentEvent[] =>
  Array.from({ length: n }, (_, i) => make(i)).flat();

type Shape = readonly [name: string, events: (turns: number) => readonly AgentEvent[]];

const SHAPES: readonly Shape[] = [
  ['one query of many turns', (n) => [...asked(0), ...times(n, turn), ended(0)]],
  ['many queries', (n) => times(n, (i) => [...asked(i), ...turn(i), ended(i)])],
  [
    'summaries and answers that were taken back',
    (n) => [
      ...asked(0),
      ...times(n, (i) => [
        ...turn(i),
        ...(i % 4 === 3 ? [takenBack(i)] : []),
        ...(i % 50 === 49 ? [replaced(i, i - 49)] : []),
      ]),
      ended(0),
    ],
  ],
  ['a query that a crash cut', (n) => [...asked(0), ...times(n, (i) => turn(i).slice(0, -2))]],
];

async function inHome<T>(work: (world: World) => Promise<T>): Promise<T> {
  const latheHome = await mkdtemp(join(tmpdir(), 'lathe-long-log-'));
  try {
    return await work({
      files: createNodeFiles(),
      clock: memoryClock(),
      ids: countingIds(),
      locks: createNodeLocks(),
      latheHome,
    });
  } finally {
    await rm(latheHome, { recursive: true, force: true });
  }
}
type World = Parameters<typeof resumeLog>[0];

const SESSION = { sessionId: 'session-0001', project: '/p' };

/** Steps that opening a session of these events takes. */
const stepsToOpen = (events: readonly AgentEvent[]): Promise<number> =>
  inHome(async (world) => {
    const { file } = sessionPaths(world.latheHome, SESSION.project, SESSION.sessionId);
    const started = await startLog(world, { ...SESSION, demo: false });
    if (!started.ok) throw new Error(started.error.message);
    await started.value.log.close();
    await started.value.release();
    const old = await world.files.read(file, 1_000_000);
    const lines = events.filter(isDurable).map((event) => encodeLine({ at: 1, event }));
    await world.files.write(
      file,
      new TextDecoder().decode(old.ok ? old.value : undefined) + lines.join(''),
    );
    let opened: Awaited<ReturnType<typeof resumeLog>> | null = null;
    const steps = await countSteps(async () => {
      opened = await resumeLog(world, { ...SESSION, file });
    });
    const log = opened as Awaited<ReturnType<typeof resumeLog>> | null;
    if (!log?.ok) throw new Error('The session did not open.');
    expect(log.value.history.messages().length).toBeGreaterThan(lines.length / 4);
    await log.value.log.close();
    await log.value.release();
    return steps;
  });

/** Steps that a session takes for these events while it runs; each request looks at the history. */
const stepsToRun = (events: readonly AgentEvent[]): Promise<number> =>
  inHome(async (world) => {
    const opened = await startLog(world, { ...SESSION, demo: false });
    if (!opened.ok) throw new Error(opened.error.message);
    const { log, history, release } = opened.value;
    const steps = await countSteps(() => {
      for (const event of events) {
        if (isDurable(event)) history.fold(event);
        log.append(event);
      }
    });
    await log.close();
    await release();
    return steps;
  });

it.each(SHAPES)('opening %s costs as much as there is, not its square', async (_name, events) => {
  const few = await stepsToOpen(events(FEW));
  const many = await stepsToOpen(events(MANY));
  expect(many / few).toBeLessThan(LINEAR);
});

it.each(SHAPES)('running %s costs as much as there is, not its square', async (_name, events) => {
  const few = await stepsToRun(events(FEW));
  const many = await stepsToRun(events(MANY));
  expect(many / few).toBeLessThan(LINEAR);
});

it('the count tells a square from a line', async () => {
  const squares = (n: number) =>
    countSteps(() => Array.from({ length: n }).reduce<number[]>((all) => [...all, 1], []));
  expect((await squares(400)) / (await squares(100))).toBeGreaterThan(10);
});
