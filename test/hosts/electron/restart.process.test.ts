import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempFolder } from '../../node/temp-folder';
import { soon } from '../../support/soon';

vi.hoisted(() => vi.resetModules());
vi.mock('electron', () => ({ app: {} }));

test.skipIf(process.platform === 'win32')(
  'an image starts with its words when its process has ended, not before',
  async () => {
    const { startAfterUs } = await import('../../../src/main/hosts/electron/restart');
    const folder = await tempFolder();
    const image = join(folder, 'A quay.AppImage');
    const told = join(folder, 'told');
    await writeFile(image, `#!/bin/sh\nprintf '%s\\n' "$@" > '${told}'\ncat >> '${told}'\n`);
    await chmod(image, 0o755);
    const child = startAfterUs(image, ['--no-sandbox', '/a "b" $c']);
    expect(child.exitCode).toBeNull();
    // As at the end of the process that holds it.
    child.stdin?.end();
    await soon(() => expect(child.exitCode).toBe(0));
    expect(await readFile(told, 'utf8')).toBe('--no-sandbox\n/a "b" $c\n');
  },
);
