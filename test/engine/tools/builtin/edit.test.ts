import { chmod, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEditTool } from '../../../../src/main/engine/tools/builtin/edit/edit';
import { createReadTool } from '../../../../src/main/engine/tools/builtin/read/read';
import { MAX_SNAPSHOT_CHARS } from '../../../../src/main/engine/tools/file-read-state';
import { tempFolder } from '../../../node/temp-folder';
import { runs } from '../../../support/runs';
import { toolEnvironment } from '../../../support/tool-environment';
import { needsIn, runTool } from './run-tool';

const edit = createEditTool();
const read = createReadTool();

async function project(content?: string | Uint8Array) {
  const folder = await tempFolder();
  const path = join(folder, 'f.ts');
  const env = toolEnvironment({ project: folder });
  if (content !== undefined) {
    await writeFile(path, content);
    await runTool(read, { file_path: 'f.ts' }, env);
  }
  const run = (old_string: string, new_string: string, replace_all?: boolean) =>
    runTool(
      edit,
      {
        file_path: 'f.ts',
        old_string,
        new_string,
        ...(replace_all === undefined ? {} : { replace_all }),
      },
      env,
    );
  return { folder, path, env, run };
}

describe('Edit', () => {
  it('replaces one place and shows how it reads now', async () => {
    const { path, run } = await project('const a = 1;\nconst b = 2;\nconst c = 3;\n');
    const call = await run('b = 2', 'b = 20');
    expect(await readFile(path, 'utf8')).toBe('const a = 1;\nconst b = 20;\nconst c = 3;\n');
    expect(call.text).toContain('     2\tconst b = 20;');
    expect(call.view).toEqual({
      kind: 'diff',
      path,
      created: false,
      added: 1,
      removed: 1,
      hunks: [
        {
          oldStart: 1,
          newStart: 1,
          lines: [' const a = 1;', '-const b = 2;', '+const b = 20;', ' const c = 3;'],
        },
      ],
    });
  });

  it('may follow its own edit without another read', async () => {
    const { path, run } = await project('a b');
    await run('a', 'x');
    expect((await run('b', 'y')).ok).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('x y');
  });

  it('takes the replacement literally', async () => {
    const { path, run } = await project('price: X');
    await run('X', '$& $1 $$ \\n');
    expect(await readFile(path, 'utf8')).toBe('price: $& $1 $$ \\n');
  });

  it('replaces every place when asked, and says how many', async () => {
    const { path, run } = await project('aXbXc');
    const call = await run('X', 'XX', true);
    expect(await readFile(path, 'utf8')).toBe('aXXbXXc');
    expect(call.text).toContain('2 places');
  });

  it('creates a file from nothing, folders included', async () => {
    const { folder, env } = await project();
    const call = await runTool(
      edit,
      { file_path: 'new/dir/f', old_string: '', new_string: 'hi\n' },
      env,
    );
    expect(await readFile(join(folder, 'new/dir/f'), 'utf8')).toBe('hi\n');
    expect(call.view).toMatchObject({ kind: 'diff', created: true, added: 1, removed: 0 });
  });

  it('keeps the mode, and a link stays a link', async () => {
    const { folder, path, env } = await project('echo a\n');
    await chmod(path, 0o755);
    await symlink('f.ts', join(folder, 'link'));
    await runTool(read, { file_path: 'link' }, env);
    await runTool(edit, { file_path: 'link', old_string: 'a', new_string: 'b' }, env);
    expect((await stat(path)).mode & 0o777).toBe(0o755);
    expect(await readFile(join(folder, 'link'), 'utf8')).toBe('echo b\n');
  });
});

describe('Edit refuses, and says why', () => {
  it.each([
    ['say \u201chello\u201d', 'say "hello"'],
    ['it\u2019s', "it's"],
    ['a \u2014 b', 'a - b'],
    ['a\u00a0b', 'a b'],
  ])('a text that only looks the same: %j for %j', async (there, asked) => {
    const { path, run } = await project(`first\n${there}\n`);
    expect((await run(asked, 'x')).text).toContain(
      'The text at line 2 differs from it only in signs',
    );
    expect(await readFile(path, 'utf8')).toBe(`first\n${there}\n`);
  });

  it('a file that was not read', async () => {
    const { path, env, run } = await project();
    await writeFile(path, 'a');
    const call = await run('a', 'b');
    expect(call.text).toContain('Read it first');
    expect(
      await edit.validateInput({ file_path: 'f.ts', old_string: 'a', new_string: 'b' }, env),
    ).toContain('Read it first');
    expect(await readFile(path, 'utf8')).toBe('a');
  });

  it.each([
    ['another size', async (path: string) => writeFile(path, 'a changed')],
    ['same size', async (path: string) => writeFile(path, 'A a')],
    [
      'same size and time',
      async (path: string) => {
        const { atime, mtime } = await stat(path);
        await writeFile(path, 'A a');
        await utimes(path, atime, mtime);
      },
    ],
  ])('a file that changed since: %s', async (_, change) => {
    const { path, run } = await project('a a');
    await utimes(path, 1000, 1000);
    await run('a a', 'a b');
    await change(path);
    expect((await run('a', 'b')).text).toContain('has changed since');
  });

  it('a large file with another time, because its text is not kept', async () => {
    const { path, run } = await project(`a${'x'.repeat(MAX_SNAPSHOT_CHARS)}`);
    await utimes(path, 1, 1);
    expect((await run('a', 'b')).text).toContain('has changed since');
  });

  it('not a file that was only touched: it says what was read', async () => {
    const { path, run } = await project('a');
    await utimes(path, 1, 1);
    expect((await run('a', 'b')).ok).toBe(true);
  });

  it('a link that leads elsewhere than when it was read', async () => {
    const { folder, env } = await project('same');
    await writeFile(join(folder, 'other'), 'same');
    await symlink('f.ts', join(folder, 'link'));
    await runTool(read, { file_path: 'link' }, env);
    await env.services.files.remove(join(folder, 'link'));
    await symlink('other', join(folder, 'link'));
    const call = await runTool(
      edit,
      { file_path: 'link', old_string: 'same', new_string: 'x' },
      env,
    );
    expect(call.text).toContain('has not been read');
  });

  it.each([
    ['an ambiguous text', 'x\ny\nx\n', 'x', 'lines 1, 3'],
    ['an overlapping text', 'aaa', 'aa', '2 times'],
    ['a missing text', 'abc', 'zzz', 'was not found'],
    ['another indentation', 'if (a) {\n\treturn 1;\n}\n', '    return 1;', 'at line 2'],
    ['spaces at a line end', 'x\nend   \ny\n', 'end\n', 'at line 2'],
    ['line numbers from Read', 'one\ntwo\n', '     1\tone\n     2\ttwo', 'line numbers'],
    ['an empty text for a file with content', 'abc', '', 'not empty'],
  ])('%s', async (_, content, wanted, words) => {
    const { path, run } = await project(content);
    const call = await run(wanted, 'new');
    expect(call.ok).toBe(false);
    expect(call.text).toContain(words);
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  it('a change that changes nothing', async () => {
    const { run } = await project('a');
    expect((await run('a', 'a')).text).toContain('the same');
  });

  it('characters the file cannot hold', async () => {
    const { path, run } = await project(Buffer.from('grün', 'latin1'));
    expect((await run('ü', '漢')).text).toContain('cannot hold');
    expect((await run('ü', 'ö')).ok).toBe(true);
    expect(await readFile(path, 'latin1')).toBe('grön');
    const utf8 = await project('abc');
    expect((await utf8.run('b', '\ud800')).ok).toBe(false);
  });

  it('to write when it was interrupted', async () => {
    const { path, env } = await project('a');
    const call = await runTool(edit, { file_path: 'f.ts', old_string: 'a', new_string: 'b' }, env, {
      signal: AbortSignal.abort(),
    });
    expect(call.ok).toBe(false);
    expect(await readFile(path, 'utf8')).toBe('a');
  });
});

describe('Edit keeps everything else, byte for byte', () => {
  const encodings = {
    'utf-8': (text: string) => Buffer.from(text),
    'utf-8 with mark': (text: string) => Buffer.from(`\ufeff${text}`),
    'utf-16le': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    'utf-16be': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  };
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .map((text) => text.replace(/[\0\r\n\ufeff@]/gu, 'x'));
  const line = fc.tuple(word, fc.constantFrom('\n', '\r\n'));

  it.each(Object.entries(encodings))('%s', async (_, encode) => {
    const { path, env } = await project();
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(line), word, async (head, tail, put) => {
        const text = (lines: readonly (readonly [string, string])[]) => lines.flat().join('');
        await writeFile(path, encode(`${text(head)}@one\r\n@two${text(tail)}`));
        await runTool(read, { file_path: path }, env);
        const call = await runTool(
          edit,
          { file_path: path, old_string: '@one\n@two', new_string: `${put}\n${put}` },
          env,
        );
        expect(call.ok).toBe(true);
        const expected = encode(`${text(head)}${put}\r\n${put}${text(tail)}`);
        expect((await readFile(path)).equals(expected)).toBe(true);
      }),
      { numRuns: runs(40) },
    );
  });

  it('gives new lines the line end of the file', async () => {
    const { path, run } = await project('one\r\ntwo\r\nthree\r\n');
    await run('two', 'two\nand a half');
    expect(await readFile(path, 'utf8')).toBe('one\r\ntwo\r\nand a half\r\nthree\r\n');
  });
});

describe('what the dialog shows of an edit', () => {
  it('is the whole change, with where the path leads', async () => {
    const { folder, path, env } = await project('a\nb\n');
    await symlink('f.ts', join(folder, 'link'));
    const subject = await edit.subject(
      { file_path: 'link', old_string: 'b', new_string: 'c' },
      env,
    );
    expect(subject).toEqual({
      kind: 'edit',
      path: join(folder, 'link'),
      realPath: path,
      created: false,
      hunks: [{ oldStart: 1, newStart: 1, lines: [' a', '-b', '+c'] }],
    });
    expect(
      await needsIn(edit, { file_path: 'link', old_string: '', new_string: '' }, env),
    ).toMatchObject([{ kind: 'file', tool: 'Edit', access: 'edit', realPath: path }]);
  });
});
