import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shellRequest } from '../../../src/main/engine/permissions/build-request';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createShellParser } from '../../../src/main/engine/permissions/shell-analysis/parser';
import { createNodeFiles } from '../../../src/main/node/files';
import { loadWasm } from '../../../src/main/node/runtime';
import { rulesOf } from './support/judge';

const FILES = [
  '.env',
  'secrets/a.txt',
  'src/app.ts',
  'docs/a.md',
  'README.md',
  'Makefile',
  'conf.d/x.conf',
  'packages/api/.env',
  'packages/web/app.ts',
];

let home: string;
let project: string;
beforeAll(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'lathe-printed-')));
  project = path.join(home, 'proj');
  for (const file of FILES) {
    mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    writeFileSync(path.join(project, file), 'x\n');
  }
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, env });
  git('init', '-q');
  git('add', '-f', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'one');
  for (const name of ['feature.x', 'topic/a.ts']) git('branch', name);
  git('pack-refs', '--all');
  git('tag', 'nightly.b');
  git('init', '-q', 'inner');
  writeFileSync(path.join(project, 'inner/.npmrc'), 'x\n');
  git('-C', 'inner', 'add', '.');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const parser = createShellParser(loadWasm);
const files = createNodeFiles();

/** The decision in bypass mode, and the one where a rule allows git, too. */
async function judged(line: string, deny = ['Read(.env)', 'Read(secrets/**)']) {
  const context = {
    ...{ cwd: project, home, project, workingDirectories: [project] },
    caseInsensitive: false,
  };
  const request = await shellRequest(
    'Bash',
    line.replaceAll('PROJ', project),
    context,
    parser,
    files,
  );
  return [[], ['Bash(git *)']].map(
    (allow) => decide(request, rulesOf({ deny, allow }), 'bypassPermissions', context).behavior,
  );
}

describe('a look at what is committed that is limited to paths', () => {
  test.each([
    'git log -p -- src',
    'git log -p -- Makefile',
    'git log -p -- PROJ/src PROJ/src/app.ts',
    'git log -p -- conf.d',
    "git show HEAD~1 -- docs 'src/*.ts'",
    'git log -p -5 src',
    'git diff src',
    'git diff HEAD~1 conf.d',
    "git diff -- src ':!src/app.ts'",
    'git add -p src',
    'git -C src diff -- app.ts',
    'git log -p --author=src README.md',
    'cd src && git diff -- app.ts',
    'git diff src/new.ts',
    'git -C packages/web diff app.ts',
    'git log -L 1,5:src/app.ts',
    'git log -L:main:src/app.ts --oneline',
    'cd src && git log -L 1,5:app.ts',
    'git grep -n x -- src',
    'git grep -e x -e y -- docs README.md',
    "git grep -C 2 x -- '*.ts'",
    'git grep x HEAD -- src/app.ts',
    'git grep x src',
    'git grep -n x src docs',
    'git grep -e x src/app.ts',
  ])('%s shows nothing that is denied', async (line) => {
    expect(await judged(line, ['Read(./.env)', 'Read(secrets/**)'])).toEqual(['allow', 'allow']);
  });

  test.each([
    'git log -p',
    'git log -p -- .',
    'git log -p -- packages',
    'git diff packages',
    'git diff feature.x',
    'git log -p topic/a.ts',
    'git show nightly.b',
    'git -C src show feature.x',
    'git branch other.x && git diff other.x',
    'git log -L "1,1:$F"',
    'git grep x',
    'git grep x -- .',
    'git grep x HEAD -- packages',
    'git grep --name-only x HEAD -- packages',
    'git grep --untracked x -- src',
    'git grep x packages',
    'git grep x HEAD packages',
    'git grep --untracked x packages',
    "git grep x -- '*.txt'",
    "git show 'HEAD^{/fix*}'",
    'git log -p v1.x',
    'git log -p --author src',
    'git log -p --grep README.md',
    "git diff -- 's*'",
    "git diff -- '*.txt'",
    'git diff -- :/',
    "git diff -- . ':!src'",
    "git log -p -- ':(icase)SECRETS'",
    'git --icase-pathspecs log -p -- SECRETS',
    'GIT_ICASE_PATHSPECS=1 git log -p -- SECRETS',
    'git log -p --full-diff -- src',
    'git -C src log -p -- ..',
    'git commit -v -m src',
  ])('%s may', async (line) => {
    expect(await judged(line)).toEqual(['ask', 'ask']);
  });

  test.each([
    'git log -p -- src',
    'git log -p src',
    'git log -p -- conf.d',
    'git show HEAD~1 src',
    'git show HEAD~1 -- docs',
    'git diff HEAD~1 conf.d',
    "git log -p -- 'docs/*'",
    "git log -p -- 'src/*.env'",
  ])('%s may show what was committed there once and removed', async (line) => {
    for (const rule of ['Read(.env)', 'Read(**/.env)', 'Read(*/.env)'])
      expect(await judged(line, [rule])).toEqual(['ask', 'allow']);
  });

  test.each([
    'git log -p -- Makefile',
    "git log -p -- '*.md'",
    "git show HEAD~1 -- docs/a.md 'src/*.ts'",
    'git diff src',
    "git diff -- src ':!src/app.ts'",
    'git diff conf.d',
    'git add -p src',
    'git -C packages/web diff app.ts',
  ])('%s shows no file of such a name', async (line) => {
    expect(await judged(line, ['Read(.env)', 'Read(**/.env)'])).toEqual(['allow', 'allow']);
  });

  test('of other revisions it counts what a rule names below the path, too', async () => {
    expect(await judged('git log -p -- src', ['Read(./src/old.pem)'])).toEqual(['ask', 'allow']);
    expect(await judged('git diff HEAD~1 -- src', ['Read(./src/old.pem)'])).toEqual([
      'ask',
      'allow',
    ]);
    expect(await judged('git diff -- src', ['Read(./src/old.pem)'])).toEqual(['allow', 'allow']);
    expect(await judged('git log -p -- docs', ['Read(./src/old.pem)'])).toEqual(['allow', 'allow']);
  });
});

describe('committed files that get to another folder', () => {
  test.each([
    'git clone . x',
    'git clone $PWD x',
    'git clone "$(pwd)" x',
    'git clone .git x',
    'git clone src/.. x',
    'git clone other x',
    'git clone -- . x',
    'git clone "file://$PWD" x',
    'git clone -b x:y . z',
    'git clone --branch https://x.example/y . z',
    'git clone --bare -q PROJ /tmp/x',
    'git clone "$URL" x',
    'git init x && git -C x pull ..',
    'git -C x fetch --depth 1 "$PWD" main',
    'git -C x fetch file://PROJ main',
    'git push ../x main',
    'git -C x remote add -t main o ..',
    'git -C x submodule add .. y',
    'git -C x subtree add -P y .. main',
    'git init --separate-git-dir=PROJ/.git /tmp/w',
    'cd /tmp/w && git --git-dir=PROJ/.git checkout -f',
    'cd /tmp/w && GIT_DIR=PROJ/.git git checkout .',
    'cd /tmp/w && GIT_OBJECT_DIRECTORY=PROJ/.git/objects git reset --hard abc',
    'cd w && git --git-dir=../.git checkout -f',
    'env -C /tmp/w git --git-dir=PROJ/.git checkout -f',
    'git -C /tmp/w --git-dir PROJ/.git restore .',
    'git config core.worktree /tmp/w && git checkout -f',
    'git config --local core.worktree /tmp/w',
    'git --work-tree=w stash apply',
    'git --work-tree=w checkout-index -f -a',
    'git init w && git --work-tree=w checkout -f',
    'git --work-tree=w reset --hard',
  ])('%s asks', async (line) => {
    expect(await judged(line)).toEqual(['ask', 'ask']);
    expect(await judged(line, ['Bash(evil:*)'])).toEqual(['allow', 'allow']);
  });

  test.each([
    'git clone https://forge.example/a/b',
    'git clone -b main --depth 1 git@forge.example:a/b.git x',
    'git clone ssh://git@forge.example/a/b',
    'git clone "https://$HOST/a/b" x',
    'git pull',
    'git pull --rebase origin feature.x',
    'git pull . main',
    'git fetch --all --prune',
    'git push -u origin feature/x',
    'git push origin "$(git branch --show-current)"',
    'git remote add up git@forge.example:a/b.git',
    'git submodule add https://forge.example/a/b vendor/b',
    'git config --unset core.worktree',
    'git --git-dir=.git status',
    'git init w',
    'git checkout -f',
    'git stash pop',
  ])('%s does not', async (line) => {
    expect(await judged(line)).toEqual(['allow', 'allow']);
  });
});

test('git grep reads what is tracked, unless it is told to look at more or at another revision', async () => {
  const deny = ['Read(.cache/x)', 'Read(untracked.txt)'];
  for (const line of [
    'git grep x',
    'git grep --cached -n x',
    'git grep -l -e x -- .',
    'git grep x .',
  ])
    expect(await judged(line, deny), line).toEqual(['allow', 'allow']);
  for (const line of [
    'git grep x HEAD~1',
    'git grep --untracked x',
    'git grep --untracked x src',
    'git grep x HEAD src',
    'git grep --no-index x',
    'git grep -e x HEAD',
    'git grep -ex HEAD',
    'git grep -nfx HEAD',
  ])
    expect((await judged(line, deny))[0], line).toBe('ask');
});

describe('what a line shows behind a change of which files are tracked', () => {
  // No file of these names is tracked now.
  const deny = ['Read(.npmrc)', 'Read(*.pem)'];
  test.each([
    'git checkout t1 && git grep x',
    'git checkout t1 && git diff',
    'git checkout t1 -- . && git diff --cached',
    'git checkout -b new t1 && git diff --cached',
    'git switch t1 && git grep x -- src',
    'git reset --hard t1; git grep x',
    'git reset --soft HEAD~1 && git diff --cached',
    'git restore --source=t1 --staged . && git diff --cached',
    'git read-tree t1 && git grep x',
    'git pull && git grep -l x',
    'git stash pop && git diff',
    'git cherry-pick t1 && git grep x',
    'git apply --index x.patch && git grep x',
    'git update-ref HEAD t1 && git diff HEAD',
    'GIT_INDEX_FILE=i git grep x',
    'gh pr checkout 5 && git grep x',
    'git grep x "$(git checkout -q t1)"',
    "bash -c 'git checkout t1'; git grep x",
    'for b in t1 t2; do git grep x; git checkout $b; done',
    'f() { git grep x; }; git checkout t1; f',
    'git -C . checkout t1 && git -C . grep x',
    'gh pr -R a/b checkout 5 && git grep x',
    'gh pr merge 5 && git grep x',
    'git replace HEAD t1 && git diff HEAD',
    'git fetch -u origin main:main && git diff',
    'git merge-recursive a -- HEAD t1 && git diff --cached',
    'git fast-import < a && git diff HEAD',
    'git switch --conflict=merge t1 && git grep x',
    'git switch --create=n t1 && git grep x',
    'git checkout t1 && git grep -e worktree -e .',
    '(sleep 1; git grep x) & git checkout t1; wait',
    "trap 'git grep x' EXIT; git checkout t1",
    "bash -c 'git grep x & git checkout t1'",
    'while true; do git diff; git pull; done',
    'git checkout t1 -- conf.d && git diff --cached',
    'for ((;;)); do git diff; git pull; done',
    'git checkout t1 -- src && git diff --cached',
    'git symbolic-ref HEAD refs/heads/t1 && git diff HEAD',
    'git restore -s t1 -S . && git diff --cached',
  ])('%s may be a denied file', async (line) => {
    expect((await judged(line, deny))[0]).toBe('ask');
  });

  test.each([
    'git grep x; git checkout t1',
    'git checkout t1 && git diff -- src/app.ts',
    'git checkout t1 && git diff --stat && git status',
    'git checkout -b new && git diff',
    'git switch -c new && git grep x',
    'git checkout -q -- src/app.ts && git diff',
    'git checkout . && git diff',
    'git reset -q && git diff',
    'git reset HEAD src/app.ts && git diff --cached',
    'git fetch && git diff',
    'git add -A && git diff --cached',
    'git stash && git diff',
    'git restore src/app.ts && git diff',
    'git apply x.patch && git diff',
    'git commit -m "checkout for t1" && git diff HEAD',
    'git pull && git worktree add ../x',
    'git switch --create n && git diff',
    'git switch -q --create=n && git diff',
    'git symbolic-ref --short HEAD && git diff',
    'git bisect log && git diff',
    'git checkout HEAD -- src/app.ts && git diff',
    'git checkout main -- package.json && git diff',
    'git restore --source=HEAD src/app.ts && git diff',
    'git diff && for f in a b; do echo $f; done && git pull',
    'git grep function && git pull',
    'gh pr create --title "merge it" && git diff',
    'git replace -l && git fetch --prune && git diff',
    'git grep "a & b" 2>&1 && git pull',
    'git grep "f()" &> /dev/null; git pull',
  ])('%s shows none', async (line) => {
    expect(await judged(line, deny)).toEqual(['allow', 'allow']);
  });
});

describe('another repository that git is told to go to', () => {
  test.each([
    'git -C inner grep x',
    'git -C src -C ../inner diff',
    'git -C PROJ/inner diff -- .',
    'git --git-dir=inner/.git grep x',
    'git --git-dir inner/.git --work-tree inner diff',
    'git -C "$X" grep x',
    'PWD=inner; git -C "$PWD" grep x',
    'git -C "$PWD/inner" grep x',
    'git -C "$(git rev-parse --show-toplevel)" -C inner grep x',
    'cd inner; git -C "$(git rev-parse --show-toplevel)" grep x',
    'git --git-dir=.git --work-tree=inner diff',
    'git -c core.worktree=inner diff',
    'git -C new grep x',
    "git submodule foreach 'git grep x'",
    'cd src; git diff',
    '(cd src && ls); git diff',
    'for d in a b; do git diff; cd src; done',
  ])('%s may show what is denied there', async (line) => {
    expect((await judged(line, ['Read(.npmrc)']))[0]).toBe('ask');
  });

  test.each([
    'git -C inner grep x',
    'git -C PROJ/inner diff',
    'git -C inner diff HEAD -- a.txt',
    'git -C PROJ grep x',
    'git -C "$PWD" diff',
    'git -C "$(pwd)" diff',
    'git -C "$PWD/src" diff',
    'git -C "$(git rev-parse --show-toplevel)" diff',
    'git --git-dir=.git --work-tree=. diff',
    'git -C src diff',
    'git diff && cd src && npm test',
    'git worktree add ../x -b y && cd ../x && npm ci',
    "git submodule foreach 'git pull'",
  ])('%s shows none of what is tracked elsewhere', async (line) => {
    expect(await judged(line, ['Read(*.pem)'])).toEqual(['allow', 'allow']);
  });
});

test('a range of lines in a denied file is denied, from another folder too', async () => {
  for (const line of ['git log -L1,1:a.txt -L 1,1:.env', 'cd secrets && git log -L 1,1:a.txt'])
    expect(await judged(line), line).toEqual(['deny', 'deny']);
});
