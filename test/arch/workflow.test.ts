import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { WEB_ONLY, webOnly } from '../e2e/support/web-only';

const ROOT = join(import.meta.dirname, '../..');
const yaml = async (path: string): Promise<unknown> =>
  parse(await readFile(join(ROOT, path), 'utf8'));

const Workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({ steps: z.array(z.object({ run: z.string().optional() })) }).loose(),
  ),
});
const Desktop = z.object({
  strategy: z.object({
    matrix: z.object({ include: z.array(z.object({ os: z.string(), app: z.string() })) }),
  }),
});
const Builder = z.object({
  productName: z.string(),
  directories: z.object({ output: z.string() }),
  linux: z.object({ executableName: z.string() }),
});

test('the workflow runs scripts that exist', async () => {
  const { jobs } = Workflow.parse(await yaml('.github/workflows/check.yml'));
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
  const lines = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run));
  const named = lines.flatMap((line) =>
    [...line.matchAll(/npm run (\S+)/g)].map(([, name]) => name),
  );
  expect(named).toContain('package');
  expect(named).toContain('e2e');
  expect(named.filter((name) => scripts[name ?? ''] === undefined)).toEqual([]);
});

test('the workflow starts the programs that packages have', async () => {
  const { jobs } = Workflow.parse(await yaml('.github/workflows/check.yml'));
  const { productName, directories, linux } = Builder.parse(await yaml('electron-builder.yml'));
  const apps = Desktop.parse(jobs['desktop']).strategy.matrix.include.map(({ app }) => app);
  expect(apps).toEqual([
    `${directories.output}/linux-unpacked/${linux.executableName}`,
    `${directories.output}/mac-arm64/${productName}.app/Contents/MacOS/${productName}`,
    `${directories.output}/mac/${productName}.app/Contents/MacOS/${productName}`,
    `${directories.output}/win-unpacked/${productName}.exe`,
  ]);
});

test('what is not tried in the desktop app is there, and is what the pattern means', async () => {
  for (const { spec, tests = [], why } of WEB_ONLY) {
    expect(why).not.toBe('');
    const text = await readFile(join(ROOT, 'test', 'e2e', `${spec}.spec.ts`), 'utf8');
    for (const title of tests)
      expect(text, spec).toMatch(new RegExp(`test\\('(\\w+ \\d+: )?${title}`));
  }
  const left = webOnly();
  expect('electron quit.spec.ts Lathe is quit from its page').toMatch(left);
  expect('electron dialogs.spec.ts a plan is changed and approved').toMatch(left);
  expect('electron dialogs.spec.ts three questions wait in order').not.toMatch(left);
  expect('electron undo.spec.ts a plan is changed and approved').not.toMatch(left);
});
