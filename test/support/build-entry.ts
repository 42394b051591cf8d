import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'vite';

const ROOT = resolve(import.meta.dirname, '../..');

const built = new Map<string, Promise<string>>();

/**
 * Builds the terminal host's entry as production does (packages stay outside) and gives its path. Once per test
 * process, about 100 ms; processes that do it at the same moment write the same file.
 */
export const buildTerminalHost = (): Promise<string> => buildEntry('terminal-host');

/** The same for the terminal host of a version of Lathe whose protocol has another number. */
export const buildOtherHost = (protocol: number): Promise<string> =>
  buildEntry('terminal-host', {
    name: 'other-protocol',
    transform: (code: string, id: string) =>
      id.endsWith('protocol/control.ts')
        ? code.replace(/(?<=export const PROTOCOL = )\d+/, String(protocol))
        : null,
  });

/** The same for the thread that reads web pages. */
export const buildDocumentReader = (): Promise<string> => buildEntry('document-reader');

/** The same for the thread that searches sessions. */
export const buildSearchWorker = (): Promise<string> => buildEntry('search-worker');

/** The same for the process of the sandbox. */
export const buildSandboxHost = (): Promise<string> => buildEntry('sandbox-host');

function buildEntry(name: string, change?: Plugin): Promise<string> {
  const key = `${name} ${change?.name}`;
  const building = built.get(key) ?? buildOnce(name, change);
  built.set(key, building);
  return building;
}

async function buildOnce(name: string, change?: Plugin): Promise<string> {
  const bundle = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [change],
    build: {
      write: false,
      ssr: join(ROOT, `src/main/${name}.ts`),
      target: 'node24',
      rolldownOptions: {
        external: (id) => !id.startsWith('.') && !id.startsWith('/'),
        output: { format: 'esm', codeSplitting: false },
      },
    },
  });
  if (Array.isArray(bundle) || !('output' in bundle)) throw new Error(`${name} was not built`);
  const folder = join(ROOT, `node_modules/.cache/lathe-${name}`, change?.name ?? '.');
  const [file, draft] = [join(folder, `${name}.mjs`), join(folder, `${process.pid}.mjs`)];
  await mkdir(folder, { recursive: true });
  await writeFile(draft, bundle.output[0].code);
  await rename(draft, file);
  return file;
}
