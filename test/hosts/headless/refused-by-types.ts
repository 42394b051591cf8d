import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const run = promisify(execFile);

/** Something that a program gets, and the type of the SDK that it is to be of. */
export interface Typed {
  readonly type: string;
  readonly value: unknown;
}

/** Returns what the compiler says when values are taken for types of the SDK in `types`; empty when it takes them. */
export async function refusedByTypes(values: readonly Typed[], types: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lathe-types-'));
  try {
    const file = join(folder, 'lines.ts');
    // A name for each value, so that what a type refuses is told with it. Fields of our own beside theirs are fine.
    const texts = values.map(
      ({ value }, at) => `const value${at} = ${JSON.stringify(value)} as const;`,
    );
    const checks = values.map(({ type }, at) => `take<Sdk.${type}>(value${at});`);
    const take = `import type * as Sdk from ${JSON.stringify(types.replace(/\.d\.ts$/, ''))};
type Loose<T> = T extends readonly (infer E)[] ? readonly Loose<E>[] : T extends object ? { readonly [K in keyof T]: Loose<T[K]> } : T;
declare function take<T>(value: Loose<T>): void;`;
    await writeFile(file, [take, ...texts, ...checks].join('\n'));
    const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig'];
    const where = ['--module', 'nodenext', '--target', 'es2024', '--types', ''];
    return await run(process.execPath, [tsc, ...options, ...where, file]).then(
      () => '',
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
