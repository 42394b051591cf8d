import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { shellRequest } from '../../../../src/main/engine/permissions/build-request';
import { decide } from '../../../../src/main/engine/permissions/decide';
import type { Dialect } from '../../../../src/main/engine/permissions/shell-analysis/dialect';
import { createShellParser } from '../../../../src/main/engine/permissions/shell-analysis/parser';
import { createNodeFiles } from '../../../../src/main/node/files';
import { loadWasm } from '../../../../src/main/node/runtime';
import type { Decision, PermissionMode } from '../../../../src/shared/permission';
import { type RuleTexts, rulesOf } from './judge';

/** What the file nobody may read holds. */
const SECRET = 'TOPSECRET';

/** A project with a program that must not run (`bin/evil`, on the `PATH`) and a file that must not be read (`secret.txt`). */
export interface Jail {
  judge(line: string, rules: RuleTexts, as?: Judged): Promise<Decision>;
  /** Runs a line behind the walls of bubblewrap, in a fresh copy. Tells whether the program ran or the content came out. */
  hasEffect(line: string, shell: string): boolean;
  remove(): void;
}

interface Judged {
  /** `bypassPermissions` when absent. */
  readonly mode?: PermissionMode;
  readonly dialect?: Dialect;
}

/** Tells whether a program is installed. */
export const canRun = (program: string): boolean =>
  spawnSync(program, program === 'bwrap' ? ['--version'] : ['-c', ':']).status === 0;

/** Creates a jail in a temporary folder. */
export function createJail(): Jail {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'lathe-jail-')));
  const home = path.join(base, 'home');
  const project = path.join(home, 'proj');
  const canary = path.join(project, 'CANARY');
  const parsers = {
    bash: createShellParser(loadWasm),
    posix: createShellParser(loadWasm, 'posix'),
    other: createShellParser(loadWasm, 'other'),
    foreign: createShellParser(loadWasm, 'foreign'),
  };
  const files = createNodeFiles();
  build(home, project, canary);
  const context = {
    cwd: project,
    home,
    project,
    workingDirectories: [project],
    caseInsensitive: false,
  };
  return {
    judge: async (line, rules, { mode = 'bypassPermissions', dialect = 'bash' } = {}) =>
      decide(
        await shellRequest('Bash', line, context, parsers[dialect], files),
        rulesOf(rules),
        mode,
        context,
      ),
    hasEffect: (line, shell) => {
      build(home, project, canary);
      const run = ['timeout', '-k', '1', '5', shell, '-c', line];
      const { stdout, stderr, error } = spawnSync('bwrap', [...wall(home, project), ...run], {
        cwd: project,
        encoding: 'utf8',
        input: '',
        timeout: 20_000,
        env: { PATH: `${project}/bin:${SYSTEM_PATH}`, HOME: home, PWD: project, LANG: 'C' },
      });
      // Output without an end is cut off: what came until then counts.
      if (
        error !== undefined &&
        !('code' in error && /^(?:ETIMEDOUT|ENOBUFS)$/.test(`${error.code}`))
      )
        throw error;
      return existsSync(canary) || `${stdout}${stderr}`.includes(SECRET);
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/** Bubblewrap: all of the disk for reading, the home folder for writing, no network and no other processes. */
const wall = (home: string, project: string): string[] => [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
  ...['--bind', home, home, '--unshare-all', '--die-with-parent', '--chdir', project],
];

function build(home: string, project: string, canary: string): void {
  rmSync(home, { recursive: true, force: true });
  for (const folder of ['bin', 'sub']) mkdirSync(path.join(project, folder), { recursive: true });
  const put = (name: string, text: string) => writeFileSync(path.join(project, name), text);
  put('a.txt', 'plain\n');
  put('big.txt', 'x\n'.repeat(50_000));
  put('secret.txt', `${SECRET}\n`);
  put('bin/evil', `#!/bin/sh\n: > '${canary}'\n`);
  // Programs nobody knows: one starts what it is given, one shows it.
  put('bin/launch', '#!/bin/sh\nexec "$@"\n');
  put('bin/show', '#!/bin/sh\nexec cat "$@"\n');
  for (const name of ['evil', 'launch', 'show']) chmodSync(path.join(project, 'bin', name), 0o755);
  symlinkSync('secret.txt', path.join(project, 'alias.txt'));
  linkSync(path.join(project, 'secret.txt'), path.join(project, 'hard.txt'));
  symlinkSync('..', path.join(project, 'sub/up'));
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    });
  git('init', '-q');
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'a');
  git('add', 'a.txt');
  git('commit', '-qm', 'one');
  git('add', 'secret.txt');
  git('commit', '-qm', 'two');
  put('secret.txt', `${SECRET}\nmore\n`);
}
