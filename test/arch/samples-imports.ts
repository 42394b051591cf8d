/** Fake files by path. */
export type Fakes = Readonly<Record<string, string>>;

/** Files that break one rule: what is wrong, the rule's name, the line it is found on. */
export type BrokenSample = readonly [what: string, rule: string, line: number, fakes: Fakes];

/** Files that break none. */
export type FineSample = readonly [what: string, fakes: Fakes];

const E = 'src/main/engine';

/** Imports that the table forbids. */
export const BROKEN_IMPORTS: readonly BrokenSample[] = [
  ['shared knows node', 'shared may import', 2, { 'src/shared/a.ts': "\nimport 'node:fs';" }],
  [
    'shared knows main',
    'shared may import',
    1,
    { 'src/shared/a.ts': "export type A = import('../main/x').A;" },
  ],
  [
    'shared looks at the page',
    'only through ports',
    1,
    { 'src/shared/a.ts': 'export const a = () => window.name;' },
  ],
  [
    'renderer knows node',
    'renderer may import',
    1,
    { 'src/renderer/a.tsx': "import { join } from 'node:path';\nexport const a = join;" },
  ],
  [
    'renderer knows the engine',
    'renderer may import',
    1,
    { 'src/renderer/a.ts': "export const b = import('../main/engine/ports');" },
  ],
  [
    'preload knows the renderer',
    'preload may import',
    1,
    { 'src/preload/index.ts': "import '../renderer/x';" },
  ],
  [
    'engine knows electron',
    'engine may import',
    1,
    { [`${E}/ports.ts`]: "import { app } from 'electron';\nexport const a = app;" },
  ],
  [
    'engine reads files itself',
    'engine may import',
    1,
    {
      [`${E}/tools/a.ts`]:
        "import { readFile } from 'node:fs/promises';\nexport const a = readFile;",
    },
  ],
  [
    'engine starts programs itself',
    'engine may import',
    1,
    { [`${E}/tools/a.ts`]: "const c = require('node:child_process');\nexport const a = c;" },
  ],
  [
    'the SDK outside model/',
    'engine may import',
    1,
    { [`${E}/loop/a.ts`]: "import A from '@anthropic-ai/sdk';\nexport const a = A;" },
  ],
  [
    'terminal knows the loop',
    'main/terminal may import',
    1,
    {
      'src/main/terminal/a.ts':
        "import { x } from '../engine/loop/run-query';\nexport const a = x;",
    },
  ],
  [
    'terminal takes more than types',
    'main/terminal may import',
    1,
    {
      'src/main/terminal/a.ts':
        "import { type A, b } from '../engine/ports';\nexport const a: A = b;",
    },
  ],
  [
    'one host knows another',
    'main/hosts/web may import',
    1,
    { 'src/main/hosts/web/a.ts': "import { x } from '../electron/b';\nexport const a = x;" },
  ],
  [
    'a host opens a back door',
    'main/hosts/web may import',
    1,
    {
      'src/main/hosts/web/a.ts':
        "import { x } from '../../engine/loop/run-query';\nexport const a = x;",
    },
  ],
  [
    'electron in the web host',
    'main/hosts/web may import',
    1,
    { 'src/main/hosts/web/a.ts': "import type { App } from 'electron';\nexport type A = App;" },
  ],
  [
    'compose knows electron',
    'main/compose may import',
    1,
    { 'src/main/compose.ts': "import 'electron';" },
  ],
  [
    'a look-alike prefix',
    'main/node may import',
    1,
    { 'src/main/node/a.ts': "import type { A } from '../engine/ports-evil';\nexport type B = A;" },
  ],
  [
    'a look-alike package',
    'main/terminal may import',
    1,
    { 'src/main/terminal/a.ts': "import 'node-pty-evil';" },
  ],
  [
    'no row for a folder',
    'every file has a zone',
    1,
    { 'src/main/misc/a.ts': 'export const a = 1;' },
  ],
  [
    'a room without a layer',
    'every engine room has a layer',
    1,
    { [`${E}/misc/a.ts`]: "import 'zod';" },
  ],
  [
    'a room looks to the right',
    'engine layers import leftwards',
    1,
    { [`${E}/tools/a.ts`]: "import type { L } from '../loop/b';\nexport type A = L;" },
  ],
];
