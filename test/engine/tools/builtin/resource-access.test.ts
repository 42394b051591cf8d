import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBuiltinTools } from '../../../../src/main/engine/tools/builtin/all';
import { findTool, fixedSource } from '../../../../src/main/engine/tools/catalogue';
import {
  inConflict,
  READS_EVERYTHING,
  type ResourceAccess,
  reading,
  writing,
} from '../../../../src/main/engine/tools/resource-access';
import { tempFolder } from '../../../node/temp-folder';
import { toolEnvironment } from '../../../support/tool-environment';

const builtin = [fixedSource('built in', createBuiltinTools())];

const accessOf = async (name: string, input: Record<string, unknown>, env = toolEnvironment()) => {
  const tool = findTool(builtin, name);
  if (tool === null) throw new Error(`no ${name}`);
  return tool.access(input, env);
};

/** `src/a.ts`, and `link` that leads to `src`. */
async function project() {
  const folder = await realpath(await tempFolder());
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'src/a.ts'), 'a');
  await symlink('src', join(folder, 'link'));
  const env = toolEnvironment({ project: folder, home: folder });
  return { folder, env };
}

describe('what file tools access', () => {
  it('is one file, however it is spelled', async () => {
    const { folder, env } = await project();
    const spellings = [
      'src/a.ts',
      './src/../src/a.ts',
      join(folder, 'src/a.ts'),
      'link/a.ts',
      '~/src/a.ts',
    ];
    for (const file_path of spellings) {
      const file = join(folder, 'src/a.ts');
      expect(await accessOf('Read', { file_path }, env)).toEqual(reading(file));
      expect(await accessOf('Edit', { file_path }, env)).toEqual(writing(file));
      expect(await accessOf('Write', { file_path }, env)).toEqual(writing(file));
    }
  });

  it('meets for a file that does not exist yet', async () => {
    const { env } = await project();
    const one = await accessOf('Write', { file_path: 'link/new/b.ts' }, env);
    expect(inConflict(one, await accessOf('Read', { file_path: 'src/new/b.ts' }, env))).toBe(true);
    expect(inConflict(one, await accessOf('Read', { file_path: 'src/new/c.ts' }, env))).toBe(false);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['Glob', { pattern: '**/*.ts' }, ''],
    ['Glob', { pattern: 'src/*.ts' }, 'src'],
    ['Glob', { pattern: '*.ts', path: 'link' }, 'src'],
    ['Grep', { pattern: 'x' }, ''],
    ['Grep', { pattern: 'x', path: 'link' }, 'src'],
  ])('%s %j reads %j and everything below', async (name, input, folder) => {
    const { folder: root, env } = await project();
    const access = await accessOf(name, input, env);
    expect(access).toEqual(reading(join(root, folder).replace(/\/$/, '')));
    expect(inConflict(access, await accessOf('Write', { file_path: 'src/deep/x.ts' }, env))).toBe(
      true,
    );
  });
});

describe('what a command accesses', () => {
  it.each([
    'sleep 0.5',
    'ls -la src',
    'cat a.ts | grep x | wc -l',
    'git status && git diff',
    'find . -name "*.ts" 2>/dev/null',
    'timeout 5 sleep 1',
    'echo hi > /dev/null',
    'for f in a b; do cat a.ts; done',
  ])('%s: reads, so it runs beside others that read', async (command) => {
    expect(await accessOf('Bash', { command })).toEqual(READS_EVERYTHING);
  });

  it.each([
    'npm test',
    'echo hi > a.ts',
    'echo hi > "$file"',
    'cat a.ts && rm b.ts',
    'find . -delete',
    'sudo ls',
    'timeout 5 npm test',
    'echo "$(rm a)"',
    'cd src && ls',
    'cd src',
    'this is (not a line',
    'FOO=1 ls | xargs rm',
  ])('%s: runs alone', async (command) => {
    expect(await accessOf('Bash', { command })).toBe('alone');
  });

  it('is not moved by a cd in the background, which nobody follows', async () => {
    const input = { command: 'cd src && tail -f a.log', run_in_background: true };
    expect(await accessOf('Bash', input)).toEqual(READS_EVERYTHING);
  });
});

describe('every tool', () => {
  const NOTHING = 'AskUserQuestion TaskOutput ToolSearch WebFetch WebSearch Agent'.split(' ');
  const FILES = { Read: 'reads', Glob: 'reads', Grep: 'reads', Edit: 'writes', Write: 'writes' };
  const input = {
    file_path: '/x',
    notebook_path: '/x',
    command: 'npm test',
    pattern: 'x',
    task_id: 't',
    todos: [],
  };
  const kindOf = (access: ResourceAccess) => {
    if (access === 'alone') return 'alone';
    return access.writes.length > 0 ? 'writes' : access.reads.length > 0 ? 'reads' : 'nothing';
  };

  it('says what it reads or writes, or runs alone', async () => {
    const kinds = await Promise.all(
      createBuiltinTools().map(async (tool) => [
        tool.name,
        kindOf(await tool.access(input, toolEnvironment())),
      ]),
    );
    const expected = { ...FILES, NotebookEdit: 'writes' } as Readonly<Record<string, string>>;
    for (const [name = '', kind] of kinds)
      expect([name, kind]).toEqual([
        name,
        expected[name] ?? (NOTHING.includes(name) ? 'nothing' : 'alone'),
      ]);
  });
});
