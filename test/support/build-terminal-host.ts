import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '../..');

let built: Promise<string> | null = null;

/**
 * Builds the terminal host's entry as production does (packages stay outside) and gives its path. Once per test
 * process, about 100 ms; processes that do it at the same moment write the same file.
 */
export function buildTerminalHost(): Promise<string> {
  built ??= buildOnce();
  return built;
}

async function buildOnce(): Promise<string> {
  const bundle = await rolldown({
    input: join(ROOT, 'src/main/terminal-host.ts'),
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    platform: 'node',
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const folder = join(ROOT, 'node_modules/.cache/lathe-terminal-host');
  const [file, draft] = [join(folder, 'terminal-host.mjs'), join(folder, `${process.pid}.mjs`)];
  await mkdir(folder, { recursive: true });
  await writeFile(draft, output[0].code);
  await rename(draft, file);
  return file;
}
