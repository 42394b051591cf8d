import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { inRoot } from '../../scripts/lib/system.mjs';
import { countedAnswer, textAnswer } from './api-server.mjs';
import { createPromptCache } from './prompt-cache.mjs';
import { lathe, run } from './subject.mjs';
import { median, row } from './table.mjs';

/** The length of each result. Characters. */
const RESULT_CHARS = 20_000;
/** A model whose window has 200 000 tokens, and whose cache reads cost a tenth of plain input. */
const MODEL = 'claude-haiku-4-5';

const MEGABYTE = 1_000_000;
/** Runs of the whole; a sum of ten short gaps says little by itself. */
const RUNS = 3;

/**
 * Rows for long conversations: turns with one Read of 20 kB each, through the whole of Lathe, with a server that counts
 * tokens and caches prefixes as the API does; and the same through the layers alone, beside a summary whenever the window
 * is full: medians of the runs, and what the layers did in the last. `LATHE_BENCH_TURNS` sets the number of turns.
 */
export async function measureContext(entry, tell) {
  const turns = Number(process.env.LATHE_BENCH_TURNS ?? 300);
  const { module } = await runnerImport(inRoot('test', 'bench', 'context-simulator.ts'));
  const simulated = await module.compare({ turns, resultChars: RESULT_CHARS });
  tell('simulated', simulated);
  const runs = [];
  for (let i = 0; i < RUNS; i += 1) runs.push(await longRun(entry, turns));
  for (const line of layerLines(runs.at(-1))) tell(line);
  const middle = (pick) => median(runs.map(pick));
  return [
    {
      ...row(
        `${turns} turns of 20 kB: cost, layers alone`,
        'M units',
        simulated.ours.units / 1e6,
        (4 * turns) / 300,
      ),
      floor: simulated.whenFull.units / 1e6,
      ratio: simulated.ours.units / simulated.whenFull.units,
    },
    row(
      `${turns} turns of 20 kB: cost`,
      'M units',
      middle(({ units }) => units / 1e6),
      (4 * turns) / 300,
    ),
    row('last ten turns by the first ten', '×', middle(slowerAtTheEnd), 1.5),
    row('peak memory, shared pages once', 'MB', middle(inMemory('shared')), 250),
    row('peak memory, sizes added up', 'MB', middle(inMemory('added')), 250),
  ];
}

const inMemory =
  (how) =>
  ({ memory }) =>
    memory[how] / MEGABYTE;

/** Returns how much longer the last ten gaps are than the first ten. The first two answer a cold process. */
function slowerAtTheEnd({ gapsMs }) {
  const sum = (from, to) => gapsMs.slice(from, to).reduce((all, ms) => all + ms, 0);
  return sum(-11, -1) / sum(2, 12);
}

/** Has Lathe read as many files as there are turns. Gives the run, its cost and what the layers did. */
async function longRun(entry, turns) {
  const folder = mkdtempSync(join(tmpdir(), 'lathe-bench-context-'));
  const cache = createPromptCache();
  const requests = [];
  let events = [];
  const answer = (body) => {
    const counts = cache.count(body);
    requests.push(counts);
    if (requests.length > turns) return textAnswer('Done.');
    const { input, read, written } = counts;
    const usage = {
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 1,
    };
    return countedAnswer(usage, ['Read', { file_path: join(folder, `${requests.length}.txt`) }]);
  };
  try {
    for (let at = 1; at <= turns; at += 1) {
      const line = (n) => `${at}.${n} `.padEnd(193, 'some words of a file ').slice(0, 193);
      const text = Array.from({ length: RESULT_CHARS / 200 }, (_, n) => line(n)).join('\n');
      writeFileSync(join(folder, `${at}.txt`), text);
    }
    const look = (home) => {
      events = eventsIn(join(home, '.lathe', 'projects'));
    };
    const options = { project: folder, env: { ANTHROPIC_MODEL: MODEL }, look };
    const done = await run(lathe(entry), answer, options);
    const units = requests.reduce((sum, one) => sum + unitsOf(one), 0);
    return { ...done, counts: requests, units, events };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const unitsOf = ({ input, read, written }) => input + 1.25 * written + 0.1 * read;

/** Reads the events of all sessions below a folder, in order. */
const eventsIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
    .map((line) => line.event ?? line);

/**
 * One line for each layer that acted: how often, what it freed, and the requests before and after its acts: their mean
 * size, and the share of them that the cache had.
 */
function layerLines({ events, counts }) {
  const acts = new Map();
  let answered = 0;
  for (const event of events) {
    if (event.type === 'message_finished') answered += 1;
    const layer =
      event.type === 'context_edited'
        ? event.layer
        : event.type === 'compacted'
          ? 'autocompact'
          : null;
    if (layer === null) continue;
    const freed = event.freed ?? event.tokensBefore - event.tokensAfter;
    acts.set(layer, [...(acts.get(layer) ?? []), { at: answered, freed }]);
  }
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const kB = (list) => `${Math.round(mean(list.map(({ bytes }) => bytes)) / 1000)} kB`;
  const share = (list) =>
    `${Math.round(100 * mean(list.map(({ input, read, written }) => read / (input + read + written))))} %`;
  const all = counts.slice(1);
  return [
    `all requests: ${all.length}, ${kB(all)}, ${share(all)} from the cache`,
    ...[...acts].map(([layer, list]) => {
      const before = list.flatMap(({ at }) => counts[at - 1] ?? []);
      const after = list.flatMap(({ at }) => counts[at] ?? []);
      const freed = Math.round(mean(list.map((act) => act.freed)));
      return `${layer}: acted ${list.length} times, ${freed} tokens freed each; request ${kB(before)} (${share(before)} from the cache) → ${kB(after)} (${share(after)})`;
    }),
  ];
}
