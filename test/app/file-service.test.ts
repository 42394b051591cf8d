import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileService } from '../../src/main/app/file-service';
import type { EffectiveSettings } from '../../src/main/engine/settings/effective';
import { createNodeFiles } from '../../src/main/node/files';
import type { FileEdit } from '../../src/shared/project-file';
import { ok } from '../../src/shared/result';
import { tempFolder } from '../node/temp-folder';
import { TINY_IMAGES } from '../support/images';

const NEVER = new AbortController().signal;

const DENIED = { behavior: 'deny', text: 'Read(private/**)', source: 'userSettings' } as const;

/** A service over one open project with these files; `opened` is what went to the editor. */
async function serviceOver(contents: Readonly<Record<string, string | Uint8Array>>) {
  const home = await tempFolder();
  const project = join(home, 'project');
  await mkdir(project);
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), content);
  }
  const opened: (readonly [string, number | undefined, number | undefined])[] = [];
  const paths = Object.keys(contents);
  const service = createFileService({
    files: createNodeFiles(),
    home,
    projects: {
      list: () => [{ path: project, name: 'p', trusted: true, findings: [], problems: [] }],
      settings: (path) =>
        path === project ? ({ rules: [DENIED] } as unknown as EffectiveSettings) : null,
    },
    caseInsensitive: false,
    finder: {
      find: async ({ text }) => {
        const fitting = paths.filter((path) => path.includes(text));
        const found = fitting.map((path) => ({ path, marks: [] }));
        return ok({ found, searched: paths.length, partial: false });
      },
    },
    openEditor: async (path, { line, column }) => {
      opened.push([path, line, column]);
      return ok(null);
    },
  });
  const read = (path: string) => service.read({ project, path }, NEVER);
  return { home, project, service, read, opened };
}

describe('reading', () => {
  it.each([
    ['a relative path', (_: string) => 'src/auth.ts'],
    ['an absolute path', (project: string) => join(project, 'src/auth.ts')],
    ['a path from home', () => '~/project/src/auth.ts'],
    ['the end of a path that only one file has', () => 'auth.ts'],
  ])('takes %s', async (_, path) => {
    const { project, read } = await serviceOver({ 'src/auth.ts': 'one\ntwo\n', 'b.ts': '' });
    expect(await read(path(project))).toEqual(
      ok({
        ...{ path: join(project, 'src/auth.ts'), name: 'src/auth.ts' },
        ...{ text: 'one\ntwo\n', size: 8, cut: false },
      }),
    );
  });

  it.each([
    ['nothing of that name', 'nowhere.ts', 'not_found'],
    ['a name that several files end with', 'index.ts', 'not_found'],
    ['a folder', 'a', 'is_directory'],
    ['a binary file', 'logo.png', 'binary'],
  ])('refuses %s', async (_, path, code) => {
    const { read } = await serviceOver({
      'a/index.ts': '',
      'b/index.ts': '',
      'logo.png': new Uint8Array([0x89, 0x50, 0, 1]),
    });
    expect(await read(path)).toMatchObject({ ok: false, error: { code } });
  });

  it('shows the beginning of a long file, cut behind a whole line', async () => {
    const line = `${'ü'.repeat(500)}\n`;
    const { read } = await serviceOver({ 'long.txt': line.repeat(5000) });
    const answer = await read('long.txt');
    expect(answer).toMatchObject({ ok: true, value: { cut: true, size: 1001 * 5000 } });
    const text = answer.ok ? answer.value.text : '';
    expect(text.endsWith(line)).toBe(true);
    expect(text).not.toContain('\uFFFD');
  });

  it('names a file outside of the project by its whole path', async () => {
    const { home, project, read } = await serviceOver({ 'a.txt': '' });
    await writeFile(join(home, 'notes.txt'), 'n');
    expect(await read('../notes.txt')).toMatchObject({ value: { name: join(home, 'notes.txt') } });
    await symlink('/dev/zero', join(project, 'endless'));
    expect(await read('endless')).toMatchObject({ ok: false });
  });

  it('reads nothing for a folder that is not open', async () => {
    const { service } = await serviceOver({});
    const pick = { project: '/elsewhere', path: 'a' };
    expect(await service.read(pick, NEVER)).toMatchObject({ error: { code: 'not_open' } });
    expect(await service.find({ project: '/elsewhere', text: '' }, NEVER)).toMatchObject({
      error: { code: 'not_open' },
    });
  });
});

it('gives the editor the file that is meant, and nothing that is not there', async () => {
  const { project, service, opened } = await serviceOver({ 'src/auth.ts': 'x', 'lib/auth.ts': '' });
  const edit = (path: string, more: Partial<FileEdit> = {}) =>
    service.edit({ project, path, ...more }, NEVER);
  expect(await edit('src/auth.ts', { line: 12 })).toEqual(ok(null));
  expect(await edit('auth.ts', { line: 1, column: 5, folder: join(project, 'lib') })).toEqual(
    ok(null),
  );
  // A program may name it from the project on, whatever folder it runs in.
  expect(await edit('src/auth.ts', { folder: join(project, 'lib') })).toEqual(ok(null));
  for (const path of ['auth.ts', '--help', '/nowhere/auth.ts'])
    expect(await edit(path, { line: 1 })).toMatchObject({ ok: false });
  expect(opened).toEqual([
    [join(project, 'src/auth.ts'), 12, undefined],
    [join(project, 'lib/auth.ts'), 1, 5],
    [join(project, 'src/auth.ts'), undefined, undefined],
  ]);
});

describe('images', () => {
  const PNG = TINY_IMAGES['image/png'];

  it('of the project are given by what they hold, whatever their name', async () => {
    const { project, service } = await serviceOver({ 'docs/plan.txt': PNG });
    const image = { mediaType: 'image/png', data: Buffer.from(PNG).toString('base64') };
    expect(await service.image({ project, path: 'docs/plan.txt' })).toEqual(ok(image));
  });

  it.each([
    ['no image', 'a.ts', 'no_image'],
    ['an image with code in it', 'a.svg', 'no_image'],
    ['too large', 'large.png', 'no_image'],
    ['missing', 'b.png', 'not_found'],
    ['denied by a rule', 'private/a.png', 'not_shown'],
    ['outside the project', '../outside.png', 'not_shown'],
    ['outside by a link', 'link.png', 'not_shown'],
    ['a link to what a rule denies', 'denied.png', 'not_shown'],
  ])('are not given when %s', async (_, path, code) => {
    const large = new Uint8Array(8 * 1024 * 1024 + 1);
    large.set(PNG);
    const { home, project, service } = await serviceOver({
      ...{ 'a.ts': 'x', 'a.svg': '<svg/>', 'large.png': large, 'private/a.png': PNG },
    });
    await writeFile(join(home, 'outside.png'), PNG);
    await symlink(join(home, 'outside.png'), join(project, 'link.png'));
    await symlink(join(project, 'private/a.png'), join(project, 'denied.png'));
    const read = await service.image({ project, path });
    expect(read.ok ? null : read.error.code).toBe(code);
    expect(read.ok ? '' : read.error.message).not.toContain(home);
  });
});
