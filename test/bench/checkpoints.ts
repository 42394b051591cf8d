import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCheckpoints } from '../../src/main/checkpoints/create-checkpoints';
import type { OpenCheckpoint, ProjectCheckpoints } from '../../src/main/engine/ports-checkpoints';
import { createNodeLocks } from '../../src/main/node/locks';
import type { Result } from '../../src/shared/result';

/** Looks at a project that count. */
const RUNS = 15;

/** The longest time of one look, by the number of files. Milliseconds. */
const BUDGETS = [
  [5_000, 30],
  [50_000, 250],
] as const;

/** A row of the bench, held against its budget itself. */
interface Row {
  readonly name: string;
  readonly unit: 'ms';
  readonly lathe: number;
  readonly floor: null;
  readonly ratio: null;
  readonly budget: number;
  readonly ok: boolean;
  readonly absolute: true;
}

/** Measures what a checkpoint adds to a call: one look before it, and one after it. Rows as `measure.mjs` has them. */
export async function measureCheckpoints(tell: (name: string) => void) {
  const rows: Row[] = [];
  for (const [count, budget] of BUDGETS) {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'lathe-bench-checkpoints-')));
    try {
      const project = join(folder, 'project');
      fill(project, count);
      const checkpoints = createCheckpoints({
        folderOf: () => join(folder, 'store'),
        path: process.env['PATH'] ?? '',
        platform: process.platform,
        locks: createNodeLocks(),
      }).of(project);
      const first = await timed(() => checkpoints.recover('bench', 'bench/first'));
      const quiet = await looks(checkpoints, () => {});
      const changed = await looks(checkpoints, (turn) =>
        writeFileSync(join(project, 'src/part-0/file-0.ts'), `changed ${turn}\n`),
      );
      const row = (name: string, lathe: number, most: number) => {
        const fact = `${count} files: ${name}`;
        tell(fact);
        const held = { ratio: null, budget: most, ok: lathe <= most, absolute: true } as const;
        rows.push({ name: fact, unit: 'ms', lathe, floor: null, ...held });
      };
      row('a checkpoint when nothing changed', quiet, budget);
      row('a checkpoint when one file changed', changed, 2 * budget);
      row('the very first look', first, 400 * budget);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return rows;
}

/** Returns the median time of a look, over pairs of looks around `act`. */
async function looks(
  checkpoints: ProjectCheckpoints,
  act: (turn: number) => void,
): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn <= RUNS; turn += 1) {
    let open: OpenCheckpoint | null = null;
    const before = await timed(async () => {
      open = got(await checkpoints.begin('all'));
    });
    act(turn);
    const after = await timed(async () => got(await end(open, `bench/c${turn}`)));
    if (turn > 0) times.push(before, after);
  }
  return times.toSorted((a, b) => a - b)[RUNS] ?? 0;
}

const end = (open: OpenCheckpoint | null, id: string) => {
  if (open === null) throw new Error('The checkpoint was not begun.');
  return open.end(id);
};

const got = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

/** Makes a project of small files, fifty to a folder. */
function fill(project: string, count: number) {
  for (let at = 0; at < count; at += 1) {
    const folder = join(project, 'src', `part-${Math.floor(at / 50)}`);
    if (at % 50 === 0) mkdirSync(folder, { recursive: true });
    const text = `export const value${at} = ${at};\n`;
    writeFileSync(join(folder, `file-${at % 50}.ts`), text.repeat(10 + (at % 40)));
  }
}
