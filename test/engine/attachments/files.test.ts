import { readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createChangedFiles,
  describeChange,
  LOOK_EVERY_MS,
} from '../../../src/main/engine/attachments/changed-files';
import {
  createNestedMemory,
  foldersBelow,
} from '../../../src/main/engine/attachments/nested-memory';
import { loadFolderMemory } from '../../../src/main/engine/prompt/memory-files';
import { unseenReason } from '../../../src/main/engine/tools/builtin/support/current-text';
import {
  createSnapshots,
  MAX_SNAPSHOT_CHARS,
} from '../../../src/main/engine/tools/file-read-state';
import type { Message } from '../../../src/shared/message';
import type { PermissionRule } from '../../../src/shared/permission';
import {
  attached,
  contextOf,
  rule,
  type TemporaryProject,
  take,
  temporaryProject,
} from './support';

let place: TemporaryProject | null = null;
afterEach(async () => {
  await place?.close();
  place = null;
});
const open = async (rules: readonly PermissionRule[] = []) => {
  const made = await temporaryProject(rules);
  place = made;
  const { environment, project } = made;
  const parts = { ...environment.services, ...environment.agent };
  return {
    ...made,
    files: parts,
    changed: createChangedFiles(parts),
    /** As a call of Read leaves it. */
    read: async (name: string) => {
      const path = join(project, name);
      const stat = await environment.services.files.stat(path);
      if (!stat.ok) throw new Error(stat.error.message);
      environment.agent.reads.set(path, { ...stat.value, whole: true });
      return path;
    },
    mayEdit: async (path: string) => {
      const stat = await environment.services.files.stat(path);
      if (!stat.ok) throw new Error(stat.error.message);
      const text = await readFile(path, 'utf8');
      const target = { path, realPath: path, identity: stat.value.identity };
      return unseenReason(target, stat.value, text, environment.agent.reads) === null;
    },
  };
};
const context = contextOf([]);

describe('changed files', () => {
  it('are told with their difference, once, and may be edited then', async () => {
    const t = await open();
    await writeFile(join(t.project, 'a.txt'), 'one\ntwo\nthree\n');
    const path = await t.read('a.txt');
    expect(await take(t.changed, context)).toEqual([]);
    await writeFile(path, 'one\n2\nthree\n');
    expect(await t.mayEdit(path)).toBe(false);
    const [found] = await take(t.changed, context);
    expect(found).toMatchObject({ kind: 'changed_file', about: path });
    expect(found?.text).toContain('-two\n+2');
    expect(await t.mayEdit(path)).toBe(true);
    expect(await take(t.changed, context)).toEqual([]);
    await writeFile(path, 'one\n2\nthree\nfour\n');
    expect((await take(t.changed, context))[0]?.text).toContain('+four');
  });

  it('are looked for once a second while the model only reads, else at every turn', async () => {
    let [now, lines] = [0, 0];
    const t = await open();
    const changed = createChangedFiles({ ...t.files, clock: { now: () => now } });
    await writeFile(join(t.project, 'a.txt'), '0\n');
    const path = await t.read('a.txt');
    const answer = (name: string): Message => ({
      role: 'assistant',
      id: 'msg_1',
      model: 'm',
      content: [{ type: 'tool_use', id: 't1', name, input: {} }],
    });
    /** Changes the file, and counts the changes that are told after a call of a tool. */
    const told = async (tool: string, queryId = 'qry_1') => {
      await writeFile(path, `${++lines}\n`.repeat(lines));
      return (await take(changed, contextOf([answer(tool)], { query: { queryId } }))).length;
    };
    expect(await told('Read')).toBe(1);
    expect([await told('Read'), await told('Grep')]).toEqual([0, 0]);
    expect(await told('Bash')).toBe(1);
    expect(await told('Glob')).toBe(0);
    expect(await told('Read', 'qry_2')).toBe(1);
    now += LOOK_EVERY_MS;
    expect(await told('Read', 'qry_2')).toBe(1);
    now = 0;
    expect(await told('Read', 'qry_2')).toBe(1);
  });

  it('are told again when the fact did not count', async () => {
    const t = await open();
    await writeFile(join(t.project, 'a.txt'), 'one\n');
    const path = await t.read('a.txt');
    await take(t.changed, context);
    await writeFile(path, 'two\n\n');
    const cut = await t.changed.collect(context, new AbortController().signal);
    expect(cut).toHaveLength(1);
    expect(await take(t.changed, context)).toHaveLength(1);
  });

  it('without a known old text must be read again, and are told once', async () => {
    const t = await open();
    await writeFile(join(t.project, 'a.txt'), 'one\n');
    const path = await t.read('a.txt');
    await writeFile(path, 'something else\n');
    expect((await take(t.changed, context))[0]?.text).toMatch(/Read it again/);
    expect(await t.mayEdit(path)).toBe(false);
    expect(await take(t.changed, context)).toEqual([]);
  });

  it('may be gone, and may come back', async () => {
    const t = await open();
    await writeFile(join(t.project, 'a.txt'), 'one\n');
    const path = await t.read('a.txt');
    await take(t.changed, context);
    await rm(path);
    expect((await take(t.changed, context))[0]?.text).toMatch(/no longer exists/);
    expect(await take(t.changed, context)).toEqual([]);
    await writeFile(path, 'one again\n');
    expect((await take(t.changed, context))[0]?.text).toContain('+one again');
  });

  it('THREATS 6: say nothing of what a link in their place leads to', async () => {
    const t = await open();
    await writeFile(join(t.project, 'a.txt'), 'one\n');
    await writeFile(join(t.project, 'other.txt'), 'secret\n');
    const path = await t.read('a.txt');
    await take(t.changed, context);
    await rm(path);
    await symlink(join(t.project, 'other.txt'), path);
    const [told] = await take(t.changed, context);
    expect(told?.text).toMatch(/Read it again/);
    expect(told?.text).not.toContain('secret');
  });

  it('are no news when only their time changed, and stay editable', async () => {
    const t = await open();
    await writeFile(join(t.project, 'a.txt'), 'one\n');
    const path = await t.read('a.txt');
    await take(t.changed, context);
    await utimes(path, 1, 1);
    expect(await take(t.changed, context)).toEqual([]);
    expect(await t.mayEdit(path)).toBe(true);
  });

  it('keep quiet about files that a rule has hidden since', async () => {
    const t = await open([rule('deny', 'Read(a.txt)')]);
    await writeFile(join(t.project, 'a.txt'), 'one\n');
    const path = await t.read('a.txt');
    await take(t.changed, context);
    await writeFile(path, 'secret\n');
    expect(await take(t.changed, context)).toEqual([]);
  });

  it.each<[string, string | null, string | null, boolean, RegExp | null]>([
    ['nothing', 'a\n', 'a\n', true, null],
    ['a little', 'a\n', 'b\n', true, /-a\n\+b/],
    ['much', 'a\n'.repeat(150), 'b\n'.repeat(150), false, /not the whole change/],
    ['long lines', '', `${'x'.repeat(1900)}\n`.repeat(9), false, /Read it again/],
    ['binary now', 'a\n', null, false, /Read it again/],
  ])('describe %s', (_, before, after, complete, text) => {
    const change = describeChange('/p/a', before, after);
    expect(change.complete).toBe(complete);
    if (text === null) expect(change.text).toBeNull();
    else expect(change.text).toMatch(text);
  });
});

describe('snapshots', () => {
  it('are of one version, and bounded', () => {
    const snapshots = createSnapshots();
    snapshots.keep('/a', '1', 'text');
    expect(snapshots.text('/a', '1')).toBe('text');
    expect(snapshots.text('/a', '2')).toBeNull();
    snapshots.keep('/big', '1', 'x'.repeat(MAX_SNAPSHOT_CHARS + 1));
    expect(snapshots.has('/big', '1')).toBe(true);
    expect(snapshots.text('/big', '1')).toBeNull();
    for (let i = 0; i < 17; i += 1) snapshots.keep(`/${i}`, '1', 'x'.repeat(MAX_SNAPSHOT_CHARS));
    expect(snapshots.has('/a', '1')).toBe(false);
    expect(snapshots.text('/16', '1')).not.toBeNull();
  });
});

describe('memory of subfolders', () => {
  it('is what lies between the project and a file', () => {
    expect(foldersBelow('/p', ['/p/a/b/c.ts', '/p/x.ts', '/q/y.ts', '/pq/z.ts'])).toEqual([
      '/p/a',
      '/p/a/b',
    ]);
  });

  it('is told when a file there was read: outer first, once, and again after a compaction', async () => {
    const t = await open([rule('deny', 'Read(CLAUDE.local.md)')]);
    const { services, session, agent } = t.environment;
    const { files } = services;
    await files.write(join(t.project, 'CLAUDE.md'), 'known from the start');
    await files.write(join(t.project, 'pkg', 'AGENTS.md'), 'outer');
    await files.write(join(t.project, 'pkg', 'ui', 'CLAUDE.md'), 'inner @more.md');
    await files.write(join(t.project, 'pkg', 'ui', 'more.md'), 'imported');
    await files.write(join(t.project, 'pkg', 'ui', 'CLAUDE.local.md'), 'hidden');
    await files.write(join(t.project, 'pkg', 'ui', 'a.ts'), '');
    let loads = 0;
    const roots = new Set<string>();
    const places = {
      userFolder: join(t.root, 'user', '.claude'),
      home: join(t.root, 'user'),
      cwd: t.project,
      includeProject: true,
    };
    const memory = createNestedMemory({
      project: session.project,
      ...agent,
      rulesFor: async () => [],
      roots,
      folderMemory: async (folder) => {
        loads += 1;
        return (await loadFolderMemory(files, places, folder)).files;
      },
    });
    expect(await take(memory, context)).toEqual([]);
    await t.read('pkg/ui/a.ts');
    const found = await take(memory, context);
    expect(found.map((f) => f.text.split('\n\n')[1])).toEqual([
      'outer',
      'inner @more.md',
      'imported',
    ]);
    expect(found[1]?.text).toContain(`Instructions for work in ${join('pkg', 'ui')}`);
    const told = found.map(attached);
    expect(await take(memory, contextOf(told))).toEqual([]);
    expect(loads).toBe(2);
    const boundary = { role: 'boundary', id: 'b', summary: 's' } as const;
    expect(await take(memory, contextOf([boundary]))).toHaveLength(3);
    // After a way back nothing of it stands there any more.
    expect(await take(memory, contextOf([boundary, ...told]))).toEqual([]);
    expect(await take(memory, contextOf([boundary]))).toHaveLength(3);
  });

  it('tells the memory of a folder that was added, though nothing was read there', async () => {
    const t = await open();
    const { session, agent } = t.environment;
    const roots = new Set<string>();
    const rules: (readonly string[])[] = [];
    const memory = createNestedMemory({
      project: session.project,
      ...agent,
      roots,
      rulesFor: async (paths) => {
        rules.push(paths);
        return [];
      },
      folderMemory: async (folder) => [
        { path: join(folder, 'CLAUDE.md'), kind: 'project', text: 'added' },
      ],
    });
    expect(await take(memory, contextOf([]))).toEqual([]);
    roots.add(join(session.project, 'pkg'));
    const found = await take(memory, contextOf([]));
    expect(found.map(({ about }) => about)).toEqual([join(session.project, 'pkg', 'CLAUDE.md')]);
    // Rules are for files that were read, and none was.
    expect(rules).toEqual([[]]);
    expect(await take(memory, contextOf(found.map(attached)))).toEqual([]);
  });
});
