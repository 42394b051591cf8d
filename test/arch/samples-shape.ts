import type { BrokenSample, FineSample } from './samples-imports';

const E = 'src/main/engine';

/** Files whose content or circle breaks a rule. */
export const BROKEN_SHAPES: readonly BrokenSample[] = [
  ['an extension', 'no file extensions', 1, { 'src/shared/a.ts': "import './b.js';" }],
  [
    'a clock of its own',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: 'export const a = () => Date.now();' },
  ],
  [
    'a clock by new',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: 'export const a = () => new Date();' },
  ],
  [
    'a timer of its own',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: 'export const a = () => setTimeout(a, 1);' },
  ],
  [
    'a timer by globalThis',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: 'export const a = () => globalThis.setInterval(a, 1);' },
  ],
  [
    'a timer in a signal',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: 'export const a = () => AbortSignal.timeout(1);' },
  ],
  [
    'chance',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: 'export const a = () => Math.random();' },
  ],
  [
    'leaving',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: 'export const a = () => process.exit(1);' },
  ],
  [
    'the working directory',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: 'export const a = () => globalThis.process.cwd();' },
  ],
  [
    'printing',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: "export const a = () => console.log('x');" },
  ],
  [
    'fetching',
    'only through ports',
    1,
    { [`${E}/loop/a.ts`]: "export const a = () => fetch('x');" },
  ],
  ['state', 'no module-level state', 1, { 'src/shared/a.ts': 'export let a = 1;' }],
  ['work', 'no work at import time', 2, { 'src/shared/a.ts': 'export const a = () => 1;\na();' }],
  [
    'a barrel',
    'no barrels',
    1,
    { 'src/shared/index.ts': "export * from './a';\nexport { b } from './b';" },
  ],
  ['a long file', 'file size', 401, { 'test/a.ts': '\n'.repeat(401) }],
  ['a long style sheet', 'file size', 401, { 'src/renderer/a.css': 'a{}\n'.repeat(401) }],
  ['a machine path', 'no machine paths', 1, { 'docs/a.md': ['', 'work', 'main', 'x'].join('/') }],
  [
    'a home',
    'no machine paths',
    1,
    { 'src/shared/a.ts': `export const a = '${['', 'Users', 'grace', 'x'].join('/')}';` },
  ],
  ['no TypeScript', 'files parse', 1, { 'src/shared/a.ts': 'export const = ;' }],
  [
    'a circle of types',
    'no import cycles',
    1,
    {
      'src/shared/a.ts': "import type { B } from './b';\nexport type A = B;",
      'src/shared/b.ts': "export type B = import('./a').A | 1;",
    },
  ],
  [
    'a file that imports itself',
    'no import cycles',
    1,
    { 'src/shared/a.ts': "export * as self from './a';\nexport const b = 1;" },
  ],
  [
    'a circle of three',
    'no import cycles',
    1,
    {
      'src/shared/a.ts': "import './b';",
      'src/shared/b.ts': "import './c';",
      'src/shared/c.ts': "import './a';",
    },
  ],
  [
    'a circle of rooms',
    'engine rooms form no circle',
    1,
    {
      [`${E}/cost/a.ts`]: "export * as m from '../model/a';\nexport const x = 1;",
      [`${E}/model/a.ts`]: 'export const a = 1;',
      [`${E}/model/b.ts`]: "export * as c from '../cost/b';\nexport const x = 1;",
      [`${E}/cost/b.ts`]: 'export const b = 1;',
    },
  ],
  [
    'a citation of a file from elsewhere',
    'comments cite what is here',
    3,
    { 'src/preload/a.ts': '/**\n * Adds.\n * SPEC B4.\n */\nexport const a = 1;' },
  ],
  [
    'a citation of a document that is not there',
    'comments cite what is here',
    1,
    { 'test/a.ts': '// as docs/wishes.md says\nexport const a = 1;' },
  ],
  [
    'a citation of an entry that is not there',
    'comments cite what is here',
    2,
    {
      'docs/spec.md': '**B4. Opening facts** · there.',
      'src/shared/a.ts':
        'export const a = 1;\n/** Adds (docs/spec.md B4, docs/spec.md B5). */\nexport const b = 2;',
    },
  ],
];

/** What must stay allowed. */
export const FINE: readonly FineSample[] = [
  [
    'shared with zod',
    { 'src/shared/a.ts': "import { z } from 'zod';\nexport const a = z.string();" },
  ],
  [
    'a mention in a comment or a string',
    { [`${E}/loop/a.ts`]: "// Date.now() would lie\nexport const a = 'process.exit(1)';" },
  ],
  [
    'the SDK in model/',
    { [`${E}/model/a.ts`]: "import A from '@anthropic-ai/sdk';\nexport const a = A;" },
  ],
  [
    'terminal takes port types',
    { 'src/main/terminal/a.ts': "import { type A } from '../engine/ports';\nexport type B = A;" },
  ],
  [
    'a layer looks to the left',
    { [`${E}/loop/a.ts`]: "import type { T } from '../tools/tool';\nexport type A = T;" },
  ],
  [
    'styles with a query',
    {
      'src/renderer/a.tsx':
        "import './x.css?inline';\nimport 'react/jsx-runtime';\nexport const a = <p />;",
    },
  ],
  [
    'an entry that starts',
    { 'src/main/cli.ts': "import { main } from './command-line';\nmain();" },
  ],
  [
    'a date from a number',
    { [`${E}/loop/a.ts`]: 'export const a = (ms: number) => new Date(ms);' },
  ],
  [
    'a made-up home in a test',
    { 'test/a.ts': `export const a = '${['', 'Users', 'grace'].join('/')}';` },
  ],
  [
    'a citation of entries, and such words outside of comments',
    {
      'docs/spec.md':
        '**B4. Opening facts** · there.\n\n**G6. One** · there. **G7. Two** · planned.',
      'docs/security.md': '| | |\n|--|--|\n| 6 | Paths are judged where they lead. |',
      'docs/hooks.md': '# Hooks',
      'src/shared/a.ts':
        "// docs/spec.md B4, docs/spec.md G7, docs/security.md 6, docs/hooks.md 3\nexport const a = 'SPEC';",
    },
  ],
  ['400 lines', { 'test/a.ts': `${'\n'.repeat(399)}// end\n` }],
  ['an ambient let', { 'src/shared/a.ts': 'export declare let a: string;' }],
  [
    'a module that also has its own things',
    { 'src/shared/a.ts': "export * from './b';\nexport const a = 1;" },
  ],
];
