import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '../..');

let built: Promise<string> | null = null;

/**
 * Builds the terminal host's entry as production does (packages stay outside) and gives its path. Once per test
 * process: about 100 ms.
 */
export function buildTerminalHost(): Promise<string> {
  built ??= buildOnce();
  return built;
}

async function buildOnce(): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/lathe-terminal-host', String(process.pid));
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'terminal-host.mjs');
  await build({
    input: join(ROOT, 'src/main/terminal-host.ts'),
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    platform: 'node',
    logLevel: 'silent',
    output: { file, format: 'esm' },
  });
  return file;
}
