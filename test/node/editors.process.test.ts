import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEditors, editorCommand } from '../../src/main/node/editors';
import { tempFolder } from './temp-folder';

const LINUX = { platform: 'linux', env: {} } as const;

describe('the command', () => {
  it.each([
    [['code'], {}, ['code', '--goto', '/p/a b.ts:7:3']],
    [['zed', 'kate'], {}, ['zed', '/p/a b.ts:7:3']],
    [
      ['code', 'kate'],
      { EDITOR: 'kate -n' },
      ['kate', '--line', '7', '--column', '3', '/p/a b.ts'],
    ],
    [['code', 'subl'], { VISUAL: 'subl', EDITOR: 'code' }, ['subl', '/p/a b.ts:7:3']],
    [['code', 'vim'], { EDITOR: 'vim' }, ['code', '--goto', '/p/a b.ts:7:3']],
    [['/opt/zed'], { VISUAL: '/opt/zed' }, ['/opt/zed', '/p/a b.ts:7:3']],
    [['code'], { VISUAL: 'zed' }, ['code', '--goto', '/p/a b.ts:7:3']],
    [['mate'], {}, ['mate', '--line', '7:3', '/p/a b.ts']],
    [['gedit'], {}, ['gedit', '+7', '/p/a b.ts']],
    [['vim', 'nano', 'xdg-open'], {}, null],
  ] as const)('with %j and %j is %j', (there: readonly string[], env, expected) => {
    const available = (program: string) => there.includes(program);
    expect(
      editorCommand('/p/a b.ts', { line: 7, column: 3 }, { ...LINUX, env }, available),
    ).toEqual(expected);
  });

  it.each([
    ['darwin', ['open', '-t', '/p/a.ts']],
    ['win32', ['notepad.exe', '/p/a.ts']],
  ] as const)('without an editor falls back on %s to %j', (platform, expected) =>
    expect(editorCommand('/p/a.ts', {}, { platform, env: {} }, () => false)).toEqual(expected),
  );
});

it('starts the editor that is there with file and line, and says when there is none', async () => {
  const bin = await tempFolder();
  const said = join(bin, 'said');
  const none = createEditors({ platform: 'linux', env: { PATH: bin } });
  expect(await none('/p/a.ts', { line: 3 })).toMatchObject({
    ok: false,
    error: { code: 'no_editor' },
  });
  await writeFile(
    join(bin, 'code'),
    `#!/bin/sh\nprintf '%s|' "$@" > "${said}.new"\n/bin/mv "${said}.new" "${said}"\n`,
  );
  await chmod(join(bin, 'code'), 0o755);
  const open = createEditors({ platform: 'linux', env: { PATH: bin } });
  expect(await open('/p/a.ts', { line: 3 })).toEqual({ ok: true, value: null });
  await expect.poll(() => readFile(said, 'utf8').catch(() => '')).toBe('--goto|/p/a.ts:3:1|');
});
