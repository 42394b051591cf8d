import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Programs } from '../../../../src/main/engine/ports';
import { createGlobTool, planGlob } from '../../../../src/main/engine/tools/builtin/glob/glob';
import { createGrepTool } from '../../../../src/main/engine/tools/builtin/grep/grep';
import type { ToolEnvironment } from '../../../../src/main/engine/tools/environment';
import { createNodePrograms } from '../../../../src/main/node/programs';
import { changedEnvironment } from '../../../support/tool-environment';
import { needsIn, runTool } from './run-tool';
import { lines, project } from './search-project';

const glob = createGlobTool();
const grep = createGrepTool();

describe('Glob', () => {
  it.each([
    ['**/*', ['readme.md', 'src/deep/b.tsx', 'src/a.ts', '.env.example', '.gitignore']],
    ['*.ts', ['src/a.ts']],
    ['**/*.{ts,tsx}', ['src/deep/b.tsx', 'src/a.ts']],
    ['src/*', ['src/a.ts']],
    ['src/**', ['src/deep/b.tsx', 'src/a.ts']],
    ['src/deep/b.tsx', ['src/deep/b.tsx']],
    ['.env*', ['.env.example']],
    ['node_modules/**/*.ts', ['node_modules/dep/index.ts']],
    ['./src/[ab].ts', ['src/a.ts']],
  ])('%s: newest first, without what is ignored', async (pattern, expected) => {
    const { env } = await project();
    const call = await runTool(glob, { pattern }, env);
    expect(lines(call.text)).toEqual(expected);
  });

  it('looks where it is told: path, absolute pattern, parent folder, home', async () => {
    const { folder, env } = await project();
    expect((await runTool(glob, { pattern: '*.ts', path: 'src' }, env)).text).toBe('src/a.ts');
    expect((await runTool(glob, { pattern: `${folder}/src/*.ts` }, env)).text).toBe('src/a.ts');
    env.agent.cwd.set(join(folder, 'src'));
    expect((await runTool(glob, { pattern: '../*.md' }, env)).text).toBe(join(folder, 'readme.md'));
    const home: ToolEnvironment = changedEnvironment(env, { home: folder });
    expect((await runTool(glob, { pattern: '~/src/*.ts' }, home)).text).toBe('a.ts');
    expect(await needsIn(glob, { pattern: '~/src/*.ts' }, home)).toMatchObject([
      { path: join(folder, 'src') },
    ]);
  });

  it('respects ignore files also where there is no git', async () => {
    const { env } = await project({ '.gitignore': 'secret\n', secret: '', open: '' });
    expect((await runTool(glob, { pattern: '*' }, env)).text).toBe('open\n.gitignore');
  });

  it('gives a hundred and says how many there are', async () => {
    const { env } = await project(
      Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`f${i}.txt`, ''])),
    );
    const call = await runTool(glob, { pattern: '*.txt' }, env);
    expect(lines(call.text)).toHaveLength(101);
    expect(lines(call.text)[0]).toBe('f129.txt');
    expect(call.text).toContain('130 files match');
    expect(call.view).toMatchObject({ kind: 'search', matches: 130, truncated: true });
  });

  it('says that nothing matches, and that a folder is missing', async () => {
    const { env } = await project();
    expect(await runTool(glob, { pattern: '*.rs' }, env)).toMatchObject({ ok: true });
    expect(await runTool(glob, { pattern: '*', path: 'gone' }, env)).toMatchObject({ ok: false });
    expect((await runTool(glob, { pattern: '*', path: 'gone' }, env)).text).toContain(
      'does not exist',
    );
  });

  it.each([
    ['*.ts', '', ['a.ts', 'x/y/a.ts'], ['a.tsx']],
    ['src/*.ts', 'src', ['a.ts'], ['x/a.ts']],
    ['a/{b,c}/*.ts', 'a', ['b/x.ts', 'c/x.ts'], ['d/x.ts', 'x.ts']],
    ['!*.ts', '', ['a.js'], ['a.ts']],
    ['odd\\*dir/*.ts', 'odd*dir', ['a.ts'], []],
    ['/abs/**', '/abs', ['x', 'x/y'], []],
    ['name with space.txt', '', ['name with space.txt', 'x/name with space.txt'], []],
  ])('plans %s', (pattern, base, yes, no) => {
    const plan = planGlob(pattern);
    expect(plan.base).toBe(base);
    expect(yes.filter(plan.matches)).toEqual(yes);
    expect(no.filter(plan.matches)).toEqual([]);
  });
});

describe('Grep', () => {
  const run = async (input: object) => runTool(grep, input, (await project()).env);

  it.each<[object, readonly string[]]>([
    [{ pattern: 'needle' }, ['src/deep/b.tsx', 'src/a.ts', '.env.example']],
    [{ pattern: 'needle', glob: '*.ts' }, ['src/a.ts']],
    [{ pattern: 'needle', glob: '*.log' }, ['Nothing matches']],
    [{ pattern: 'needle', glob: 'src/**/*.tsx' }, ['src/deep/b.tsx']],
    [{ pattern: 'needle', type: 'ts', glob: '*.tsx' }, ['src/deep/b.tsx']],
    [{ pattern: 'needle', path: 'debug.log' }, ['debug.log']],
    [{ pattern: 'needle', path: 'src', output_mode: 'count' }, ['src/a.ts:1', 'src/deep/b.tsx:1']],
    [
      { pattern: 'NEEDLE', path: 'src', '-i': true, output_mode: 'count' },
      ['src/a.ts:1', 'src/deep/b.tsx:2'],
    ],
    [{ pattern: 'needle t', output_mode: 'content' }, ['src/a.ts:2:needle two']],
    [{ pattern: 'needle t', output_mode: 'content', '-n': false }, ['src/a.ts:needle two']],
    [
      { pattern: 'needle', path: 'src', output_mode: 'content', '-C': 1 },
      [
        'src/a.ts-1-one',
        'src/a.ts:2:needle two',
        'src/a.ts-3-three',
        '--',
        'src/deep/b.tsx-5-x',
        'src/deep/b.tsx:6:needle again',
      ],
    ],
    [
      { pattern: 'two.three', output_mode: 'content', multiline: true },
      ['src/a.ts:2:needle two', 'src/a.ts:3:three'],
    ],
    [{ pattern: '-i' }, ['Nothing matches']],
  ])('%j', async (input, expected) => {
    const found = lines((await run(input)).text);
    expect(found).toHaveLength(expected.length);
    for (const [i, line] of expected.entries()) expect(found[i]).toContain(line);
  });

  it('limits what it gives and says so', async () => {
    const { env } = await project({ f: 'x\n'.repeat(1000) });
    const call = await runTool(grep, { pattern: 'x', output_mode: 'content', head_limit: 3 }, env);
    expect(lines(call.text)).toEqual([
      'f:1:x',
      'f:2:x',
      'f:3:x',
      expect.stringContaining('first 3'),
    ]);
    const usual = await runTool(grep, { pattern: 'x', output_mode: 'content' }, env);
    expect(lines(usual.text)).toHaveLength(251);
  });

  it('cuts lines that are too long', async () => {
    const { env } = await project({ f: `needle${'x'.repeat(100_000)}\n` });
    const call = await runTool(grep, { pattern: 'needle', output_mode: 'content' }, env);
    expect(call.text.length).toBeLessThan(1000);
  });

  it.each([
    [{ pattern: '(' }, 'unclosed group'],
    [{ pattern: 'x', type: 'nonsense' }, 'nonsense'],
    [{ pattern: 'x', glob: '{a' }, '{a'],
    [{ pattern: 'x', path: 'gone' }, 'does not exist'],
    [{ pattern: 'a\\nb' }, 'Set multiline to true'],
    [{ pattern: '(?<=a)b' }, 'look-behind, is not supported'],
  ])('explains a search that cannot be done: %j', async (input, words) => {
    const call = await run(input);
    expect(call.ok).toBe(false);
    expect(call.text).toContain(words);
  });

  it('reports an unreadable folder as a note and gives what it found', async () => {
    const { folder, env } = await project({ 'open/f': 'needle\n', 'closed/f': 'needle\n' });
    await chmod(join(folder, 'closed'), 0);
    await chmod(folder, 0o755);
    const call = await runTool(
      grep,
      { pattern: 'needle' },
      changedEnvironment(env, { programs: asNobody(env.services.programs) }),
    );
    await chmod(join(folder, 'closed'), 0o700);
    expect(call.ok).toBe(true);
    expect(lines(call.text)[0]).toBe('open/f');
    expect(call.text).toContain(`Could not be read: ${folder}/closed`);
  });

  it('leaves out what deny rules hide, and what separated it', async () => {
    const { folder, env } = await project({ a: 'needle\n', b: 'x\nneedle\n', c: 'needle\n' });
    const hidden: ToolEnvironment = changedEnvironment(env, {
      hiddenFiles: () => (file) => file === join(folder, 'b'),
    });
    const call = await runTool(
      grep,
      { pattern: 'needle', output_mode: 'content', '-C': 0, '-B': 1 },
      hidden,
    );
    expect(lines(call.text)).toEqual(['a:1:needle', '--', 'c:1:needle']);
    expect((await runTool(glob, { pattern: '*' }, hidden)).text).not.toContain('b');
  });

  it('gives up in time, and when it is interrupted', async () => {
    const { env } = await project();
    const slow: Programs = {
      ...env.services.programs,
      run: async () => ({ ok: false, error: { code: 'timeout', message: '' } }),
    };
    expect(
      (await runTool(grep, { pattern: 'x' }, changedEnvironment(env, { programs: slow }))).text,
    ).toContain('longer than 30 s');
    const aborted = await runTool(grep, { pattern: 'x' }, env, { signal: AbortSignal.abort() });
    expect(aborted).toMatchObject({ ok: false, text: 'Interrupted.' });
  });

  it('goes on where a cut result ended', async () => {
    const { folder, env } = await project();
    const run = (input: object) => runTool(grep, input, env);
    for (let i = 0; i < 9; i += 1) await writeFile(join(folder, `f${i}`), 'hit\n');
    const content = { pattern: 'hit', output_mode: 'content', head_limit: 4 };
    const first = await run(content);
    expect(lines(first.text).slice(0, 4)).toEqual(['f0:1:hit', 'f1:1:hit', 'f2:1:hit', 'f3:1:hit']);
    expect(first.text).toContain('go on with offset 4');
    const last = await run({ ...content, offset: 8 });
    expect(lines(last.text)).toEqual(['f8:1:hit']);
    expect((await run({ ...content, offset: 9 })).text).toBe('There are no more than 9.');
  });

  it('needs to read where it looks', async () => {
    const { folder, env } = await project();
    expect(await needsIn(grep, { pattern: 'x', path: '/etc' }, env)).toEqual([
      {
        kind: 'file',
        tool: 'Grep',
        access: 'read',
        path: '/etc',
        realPath: '/etc',
        identity: expect.any(String),
      },
    ]);
    expect(await needsIn(grep, { pattern: 'x' }, env)).toMatchObject([{ path: folder }]);
  });
});

/** Root may read everything: there the search runs as the user nobody. */
function asNobody(programs: Programs): Programs {
  if (process.getuid?.() !== 0) return programs;
  execFileSync('setpriv', ['--version']);
  const prefix = ['setpriv', '--reuid=65534', '--clear-groups'];
  return {
    ripgrep: programs.ripgrep,
    run: (argv, options, signal) => createNodePrograms().run([...prefix, ...argv], options, signal),
  };
}
