import { describe, expect, test } from 'vitest';
import { committedFixture } from './support/committed';

const judged = committedFixture();

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
    'git checkout feature.x && git diff',
    'git checkout topic/a.ts && git diff',
    'git checkout t1 src/app.ts && git diff',
    'git checkout src/new.ts && git diff',
    'git checkout -b src && git checkout src && git diff',
    "git ls-files | xargs -n1 sh -c 'git diff; git checkout t1'",
    "watch 'git diff; git pull'",
    'git diff --submodule=diff',
    'git -c diff.submodule=diff diff --cached',
    'git fetch origin x:docs; git checkout docs && git grep K',
    'git fetch origin +x:refs/heads/docs; git checkout docs && git grep K',
    "git fetch origin '*:*'; git checkout docs && git grep K",
    'git fetch . "$R"; git checkout docs && git grep K',
    'git fetch --stdin < l; git checkout docs && git grep K',
    'git push . x:docs; git checkout docs && git grep K',
    'git add --f . && git diff --cached',
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
    'git fetch origin main:main && git checkout docs && git diff',
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
    'git checkout src/app.ts && git diff',
    'git checkout -q src docs/a.md && git diff HEAD',
    'git diff --submodule=log',
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

describe('a look behind a command that takes up files which the line does not name', () => {
  const denied = (rule: string) => [`Read(${rule})`];
  test.each([
    ['git add -A && git diff --cached', '*.key'],
    ['git add . && git commit -v', '*.key'],
    ['git add src; git diff --staged -- src', '*.key'],
    ["git add '*.k*' && git diff --cached", '*.key'],
    ['git add -N . && git diff', '/keep.crt'],
    ['git add "$F" && git diff --cached', '*.key'],
    ['for i in 1 2; do git diff --cached; git add -A; done', '*.key'],
    ['git -C src add . && git -C src diff --cached', '*.key'],
    ['echo > .gitignore; git add -A && git diff --cached', '*.der'],
    ['git add --intent-to-add . && git diff', '*.key'],
    ['git add more.d && git diff --cached', '*.pk8'],
    ['git add -A -- -n && git diff --cached', '*.opt'],
    ['git add -- -u -n && git diff --cached', '*.opt'],
    ['git add --pathspec-from-file=l && git diff --cached', '*.key'],
    ['git add --pathspec-from-file l.txt && git diff --cached', '*.key'],
    ['git add -u --no-update . && git diff --cached', '*.key'],
    ['cd src; git add . && cd ..; git diff --cached', '*.key'],
  ])('%s may show %s', async (line, rule) => {
    expect((await judged(line, denied(rule)))[0]).toBe('ask');
  });

  test.each([
    ['git add -A && git diff --cached', '*.der'],
    ['git add -A && git diff --cached', '/a.crt'],
    ['git add -A && git diff --cached', '*.p12'],
    ['git add -A && git diff --cached', '.npmrc'],
    ['git add -A && git diff --cached -- docs', '*.key'],
    ['git add src/app.ts && git diff --cached', '*.key'],
    ['git add docs && git diff --cached', '*.key'],
    ['git add -A more.d && git diff --cached', '*.key'],
    ['git add --update && git diff --cached', '*.key'],
    ['echo x > .gitignore; git add .gitignore && git diff --cached', '*.key'],
    ['git add -u && git diff --cached', '*.key'],
    ['git diff --cached; git add -A', '*.key'],
    ['git add -A && git diff --cached --stat', '*.key'],
    ['git add -A && git commit -m x && git push', '*.key'],
  ])('%s shows no %s', async (line, rule) => {
    expect(await judged(line, denied(rule))).toEqual(['allow', 'allow']);
  });
});

test('a rule for git does not mean files that the line makes tracked ones', async () => {
  for (const line of [
    'git add -A && git diff --cached',
    'git add -f . && git diff --cached',
    'git checkout t1 && git diff',
    'git rm -q --cached .gitignore && git add -A && git diff --cached',
  ])
    expect(await judged(line, ['Read(.npmrc)', 'Read(*.key)']), line).toEqual(['ask', 'ask']);
  for (const line of ['git checkout t1 && git diff --stat', 'git diff t1', 'git show t1'])
    expect((await judged(line, ['Read(.npmrc)', 'Read(*.key)']))[1], line).toBe('allow');
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

test('a rule for git does not mean a repository that nobody knows', async () => {
  for (const line of [
    'git --git-dir="$X/.git" show',
    'git --git-dir=PROJ/.git diff',
    'git -C "$X" grep x',
    'git --git-dir .git --work-tree . diff',
  ])
    expect(await judged(line), line).toEqual(['ask', 'ask']);
  for (const line of ['git --git-dir .git --work-tree . diff', 'git --git-dir=.git show --stat'])
    expect(await judged(line, ['Read(*.der)']), line).toEqual(['allow', 'allow']);
});
