import fs from 'node:fs';
import { chmod } from 'node:fs/promises';
import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const entry = (name: string) => resolve(import.meta.dirname, 'src', name);

/** Set-up builds beside the last build and swaps the two, so that nobody ever starts half a build. */
const out = (part: string) =>
  resolve(import.meta.dirname, process.env['LATHE_BUILD_FOLDER'] ?? 'out', part);

/** Lets the command line be started by its path alone, as some programs that drive Lathe do. */
const executable = () => ({
  name: 'executable-command-line',
  writeBundle: () => chmod(resolve(out('main'), 'cli.js'), 0o755),
});

/** Has Node take a bundle for CommonJS, which starts faster (docs/bench.md). */
const commonJs = () => ({
  name: 'common-js',
  generateBundle(this: {
    emitFile(file: { type: 'asset'; fileName: string; source: string }): string;
  }) {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' });
  },
});

/** Returns code of the same meaning in ASCII. Throws where an escape cannot stand for a character. */
function inAscii(code: string): string {
  const escaped = /(?<!\\)(?:\\\\)*\\([^\0-\x7f])/.exec(code)?.[1];
  if (escaped) throw new Error(`A backslash before ${escaped} would lose its meaning.`);
  const hex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${hex(unit)}`);
}

/**
 * Writes everything beyond ASCII as escapes: for a single such character V8 keeps a whole file with two bytes for each letter,
 * which is read, compared with the compile cache and held at every start.
 */
const asciiOnly = () => ({
  name: 'ascii-only',
  // As late as this, because the printer that runs after `renderChunk` writes the characters again.
  generateBundle(_options: unknown, bundle: Readonly<Record<string, { code?: string }>>) {
    for (const chunk of Object.values(bundle))
      if (chunk.code !== undefined) chunk.code = inAscii(chunk.code);
  },
});

/**
 * Writes down beside a bundle the licences of all packages in it, also of those whose styles and fonts are imported by name. A
 * text that several share stands once.
 */
const licences = (fileName = 'licences.txt') => {
  const styles: string[] = [];
  return {
    name: 'licences',
    // Before the imports of styles are resolved, which no bundle tells of.
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (id.endsWith('.css'))
        styles.push(...[...code.matchAll(/@import "([^."][^"]*)"/g)].map(([, name = '']) => name));
      return null;
    },
    generateBundle(
      this: { emitFile(file: { type: 'asset'; fileName: string; source: string }): string },
      _options: unknown,
      bundle: Readonly<Record<string, { readonly moduleIds?: readonly string[] }>>,
    ) {
      const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
      const folders = modules.flatMap(
        (path) => /^[^\0].*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
      );
      folders.push(...styles.map((name) => resolve(import.meta.dirname, 'node_modules', name)));
      const named = Map.groupBy([...new Set(folders)].sort(), licenceOf);
      const source = [...named]
        .map(([text, packages]) => `${packages.map(nameOf).join(', ')}\n\n${text}\n`)
        .join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName, source });
    },
  };
};

const manifestOf = (folder: string) =>
  JSON.parse(fs.readFileSync(`${folder}/package.json`, 'utf8'));
const nameOf = (folder: string) => {
  const { name, version } = manifestOf(folder);
  return `${name} ${version}`;
};
const licenceOf = (folder: string) => {
  const files = fs
    .readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .map((name) => fs.readFileSync(`${folder}/${name}`, 'utf8').trim());
  if (files.length > 0) return files.join('\n\n');
  const { license, author } = manifestOf(folder);
  return `${license}, ${typeof author === 'string' ? author : author?.name}`;
};

/** Modules that read what came with the package, which lies in its archive. */
const PACKAGE_READERS = [
  'demo/demo-project',
  'hosts/common/app-environment',
  'hosts/common/page-files',
  'node/runtime',
].map((name) => entry(`main/${name}.ts`));

/**
 * Gives all other modules `original-fs` under Electron: to its `fs` every archive (`.asar`) is a folder, also one in a user's
 * project, which could be neither read nor undone.
 */
const filesAsTheyLie = () => ({
  name: 'files-as-they-lie',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id.startsWith(entry('main/')) && !PACKAGE_READERS.includes(id)
      ? { code: code.replace(/'node:fs(\/promises)?'/g, "'lathe:files$1'"), map: null }
      : null,
  resolveId: (id: string) => (/^lathe:files(\/promises)?$/.test(id) ? `\0${id}` : null),
  load: (id: string) => {
    if (!id.startsWith('\0lathe:files')) return null;
    const [module, member] = id.endsWith('/promises') ? [fs.promises, '.promises'] : [fs, ''];
    // What has a getter is deprecated.
    const names = Object.entries(Object.getOwnPropertyDescriptors(module)).flatMap(
      ([name, { value }]) => (value === undefined ? [] : [name]),
    );
    return `const { getBuiltinModule } = process;
export const { ${names.join(', ')} } = (getBuiltinModule('node:original-fs') ?? getBuiltinModule('node:fs'))${member};
`;
  },
});

/**
 * Only what `package.json` names as dependencies stays beside the bundle: native code, files found by their place in the
 * package, and the sandbox with its programs. All else is bundled, because looking up and reading some hundred small
 * files is what a cold start spends its time on; therefore it is a dependency of development.
 */
export default defineConfig({
  main: {
    plugins: [executable(), commonJs(), filesAsTheyLie(), asciiOnly(), licences()],
    build: {
      outDir: out('main'),
      externalizeDeps: true,
      rolldownOptions: {
        // Names without a hash: the compile cache goes by them, and would keep every old one.
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name].js',
          // What is read and kept in memory at every start; line breaks stay, for stack traces.
          comments: { legal: true, annotation: false, jsdoc: false },
        },
        input: {
          index: entry('main/index.ts'),
          web: entry('main/web.ts'),
          cli: entry('main/cli.ts'),
          'terminal-host': entry('main/terminal-host.ts'),
          'document-reader': entry('main/document-reader.ts'),
          'search-worker': entry('main/search-worker.ts'),
          'sandbox-host': entry('main/sandbox-host.ts'),
        },
      },
    },
  },
  preload: {
    build: {
      outDir: out('preload'),
      externalizeDeps: false,
      isolatedEntries: true,
      rolldownOptions: {
        input: { index: entry('preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: entry('renderer'),
    plugins: [licences(), react(), tailwindcss()],
    worker: { format: 'es', plugins: () => [licences('licences-worker.txt')] },
    build: {
      outDir: out('renderer'),
      minify: true,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: { input: { index: entry('renderer/index.html') } },
    },
  },
});
