import { decisionsPerSecond } from './decisions.mjs';
import { cachedShare, promptTokens } from './prompt-cache.mjs';
import { greeting, longAnswer, readingScenes, shellTurns } from './scenes.mjs';
import { bareSdk, floor, run } from './subject.mjs';
import { median } from './table.mjs';

/** Runs of everything, Lathe and floor in turn so that both meet the same machine; the medians count. */
const RUNS = { greeting: 9, turns: 5, longAnswer: 5 };

const MEGABYTE = 1_000_000;
const MEMORY_BUDGET = 140;

/** Runs a scene several times with each subject, one after the other. Gives one list of runs per subject. */
async function compare(subjects, answers, times, options) {
  const runs = subjects.map(() => []);
  for (let i = 0; i < times; i += 1)
    for (const [k, subject] of subjects.entries())
      runs[k].push(await run(subject, answers, options));
  return runs;
}

/** A row that compares: the ratio is held against the budget. */
const ratioRow = (name, unit, [ours, theirs], pick, budget) => {
  const [lathe, base] = [median(ours.map(pick)), median(theirs.map(pick))];
  return {
    name,
    unit,
    lathe,
    floor: base,
    ratio: lathe / base,
    budget,
    ok: lathe / base <= budget,
  };
};

/** A row of megabytes: the number itself is held against the budget. */
function memoryRow(name, [ours, theirs], pick) {
  const row = ratioRow(name, 'MB', [ours, theirs], (run) => pick(run) / MEGABYTE, MEMORY_BUDGET);
  return { ...row, ok: row.lathe <= MEMORY_BUDGET, absolute: true };
}

const medianGap = ({ gapsMs }) => median(gapsMs);

/**
 * Measures everything against a command line of Lathe. Gives rows `{name, unit, lathe, floor, ratio, budget, ok}`; `floor`
 * and `ratio` are null where a number stands for itself.
 */
export async function measure(lathe, tell) {
  const rows = [];
  const add = (row) => {
    rows.push(row);
    tell(row.name);
  };
  // The first start after a build compiles everything; nobody has that one twice.
  await run(lathe, shellTurns.slice(-2));

  const cold = await compare([lathe, floor], greeting, RUNS.greeting);
  add(ratioRow('cold start: spawn to first request', 'ms', cold, ({ coldMs }) => coldMs, 4.5));

  const shell = await compare([lathe, floor], shellTurns, RUNS.turns);
  add(ratioRow('30 shell turns: gap', 'ms', shell, medianGap, 2.3));

  const scenes = readingScenes();
  try {
    const where = { project: scenes.folder };
    const reads = await compare([lathe, floor], scenes.readTurns, RUNS.turns, where);
    add(ratioRow('30 read turns: gap', 'ms', reads, medianGap, 3.5));
    const [eight] = await compare([lathe], scenes.eightReads, RUNS.turns, where);
    const more = median(eight.map(medianGap)) - median(reads[0].map(medianGap));
    add({
      name: '8 reads in one answer: more than one read',
      unit: 'ms',
      lathe: more,
      floor: null,
      ratio: null,
      budget: 10,
      ok: more <= 10,
    });
  } finally {
    scenes.remove();
  }

  const long = await compare([lathe, bareSdk], longAnswer, RUNS.longAnswer);
  add(
    ratioRow('5 MB in 20 000 deltas: CPU (floor: bare SDK)', 'ms', long, ({ cpuMs }) => cpuMs, 1.5),
  );

  add(
    memoryRow(
      '30 shell turns: peak memory, shared pages once',
      shell,
      ({ memory }) => memory.shared,
    ),
  );
  add(
    memoryRow('30 shell turns: peak memory, sizes added up', shell, ({ memory }) => memory.added),
  );

  const rates = [];
  for (let i = 0; i < RUNS.turns; i += 1) rates.push(await decisionsPerSecond(lathe.words[0]));
  add({
    name: 'permission decisions a second, at least',
    unit: '/s',
    lathe: median(rates),
    floor: null,
    ratio: null,
    budget: 2_000,
    ok: median(rates) >= 2_000,
  });

  const bodies = shell[0][0].requests.map(({ body }) => body.toString());
  const share = cachedShare(bodies);
  add({
    name: '30 shell turns: input read from cache',
    unit: '%',
    lathe: share,
    floor: null,
    ratio: null,
    budget: 97,
    ok: share >= 97,
  });
  const first = promptTokens(bodies[0]);
  add({
    name: 'first prompt, all tools',
    unit: 'tokens',
    lathe: first,
    floor: null,
    ratio: null,
    budget: 6_000,
    ok: first <= 6_000,
  });
  return rows;
}
