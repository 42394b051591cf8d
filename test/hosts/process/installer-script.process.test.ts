import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../../resources/installer.nsh');
const COMPILER = spawnSync('makensis', ['-VERSION']).status === 0;

/**
 * What stands around our part of the installer. The test for an update needs a plugin that only electron-builder's own
 * download has, so a plain comparison takes its place.
 */
const around = (folder: string) => `
Unicode true
Name "Lathe"
OutFile "${join(folder, 'installer.exe')}"
InstallDir "$TEMP\\Lathe"
!define APP_EXECUTABLE_FILENAME "Lathe.exe"
!include LogicLib.nsh
!macro _isUpdated _a _b _t _f
  StrCmp "$R9" "true" \`\${_t}\` \`\${_f}\`
!macroend
!define isUpdated \`"" isUpdated ""\`
!include "${SCRIPT}"
Section
  !insertmacro customInstall
  WriteUninstaller "$INSTDIR\\remove.exe"
SectionEnd
Section Uninstall
  !insertmacro customUnInstall
SectionEnd
`;

test.skipIf(!COMPILER)(
  'our part of the installer compiles without a warning, and what it writes the uninstaller takes away (needs makensis)',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lathe-installer-'));
    try {
      const script = join(folder, 'installer.nsi');
      await writeFile(script, around(folder));
      const { stdout } = await promisify(execFile)('makensis', ['-V4', '-WX', script]);
      const [, install = '', uninstall = ''] = stdout.split(/^Section: .*$/m);
      expect(install).toContain('WriteRegStr: HKCU\\Software\\Classes\\Directory\\shell\\Lathe\\');
      expect(install).toContain('\\resources\\bin\\lathe.cmd" path add"');
      for (const key of ['lathe', 'CLSID\\{', 'Directory\\shell\\Lathe'])
        expect(uninstall).toContain(`DeleteRegKey: HKCU\\Software\\Classes\\${key}`);
      expect(uninstall).toContain('\\resources\\bin\\lathe.cmd" path remove"');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
