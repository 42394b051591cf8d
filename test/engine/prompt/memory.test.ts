import { describe, expect, it } from 'vitest';
import { readGitBranch } from '../../../src/main/engine/prompt/git-facts';
import { loadMemory } from '../../../src/main/engine/prompt/memory-files';
import { MAX_FILE_BYTES, MAX_TOTAL_CHARS } from '../../../src/main/engine/prompt/memory-loader';
import { importsOf, withoutComments } from '../../../src/main/engine/prompt/memory-text';
import { userContextText } from '../../../src/main/engine/prompt/user-context';
import { memoryDisk } from './memory-disk';

const places = {
  userFolder: '/home/me/.claude',
  home: '/home/me',
  cwd: '/code/repo/pkg',
  includeProject: true,
};
const load = (contents: Record<string, string>, links = {}, rest = {}) =>
  loadMemory(memoryDisk(contents, links), { ...places, ...rest });
const paths = async (...args: Parameters<typeof load>) =>
  (await load(...args)).files.map((f) => f.path);

it('imports nothing that a rule denies or asks about, and says so', async () => {
  const contents = {
    '/code/repo/pkg/CLAUDE.md': '@.env @sub/.ENV @keys.md @./gone @notes',
    '/code/repo/pkg/.env': 'KEY=1',
    '/code/repo/pkg/sub/.ENV': 'KEY=2',
    '/code/repo/pkg/keys.md': 'keys',
  };
  const rule = (behavior: 'deny' | 'ask', text: string) =>
    ({ behavior, text, source: 'userSettings' }) as const;
  const rules = [rule('deny', 'Read(.env)'), rule('ask', 'Read(keys.md)')];
  const { files, problems } = await load(contents, {}, { rules });
  expect(files.map(({ path }) => path)).toEqual(['/code/repo/pkg/CLAUDE.md']);
  const told = (written: string, why: string) =>
    `/code/repo/pkg/CLAUDE.md, line 1: the import @${written} ${why}.`;
  const denied = 'is left out: a rule denies or asks about reading it';
  expect(problems.map(({ message }) => message)).toEqual([
    ...['.env', 'sub/.ENV', 'keys.md'].map((written) => told(written, denied)),
    told('./gone', 'names no file (/code/repo/pkg/gone)'),
  ]);
});

it('tells of a memory file that is a link to nothing, and of an import that is a folder', async () => {
  const contents = {
    '/code/repo/pkg/AGENTS.md': 'Take @sub and @types, mail me@sub.\n@sub/ too',
    '/code/repo/pkg/sub/a.md': 'a',
  };
  const { files, problems } = await load(contents, { '/code/repo/pkg/CLAUDE.md': '/code/gone.md' });
  expect(files.map(({ path }) => path)).toEqual(['/code/repo/pkg/AGENTS.md']);
  expect(problems.map(({ message }) => message)).toEqual([
    '/code/repo/pkg/CLAUDE.md: left out: it is a link to nothing (/code/gone.md).',
    '/code/repo/pkg/AGENTS.md, line 1: the import @sub names no file (/code/repo/pkg/sub is a folder).',
    '/code/repo/pkg/AGENTS.md, line 2: the import @sub/ names no file (/code/repo/pkg/sub is a folder).',
  ]);
});

it.each(['.\\docs\\notes', '..\\notes', '~\\notes', 'docs\\notes.md'])(
  'tells of an import with backslashes that names no file: %s',
  async (written) => {
    const { problems } = await load({ '/code/repo/pkg/CLAUDE.md': `See @${written} and @me.` });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining(`the import @${written} names no file`),
    ]);
  },
);

it('tells once of what lies in the user’s folder, also when that is above the project', async () => {
  const links = { '/home/me/.claude/CLAUDE.md': '/home/me/gone.md' };
  const { problems } = await load({}, links, { cwd: '/home/me/proj' });
  expect(problems.map(({ message }) => message)).toEqual([
    '/home/me/.claude/CLAUDE.md: left out: it is a link to nothing (/home/me/gone.md).',
  ]);
});

it('rules of a folder that nobody trusts are told', async () => {
  const contents = { '/code/repo/pkg/.claude/rules/a.md': 'always' };
  const { files, problems } = await load(contents, {}, { includeProject: false });
  expect(files).toEqual([]);
  expect(problems.map(({ message }) => message)).toEqual([
    '/code/repo/pkg/.claude/rules: left out, because nobody trusts this folder.',
  ]);
});

describe('which files load', () => {
  it('farthest first: managed, user, then folder by folder', async () => {
    const contents = {
      '/etc/claude-code/CLAUDE.md': 'managed',
      '/home/me/.claude/CLAUDE.md': 'user',
      '/code/CLAUDE.md': 'root',
      '/code/repo/.claude/CLAUDE.md': 'repo',
      '/code/repo/CLAUDE.local.md': 'mine',
      '/code/repo/pkg/CLAUDE.md': 'pkg',
      '/code/repo/pkg/AGENTS.md': 'not this',
      '/code/repo/pkg/sub/CLAUDE.md': 'not this',
    };
    const managedFile = '/etc/claude-code/CLAUDE.md';
    const { files } = await load(contents, {}, { managedFile });
    expect(files.map((f) => f.text)).toEqual(['managed', 'user', 'root', 'repo', 'mine', 'pkg']);
    expect(files.map((f) => f.kind)).toEqual([
      'managed',
      'user',
      'project',
      'project',
      'local',
      'project',
    ]);
  });

  it('the beginning of what agents noted about the project, which imports nothing', async () => {
    const index = '/home/me/.claude/projects/-code-repo-pkg/memory/MEMORY.md';
    const note = (at: number) => `note ${at} @/home/me/.ssh/id_rsa`;
    const notes = Array.from({ length: 300 }, (_, at) => note(at)).join('\n');
    const disk = { '/home/me/.claude/CLAUDE.md': 'u', [index]: notes, '/home/me/.ssh/id_rsa': 'k' };
    const { files, problems } = await load(disk);
    expect(files.map(({ path, kind }) => [path, kind])).toEqual([
      ['/home/me/.claude/CLAUDE.md', 'user'],
      [index, 'auto'],
    ]);
    expect(files[1]?.text.split('\n')).toHaveLength(201);
    expect(files[1]?.text).toMatch(/note 199 .*\n\(cut: Read .*MEMORY\.md for the rest\)$/);
    expect(problems.map(({ message }) => message)).toEqual([
      `${index}: cut: sessions begin with the first 200 lines or 25 KiB of it.`,
    ]);
    const wide = await load({ [index]: 'é'.repeat(30_000) });
    expect(wide.files[0]?.text).toMatch(/^é{12800}\n\(cut/);
    const { files: few } = await load({ [index]: `${'x'.repeat(20_000)}\n${'y'.repeat(9_000)}` });
    expect(few[0]?.text).toMatch(/^x{20000}\n\(cut/);
    expect((await load({ [index]: 'short' }, {}, { sources: ['project'] })).files).toEqual([]);
  });

  it('AGENTS.md only where a folder has no CLAUDE.md', async () => {
    expect(
      await paths({
        '/code/AGENTS.md': 'a',
        '/code/repo/AGENTS.md': 'b',
        '/code/repo/CLAUDE.md': 'c',
      }),
    ).toEqual(['/code/AGENTS.md', '/code/repo/CLAUDE.md']);
  });

  it('THREATS 1: nothing of an untrusted folder', async () => {
    const contents = { '/home/me/.claude/CLAUDE.md': 'u', '/code/repo/pkg/CLAUDE.md': 'p' };
    expect(await paths(contents, {}, { includeProject: false })).toEqual([
      '/home/me/.claude/CLAUDE.md',
    ]);
  });

  it('one file once, also through a link', async () => {
    const contents = {
      '/code/repo/pkg/AGENTS.md': 'same',
      '/code/AGENTS.md': '@repo/pkg/CLAUDE.md',
    };
    const links = { '/code/repo/pkg/CLAUDE.md': '/code/repo/pkg/AGENTS.md' };
    expect(await paths(contents, links)).toEqual(['/code/AGENTS.md', '/code/repo/pkg/CLAUDE.md']);
  });

  it('skips what is too large and says so', async () => {
    const contents = { '/code/repo/pkg/CLAUDE.md': 'x'.repeat(MAX_FILE_BYTES + 1) };
    const { files, problems } = await load(contents);
    expect(files).toEqual([]);
    expect(problems).toHaveLength(1);
  });

  it('tells of a folder in its place, and takes the other name', async () => {
    const contents = { '/code/repo/CLAUDE.md/x': 'y', '/code/repo/AGENTS.md': 'agents' };
    const { files, problems } = await load(contents);
    expect(files.map(({ text }) => text)).toEqual(['agents']);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('/code/repo/CLAUDE.md: left out'),
    ]);
  });

  it('never fills the window', async () => {
    const big = 'x'.repeat(MAX_TOTAL_CHARS - 10);
    const { files, problems } = await load({ '/code/CLAUDE.md': big, '/code/repo/CLAUDE.md': big });
    expect(files.reduce((n, f) => n + f.text.length, 0)).toBeLessThan(MAX_TOTAL_CHARS + 100);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^\/code\/repo\/CLAUDE\.md: cut after 10 characters: all memory together/,
      ),
    ]);
  });
});

describe('imports', () => {
  it('follow the importing file, relative to it and to home', async () => {
    const contents = {
      '/home/me/.claude/CLAUDE.md': 'see @~/notes/a.md and @more/b.md.',
      '/home/me/notes/a.md': 'A',
      '/home/me/.claude/more/b.md': 'B',
      '/code/repo/pkg/CLAUDE.md': '@docs/c.md',
      '/code/repo/pkg/docs/c.md': 'C',
    };
    expect((await load(contents)).files.map((f) => f.text)).toEqual([
      'see @~/notes/a.md and @more/b.md.',
      'A',
      'B',
      '@docs/c.md',
      'C',
    ]);
  });

  it('end at four levels and at a cycle', async () => {
    const contents: Record<string, string> = { '/code/repo/pkg/CLAUDE.md': '@1.md' };
    for (let n = 1; n <= 6; n += 1)
      contents[`/code/repo/pkg/${n}.md`] = `@${n + 1}.md @CLAUDE.md @${n}.md`;
    const { files, problems } = await load(contents);
    expect(files.map((f) => f.path.split('/').at(-1))).toEqual([
      'CLAUDE.md',
      '1.md',
      '2.md',
      '3.md',
      '4.md',
    ]);
    const told = problems.map(({ message }) => message);
    expect(told).toContain(
      '/code/repo/pkg/4.md, line 1: the import @5.md is left out: imports go at most four levels deep.',
    );
    expect(told.filter((words) => words.includes('leads back'))).toHaveLength(8);
    expect(told).toContain(
      '/code/repo/pkg/1.md, line 1: the import @CLAUDE.md leads back to a file that imports this one, so it is not read again.',
    );
  });

  it('are told by the line at which they stand', async () => {
    const { problems } = await load({
      '/code/repo/pkg/CLAUDE.md':
        'one\n<!-- a\nnote -->\nsee @missing.md and @~/gone.txt, ask @someone\n@other.md',
      '/code/repo/pkg/other.md': 'x\uFFFD',
    });
    expect(problems.map(({ line, message }) => `${line} ${message.split(': ')[1]}`)).toEqual([
      '4 the import @missing.md names no file (/code/repo/pkg/missing.md).',
      '4 the import @~/gone.txt names no file (/home/me/gone.txt).',
      '1 some of it is not UTF-8 text.',
    ]);
  });

  it('are told by their own line, not by that of a longer one, of code, or of a comment', async () => {
    const { problems } = await load({
      '/code/repo/pkg/CLAUDE.md':
        'me@./, `@./` and\n@./other.md\n<!-- @./ -->\n```\n@./\n```\nlast @./',
      '/code/repo/pkg/other.md': 'x',
    });
    expect(problems.map(({ message }) => message)).toEqual([
      '/code/repo/pkg/CLAUDE.md, line 7: the import @./ names no file (/code/repo/pkg is a folder).',
    ]);
  });

  it('are told by their beginning where they are too long to be a path', async () => {
    const long = `./${'a'.repeat(6_000)}`;
    const { problems } = await load({ '/code/repo/pkg/CLAUDE.md': `@${long}` });
    expect(problems[0]?.message).toContain(`the import @${long.slice(0, 200)}… names no file (/`);
    expect(problems[0]?.message.length).toBeLessThan(600);
  });

  it('of one file by two others are no circle', async () => {
    const { problems } = await load({
      '/code/repo/pkg/CLAUDE.md': '@a.md @b.md',
      '/code/repo/pkg/a.md': '@c.md',
      '/code/repo/pkg/b.md': '@c.md',
      '/code/repo/pkg/c.md': 'C',
    });
    expect(problems).toEqual([]);
  });

  it('are looked at up to a limit, and that is told once', async () => {
    const names = Array.from({ length: 2_000 }, (_, i) => `@n${i}`).join(' ');
    const { problems } = await load({ '/code/repo/pkg/CLAUDE.md': names });
    expect(problems.map(({ message }) => message)).toEqual([
      '/code/repo/pkg/CLAUDE.md, line 1: the import @n500 and those after it are left out: there are more than 500.',
    ]);
  });

  it('and files of a folder that nobody trusts are told as left out, and not read', async () => {
    const contents = {
      '/code/repo/pkg/CLAUDE.md': 'SECRET @x.md',
      '/code/repo/pkg/AGENTS.md': 'SECRET',
    };
    const { files, problems } = await load(contents, {}, { includeProject: false });
    expect(files).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([
      '/code/repo/pkg/CLAUDE.md: left out, because nobody trusts this folder.',
      '/code/repo/pkg/AGENTS.md: left out, because nobody trusts this folder.',
    ]);
  });

  it('THREATS 1: no repository hands out a file by a link in the place of its memory, nor the user’s keys', async () => {
    const contents = {
      '/code/repo/pkg/AGENTS.md': 'not read in its place',
      '/code/repo/pkg/CLAUDE.local.md': '@~/.claude/.credentials.json @~/.claude/mine.md',
      '/home/me/.ssh/id': 'SECRET',
      '/home/me/.claude/.credentials.json': 'SECRET',
      '/home/me/.claude/mine.md': 'fine',
    };
    const { files, problems } = await load(contents, {
      '/code/repo/pkg/CLAUDE.md': '/home/me/.ssh/id',
    });
    expect(JSON.stringify(files)).not.toMatch(/SECRET|not read/);
    expect(files.map((f) => f.text)).toContain('fine');
    expect(problems.map(({ message }) => message)).toEqual([
      '/code/repo/pkg/CLAUDE.md: left out: it is a link that leads out of the project.',
      '/code/repo/pkg/CLAUDE.local.md, line 1: the import @~/.claude/.credentials.json is left out until you allow it in /memory: /home/me/.claude/.credentials.json is outside the project.',
    ]);
    expect(await paths(contents, { '/code/CLAUDE.md': '/home/me/.ssh/id' })).toContain(
      '/code/CLAUDE.md',
    );
  });

  it.each([
    ['first', '@d.md @a.md'],
    ['last', '@a.md @d.md'],
  ])('are followed from where a file is least deep, which is read %s', async (_, root) => {
    const folder = '/code/repo/pkg';
    const contents: Record<string, string> = {
      [`${folder}/CLAUDE.md`]: root,
      [`${folder}/f.md`]: 'the end',
    };
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef'])
      contents[`${folder}/${from}.md`] = `@${to}.md`;
    const { files, problems } = await load(contents);
    const names = files.map(({ path }) => path.slice(folder.length + 1, -'.md'.length));
    expect(names.toSorted()).toEqual(['CLAUDE', 'a', 'b', 'c', 'd', 'e', 'f']);
    expect(problems).toEqual([]);
  });

  it('of a project do not reach outside it, not by a link either', async () => {
    const contents = {
      '/code/repo/pkg/CLAUDE.md': '@/home/me/.ssh/id @../../../etc/passwd @link/x.md @..evil/ok.md',
      '/home/me/.ssh/id': 'SECRET',
      '/etc/passwd': 'SECRET',
      '/outside/x.md': 'SECRET',
      '/code/repo/pkg/..evil/ok.md': 'fine',
    };
    const { files, problems } = await load(contents, { '/code/repo/pkg/link': '/outside' });
    expect(JSON.stringify(files)).not.toContain('SECRET');
    expect(files.map((f) => f.text)).toContain('fine');
    expect(problems).toHaveLength(3);
  });

  it.each([
    ['a @x.md, (@y/z.md) and @x.md', ['x.md', 'y/z.md']],
    ['mail me@x.md', []],
    ['`@x.md` and ``a `@y.md` `` but @z.md', ['z.md']],
    ['```sh\n@x.md\n```\n@y.md', ['y.md']],
    ['~~~\n```\n@x.md\n~~~\n@y.md', ['y.md']],
    ['````\n```\n@x.md\n````\n@y.md', ['y.md']],
    ['@my\\ notes.md', ['my notes.md']],
    ['', []],
  ])('are found in %j', (text, expected) => {
    expect([...importsOf(text).keys()]).toEqual(expected);
  });

  it('comments go, except in code', () => {
    expect(withoutComments('a<!-- x\ny -->b\n```\n<!-- keep -->\n```')).toBe(
      'ab\n```\n<!-- keep -->\n```',
    );
  });
});

describe('facts', () => {
  it.each([
    [{ '/code/repo/.git/HEAD': 'ref: refs/heads/feature/x\n' }, 'feature/x'],
    [{ '/code/repo/.git/HEAD': `${'a1'.repeat(20)}\n` }, 'a1a1a1a1'],
    [
      {
        '/code/repo/.git': 'gitdir: ../other/.git/worktrees/w\n',
        '/code/other/.git/worktrees/w/HEAD': 'ref: refs/heads/w',
      },
      'w',
    ],
    [{ '/code/repo/pkg/file': '' }, null],
  ])('the branch of %j is %s', async (contents, branch) => {
    expect(
      await readGitBranch(memoryDisk(contents as Record<string, string>), '/code/repo/pkg'),
    ).toBe(branch);
  });

  it('the text holds files, folder, branch and the local date', () => {
    const text = userContextText({
      memory: [{ path: '/a/CLAUDE.md', kind: 'project', text: 'Use tabs.' }],
      cwd: '/a',
      gitBranch: 'main',
      now: Date.UTC(2026, 10, 21, 23, 30),
      timeZone: 'Asia/Tokyo',
    });
    for (const part of [
      '/a/CLAUDE.md',
      'Use tabs.',
      'Git branch: main',
      "Today's date: 2026-11-22",
    ])
      expect(text).toContain(part);
  });
});
