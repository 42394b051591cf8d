import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { withRegistry } from '../../../src/main/hosts/common/registry';
import { tempFolder } from '../../node/temp-folder';

let home: string;
let reg: string;

/** Writes what the registry holds of the variables of the user and of the machine. */
async function registry(user: string, machine: string): Promise<void> {
  const write = (name: string, key: string, lines: string) =>
    writeFile(
      join(home, name),
      `\ufeffWindows Registry Editor Version 5.00\r\n\r\n[${key}]\r\n${lines}\r\n\r\n`,
      'utf16le',
    );
  await write('user', 'HKEY_CURRENT_USER\\Environment', user);
  const place = 'SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';
  await write('machine', `HKEY_LOCAL_MACHINE\\${place}`, machine);
  await writeFile(
    reg,
    `#!/bin/sh\ncase $2 in HKEY_CURRENT_USER*) cp '${home}/user' "$3";; *) cp '${home}/machine' "$3";; esac\n`,
  );
  await chmod(reg, 0o755);
}

beforeEach(async () => {
  home = await tempFolder();
  reg = join(home, 'reg');
});

const NAMES = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];
const hex = (text: string) =>
  (Buffer.from(`${text}\0`, 'utf16le').toString('hex').match(/../g) ?? []).join(',');

test.skipIf(process.platform === 'win32')(
  'an app that Windows started from its menu finds what Electron took from it, the user’s own first',
  async () => {
    await registry(
      `"NODE_EXTRA_CA_CERTS"=hex(2):${hex('%UserProfile%\\Zoë\\%none%\\ca.pem')}`,
      '"NODE_EXTRA_CA_CERTS"="C:\\\\machine.pem"\r\n"NODE_OPTIONS"="--max-old-space-size=4096"\r\n"OTHER"="x"',
    );
    expect(await withRegistry({ USERPROFILE: 'C:\\Users', A: '1' }, NAMES, reg)).toEqual({
      ...{ USERPROFILE: 'C:\\Users', A: '1' },
      NODE_EXTRA_CA_CERTS: 'C:\\Users\\Zoë\\%none%\\ca.pem',
      NODE_OPTIONS: '--max-old-space-size=4096',
    });
  },
);

test.skipIf(process.platform === 'win32')(
  'what is there already stays, and nothing is asked',
  async () => {
    const env = { NODE_OPTIONS: '', NODE_EXTRA_CA_CERTS: 'C:\\now.pem' };
    expect(await withRegistry(env, NAMES, join(home, 'none'))).toEqual(env);
  },
);

test('a registry that cannot be asked, or holds none, leaves all as it is', async () => {
  expect(await withRegistry({ A: '1' }, NAMES, join(home, 'none'))).toEqual({ A: '1' });
  await registry('"NODE_OPTIONS"=dword:00000001', '"A"="2"');
  expect(await withRegistry({ A: '1' }, NAMES, reg)).toEqual({ A: '1' });
});
