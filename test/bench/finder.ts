import { createFileFinder } from '../../src/main/app/file-finder';
import type { Programs } from '../../src/main/engine/ports';
import { ok } from '../../src/shared/result';

const FOLDERS = 500;
const FILES = 200;
const WORDS = ['harbour', 'berth', 'pilot', 'tide', 'quay', 'crane', 'ledger', 'signal'];

/** The keys that a user types. */
const TYPED = ['pilotledger', 'qt42', 'src/crane', 'signal.test'];

/** The paths of a project of 100 000 files. */
function paths(): readonly string[] {
  const word = (n: number) => WORDS[n % WORDS.length] ?? '';
  return Array.from({ length: FOLDERS * FILES }, (_, i) => {
    const folder = `src/${word(i)}/${word(i >> 3)}-${Math.floor(i / FILES)}`;
    return `${folder}/${word(i >> 2)}-${word(i >> 5)}-${i % FILES}${i % 7 === 0 ? '.test' : ''}.ts`;
  });
}

/** Measures what one key costs in the finder of a large project; its list is read before. */
export async function measureFinder(tell: (name: string) => void) {
  const stdout = new TextEncoder().encode(`${paths().join('\0')}\0`);
  const programs: Programs = {
    ripgrep: 'rg',
    run: async () => ok({ exitCode: 0, stdout, stderr: '', truncated: false }),
  };
  let now = 0;
  const finder = createFileFinder({
    programs,
    clock: { now: () => now, date: () => now, sleep: async () => {} },
    breathe: () => new Promise((resume) => setImmediate(resume)),
  });
  const { signal } = new AbortController();
  const find = (text: string) => finder.find({ project: '/bench', text }, signal);
  await find('');
  const times: number[] = [];
  for (const text of TYPED) {
    // After a pause, in which the list has become old.
    now += 10_000;
    for (let keys = 1; keys <= text.length; keys += 1) {
      const startedAt = performance.now();
      const found = await find(text.slice(0, keys));
      times.push(performance.now() - startedAt);
      if (!found.ok) throw new Error(found.error.message);
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  const row = (name: string, ms: number) => ({
    ...{ name, unit: 'ms', lathe: ms, floor: null, ratio: null, budget: 50, ok: ms <= 50 },
  });
  tell('finder');
  return [
    row('a key in the finder of 100 000 files: median', sorted[sorted.length >> 1] ?? 0),
    row('the slowest key', sorted.at(-1) ?? 0),
  ];
}
