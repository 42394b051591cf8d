import { describe, expect, test } from 'vitest';
import { committedFixture } from './support/committed';

const judged = committedFixture();

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
