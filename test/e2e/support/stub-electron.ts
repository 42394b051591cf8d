import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPackage } from '@electron/asar';

/** What marks the fuses in Electron's program: this text, a version, their number, and a digit for each (all off). */
const FUSES = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX', 'latin1'),
  Buffer.from([1, 9]),
  Buffer.from('000000000', 'latin1'),
]);

/** What the program does: it tells how it was called. */
const PROGRAM = `#!/bin/sh
echo "as node: $ELECTRON_RUN_AS_NODE"
printf '%s\\n' "$@"
exit 0
`;

/** Makes a folder that electron-builder takes for Electron's distribution for Linux: its files, without the program. */
export async function makeStubElectron(folder: string): Promise<void> {
  const empty = join(folder, 'empty');
  for (const part of ['resources', 'locales', 'empty'])
    await mkdir(join(folder, part), { recursive: true });
  await createPackage(empty, join(folder, 'resources', 'default_app.asar'));
  await writeFile(join(folder, 'electron'), Buffer.concat([Buffer.from(PROGRAM), FUSES]));
  await chmod(join(folder, 'electron'), 0o755);
  for (const file of ['version', 'LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox'])
    await writeFile(join(folder, file), '0.0.0');
  await writeFile(join(folder, 'locales', 'en-US.pak'), '');
}
