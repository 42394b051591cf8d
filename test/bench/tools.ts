import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEditTool } from '../../src/main/engine/tools/builtin/edit/edit';
import { createGrepTool } from '../../src/main/engine/tools/builtin/grep/grep';
import { createReadTool } from '../../src/main/engine/tools/builtin/read/read';
import { createNodePrograms } from '../../src/main/node/programs';
import { runTool } from '../engine/tools/builtin/run-tool';
import { toolEnvironment } from '../support/tool-environment';

/** What one row compares: a call of a tool and the least that the same work takes. */
interface Comparison {
  readonly name: string;
  readonly runs: number;
  readonly budget: number;
  readonly tool: () => Promise<unknown>;
  readonly floor: () => Promise<unknown>;
}

const TREE = { folders: 500, files: 200 };

/** Measures tools in this process, schema, permission needs and result included. Rows as `measure.mjs` has them. */
export async function measureTools(tell: (name: string) => void) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lathe-bench-tools-')));
  try {
    const rows = [];
    for (const comparison of [
      await reading(folder),
      await editing(folder),
      await searching(folder),
    ]) {
      rows.push(await compare(comparison));
      tell(comparison.name);
    }
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function reading(folder: string): Promise<Comparison> {
  const path = join(folder, 'large.txt');
  await writeFile(path, `${'a line of forty-nine characters, as code has them'}\n`.repeat(20_000));
  const env = toolEnvironment({ project: folder });
  const tool = createReadTool();
  return {
    name: 'Read of 1 MB (floor: readFile)',
    runs: 60,
    budget: 4,
    tool: () => runTool(tool, { file_path: path }, env),
    floor: () => readFile(path, 'utf8'),
  };
}

async function editing(folder: string): Promise<Comparison> {
  const path = join(folder, 'code.ts');
  const env = toolEnvironment({ project: folder });
  const tool = createEditTool();
  await writeFile(path, `${'const line = 1;\n'.repeat(2_000)}const turn = 0;\n`);
  await runTool(createReadTool(), { file_path: path }, env);
  let turn = 0;
  return {
    name: 'Edit of 32 kB (floor: read, write beside, sync, rename)',
    runs: 60,
    budget: 3,
    tool: async () => {
      const edit = { old_string: `turn = ${turn};`, new_string: `turn = ${turn + 1};` };
      turn += 1;
      const { ok, text } = await runTool(tool, { file_path: path, ...edit }, env);
      if (!ok) throw new Error(text);
    },
    floor: () => safelyReplace(join(folder, 'floor.ts'), path),
  };
}

async function safelyReplace(path: string, source: string): Promise<void> {
  const text = await readFile(source, 'utf8');
  const handle = await open(`${path}.tmp`, 'w');
  await handle.writeFile(text.replace('turn', 'turns'));
  await handle.sync();
  await handle.close();
  await rename(`${path}.tmp`, path);
}

async function searching(folder: string): Promise<Comparison> {
  const tree = join(folder, 'tree');
  for (let i = 0; i < TREE.folders; i += 1) {
    const sub = join(tree, `folder-${i}`);
    await mkdir(sub, { recursive: true });
    const names = Array.from({ length: TREE.files }, (_, k) => join(sub, `file-${k}.ts`));
    await Promise.all(names.map((name, k) => writeFile(name, `export const a${k} = ${i};\n`)));
  }
  const env = toolEnvironment({ project: tree });
  const tool = createGrepTool();
  const { ripgrep } = createNodePrograms();
  const pattern = 'a77 = 123;';
  return {
    name: 'Grep of 100 000 files (floor: bare ripgrep)',
    runs: 5,
    budget: 1.3,
    tool: () => runTool(tool, { pattern, output_mode: 'content' }, env),
    floor: () => promisify(execFile)(ripgrep, ['--no-config', '--line-number', pattern, tree]),
  };
}

/** In turn, so that both meet the same machine; the first run of each warms up and does not count. */
async function compare({ name, runs, budget, tool, floor }: Comparison) {
  const times = { tool: [] as number[], floor: [] as number[] };
  for (let i = 0; i <= runs; i += 1) {
    const [ours, base] = [await timed(tool), await timed(floor)];
    if (i === 0) continue;
    times.tool.push(ours);
    times.floor.push(base);
  }
  const [lathe, base] = [median(times.tool), median(times.floor)];
  const ratio = lathe / base;
  return { name, unit: 'ms', lathe, floor: base, ratio, budget, ok: ratio <= budget };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
