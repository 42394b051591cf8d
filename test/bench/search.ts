import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encodeLine } from '../../src/main/engine/event-log';
import { createSearchIndex } from '../../src/main/search/search-index';
import { parseSearch } from '../../src/main/search/words';

const SESSIONS = 1_000;
const MESSAGES = 60;
/** Words of one message, of a vocabulary whose words are as uneven as those of a language. */
const WORDS = 40;
const VOCABULARY = 20_000;
const RUNS = 15;

/** What is searched for, and the longest time of one search. Milliseconds. */
const SEARCHES = [
  ['a rare word', 'w19999'],
  ['a word in nearly every message', 'w1'],
  ['the beginning of a word', 'w12'],
  ['a phrase of two words', '"w3 w5"'],
] as const;
const BUDGET_MS = 100;
const FIRST_MS = 60_000;

/** Measures searches in 1 000 sessions whose index stands, and the making of the index. Rows as `measure.mjs` has them. */
export async function measureSearches(tell: (name: string) => void) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lathe-bench-search-')));
  try {
    const projects = join(folder, 'projects');
    for (let session = 0; session < SESSIONS; session += 1) fill(projects, session);
    const index = createSearchIndex(
      { projects, others: [] },
      join(folder, 'index', 'sessions.db'),
      (path) => new DatabaseSync(path),
    );
    const search = async (text: string) => {
      const began = performance.now();
      for await (const _ of index.search(parseSearch(text) ?? []));
      return performance.now() - began;
    };
    const row = (name: string, lathe: number, budget: number) => {
      const fact = `${SESSIONS} sessions: ${name}`;
      tell(fact);
      const held = { ratio: null, budget, ok: lathe <= budget, absolute: true };
      return { name: fact, unit: 'ms', lathe, floor: null, ...held };
    };
    const rows = [row('the index is made', await search('w1'), FIRST_MS)];
    for (const [name, text] of SEARCHES) {
      const times: number[] = [];
      for (let run = 0; run < RUNS; run += 1) times.push(await search(text));
      rows.push(row(name, median(times), BUDGET_MS));
    }
    index.close();
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes a session, the same each time. */
function fill(projects: string, session: number): void {
  const project = `/projects/p${session % 20}`;
  const folder = join(projects, `p${session % 20}`);
  mkdirSync(folder, { recursive: true });
  let state = session + 1;
  const word = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return `w${Math.floor(VOCABULARY ** (state / 2_147_483_648))}`;
  };
  const began = 1_700_000_000_000 + session * 1_000_000;
  const lines = [
    encodeLine({
      at: began,
      event: { type: 'session_started', version: 1, cwd: project, createdAt: began },
    }),
  ];
  for (let message = 0; message < MESSAGES; message += 1) {
    const text = Array.from({ length: WORDS }, word).join(' ');
    const id = `m${message}`;
    const event = { type: 'user_message', id, content: [{ type: 'text', text }] } as const;
    lines.push(
      encodeLine({ at: began + message, event: { ...event, content: [...event.content] } }),
    );
  }
  writeFileSync(join(folder, `session-${session}.jsonl`), lines.join(''));
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
