import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeFiles } from '../../src/main/node/files';
import { tempFolder } from './temp-folder';

const files = createNodeFiles();

describe('write', () => {
  it('makes missing folders and leaves no temporary file', async () => {
    const folder = await tempFolder();
    expect(await files.write(join(folder, 'a/b/c.txt'), 'hello ✓')).toEqual({
      ok: true,
      value: null,
    });
    expect(await readFile(join(folder, 'a/b/c.txt'), 'utf8')).toBe('hello ✓');
    expect(await readdir(join(folder, 'a/b'))).toEqual(['c.txt']);
  });

  it.skipIf(process.platform !== 'linux')('says so where no folder can be made', async () => {
    const made = await files.makeDirectory('/proc/self/x/y');
    expect(made).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await files.write('/proc/self/x/y', '')).toMatchObject({ ok: false });
  });

  it('makes no folder of a file, and none behind a link to nothing', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'file'), '');
    await symlink(join(folder, 'nothing'), join(folder, 'link'));
    expect(await files.makeDirectory(join(folder, 'file'))).toMatchObject({ ok: false });
    expect(await files.makeDirectory(join(folder, 'file', 'x'))).toMatchObject({ ok: false });
    expect(await files.makeDirectory(join(folder, 'link'))).toMatchObject({ ok: false });
    expect(await files.makeDirectory(folder)).toMatchObject({ ok: true });
  });

  it('THREATS 6: writes nothing at a place that another file took, or that something took', async () => {
    const folder = await tempFolder();
    const [file, other] = [join(folder, 'file'), join(folder, 'other')];
    await writeFile(file, 'decided');
    await writeFile(other, 'other');
    const [there, nothing] = [await files.locate(file), await files.locate(join(folder, 'new'))];
    if (!there.ok || !nothing.ok) throw new Error('not located');
    await rename(other, file);
    await writeFile(join(folder, 'new'), 'already');
    for (const place of [there.value, nothing.value])
      expect(await files.writeAt(place, 'mine')).toMatchObject({ ok: false });
    expect(await readFile(file, 'utf8')).toBe('other');
    expect(await readFile(join(folder, 'new'), 'utf8')).toBe('already');
    expect((await readdir(folder)).sort()).toEqual(['file', 'new']);
  });

  it('keeps the mode of an existing file, and gives a new one the mode asked for', async () => {
    const folder = await tempFolder();
    const script = join(folder, 'run.sh');
    await writeFile(script, 'old');
    await chmod(script, 0o755);
    await files.write(script, 'new');
    expect((await stat(script)).mode & 0o777).toBe(0o755);
    await files.write(join(folder, 'secret'), 'x', 0o600);
    expect((await stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600);
  });

  it('replaces the file, not its content: an open hard link keeps the old bytes', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a'), 'old');
    await link(join(folder, 'a'), join(folder, 'b'));
    await files.write(join(folder, 'a'), 'new');
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('old');
  });

  it('writes through links, dangling ones too, and keeps the link', async () => {
    const folder = await tempFolder();
    await symlink('real.txt', join(folder, 'link'));
    await files.write(join(folder, 'link'), 'one');
    await files.write(join(folder, 'link'), 'two');
    expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, 'real.txt'), 'utf8')).toBe('two');
  });

  it.each(['/dev/null', '/'])('refuses %s and leaves it alone', async (path) => {
    const before = await stat(path);
    const outcome = await files.write(path, 'x');
    expect(outcome.ok).toBe(false);
    expect((await stat(path)).ino).toBe(before.ino);
  });

  it('says in plain words when a parent is a file', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'file'), '');
    const outcome = await files.write(join(folder, 'file/x'), 'x');
    const message = `A part of ${join(folder, 'file/x')} is a file, not a folder.`;
    expect(outcome).toMatchObject({ ok: false, error: { code: 'not_directory', message } });
  });

  it.each([
    ['file', (path: string) => `${path} is a file, not a folder.`],
    ['file/x', (path: string) => `A part of ${path} is a file, not a folder.`],
  ])('says of the list of %s which part is a file', async (name, message) => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'file'), '');
    const path = join(folder, name);
    expect(await files.list(path)).toMatchObject({
      ...{ ok: false, error: { code: 'not_directory', message: message(path) } },
    });
  });

  it('never shows a half-written file to a reader', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'f');
    const contents = ['a', 'b'].map((letter) => letter.repeat(300_000));
    await files.write(path, contents[0] ?? '');
    const seen = new Set<string>();
    const writing = Promise.all(
      Array.from({ length: 20 }, (_, i) => files.write(path, contents[i % 2] ?? '')),
    );
    for (let i = 0; i < 20; i += 1) seen.add(await readFile(path, 'utf8'));
    await writing;
    for (const text of seen) expect(contents.includes(text)).toBe(true);
    expect(await readdir(folder)).toEqual(['f']);
  });
});

describe('read', () => {
  it('stops at the limit', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'f'), '12345');
    expect(await files.read(join(folder, 'f'), 4)).toMatchObject({ error: { code: 'too_large' } });
    expect(await files.read(join(folder, 'f'), 5)).toMatchObject({ ok: true });
  });

  it('reads a range as far as it exists', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'f'), '0123456789');
    const text = async (start: number, end: number) => {
      const part = await files.readRange(join(folder, 'f'), start, end);
      return part.ok ? Buffer.from(part.value).toString() : part.error.code;
    };
    expect(await text(2, 5)).toBe('234');
    expect(await text(8, 50)).toBe('89');
    expect(await text(50, 60)).toBe('');
    expect(await text(5, 2)).toBe('');
  });

  it.runIf(process.platform === 'linux')('reads files that claim to be empty', async () => {
    const read = await files.read('/proc/self/status', 1_000_000);
    expect(read.ok && Buffer.from(read.value).toString()).toContain('Pid:');
  });

  it('does not wait for a pipe nobody writes to', async () => {
    const folder = await tempFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const read = await files.read(join(folder, 'pipe'), 10);
    expect(read).toMatchObject({ ok: false, error: { code: 'other' } });
  });

  it.each([
    ['missing', 'not_found'],
    ['.', 'is_directory'],
  ])('%s is %s', async (name, code) => {
    const folder = await tempFolder();
    const read = await files.read(join(folder, name), 10);
    expect(read).toMatchObject({ ok: false, error: { code } });
    expect(!read.ok && read.error.message).toContain(folder);
  });
});

describe('realPath', () => {
  it('follows links, and appends what does not exist', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'real'));
    await symlink('real', join(folder, 'link'));
    expect(await files.realPath(join(folder, 'link/new/file'))).toEqual({
      ok: true,
      value: join(folder, 'real/new/file'),
    });
  });

  it('says where a dangling link points, through several links', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'inside'));
    await symlink('../outside/target', join(folder, 'inside/one'));
    await symlink('one', join(folder, 'inside/two'));
    expect(await files.realPath(join(folder, 'inside/two'))).toEqual({
      ok: true,
      value: join(folder, 'outside/target'),
    });
  });

  it('reports a circle', async () => {
    const folder = await tempFolder();
    await symlink('b', join(folder, 'a'));
    await symlink('a', join(folder, 'b'));
    const outcome = await files.realPath(join(folder, 'a'));
    expect(!outcome.ok && outcome.error.message).toContain('circle');
  });
});

describe('append', () => {
  it('keeps the order of calls and refuses after close', async () => {
    const folder = await tempFolder();
    const opened = await files.openAppend(join(folder, 'logs/log.jsonl'));
    if (!opened.ok) throw new Error(opened.error.message);
    const lines = Array.from({ length: 50 }, (_, i) => `${i}\n`);
    await Promise.all(lines.map((line) => opened.value.append(line)));
    await opened.value.close();
    expect(await readFile(join(folder, 'logs/log.jsonl'), 'utf8')).toBe(lines.join(''));
    expect((await stat(join(folder, 'logs/log.jsonl'))).mode & 0o777).toBe(0o600);
    expect((await opened.value.append('late')).ok).toBe(false);
  });

  it.runIf(process.platform === 'linux')('reports a full disk as such', async () => {
    const opened = await files.openAppend('/dev/full');
    if (!opened.ok) throw new Error(opened.error.message);
    const appended = await opened.value.append('x');
    await opened.value.close();
    expect(appended).toMatchObject({ ok: false, error: { code: 'no_space' } });
  });
});

describe('the rest', () => {
  it('stat gives kind, size and one identity for all names of a file', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a'), '123');
    await symlink('a', join(folder, 'b'));
    const a = await files.stat(join(folder, 'a'));
    expect(a).toEqual(await files.stat(join(folder, 'b')));
    expect(a).toMatchObject({ ok: true, value: { kind: 'file', size: 3 } });
  });

  it('stat tells what is there, and why there is nothing', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a'), '123');
    await mkdir(join(folder, 'folder'));
    const paths = ['a', 'nothing', 'folder', 'a/below'].map((name) => join(folder, name));
    const found = await Promise.all(paths.map(files.stat));
    expect(found.map((one) => (one.ok ? one.value.kind : one.error.code))).toEqual([
      'file',
      'not_found',
      'directory',
      'not_directory',
    ]);
  });

  it('list names kinds; remove takes folders and never what a link points to', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'kept'));
    await writeFile(join(folder, 'kept/file'), '');
    await symlink('kept', join(folder, 'link'));
    const listed = await files.list(folder);
    expect(listed.ok && [...listed.value].sort((x, y) => x.name.localeCompare(y.name))).toEqual([
      { name: 'kept', kind: 'directory' },
      { name: 'link', kind: 'link' },
    ]);
    await files.remove(join(folder, 'link'));
    expect(await readdir(join(folder, 'kept'))).toEqual(['file']);
    expect((await files.remove(join(folder, 'kept'))).ok).toBe(true);
    expect(await files.remove(join(folder, 'kept'))).toMatchObject({
      error: { code: 'not_found' },
    });
  });

  it('truncate shortens', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'f'), '12345');
    await files.truncate(join(folder, 'f'), 2);
    expect(await readFile(join(folder, 'f'), 'utf8')).toBe('12');
  });
});
