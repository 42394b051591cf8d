import { describe, expect, it, test } from 'vitest';
import { endFacts, endLook, folded } from '../../../src/renderer/chat/ConversationRow';
import { foldWords } from '../../../src/renderer/chat/FoldedRow';
import { gist } from '../../../src/renderer/chat/FoldingRows';
import { answerRate, liveLine } from '../../../src/renderer/chat/LiveRow';
import { createRowList, hasBegun, type Row } from '../../../src/renderer/chat/rows';
import { type AgentEvent, MAIN_AGENT } from '../../../src/shared/agent-event';
import { applyEvent } from '../../../src/shared/apply-event';
import {
  type CallItem,
  emptyTranscript,
  type Item,
  type Transcript,
} from '../../../src/shared/transcript';
import { EndReason } from '../../../src/shared/turn';
import { commandApproval } from '../../support/gallery/approval-fixtures';
import { NOW, readCall } from '../../support/gallery/call-fixtures';
import { runningTranscript, troubledTranscript } from '../../support/gallery/fixtures';

const call = (id: string) => ({ ...readCall, id });
const text = (id: string, value: string) =>
  ({ kind: 'text', id, text: value, done: false }) as const;
const listed = (transcript: Transcript, list = createRowList()): readonly Row[] => {
  const rows = list(transcript);
  return Array.from({ length: rows.length }, (_, index) => rows.at(index));
};
const positions = (rows: readonly Row[]) =>
  rows.map((r) => [r.key, r.kind === 'item' && r.position]);

it.each<[Item['kind'] | 'nothing', boolean]>([
  ['nothing', false],
  ['divider', false],
  ['end', false],
  ['prompt', true],
  ['text', true],
  ['call', true],
])('has begun or not with %s', (kind, begun) => {
  const items = [...troubledTranscript.committed, text('t', 'x')];
  const committed = items.filter((item) => item.kind === kind);
  if (kind !== 'nothing') expect(committed).not.toEqual([]);
  expect(hasBegun({ running: null, committed })).toBe(begun);
});

it('has begun with what runs', () => {
  expect(hasBegun({ running: runningTranscript.running, committed: [] })).toBe(true);
});

describe('rows', () => {
  const items = [call('a'), text('t0', ' \n'), call('b'), call('c'), text('t', 'x'), call('d')];
  const expected = [
    ['a', 'first'],
    ['b', 'middle'],
    ['c', 'last'],
    ['t', 'alone'],
    ['d', 'alone'],
  ];
  it.each([0, 1, 2, 3, 4, 5, 6])(
    'groups neighbouring calls and leaves out what has no text yet, %i of them settled',
    (settled) => {
      const transcript = {
        ...runningTranscript,
        running: null,
        committed: items.slice(0, settled),
        active: items.slice(settled),
      };
      expect(positions(listed(transcript))).toEqual(expected);
    },
  );

  it('shows a long text in rows of its parts, and counts it once', () => {
    const list = createRowList();
    const first = call('a');
    const long = (paragraphs: number) => 'A paragraph of some words.\n\n'.repeat(paragraphs);
    const of = (paragraphs: number): Transcript => ({
      ...runningTranscript,
      committed: [first],
      active: [text('t', long(paragraphs)), call('b')],
    });
    const before = listed(of(1000), list);
    expect(before.length).toBeGreaterThan(10);
    expect(before.map(({ key }) => key).slice(0, 3)).toEqual(['a', 't', 't 1']);
    expect(new Set(before.map(({ key }) => key)).size).toBe(before.length);
    const after = listed(of(1001), list);
    for (const [at, row] of before.slice(0, -4).entries()) expect(after[at]).toBe(row);
    expect(list(of(1001)).items).toBe(3);
    const shown = after.flatMap((row) => (row.kind === 'item' ? (row.part?.blocks ?? []) : []));
    expect(shown.join('')).toBe(long(1001));
  });

  it('keeps the rows of a long text when its turn is over', () => {
    const list = createRowList();
    const long = text('t', 'A paragraph of some words.\n\n'.repeat(1000));
    const before = listed({ ...runningTranscript, committed: [], active: [long] }, list);
    const after = listed(
      { ...runningTranscript, committed: [{ ...long, done: true }, call('a')], active: [] },
      list,
    );
    for (const [at, row] of before.slice(0, -2).entries()) expect(after[at]).toBe(row);
  });

  const done = (id: string, over: Partial<CallItem> = {}): CallItem => ({
    ...readCall,
    id,
    status: 'done',
    startedAt: 1000,
    durationMs: 200,
    ...over,
  });
  const many = (prefix: string, count: number, over: Partial<CallItem> = {}) =>
    Array.from({ length: count }, (_, n) => done(`${prefix}${n}`, over));
  const end = (id: string): Item => ({
    ...{ kind: 'end', id, terminal: 'completed', text: '' },
    ...{ turns: 1, costUsd: 0, durationMs: 1 },
  });
  const idle = (committed: readonly Item[], active: readonly Item[] = []): Transcript => ({
    ...runningTranscript,
    running: null,
    committed,
    active,
  });
  const shell = { view: null, title: { verb: 'Bash', target: 'ls' } };
  const shapes = (rows: readonly Row[]) =>
    rows.map((row) => (row.kind === 'fold' ? `${row.rows.length} folded` : row.key));

  it.each([0, 3, 5])('folds reads that stand side by side at once, %i of them settled', (cut) => {
    const reads = many('r', 5);
    const rows = listed(idle(reads.slice(0, cut), [...reads.slice(cut), text('t', 'so')]));
    expect(shapes(rows)).toEqual(['5 folded', 't']);
    expect(shapes(listed(idle([], many('r', 3))))).toEqual(['r0', 'r1', 'r2']);
  });

  it('leaves what runs, waits or failed outside of reads', () => {
    const running = done('x', { status: 'running' });
    expect(shapes(listed(idle([], [...many('a', 4), running, ...many('b', 2)])))).toEqual([
      '4 folded',
      'x',
      'b0',
      'b1',
    ]);
  });

  it('folds the work of a query when it has ended, each of it in order, and not before', () => {
    const work = many('s', 7, shell);
    expect(shapes(listed(idle(work)))).toHaveLength(7);
    expect(shapes(listed(idle([...work, text('t', 'so'), end('e')])))).toEqual([
      '7 folded',
      't',
      'e',
    ]);
    expect(shapes(listed(idle([...many('s', 5, shell), end('e')])))).toHaveLength(6);
  });

  it('moves nothing while the user reads further up, and keeps folded what is', () => {
    const list = createRowList();
    const before = [...many('a', 6, shell), end('e1')];
    const after = [...before, ...many('b', 6, shell), end('e2')];
    const at = (transcript: Transcript, mayFold: boolean) => {
      const rows = list(transcript, mayFold);
      return shapes(Array.from({ length: rows.length }, (_, index) => rows.at(index)));
    };
    expect(at(idle(before), true)).toEqual(['6 folded', 'e1']);
    expect(at(idle(after), false)).toHaveLength(9);
    expect(at(idle(after), true)).toEqual(['6 folded', 'e1', '6 folded', 'e2']);
  });

  it('keeps folded what is when earlier rows come while the user reads further up', () => {
    const list = createRowList();
    const query = (name: string) => [
      ...many(name, 7, shell),
      text(`t${name}`, 'so'),
      end(`e${name}`),
    ];
    const late = [...query('c'), ...query('d')];
    const shape = (committed: readonly Item[], mayFold: boolean) => {
      const rows = list(idle(committed), mayFold);
      return shapes(Array.from({ length: rows.length }, (_, index) => rows.at(index)));
    };
    const before = shape(late, true);
    expect(before).toEqual(['7 folded', 'tc', 'ec', '7 folded', 'td', 'ed']);
    const after = shape([...query('a'), ...query('b'), ...late], false);
    expect(after.slice(-before.length)).toEqual(before);
    expect(after).toHaveLength(12);
  });

  it('keeps a folded row the same object while nothing in it changes', () => {
    const list = createRowList();
    const reads = many('r', 5);
    const first = list(idle([], reads)).at(0);
    expect(list(idle([], [...reads, text('t', 'so')])).at(0)).toBe(first);
    expect(list(idle([], [...reads, done('r5')])).at(0)).toMatchObject({ key: first.key });
  });

  it('says in one line what is folded', () => {
    const words = (items: readonly CallItem[]) =>
      foldWords(items.map((item) => ({ kind: 'item', key: item.id, item, position: 'alone' })));
    const file = (target: string) => done(target, { title: { verb: 'Read', target } });
    expect(words([file('a.ts'), file('b.ts')])).toEqual({
      ...{ verb: 'Read 2 files', targets: 'a.ts, b.ts', facts: '0.2 s', failed: 0 },
    });
    const late = done('y', { ...shell, status: 'failed', startedAt: 31_000, durationMs: 10_000 });
    expect(words([done('x', shell), late])).toEqual({
      ...{ verb: '2 calls', targets: 'Bash', facts: '1 failed · 40 s', failed: 1 },
    });
  });

  it('ends with the live row while a query runs', () => {
    expect(listed(troubledTranscript).at(-1)).toMatchObject({ kind: 'live' });
    const idle = { ...troubledTranscript, running: null };
    expect(listed(idle).some((row) => row.kind === 'live')).toBe(false);
  });

  it('does the work of the live turn only, however long the query is', () => {
    let reads = 0;
    const counted = (item: Item): Item =>
      new Proxy(item, {
        get(target, name, receiver) {
          reads += 1;
          return Reflect.get(target, name, receiver);
        },
      });
    const turn = (n: number): readonly AgentEvent[] => [
      { type: 'turn_started', queryId: 'q', turn: n },
      { type: 'block_started', messageId: `m${n}`, index: 0, kind: 'text' },
      { type: 'block_delta', messageId: `m${n}`, index: 0, text: 'Next I read a file.' },
      ...(['queued', 'running'] as const).map(
        (status): AgentEvent => ({
          type: 'call_changed',
          callId: `c${n}`,
          tool: 'Read',
          title: { verb: 'Read', target: 'a.ts' },
          status,
          view: null,
        }),
      ),
      { type: 'continued', reason: 'next_turn' },
    ];
    let seq = 0;
    const fold = (t: Transcript, events: readonly AgentEvent[]) =>
      events.reduce((now, event) => {
        seq += 1;
        return applyEvent(now, {
          sessionId: 's',
          agentId: MAIN_AGENT,
          epoch: 'e',
          seq,
          at: seq,
          event,
        });
      }, t);
    const began = fold(emptyTranscript('s', 'e'), [{ type: 'query_started', queryId: 'q' }]);
    const long = fold(began, Array.from({ length: 1000 }, (_, n) => turn(n)).flat());
    const watched = { ...long, committed: long.committed.map(counted) };
    expect(watched.committed).toHaveLength(2000);

    const list = createRowList();
    let transcript = fold(watched, turn(1000).slice(0, 2));
    const first = list(transcript);
    reads = 0;
    for (let frame = 0; frame < 100; frame += 1) {
      transcript = fold(transcript, [
        { type: 'block_delta', messageId: 'm1000', index: 0, text: 'more ' },
      ]);
      const rows = list(transcript);
      expect(rows.settled).toBe(first.settled);
      expect(rows.moving.length).toBeLessThanOrEqual(3);
    }
    // A few for the seam between the settled rows and the live turn, none for the 2,000 rows before it.
    expect(reads).toBeLessThanOrEqual(100 * 20);

    const next = list(fold(transcript, turn(1000).slice(2)));
    expect(next.settled.slice(0, 1999)).toEqual(first.settled.slice(0, 1999));
    for (let at = 0; at < 1999; at += 1) expect(next.at(at)).toBe(first.at(at));
  });
});

test('the speed of an answer is told once it was watched for a while, each piece anew', () => {
  const of = (id: string, length: number, done = false) => ({
    active: [{ kind: 'text' as const, id, text: 'x'.repeat(length), done }],
  });
  const first = answerRate(of('a', 400), null, NOW);
  expect(first.rate).toBeNull();
  expect(answerRate(of('a', 800), first.seen, NOW + 1_000).rate).toBeNull();
  expect(answerRate(of('a', 2_000), first.seen, NOW + 4_000).rate).toBe(100);
  expect(answerRate(of('a', 400), first.seen, NOW + 4_000).rate).toBeNull();
  expect(answerRate(of('b', 9_000), first.seen, NOW + 4_000).rate).toBeNull();
  expect(answerRate(of('a', 2_000, true), first.seen, NOW + 4_000)).toEqual({
    seen: null,
    rate: null,
  });
  expect(liveLine(runningTranscript, NOW, 42).facts).toEqual(['1m 04s', 'about 42 tokens/s']);
});

describe('liveLine', () => {
  it('says what runs and since when', () =>
    expect(liveLine(runningTranscript, NOW)).toEqual({
      state: 'running',
      text: 'Running Bash',
      facts: ['1m 04s'],
      pausing: false,
    }));
  it('waits for the user before anything else', () =>
    expect(
      liveLine(
        { ...troubledTranscript, approvals: [{ ...commandApproval, agentId: 'main' }] },
        NOW,
      ),
    ).toMatchObject({
      state: 'waits',
      text: 'Waits for your answer',
    }));
  it.each([
    [NOW, 'Trying again in 12 s', true],
    [NOW + 11_400, 'Trying again in 1 s', true],
    [NOW + 20_000, 'Trying again', false],
  ])('counts down a retry %#', (now, next, pausing) =>
    expect(liveLine(troubledTranscript, now)).toMatchObject({
      state: 'waiting',
      text: 'The model is overloaded.',
      next,
      facts: ['try 2 of 10'],
      pausing,
    }),
  );
  it('says when the model is silent', () =>
    expect(liveLine({ ...runningTranscript, silentSince: NOW - 18_000 }, NOW)).toMatchObject({
      text: 'The model has gone quiet. Lathe asks again if it stays so',
      facts: ['nothing for 18 s', '1m 04s in all'],
    }));
  it.each([
    [{ kind: 'text', id: 'x', text: 'a', done: false } as const, 'Answering'],
    [{ kind: 'thinking', id: 'x', text: 'a', done: false } as const, 'Thinking'],
    [{ kind: 'text', id: 'x', text: 'a', done: true } as const, 'Working'],
  ])('names the activity %#', (item, text) =>
    expect(liveLine({ ...runningTranscript, active: [item] }, NOW).text).toBe(text),
  );
});

it('has a look for every ending, and is quiet only for the good ones', () => {
  const quiet = EndReason.options.filter((t) =>
    ['meta', 'info'].includes(endLook({ terminal: t, turns: 1 }).level),
  );
  expect(quiet).toEqual(['completed', 'aborted_streaming', 'aborted_tools']);
  const title = (turns: number) => endLook({ terminal: 'model_error', turns }).title;
  expect([title(0), title(1)]).toEqual(['That did not work', 'The model could not answer']);
  for (const terminal of EndReason.options)
    expect(endLook({ terminal, turns: 1 }).title).not.toBe('');
});

it('folds a long prompt only', () => {
  expect(folded('short')).toBeNull();
  expect(folded('x'.repeat(5000))?.length).toBeLessThan(1700);
  expect(folded('a\n'.repeat(40))?.split('\n').length).toBe(14);
});

it('takes the first line of a finished thought and the newest of a running one', () => {
  expect(gist({ text: '\n**First** thing\n\nlast', done: true })).toBe('First thing');
  expect(gist({ text: 'first\n\n> last\n', done: false })).toBe('last');
  expect(gist({ text: '', done: false })).toBe('');
});

it.each([
  [
    'an answer',
    { turns: 3, durationMs: 4100, costUsd: 0.02, text: 'Done.' },
    ['3 turns', '4.1 s', '$0.02'],
  ],
  ['a command', { turns: 0, durationMs: 3, costUsd: 0, text: 'Model: opus.' }, ['Model: opus.']],
  [
    'a slow command',
    { turns: 0, durationMs: 700, costUsd: 0, text: 'Model: opus.' },
    ['Model: opus', '0.7 s'],
  ],
  ['a shell line', { turns: 0, durationMs: 700, costUsd: 0, text: '' }, ['0.7 s']],
  ['nothing at all', { turns: 0, durationMs: 3, costUsd: 0, text: '' }, []],
] as const)('the end of %s says what is worth it', (_what, end, facts) =>
  expect(endFacts({ kind: 'end', id: 'e', terminal: 'completed', ...end })).toEqual(facts),
);
