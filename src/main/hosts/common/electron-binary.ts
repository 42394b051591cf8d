import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Desktop, hasScreen } from './desktop';

/** Electron's program in this installation, or null when it was never downloaded. */
export async function findElectron(root: string): Promise<string | null> {
  const folder = join(root, 'node_modules', 'electron');
  try {
    const path = join(folder, 'dist', (await readFile(join(folder, 'path.txt'), 'utf8')).trim());
    await access(path, constants.X_OK);
    return path;
  } catch {
    return null;
  }
}

/** Why the app cannot open as Electron on this desktop, for a person; null when it can. */
export function electronObstacle(binary: string | null, desktop: Desktop): string | null {
  if (!hasScreen(desktop)) return 'there is no display';
  if (desktop.superuser && desktop.platform === 'linux')
    return 'it does not start for the superuser';
  if (binary === null) return 'its program could not be downloaded';
  return null;
}
