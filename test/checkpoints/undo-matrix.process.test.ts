import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCheckpoints } from '../../src/main/checkpoints/create-checkpoints';
import { pathsOf, planRestore } from '../../src/main/engine/checkpoints/restore-plan';
import type { ChangeSet, ProjectCheckpoints } from '../../src/main/engine/ports-checkpoints';
import type { Result } from '../../src/shared/result';
import { createTestLocks } from '../support/locks';

/** Every way of changing files, in folders with and without git: undo and redo give back bytes, modes and names. */

let base: string;
let project: string;
let checkpoints: ProjectCheckpoints;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-undo-')));
  project = join(base, 'project');
  mkdirSync(project);
  checkpoints = open();
});
afterEach(async () => {
  await locks.release();
  rmSync(base, { recursive: true, force: true });
});

const locks = createTestLocks();

const open = (platform: NodeJS.Platform = process.platform) =>
  createCheckpoints({
    folderOf: () => join(base, 'store'),
    path: process.env['PATH'] ?? '',
    platform,
    locks,
  }).of(project);

const got = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

/** Returns everything in a folder: kind, mode, and content or target. Git's own folder is left out. */
function picture(folder: string, prefix = ''): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    if (name === '.git') continue;
    const place = join(folder, name);
    const stats = lstatSync(place);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) all[prefix + name] = `link ${readlinkSync(place)}`;
    else if (stats.isDirectory()) {
      all[prefix + name] = `folder ${mode}`;
      Object.assign(all, picture(place, `${prefix}${name}/`));
    } else all[prefix + name] = `file ${mode} ${readFileSync(place).toString('base64')}`;
  }
  return all;
}

const sh = (script: string) =>
  execFileSync('/bin/sh', ['-c', script], {
    cwd: project,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: base,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 't',
      GIT_AUTHOR_EMAIL: 't@localhost',
      GIT_COMMITTER_NAME: 't',
      GIT_COMMITTER_EMAIL: 't@localhost',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });

const write = (path: string, content: string | Uint8Array) =>
  writeFileSync(join(project, path), content);

/** A project of every kind of thing. */
function fill() {
  mkdirSync(join(project, 'src/deep'), { recursive: true });
  mkdirSync(join(project, 'empty'));
  mkdirSync(join(project, 'zoö dir'));
  write('README.md', 'hello\n');
  write('src/a.ts', 'export const a = 1;\n');
  write('src/b.ts', 'export const b = 2;\r\n');
  write('src/deep/c.txt', 'c');
  write('run.sh', '#!/bin/sh\necho hi\n');
  chmodSync(join(project, 'run.sh'), 0o755);
  write('secret', 'x');
  chmodSync(join(project, 'secret'), 0o600);
  write(
    'pixel.bin',
    Uint8Array.from({ length: 3000 }, (_, at) => (at * 7) % 256),
  );
  write('zoö dir/naïve\tfile "1".txt', 'ü');
  write('.gitattributes', '* text=auto eol=crlf\n*.ts filter=evil ident\n');
  symlinkSync('src/a.ts', join(project, 'link'));
  symlinkSync('nowhere', join(project, 'dangling'));
}

const ACTS: readonly (readonly [string, string])[] = [
  ['create', 'printf new > src/new.ts'],
  ['create in new folders', 'mkdir -p x/y/z && printf 1 > x/y/z/w && chmod 700 x/y'],
  ['edit', 'printf "changed\\n" >> src/a.ts'],
  ['edit without a change of size', 'printf "hellO\\n" > README.md'],
  ['delete', 'rm src/b.ts'],
  ['delete a folder', 'rm -r src'],
  ['rename', 'mv src/a.ts src/renamed.ts'],
  ['rename a folder', 'mv src other'],
  ['rename by case', 'mv README.md readme.md'],
  ['chmod', 'chmod 600 README.md && chmod 644 run.sh && chmod 500 src/deep && chmod 700 src/deep'],
  ['chmod of a folder', 'chmod 700 src'],
  ['binary', 'head -c 5000 /dev/urandom > pixel.bin'],
  ['link made, changed and removed', 'ln -s x made && ln -sfn README.md link && rm dangling'],
  ['link for a file', 'rm README.md && ln -s run.sh README.md'],
  ['file for a link', 'rm link && printf file > link'],
  ['link for a folder that moved away', 'mv src moved && ln -s moved src'],
  ['link for a folder that moved out', 'mv src ../moved && ln -s ../moved src'],
  ['folder for a link', 'rm link && mkdir link && ln -s nowhere link/in && printf 1 > link/a'],
  ['folder for a file', 'rm README.md && mkdir README.md && printf in > README.md/in'],
  ['file for a folder', 'rm -r src && printf was-folder > src'],
  ['empty folder made', 'mkdir -p hollow/inner'],
  ['empty folder removed', 'rmdir empty'],
  ['sed -i', "sed -i.bak 's/const/let/' src/a.ts && rm src/a.ts.bak"],
  ['line ends', "tr -d '\\r' < src/b.ts > t && mv t src/b.ts"],
  [
    'formatter',
    'for f in src/*.ts; do printf "// formatted\\n" | cat - "$f" > t && cat t > "$f"; done; rm t',
  ],
  [
    'many files, as npm install makes them',
    'i=0; while [ $i -lt 400 ]; do mkdir -p modules/p$i; printf "{\\"n\\":$i}" > modules/p$i/package.json; i=$((i+1)); done; ln -s ../p1/package.json modules/p2/bin',
  ],
  ['odd names', 'mv "zoö dir" "$(printf "new\\nline")" && printf 1 > "$(printf "tab\\there")"'],
  ['an empty file', ': > src/a.ts'],
];

describe.each([
  ['without git', false],
  ['with git', true],
])('%s', (_, withGit) => {
  beforeEach(() => {
    fill();
    if (withGit) sh('git init -q && git add -A && git commit -qm one');
  });

  test.each(ACTS)('%s is undone and redone', async (name, script) => {
    await undoneAndRedone(name, () => sh(script));
  });

  if (withGit) {
    test('git checkout is undone and redone', async () => {
      sh('git checkout -q -b other && printf other > README.md && rm src/b.ts && printf n > added');
      sh('git add -A && git commit -qm two && git checkout -q -');
      await undoneAndRedone('checkout', () => sh('git checkout -q other'));
    });
  }
});

test.each([
  ['a submodule', 'git submodule add -q ../kept inner'],
  ['a repository in the project', 'git clone -q ../kept inner'],
])('files of %s are undone and redone, by its own rules of what is ignored', async (name, add) => {
  fill();
  sh(
    'git init -q ../kept && cd ../kept && printf log > .gitignore && printf one > a && git add -A && git commit -qm one',
  );
  sh(
    `git init -q && git config protocol.file.allow always && git -c protocol.file.allow=always ${add.slice('git '.length)}`,
  );
  sh('git add -A . 2>/dev/null; git commit -qm two; printf kept > inner/log');
  await undoneAndRedone(name, () =>
    sh('printf two > inner/a && printf new > inner/b && rm run.sh'),
  );
  sh('git -C inner rev-parse HEAD');
  // What it ignores is not kept, so nothing takes it for changed.
  const checkpoint = got(await checkpoints.begin('all'));
  sh('printf more > inner/log');
  expect(got(await checkpoint.end('session/two'))).toBeNull();
});

test('a name that changes its case alone is undone and redone where the system takes both for one', async () => {
  fill();
  checkpoints = open('darwin');
  await undoneAndRedone('case', () => sh('mv README.md readme.md && mv src SRC'), 'darwin');
});

test('a redo takes away the folders that an undo had to make', async () => {
  fill();
  const checkpoint = got(await checkpoints.begin('all'));
  sh('rm src/deep/c.txt');
  const made = got(await checkpoint.end('session/one'));
  sh('rmdir src/deep');
  const before = picture(project);
  const undo = await back(made ?? { changes: [], uncertain: false }, 'session/undo');
  expect(picture(project)).toMatchObject({ 'src/deep': 'folder 755' });
  await back(undo, 'session/redo');
  expect(picture(project)).toEqual(before);
});

async function undoneAndRedone(name: string, act: () => void, platform?: NodeJS.Platform) {
  const before = picture(project);
  const checkpoint = got(await checkpoints.begin('all'));
  act();
  const after = picture(project);
  expect(after, 'the act changes something').not.toEqual(before);
  const made = got(await checkpoint.end('session/one'));
  expect(made, name).not.toBeNull();
  if (made === null) return;

  // As after a restart: what was kept is read from the disk.
  checkpoints = open(platform);
  expect(got(await checkpoints.load(['session/one']))).toEqual([made]);
  const undo = await back(made, 'session/undo');
  expect(picture(project)).toEqual(before);
  await back(undo, 'session/redo');
  expect(picture(project)).toEqual(after);
}

/** Takes a change set back by the plan that people are shown, which finds nothing of anybody else's. */
async function back(set: ChangeSet, id: string): Promise<ChangeSet> {
  const { files, lost } = planRestore([set], got(await checkpoints.look(pathsOf([set]))));
  expect([lost, files.filter(({ conflict }) => conflict !== undefined)]).toEqual([[], []]);
  const targets = files.map(({ path, target: state }) => ({ path, state }));
  const restored = got(await checkpoints.restore(id, targets));
  expect(restored.failed).toEqual([]);
  return restored.changeSet;
}
