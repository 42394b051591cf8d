// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { shellRequest } from '../../../src/main/engine/permissions/build-request';
import { changedScripts, hashScripts } from '../../../src/main/engine/permissions/scripts-run';
import { createShellParser } from '../../../src/main/engine/permissions/shell-analysis/parser';
import { createNodeFiles } from '../../../src/main/node/files';
import { loadWasm } from '../../../src/main/node/runtime';
import { tempFolder } from '../../node/temp-folder';

const parser = createShellParser(loadWasm);
const files = createNodeFiles();

function put(folder: string, scripts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(scripts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function hashed(folder: string, line: string) {
  const where = { cwd: folder, home: folder };
  const request = await shellRequest('Bash', line, where, parser, files);
  return hashScripts([request], { home: folder, files, parser }, `${folder}/bin:/usr/bin:/bin`);
}

/** Returns the scripts of a line that count as changed once `change` was written. */
async function changes(
  scripts: Readonly<Record<string, string>>,
  line: string,
  change: Readonly<Record<string, string>>,
): Promise<string[]> {
  const folder = await tempFolder();
  put(folder, scripts);
  const before = await hashed(folder, line);
  expect(changedScripts(before, await hashed(folder, line))).toEqual([]);
  put(folder, change);
  const changed = changedScripts(before, await hashed(folder, line));
  return [...new Set(changed.map((path) => relative(folder, path)))];
}

const EVIL = 'evil\n';

test.each<[string, Record<string, string>, string, string]>([
  ['calls by its path', { 'a.sh': './b.sh\n', 'b.sh': 'ls\n' }, 'bash a.sh', 'b.sh'],
  ['calls by a shell', { 'a.sh': 'sh -e b.sh x\n', 'b.sh': 'ls\n' }, './a.sh', 'b.sh'],
  ['sources', { 'a.sh': 'source lib/b.sh\n', 'lib/b.sh': 'ls\n' }, '. ./a.sh', 'lib/b.sh'],
  ['gives to an interpreter', { 'a.sh': 'python3 b.py\n', 'b.py': 'x\n' }, 'sh a.sh', 'b.py'],
  ['calls in a condition', { 'a.sh': 'if ./b.sh; then ls; fi\n', 'b.sh': '\n' }, './a.sh', 'b.sh'],
  ['names in its folder', { 'b.sh': '' }, 'bash "$PWD/b.sh"', 'b.sh'],
  ['calls in its folder', { 'b.sh': '' }, '"$PWD"/b.sh x', 'b.sh'],
  ['finds by pwd', { 't/b.sh': '' }, 'sh $(pwd)/t/b.sh', 't/b.sh'],
  ['calls at home', { 'b.sh': '' }, '"$HOME/b.sh" x', 'b.sh'],
  ['names at home', { 'b.py': '' }, 'python3 $HOME/b.py', 'b.py'],
  [
    'calls beside itself',
    { 't/a.sh': 'cd "$(dirname "$0")"; ./b.sh\n', 't/b.sh': '' },
    't/a.sh',
    't/b.sh',
  ],
  [
    'names behind its folder',
    { 't/a.sh': '. "$(dirname "$0")/l/b.sh"\n', 't/l/b.sh': '' },
    't/a.sh',
    't/l/b.sh',
  ],
  [
    'names behind a variable',
    { 't/a.sh': '"$HERE"/b.sh x\n', 't/b.sh': '' },
    'bash t/a.sh',
    't/b.sh',
  ],
  [
    'names behind a part of $0',
    { 't/a.sh': 'source "${0%/*}/b.sh"\n', 't/b.sh': '' },
    'sh t/a.sh',
    't/b.sh',
  ],
  ['calls where the line went', { 's/a.sh': './b.sh\n', 's/b.sh': '' }, 'cd s && ./a.sh', 's/b.sh'],
  ['names in its first line', { 'a.py': '#!./run -u\nx\n', run: '' }, './a.py', 'run'],
  ['runs through env', { 'a.py': '#!/usr/bin/env -S ./run -u\n', run: '' }, './a.py', 'run'],
  ['has not made yet', { 'a.sh': './b.sh\n' }, 'bash a.sh', 'b.sh'],
  [
    'cannot be understood but names',
    { 'a.sh': 'if true\n./b.sh "\n', 'b.sh': '' },
    'sh a.sh',
    'b.sh',
  ],
  [
    'reaches in three steps',
    { 'a.sh': './b.sh\n', 'b.sh': '. ./c.sh\n', 'c.sh': 'bash d.sh\n', 'd.sh': 'ls\n' },
    './a.sh',
    'd.sh',
  ],
])('a script that a script %s belongs to the call', async (_, scripts, line, changed) => {
  expect(await changes(scripts, line, { [changed]: EVIL })).toContain(changed);
});

test.each([
  ['bash < x', 'x'],
  ['cat x | bash -s a', 'x'],
  ['bash <(cat x.sh)', 'x.sh'],
  ['BASH_ENV=x.sh bash -c ls', 'x.sh'],
  ['cp x.sh y.sh && bash y.sh', 'x.sh'],
  ['cat x.py > y.py; python3 y.py', 'x.py'],
  ['ssh host bash -s < x.sh', 'x.sh'],
  ['pushd s && ./x.sh', 's/x.sh'],
  ['env -C s ./x.sh', 's/x.sh'],
  ['python3 - < x.py', 'x.py'],
  ['node --import=./x.mjs y.js', 'x.mjs'],
  ['uv run x.py', 'x.py'],
  ['pytest -q t/x.py', 't/x.py'],
  ['deno run -A x.ts', 'x.ts'],
  ['go run ./x.go', 'x.go'],
  ['make -C s', 's/Makefile'],
  ['make --file=x.mk', 'x.mk'],
  ['make -fx.mk', 'x.mk'],
  ['npm --prefix s test', 's/package.json'],
  ['yarn --cwd=s test', 's/package.json'],
  ['sed --file=x.sed a.txt', 'x.sed'],
  ['sqlite3 a.db < x.sql', 'x.sql'],
])('code that a line names in another way belongs to the call: %s', async (line, name) => {
  expect(await changes({ [name]: 'ls\n' }, line, { [name]: EVIL })).toEqual([name]);
});

/** A line, a file of code it runs without naming it, and the file that leads there. */
test.each<[string, string, Record<string, string>?]>([
  // Wildcards.
  ['sh *.sh', 'x.sh'],
  ['bash s/*', 's/x'],
  ['./b*', 'bx'],
  ['. l/*.sh', 'l/x.sh'],
  ['sh {a,x}.sh', 'x.sh'],
  ['python3 t/test_*.py', 't/test_x.py'],
  ['bash [a-z].sh', 'x.sh'],
  ['bash -e ?.sh', 'x.sh'],
  ['cat parts/* | bash', 'parts/x'],
  ['for f in s/*.sh; do bash "$f"; done', 's/x.sh'],
  ['for f in x y; do sh $f; done', 'x'],
  ['scripts=(x.sh y.sh); bash "${scripts[0]}"', 'x.sh'],
  ['S=./x; "$S" a', 'x'],
  ['ls *.sh | xargs -n1 bash', 'x.sh'],
  ['ls s | while read -r f; do sh "s/$f"; done', 's/x'],
  ["find . -name '*.sh' -exec bash {} \\;", 'a/b/x.sh'],
  ["find a -name '*.sh' | xargs -n1 sh", 'a/b/x.sh'],
  ['find a -type f -exec {} \\;', 'a/x'],
  ['run-parts s/', 's/x'],
  ['bats t/', 't/x.bats'],
  // Programs that `PATH` finds.
  ['tool a', 'bin/tool'],
  ['timeout 5 tool a', 'bin/tool'],
  ['PATH=./own:$PATH tool a', 'own/tool'],
  ['export PATH="$PWD/own:$PATH"; tool a', 'own/tool'],
  ['npx tool', 'node_modules/.bin/tool'],
  ['pnpm exec tool', 'node_modules/.bin/tool'],
  // Build files, and what they name.
  ['make', 'Makefile'],
  ['make', 'x.sh', { Makefile: 'all:\n\t@./x.sh\n' }],
  ['make test', 'tools/x.py', { Makefile: 'test: a\n\tpython3 -u tools/x.py \\\n\t  -v\n' }],
  ['make', 'x.mk', { Makefile: 'include x.mk\n' }],
  ['make', 'sub/Makefile', { Makefile: 'all:\n\t$(MAKE) -C sub all\n' }],
  ['make', 'sub/x.sh', { Makefile: 'all:\n\tcd sub && ./x.sh\n' }],
  ['make', 'v.sh', { Makefile: 'V := $(shell ./v.sh)\n' }],
  ['npm test', 's/x.js', { 'package.json': '{"scripts":{"test":"node s/x.js"}}' }],
  ['npm test', 's/x', { 'package.json': '{"scripts":{"test":"node s/x"}}' }],
  ['npm run b', 'x.sh', { 'package.json': '{"scripts":{"b":"./x.sh a"}}' }],
  [
    'npm run b',
    'node_modules/.bin/tool',
    { 'package.json': '{"scripts":{"b":"tool a"}}', 'node_modules/.bin/tool': '' },
  ],
  ['cd a/b && npm test', 'package.json', { 'a/b/c.txt': '' }],
  ['just x', 'x.sh', { justfile: 'x:\n  ./x.sh\n' }],
  ['task x', 'x.sh', { 'Taskfile.yml': 'tasks:\n  x:\n    cmds:\n      - ./x.sh\n' }],
  ['tox', 'x.py', { 'tox.ini': '[testenv]\ncommands = python x.py\n' }],
  ['cargo build', 'build.rs'],
  ['pytest -q', 'conftest.py'],
  ['docker compose up', 'compose.yaml'],
  ['pre-commit run', '.pre-commit-config.yaml'],
  ['git commit -m x', '.git/hooks/pre-commit', { '.git/HEAD': '' }],
  ['cd a && git push', '.husky/pre-push', { '.husky/pre-push': '', 'a/b': '' }],
  ['sh a.sh', 'Makefile', { 'a.sh': 'make all\n' }],
  // Modules of the project.
  ['node x.js', 'l/y.js', { 'x.js': "const y = require('./l/y')\n" }],
  ['node x.mjs', 'y.mjs', { 'x.mjs': "import { y } from './y.mjs';\n" }],
  ['tsx x.ts', 'y.ts', { 'x.ts': "import y from './y.js';\n" }],
  ['node d', 'd/index.js'],
  ['python3 x.py', 'y.py', { 'x.py': 'import os, y\n' }],
  ['python3 x.py', 'p/y.py', { 'x.py': 'from p.y import z\n', 'p/__init__.py': '' }],
  ['python3 -m p.x', 'p/y.py', { 'p/x.py': 'from . import y\n' }],
  ["python3 -c 'import y; y.go()'", 'y.py'],
  ['python3 d', 'd/__main__.py'],
])(
  'code that is run without being named belongs to the call: %s (%s)',
  async (line, name, more = {}) => {
    expect(await changes({ [name]: 'ls\n', ...more }, line, { [name]: EVIL })).toContain(name);
  },
);

test('a file that a wildcard finds only now is a change, and so is a program that PATH finds earlier', async () => {
  expect(await changes({ 'a.sh': '' }, 'sh *.sh', { '0.sh': EVIL })).toEqual(['*.sh']);
  expect(await changes({ x: '' }, 'ls x', { 'bin/ls': EVIL })).toEqual(['bin/ls']);
  expect(await changes({ 'x.py': 'import os\n' }, 'python3 x.py', { 'os.py': EVIL })).toEqual([
    'os.py',
  ]);
});

test.each([
  'python3 x.py a.log',
  'python3 x.py < a.log',
  'tail -f a.log | node x.js',
  'git add b.py && git commit -m x',
  'wc -l b.py',
  'npm test > a.log',
  'python3 x.py *.log',
  'find . -name "*.py" | xargs wc -l',
  'for f in *.py; do wc -l "$f"; done',
  'node x.js "$LOG"',
])('data may change while a question about it stands: %s', async (line) => {
  const scripts = { 'x.py': '', 'x.js': '', 'b.py': 'a\n', 'a.log': 'a\n' };
  expect(await changes(scripts, line, { 'a.log': 'b\n', 'b.py': 'b\n' })).toEqual([]);
});

test('scripts that name each other in a circle, or more than are looked at, come to an end', async () => {
  const folder = await tempFolder();
  put(folder, { 'a.sh': './b.sh\n', 'b.sh': './a.sh\n' });
  expect((await hashed(folder, './a.sh')).size).toBe(2);
  const names = Array.from({ length: 300 }, (_, at) => `s${at}.sh`);
  put(folder, Object.fromEntries(names.map((name) => [name, 'ls\n'])));
  put(folder, { 'many.sh': names.map((name) => `./${name}\n`).join('') });
  const hashes = [...(await hashed(folder, './many.sh')).values()];
  expect(hashes.filter((hash) => hash !== 'absent')).toHaveLength(200);
});

test.each([
  ['in another language', '#!/usr/bin/env python3\n./b.sh\n'],
  ['that is no text', 'x\0\n./b.sh\n'],
  ['larger than is looked into', `./b.sh\n${'# x\n'.repeat(40_000)}`],
])('a script %s is hashed, but not what it names', async (_, text) => {
  const folder = await tempFolder();
  put(folder, { 'a.sh': text, 'b.sh': 'ls\n' });
  expect([...(await hashed(folder, './a.sh')).keys()]).toEqual([join(folder, 'a.sh')]);
});
