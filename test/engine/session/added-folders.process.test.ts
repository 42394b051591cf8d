import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, Stamped } from '../../../src/shared/agent-event';
import { tempFolder } from '../../node/temp-folder';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { hook, keeps, linesOf, ran } from '../hooks/support';
import { endOf, saidIn, sessionsOfFile } from '../query/support';

const open = sessionsOfFile();

/** Collects the events of a query. */
async function events(query: AsyncIterable<Stamped>): Promise<readonly AgentEvent[]> {
  const seen: AgentEvent[] = [];
  for await (const { event } of query) seen.push(event);
  return seen;
}

const attended = { attended: true } as const;

describe('/add-dir', () => {
  it('lets a session work in one more folder, and tells hooks', async () => {
    const other = await realpath(await tempFolder());
    await writeFile(join(other, 'a.txt'), 'far away');
    const t = await open(
      [reply([toolUse('Read', { file_path: join(other, 'a.txt') })]), reply('Read.')],
      { ...attended, settings: { hooks: [hook('DirectoryAdded', keeps('added'))] } },
    );
    const told = ran(t, 'DirectoryAdded');
    const said = await events(t.session.submit(`/add-dir ${other}`));
    expect(JSON.stringify(said)).toContain(`${other} is worked in until this session ends.`);
    await told;
    expect(await linesOf(t, 'added')).toMatchObject([
      { hook_event_name: 'DirectoryAdded', directory: other, source: 'slash_command' },
    ]);
    await t.run('read it');
    expect(saidIn(t.api, -1)).toContain('far away');
    expect(t.session.holdsMore()).toBe(true);
  });

  it.each([
    ['what is not there', 'none', 'There is no folder none.'],
    ['a file', 'file', 'There is no folder file.'],
    ['the project', '.', 'is worked in already'],
    ['what lies in it', 'inner', 'lies in a folder that is worked in already'],
    ['what a link in it leads to, if that is the project', 'link', 'is worked in already'],
    ['nothing', '', 'Say which folder to add.'],
  ])('refuses %s', async (_, name, words) => {
    const t = await open([], { ...attended });
    await mkdir(join(t.project, 'inner'));
    await writeFile(join(t.project, 'file'), '');
    await symlink('.', join(t.project, 'link'));
    const end = endOf(await events(t.session.submit(`/add-dir ${name}`)));
    expect(JSON.stringify(end)).toContain(words);
  });

  it('is no command where nobody types', async () => {
    const t = await open([]);
    const end = endOf(await events(t.session.submit('/add-dir /tmp')));
    expect(JSON.stringify(end)).toContain('There is no command /add-dir');
  });
});

describe('a folder that a program registers', () => {
  it('lies strictly inside one that the run was started with', async () => {
    const [started, other] = await Promise.all(
      [tempFolder(), tempFolder()].map(async (one) => realpath(await one)),
    );
    const t = await open([], { settings: { additionalDirectories: [started ?? ''] } });
    await mkdir(join(started ?? '', 'deep'));
    await mkdir(join(t.project, 'inner'));
    await symlink(other ?? '', join(t.project, 'out'));
    const add = async (name: string) => {
      const added = await t.session.addFolder(name, 'register_repo_root');
      return added.ok ? added.value : added.error.code;
    };
    expect(await add('inner')).toBe(join(t.project, 'inner'));
    expect(await add('inner')).toBe('already_added');
    expect(await add(join(started ?? '', 'deep'))).toBe(join(started ?? '', 'deep'));
    expect(await add(t.project)).toBe('already_added');
    expect(await add('out')).toBe('outside');
    expect(await add(other ?? '')).toBe('outside');
  });
});
