import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Broker } from '../../../src/main/engine/permissions/broker';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createGlobTool } from '../../../src/main/engine/tools/builtin/glob/glob';
import { createGrepTool } from '../../../src/main/engine/tools/builtin/grep/grep';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import { createPermissionGate } from '../../../src/main/engine/tools/permission-gate';
import type { AnyTool } from '../../../src/main/engine/tools/tool';
import type { PermissionMode } from '../../../src/shared/permission';
import { tempFolder } from '../../node/temp-folder';
import { countingIds } from '../../support/memory-clock';
import { toolEnvironment } from '../../support/tool-environment';
import { runTool } from './builtin/run-tool';

const SECRET = 'nobody inside may see this';

/** A project with a folder beside it that is none of its business. */
async function place() {
  const home = await tempFolder();
  const project = join(home, 'proj');
  const outside = join(home, 'outside');
  await mkdir(join(project, 'd'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'race.txt'), SECRET);
  const env = toolEnvironment({ project });
  const call = async (
    tool: AnyTool,
    input: Record<string, unknown>,
    mode: PermissionMode,
    between: () => Promise<void> = async () => undefined,
  ) => {
    let asked = 0;
    const person: Broker = {
      ask: async ({ approval: { digest } }) => {
        asked += 1;
        if (asked > 1) return { behavior: 'deny', message: 'that is not what I saw' };
        await between();
        return { behavior: 'allow', digest };
      },
      answer: async () => ({ ok: true, value: null }),
      recheck: async () => undefined,
      denyAll: () => undefined,
    };
    const asks = mode === 'default';
    const gate = createPermissionGate({
      environment: env,
      decide,
      rules: () => [],
      mode: () => mode,
      context: () => ({
        cwd: project,
        home,
        project,
        workingDirectories: [project],
        caseInsensitive: false,
      }),
      broker: asks ? person : null,
      ids: countingIds(),
      judge: { judge: async () => ({ kind: 'person', reason: 'nobody judges here' }) },
      remember: async () => ({ ok: true, value: null }),
      onDenied: () => undefined,
      onProblem: () => undefined,
    });
    const verdict = await gate.check(
      { id: 'toolu_1', tool, input },
      async () => undefined,
      new AbortController().signal,
    );
    if (!verdict.allowed) return { ok: false, text: 'message' in verdict ? verdict.message : '' };
    if (!asks) await between();
    return runTool(tool, input, env, { decided: verdict.decided });
  };
  return { home, project, outside, env, call };
}

const write = createWriteTool();
const read = createReadTool();

describe('THREATS 6: what was decided is what is opened', () => {
  it('writes nothing through a parent folder that became a link after the decision', async () => {
    const { project, outside, call } = await place();
    const swap = async () => {
      await rename(join(project, 'd'), join(project, 'away'));
      await symlink(outside, join(project, 'd'));
    };
    const input = { file_path: 'd/new.txt', content: 'x' };
    const result = await call(write, input, 'acceptEdits', swap);
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('took its place') });
    expect(await readdir(outside)).toEqual(['race.txt']);
    expect(await readdir(join(project, 'away'))).toEqual([]);
  });

  it('makes no folder through a link either', async () => {
    const { project, outside, call } = await place();
    const swap = async () => {
      await rm(join(project, 'd'), { recursive: true });
      await symlink(outside, join(project, 'd'));
    };
    const input = { file_path: 'd/deep/er/new.txt', content: 'x' };
    expect((await call(write, input, 'acceptEdits', swap)).ok).toBe(false);
    expect(await readdir(outside)).toEqual(['race.txt']);
  });

  it('writes nothing when the working directory became a link while the prompt was open', async () => {
    const { home, project, outside, call } = await place();
    const swap = async () => {
      await rename(project, join(home, 'moved'));
      await symlink(outside, project);
    };
    const result = await call(write, { file_path: 'new.txt', content: 'x' }, 'default', swap);
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('not what I saw') });
    expect(await readdir(outside)).toEqual(['race.txt']);
    expect(await readdir(join(home, 'moved'))).toEqual(['d']);
  });

  it.each([
    ['a link to it', (project: string, outside: string) => symlink(outside, join(project, 'f'))],
    ['another file', (project: string) => writeFile(join(project, 'f'), 'other')],
    [
      'a link in its path',
      async (project: string, outside: string) => {
        await rename(join(project, 'd'), join(project, 'away'));
        await symlink(outside, join(project, 'd'));
      },
    ],
  ])('reads nothing when %s took the place of what was decided', async (what, swap) => {
    const { project, outside, call } = await place();
    const name = what === 'a link in its path' ? 'd/race.txt' : 'f';
    await writeFile(join(project, name), 'inside');
    const result = await call(read, { file_path: name }, 'plan', async () => {
      if (name === 'f') await rename(join(project, name), join(project, 'gone'));
      await swap(project, join(outside, name === 'f' ? 'race.txt' : ''));
    });
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('took its place') });
  });

  it('edits what was decided or nothing', async () => {
    const { project, outside, call } = await place();
    const file = join(project, 'd/race.txt');
    await writeFile(file, SECRET);
    await call(read, { file_path: file }, 'plan');
    const input = { file_path: file, old_string: 'nobody', new_string: 'everybody' };
    const result = await call(createEditTool(), input, 'acceptEdits', async () => {
      await rename(join(project, 'd'), join(project, 'away'));
      await symlink(outside, join(project, 'd'));
    });
    expect(result.ok).toBe(false);
    expect(await readFile(join(outside, 'race.txt'), 'utf8')).toBe(SECRET);
  });

  it.each([
    ['Grep', createGrepTool(), { pattern: 'nobody', path: 'd', output_mode: 'content' }],
    ['Grep, one file', createGrepTool(), { pattern: 'nobody', path: 'd/race.txt' }],
    ['Glob', createGlobTool(), { pattern: '*', path: 'd' }],
  ])('%s looks in no other folder than the one decided on', async (_, tool, input) => {
    const { project, outside, call } = await place();
    await writeFile(join(project, 'd/race.txt'), 'inside');
    const result = await call(tool, input, 'plan', async () => {
      await rename(join(project, 'd'), join(project, 'away'));
      await symlink(outside, join(project, 'd'));
    });
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('took its place') });
  });
});

/** How something is made to lead in and out in turn, as fast as it can be, until standard input ends. */
const swapper = (round: string) => `
const fs = require('node:fs');
const [dir, inside, outside] = process.argv.slice(1);
process.stdin.on('end', () => process.exit(0)).resume();
const round = () => {
  for (let i = 0; i < 50; i++) { ${round} }
  setTimeout(round, 1);
};
console.log('ready');
round();
`;

/** A write may make the folder anew in the moment it is missing; then that one goes, with what is written meanwhile. */
const FOLDER_OR_LINK = `
  const remove = () => { try { fs.rmSync(dir, { recursive: true, force: true }); } catch {} };
  fs.renameSync(dir, inside);
  try { fs.symlinkSync(outside, dir); } catch {}
  remove();
  while (fs.existsSync(inside)) {
    try { fs.renameSync(inside, dir); } catch { remove(); }
  }`;

const LINK_OR_LINK = `
  const next = dir + '.next';
  fs.symlinkSync(i % 2 ? inside : outside, next);
  fs.renameSync(next, dir);`;

describe('THREATS 6: not a byte of the outside is read or written', () => {
  it.each([
    ['a folder that turns into a link and back', FOLDER_OR_LINK],
    ['a link that leads in and out', LINK_OR_LINK],
  ])(
    'through %s all the time',
    async (_, round) => {
      const { project, outside, call } = await place();
      const dir = join(project, 'd');
      const inside = join(project, 'inside');
      if (round === LINK_OR_LINK) await rename(dir, inside);
      await writeFile(join(round === LINK_OR_LINK ? inside : dir, 'race.txt'), 'inside');
      if (round === LINK_OR_LINK) await symlink(inside, dir);
      const attacker = spawn(process.execPath, ['-e', swapper(round), dir, inside, outside], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(async () => {
        attacker.stdin.end();
        if (attacker.exitCode === null) await once(attacker, 'exit');
      });
      await once(attacker.stdout, 'data');
      const seen = { allowed: 0, refused: 0 };
      const bothSeen = () => seen.allowed > 0 && seen.refused > 0;
      for (let i = 0; i < 150 || (i < 10_000 && !bothSeen()); i += 1) {
        const result = await call(read, { file_path: 'd/race.txt' }, 'plan');
        expect(result.text).not.toContain(SECRET);
        seen[result.ok ? 'allowed' : 'refused'] += 1;
        await call(write, { file_path: `d/${i}.txt`, content: `written ${i}` }, 'acceptEdits');
      }
      expect(attacker.exitCode).toBeNull();
      expect(await readdir(outside)).toEqual(['race.txt']);
      expect(await readFile(join(outside, 'race.txt'), 'utf8')).toBe(SECRET);
      expect(seen.allowed).toBeGreaterThan(0);
      expect(seen.refused).toBeGreaterThan(0);
    },
    30_000,
  );
});
