import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';
import { type LoadSettingsOptions, loadSettings } from '../../../src/main/engine/settings/load';
import { createNodeFiles } from '../../../src/main/node/files';

/** A home with a project, on a real disk. */
export interface Home {
  readonly home: string;
  readonly project: string;
  readonly configDir: string;
  readonly managedFile: string;
  /** Writes a file, given by its path from the home; objects become JSON. */
  put(file: string, content: unknown): string;
  load(
    trusted: boolean,
    commandLine?: Partial<LoadSettingsOptions['commandLine']>,
  ): Promise<EffectiveSettings>;
  remove(): void;
}

/** Makes an empty one. */
export function createHome(): Home {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'lathe-settings-')));
  const project = path.join(home, 'proj');
  const configDir = path.join(home, '.claude');
  const managedFile = path.join(home, 'etc', 'managed-settings.json');
  mkdirSync(project);
  return {
    home,
    project,
    configDir,
    managedFile,
    put: (file, content) => {
      const at = path.join(home, file);
      mkdirSync(path.dirname(at), { recursive: true });
      writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
      return at;
    },
    load: (trusted, commandLine = {}) =>
      loadSettings({
        files: createNodeFiles(),
        project,
        home,
        configDir,
        managedFile,
        trusted,
        commandLine: { allowedTools: [], disallowedTools: [], addDirectories: [], ...commandLine },
      }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
