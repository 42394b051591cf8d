import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { shellRequest } from '../../../../src/main/engine/permissions/build-request';
import { decide } from '../../../../src/main/engine/permissions/decide';
import { createShellParser } from '../../../../src/main/engine/permissions/shell-analysis/parser';
import { createNodeFiles } from '../../../../src/main/node/files';
import { loadWasm } from '../../../../src/main/node/runtime';
import { rulesOf } from './judge';

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

const UNTRACKED = [
  'src/local.key',
  'cache/x.der',
  'a.crt',
  'keep.crt',
  'inner/x.p12',
  'more.d/x.pk8',
  '-n/x.opt',
];

/**
 * Makes a repository for the tests of a file: with files that are committed, some that are not and some left out, and with
 * another repository in it. Returns the decision in
 * bypass mode, and the one where a rule allows git, too.
 */
export function committedFixture() {
  let home = '';
  let project = '';
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
    for (const file of UNTRACKED) {
      mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
      writeFileSync(path.join(project, file), 'x\n');
    }
    writeFileSync(
      path.join(project, '.gitignore'),
      'cache/\n*.crt\n!keep.crt\n./src/local.key\n//keep.crt\n',
    );
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const parser = createShellParser(loadWasm);
  const files = createNodeFiles();

  return async function judged(line: string, deny = ['Read(.env)', 'Read(secrets/**)']) {
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
  };
}
