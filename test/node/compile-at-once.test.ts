import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Calls a function once before and one once after, and prints whether each is machine code by then. */
const CALL_TWO = `
import { compileAtOnce } from './src/main/node/compile-at-once.ts';
const isCompiled = (f) => { f(); return %ActiveTierIsSparkplug(f); };
const before = isCompiled(() => { let n = 0; for (const x of [1, 2]) n += x; return n; });
compileAtOnce();
const after = isCompiled(() => { let n = 0; for (const x of [1, 2]) n += x; return n; });
console.log(JSON.stringify({ before, after }));
`;

test('what is called for the first time is compiled, not interpreted', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--allow-natives-syntax', '--input-type=module', '--no-warnings', '-e', CALL_TWO],
    { cwd: join(import.meta.dirname, '..', '..'), encoding: 'utf8' },
  );
  expect(JSON.parse(stdout)).toEqual({ before: false, after: true });
});
