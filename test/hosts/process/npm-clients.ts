import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, type TestContext } from 'vitest';

const run = promisify(execFile);

/** Programs of npm are some 300 MB: they are only fetched when somebody asks for it. */
export const WANTED = process.env['LATHE_NPM_CLIENTS'] === '1';

/** Installs packages in a folder of their own for the tests of a file. Where npm cannot be reached, its tests are skipped. */
export function installed(...packages: readonly string[]) {
  let folder = '';
  let problem: string | null = null;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lathe-npm-'));
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', '--prefix', folder, ...flags, ...packages], {
      timeout: 150_000,
    }).catch((error: unknown) => {
      problem = `npm does not give ${packages.join(', ')}: ${String(error).slice(0, 200)}`;
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return {
    /** Skips a test without the packages. */
    needed: (context: TestContext) => {
      if (problem !== null) context.skip(problem);
    },
    /** Loads a module of them. */
    load: async <T>(name: string): Promise<T> => {
      const resolve = createRequire(join(folder, 'package.json')).resolve;
      return import(pathToFileURL(resolve(name)).href);
    },
    path: (...parts: readonly string[]) => join(folder, 'node_modules', ...parts),
  };
}
