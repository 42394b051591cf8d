import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the parts of a built Lathe are. All paths absolute. */
export interface AppLayout {
  /** The folder that holds `package.json`, `out` and `resources`. */
  readonly root: string;
  readonly resources: string;
  readonly renderer: string;
  readonly preload: string;
  readonly terminalHost: string;
  /** The script of the threads that read strangers' documents. */
  readonly documentReader: string;
  readonly sandboxHost: string;
}

/** The layout, seen from the folder of an entry file (`out/main`). */
export function appLayout(mainFolder: string): AppLayout {
  const root = join(mainFolder, '..', '..');
  return {
    root,
    resources: join(root, 'resources'),
    renderer: join(mainFolder, '..', 'renderer'),
    preload: join(mainFolder, '..', 'preload', 'index.cjs'),
    terminalHost: join(mainFolder, 'terminal-host.js'),
    documentReader: join(mainFolder, 'document-reader.js'),
    sandboxHost: join(mainFolder, 'sandbox-host.js'),
  };
}

/** The version in `package.json`; `0.0.0` when that cannot be read. */
export function appVersion(root: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest
        ? manifest.version
        : undefined;
    return typeof version === 'string' ? version : '0.0.0';
  } catch {
    return '0.0.0';
  }
}
