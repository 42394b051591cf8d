import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Programs } from '../../../../src/main/engine/ports';
import { createGrepTool } from '../../../../src/main/engine/tools/builtin/grep/grep';
import { changedEnvironment } from '../../../support/tool-environment';
import { runTool } from './run-tool';
import { lines, project } from './search-project';

const grep = createGrepTool();
const run = async (input: object) => runTool(grep, input, (await project()).env);

describe('Grep in odd places', () => {
  it('advises nothing that cannot be done with Grep', async () => {
    for (const pattern of ['a\\nb', '(?<=a)b', '(a)\\1'])
      expect((await run({ pattern })).text).not.toMatch(/--|PCRE2/);
  });

  it('gives as many as can be for a limit of 0', async () => {
    const { env } = await project({ f: 'needle\n'.repeat(300) });
    const input = { pattern: 'needle', output_mode: 'content', head_limit: 0 };
    expect(lines((await runTool(grep, input, env)).text)).toHaveLength(300);
  });

  it('knows file names with line ends in them, and hides those that are hidden', async () => {
    const names = ['a\nb.txt', 'secret/c\nd.txt', '--\ne'];
    const { folder, env } = await project(
      Object.fromEntries(names.map((name) => [name, 'x\nneedle\n'])),
    );
    const isHidden = (file: string) => file.startsWith(join(folder, 'secret'));
    const input = { pattern: 'needle', output_mode: 'content', context: 1 };
    const call = await runTool(
      grep,
      input,
      changedEnvironment(env, { hiddenFiles: () => isHidden }),
    );
    expect(call.text).toBe('--\ne-1-x\n--\ne:2:needle\n--\na\nb.txt-1-x\na\nb.txt:2:needle');
  });

  it('says that a binary file matches', async () => {
    const { env } = await project({ 'a.bin': 'needle\0needle\n' });
    const input = { pattern: 'needle', path: 'a.bin', output_mode: 'content' };
    expect((await runTool(grep, input, env)).text).toBe(
      'A file that matches is binary: its lines are not shown.',
    );
  });

  it.runIf(process.platform === 'linux').each(['.ignore', 'src/.ignore'])(
    'is not eaten up by an ignore file without an end: %s',
    async (name) => {
      const { folder, env: plenty } = await project();
      const programs = withLittleMemory(plenty.services.programs);
      const env = changedEnvironment(plenty, { programs });
      await symlink('/dev/zero', join(folder, name));
      const call = await runTool(grep, { pattern: 'needle' }, env);
      expect(call.ok).toBe(false);
      expect(call.text).toContain(
        name === '.ignore' ? `reads ${join(folder, name)}` : 'took too much memory',
      );
      expect((await runTool(grep, { pattern: 'one', path: 'src/a.ts' }, env)).ok).toBe(true);
    },
  );
});

/** Gives 64 MB to what may only take so much memory. */
const withLittleMemory = (programs: Programs): Programs => ({
  ripgrep: programs.ripgrep,
  run: (argv, { maxMemoryBytes, ...options }, signal) => {
    const less = maxMemoryBytes === undefined ? {} : { maxMemoryBytes: 64 * 1024 * 1024 };
    return programs.run(argv, { ...options, ...less }, signal);
  },
});
