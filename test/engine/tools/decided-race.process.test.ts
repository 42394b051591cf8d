import { readdirSync, readFileSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createGrepTool } from '../../../src/main/engine/tools/builtin/grep/grep';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import type { AnyTool } from '../../../src/main/engine/tools/tool';
import { createNodeFiles } from '../../../src/main/node/files';
import { attackDisk } from '../../support/attacked-fs';
import { SECRET, twoFolders } from './two-folders';

const { attacker, restore } = attackDisk();
afterAll(restore);

const FILE = 'd/race.txt';
/** How many calls to the disk what leads out stays there before it leads in again; or it stays until the end. */
const LONGEST = 2;
const FILE_TO_LINK = 'a file that becomes a link';

const read = createReadTool();
/** Calls by the number of the run, so that each has something to do. */
const CALLS: readonly (readonly [AnyTool, (run: number) => Record<string, unknown>])[] = [
  [read, () => ({})],
  [createGrepTool(), () => ({ pattern: 'nobody', output_mode: 'content' })],
  [createWriteTool(), (run) => ({ content: `inside ${run}` })],
  [createWriteTool(), (run) => ({ file_path: `d/new${run}.txt`, content: 'new' })],
  [
    createEditTool(),
    (run) =>
      run % 2 ? { old_string: 'in', new_string: 'IN' } : { old_string: 'IN', new_string: 'in' },
  ],
];

/** Ways to make `d` (or what is in it) lead out of the project and in again. */
const SWAPS = {
  'a folder that becomes a link': {
    setUp: async () => undefined,
    out: (project: string, outside: string) => {
      renameSync(join(project, 'd'), join(project, 'away'));
      symlinkSync(outside, join(project, 'd'));
    },
    back: (project: string) => {
      unlinkSync(join(project, 'd'));
      renameSync(join(project, 'away'), join(project, 'd'));
    },
  },
  'a link that leads elsewhere': {
    setUp: async (project: string) => {
      await rename(join(project, 'd'), join(project, 'inside'));
      await symlink(join(project, 'inside'), join(project, 'd'));
    },
    out: (project: string, outside: string) => turn(join(project, 'd'), outside),
    back: (project: string) => turn(join(project, 'd'), join(project, 'inside')),
  },
  [FILE_TO_LINK]: {
    setUp: async () => undefined,
    out: (project: string, outside: string) => {
      renameSync(join(project, 'd/race.txt'), join(project, 'd/kept.txt'));
      symlinkSync(join(outside, 'race.txt'), join(project, 'd/race.txt'));
    },
    back: (project: string) => {
      unlinkSync(join(project, 'd/race.txt'));
      renameSync(join(project, 'd/kept.txt'), join(project, 'd/race.txt'));
    },
  },
};

function turn(link: string, target: string): void {
  symlinkSync(target, `${link}.next`);
  renameSync(`${link}.next`, link);
}

describe('THREATS 6: not a byte of the outside is read or written', () => {
  it.each(
    Object.entries(SWAPS).flatMap(([way, swap]) =>
      CALLS.filter(([, input]) => way !== FILE_TO_LINK || !input(0)['file_path']).map(
        ([tool, input]) => ({ way, swap, name: tool.name, tool, input }),
      ),
    ),
  )('$name, through $way between any two calls to the disk', async ({ swap, tool, input }) => {
    const { project, outside, call } = await twoFolders(createNodeFiles());
    await writeFile(join(project, 'd/race.txt'), 'inside');
    await swap.setUp(project);
    let isOut = false;
    const toggle = () => {
      if (isOut) swap.back(project);
      else swap.out(project, outside);
      isOut = !isOut;
    };
    const seen = { allowed: 0, refused: 0 };
    let run = 0;
    /** Runs the call with the attacker acting before these calls to the disk; gives how many there were. */
    const attack = async (...at: readonly number[]): Promise<number> => {
      run += 1;
      if (/Edit|Write/.test(tool.name)) await call(read, { file_path: FILE }, 'plan');
      Object.assign(attacker, { calls: 0, before: (n: number) => at.includes(n), act: toggle });
      const asked = tool.name === 'Grep' ? { path: FILE } : { file_path: FILE };
      const result = await call(tool, { ...asked, ...input(run) }, 'acceptEdits');
      attacker.before = () => false;
      if (isOut) toggle();
      seen[result.ok ? 'allowed' : 'refused'] += 1;
      expect(result.text).not.toContain(SECRET);
      expect(readdirSync(outside)).toEqual(['race.txt']);
      expect(readFileSync(join(outside, 'race.txt'), 'utf8')).toBe(SECRET);
      return attacker.calls;
    };
    const calls = await attack();
    expect(calls).toBeGreaterThan(2);
    for (let out = 0; out < calls; out += 1) {
      await attack(out);
      for (let back = out + 1; back <= out + LONGEST; back += 1) await attack(out, back);
    }
    expect(seen.allowed).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  });
});
