import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Parses as many lines as a long session has; prints its peak memory in MB. */
const PARSE_MANY = `
import { readFileSync } from 'node:fs';
import { loadWasm } from './src/main/node/runtime.ts';
import { Language, Parser } from 'web-tree-sitter';
await Parser.init({ wasmBinary: await loadWasm('web-tree-sitter.wasm') });
const parser = new Parser();
parser.setLanguage(await Language.load(await loadWasm('tree-sitter-bash.wasm')));
for (let i = 0; i < 5000; i += 1) {
  parser.parse('for i in a b; do echo $i; done; rm -rf x && ls | grep ' + i).delete();
}
// On Linux \`maxRSS\` begins with what the process had that started this one.
const peak = process.platform === 'linux'
  ? Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  : process.resourceUsage().maxRSS;
console.log(peak / 1024);
`;

test('parsing thousands of lines takes no more memory than parsing a few', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // What V8 optimises, it optimises at once here, instead of some time later in another thread.
    ['--wasm-sync-tier-up', '--input-type=module', '--no-warnings', '-e', PARSE_MANY],
    { cwd: ROOT, encoding: 'utf8' },
  );
  // 70 MB as it should be, 570 MB when V8 optimises the grammar.
  expect(Number(stdout)).toBeLessThan(250);
});
