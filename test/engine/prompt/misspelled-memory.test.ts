import { expect, it } from 'vitest';
import { loadFolderMemory, loadMemory } from '../../../src/main/engine/prompt/memory-files';
import { memoryDisk } from './memory-disk';

const places = {
  userFolder: '/home/me/.claude',
  home: '/home/me',
  cwd: '/code/repo/pkg',
  includeProject: true,
};

it('tells of memory files whose names are written in other letters', async () => {
  const contents = {
    '/code/repo/pkg/claude.md': 'a',
    '/code/repo/pkg/Agents.md': 'b',
    '/code/repo/pkg/CLAUDE.LOCAL.md': 'c',
    '/code/repo/Claude.md': 'outside the project',
  };
  const told = async (disk: Record<string, string>) =>
    (await loadMemory(memoryDisk(disk), places)).problems.map(({ message }) => message);
  const words = 'left out: its name has to be written';
  expect(await told(contents)).toEqual([
    `/code/repo/pkg/claude.md: ${words} CLAUDE.md.`,
    `/code/repo/pkg/Agents.md: ${words} AGENTS.md.`,
    `/code/repo/pkg/CLAUDE.LOCAL.md: ${words} CLAUDE.local.md.`,
  ]);
  expect(
    await told({
      ...contents,
      '/code/repo/pkg/CLAUDE.md': 'x',
      '/code/repo/pkg/CLAUDE.local.md': 'y',
    }),
  ).toEqual([]);
  expect(await told({ '/code/repo/pkg/.claude/claude.md': 'a' })).toEqual([
    `/code/repo/pkg/.claude/claude.md: ${words} CLAUDE.md.`,
  ]);
});

it('takes a page on agents in a folder below for a page', async () => {
  const contents = { '/code/repo/pkg/docs/agents.md': 'a', '/code/repo/pkg/docs/claude.md': 'b' };
  expect((await loadMemory(memoryDisk(contents), places)).problems).toEqual([]);
  const read = await loadFolderMemory(memoryDisk(contents), places, '/code/repo/pkg/docs');
  expect(read).toEqual({ files: [], problems: [] });
});
