/**
 * Who may know whom (DESIGN): THE table. The first zone whose `folder` holds a file is the file's zone.
 * What is not listed is forbidden. Inside the repository paths are prefixes without extension; a trailing
 * `(types)` means type-only imports. Packages are names; `x/*` means every package of that scope.
 */
export interface Zone {
  readonly name: string;
  readonly folder: string;
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

const SHARED = 'src/shared/';
const PURE_NODE = [
  'node:path',
  'node:path/posix',
  'node:path/win32',
  'node:crypto',
  'node:url',
  'node:util',
];
const ENGINE_LIBRARIES = [
  'zod',
  'diff',
  'ignore',
  'jsonc-parser',
  'picomatch',
  'web-tree-sitter',
  'yaml',
];
const ENGINE = {
  imports: [SHARED, 'src/main/engine/'],
  packages: [...PURE_NODE, ...ENGINE_LIBRARIES],
};

/** What a host may know of the engine: its front doors. */
const FRONT_DOORS = [
  'src/main/engine/query-engine',
  'src/main/engine/ports',
  'src/main/engine/ports-sandbox',
  'src/main/engine/damaged-file',
  'src/main/engine/permissions/',
  'src/main/engine/settings/',
];
const HOST = [SHARED, 'src/main/app/', 'src/main/terminal/client', ...FRONT_DOORS];
const COMMON = ['src/main/hosts/common/', 'src/main/hosts/handlers/'];
const SERVER = ['node:*', 'zod', '@orpc/contract', '@orpc/server', 'ws'];

const host = (name: string, packages: readonly string[] = []): Zone => ({
  name: `main/hosts/${name}`,
  folder: `src/main/hosts/${name}/`,
  imports: [...HOST, ...COMMON, `src/main/hosts/${name}/`],
  packages: [...SERVER, ...packages],
});

/** An entry knows its host and `compose`; wiring lives in compose, not in entries. */
const entry = (name: string, hosts: readonly string[], packages: readonly string[] = []): Zone => ({
  name: `main/${name}`,
  folder: `src/main/${name}.ts`,
  imports: [SHARED, 'src/main/compose', 'src/main/app/', 'src/main/node/', ...COMMON, ...hosts],
  packages: ['node:*', ...packages],
});

export const ZONES: readonly Zone[] = [
  { name: 'shared', folder: SHARED, imports: [SHARED], packages: ['zod', '@orpc/contract'] },
  {
    name: 'preload',
    folder: 'src/preload/',
    imports: [SHARED, 'src/preload/'],
    packages: ['electron'],
  },
  {
    name: 'renderer',
    folder: 'src/renderer/',
    imports: [SHARED, 'src/renderer/'],
    packages: [
      'react',
      'react-dom',
      'zustand',
      'zod',
      'diff',
      'shiki',
      'marked',
      'virtua',
      'cmdk',
      'radix-ui',
      'lucide-react',
      'react-markdown',
      'remark-gfm',
      'remark-math',
      'katex',
      'mermaid',
      'hast',
      'react-resizable-panels',
      'tailwindcss',
      'vite',
      '@xterm/*',
      '@shikijs/*',
      '@fontsource-variable/*',
      '@orpc/client',
      '@orpc/contract',
    ],
  },
  {
    name: 'engine/model',
    folder: 'src/main/engine/model/',
    imports: ENGINE.imports,
    // Amazon's are what the package for Bedrock itself looks for credentials with.
    packages: [
      ...[...ENGINE.packages, '@anthropic-ai/*', 'eventsource-parser'],
      ...['@aws-sdk/credential-providers', '@smithy/fetch-http-handler'],
    ],
  },
  {
    name: 'engine/mcp',
    folder: 'src/main/engine/mcp/',
    imports: ENGINE.imports,
    packages: [...ENGINE.packages, '@modelcontextprotocol/*'],
  },
  {
    name: 'engine/lsp',
    folder: 'src/main/engine/lsp/',
    imports: ENGINE.imports,
    packages: [...ENGINE.packages, 'vscode-jsonrpc'],
  },
  {
    name: 'engine/telemetry',
    folder: 'src/main/engine/telemetry/',
    imports: ENGINE.imports,
    packages: [...ENGINE.packages, '@opentelemetry/api'],
  },
  { name: 'engine', folder: 'src/main/engine/', ...ENGINE },
  {
    name: 'main/telemetry',
    folder: 'src/main/telemetry/',
    imports: [SHARED, 'src/main/telemetry/', 'src/main/engine/telemetry/tracing(types)'],
    packages: ['@opentelemetry/*'],
  },
  {
    name: 'main/terminal',
    folder: 'src/main/terminal/',
    imports: [SHARED, 'src/main/terminal/', 'src/main/engine/ports(types)'],
    packages: ['node:*', 'zod', 'node-pty', '@xterm/headless', '@xterm/addon-unicode11'],
  },
  {
    name: 'main/sandbox',
    folder: 'src/main/sandbox/',
    imports: [
      SHARED,
      'src/main/sandbox/',
      'src/main/engine/ports-sandbox(types)',
      'src/main/engine/ports(types)',
    ],
    packages: ['node:*', 'zod', '@anthropic-ai/sandbox-runtime'],
  },
  {
    name: 'main/checkpoints',
    folder: 'src/main/checkpoints/',
    imports: [
      SHARED,
      'src/main/checkpoints/',
      'src/main/engine/ports-checkpoints(types)',
      'src/main/engine/checkpoints/changes',
    ],
    packages: ['node:*', 'ignore'],
  },
  {
    name: 'main/search',
    folder: 'src/main/search/',
    imports: [SHARED, 'src/main/search/', 'src/main/engine/sessions/'],
    packages: ['node:*'],
  },
  {
    name: 'main/node',
    folder: 'src/main/node/',
    imports: [
      SHARED,
      'src/main/node/',
      'src/main/engine/ports(types)',
      'src/main/engine/ports-documents(types)',
    ],
    packages: ['node:*', '@vscode/ripgrep', '@cantoo/pdf-lib', '@mixmark-io/domino', 'turndown'],
  },
  {
    name: 'main/app',
    folder: 'src/main/app/',
    imports: [
      SHARED,
      'src/main/app/',
      'src/main/engine/',
      'src/main/node/',
      'src/main/search/',
      'src/main/terminal/client',
    ],
    packages: ['node:*', 'zod'],
  },
  {
    name: 'main/demo',
    folder: 'src/main/demo/',
    imports: [SHARED, 'src/main/demo/'],
    packages: ['node:*'],
  },
  host('electron', ['electron', 'electron-updater']),
  host('web'),
  host('headless'),
  host('acp', ['@agentclientprotocol/sdk']),
  host('handlers'),
  // The folders of the user and of Lathe are found, and that one is made, before anything is wired.
  {
    ...host('common'),
    imports: [...host('common').imports, 'src/main/node/home-folder', 'src/main/node/make-folder'],
  },
  entry('index', ['src/main/hosts/electron/'], ['electron']),
  entry('web', ['src/main/hosts/web/']),
  entry('cli', ['src/main/command-line']),
  entry('command-line', [
    'src/main/hosts/',
    'src/main/web',
    'src/main/subcommands',
    'src/main/compose-plugins',
    'src/main/compose-sessions',
  ]),
  // Deciding on calls, searching and writing out need little of what `compose` loads.
  entry('subcommands', [
    'src/main/hosts/',
    'src/main/compose-auth',
    'src/main/compose-check',
    'src/main/compose-environment',
    'src/main/compose-mcp',
    'src/main/compose-plugins',
    'src/main/compose-sessions',
  ]),
  {
    name: 'main/document-reader',
    folder: 'src/main/document-reader.ts',
    imports: ['src/main/node/'],
    packages: ['node:*'],
  },
  {
    name: 'main/search-worker',
    folder: 'src/main/search-worker.ts',
    imports: ['src/main/search/'],
    packages: ['node:*'],
  },
  {
    name: 'main/terminal-host',
    folder: 'src/main/terminal-host.ts',
    imports: [SHARED, 'src/main/terminal/', 'src/main/node/'],
    packages: ['node:*'],
  },
  {
    name: 'main/sandbox-host',
    folder: 'src/main/sandbox-host.ts',
    imports: [SHARED, 'src/main/sandbox/'],
    packages: ['node:*', '@anthropic-ai/sandbox-runtime'],
  },
  {
    name: 'main/compose',
    folder: 'src/main/compose',
    imports: [SHARED, 'src/main/'],
    packages: ['node:*', '@vscode/ripgrep'],
  },
];

/** Rooms of the engine. A room imports its own layer (without going round in circles) and those to the left. */
export const ENGINE_LAYERS: readonly (readonly string[])[] = [
  [
    'ports',
    'ports-sandbox',
    'ports-documents',
    'ports-checkpoints',
    'text-diff',
    'damaged-file',
    'event-log',
    'log-writer',
    'model',
    'messages',
    'permissions',
    'memory',
    'settings',
    'cost',
    'telemetry',
  ],
  ['prompt', 'context', 'hooks', 'skills', 'tasks', 'checkpoints', 'commits'],
  ['agents', 'plugins'],
  ['tools'],
  ['mcp', 'lsp', 'attachments'],
  ['loop'],
  ['agent-state', 'services'],
  ['sessions'],
  ['query-engine'],
  ['input'],
  ['session'],
];

/** What the engine reaches only through its ports. A name ending in `.` stands for everything under it. */
export const ENGINE_FORBIDDEN: readonly string[] = [
  'Date.now',
  'new Date()',
  'performance.now',
  'setTimeout(',
  'setInterval(',
  'setImmediate(',
  'AbortSignal.timeout',
  'Math.random',
  'fetch(',
  'process.exit',
  'process.cwd',
  'console.',
];

/** What the shared vocabulary may not touch, besides the above: it runs on both sides. */
export const SHARED_FORBIDDEN: readonly string[] = ['process.', 'window.', 'document.', 'Buffer.'];

/** Files whose work at import time is their purpose. */
export const ENTRIES: ReadonlySet<string> = new Set([
  'src/main/index.ts',
  'src/main/web.ts',
  'src/main/cli.ts',
  'src/main/document-reader.ts',
  'src/main/search-worker.ts',
  'src/main/terminal-host.ts',
  'src/main/sandbox-host.ts',
  'src/preload/index.ts',
  'src/renderer/main.tsx',
  'src/renderer/highlight/worker.ts',
]);

/** Longest file, in lines. */
export const MAX_LINES = 400;

/** Names of documents that a reader of the repository does not have. */
export const FOREIGN_CITATIONS =
  /\b(?:SPEC|THREATS|CONVENTIONS|TOOLCHAIN|DESIGN|CLIENTS)\b|\bUI\.md\b/g;

/** Where this repository was made. Written down nowhere. */
export const OWN_PATHS = /\/work\/(?:main|shared)\b/;

/** Folders of some user's machine. Tests may make such paths up; nothing else may name one. */
export const HOME_PATHS = /\/Users\/(?!you\b)\w+|\/home\/(?!you\b)\w+|[A-Z]:\\+Users\\+\w+/;
