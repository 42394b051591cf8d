import { dirname, isAbsolute, join } from 'node:path';
import type { Files, Programs } from '../ports';

/** Longest snapshot. Characters. */
const MAX_SNAPSHOT = 2000;

/** Longest wait for one git command: a huge repository must not hold up the first turn. Milliseconds. */
const GIT_TIMEOUT_MS = 2000;

/** Nothing a repository says may start a program. */
export const SAFE_GIT = [
  'git',
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'safe.bareRepository=explicit',
] as const;

/**
 * Returns branch, changed files and latest commits; null outside a repository or without git. Only for trusted
 * folders: even harmless git commands read what the repository configures.
 */
export async function gitSnapshot(
  { files, programs }: { readonly files: Files; readonly programs: Programs },
  cwd: string,
  signal: AbortSignal,
): Promise<string | null> {
  // Starting a program to hear that there is no repository would delay the first turn.
  if ((await findHead(files, cwd)) === null) return null;
  const git = async (...args: readonly string[]): Promise<string | null> => {
    const options = { cwd, maxBytes: 64_000, timeoutMs: GIT_TIMEOUT_MS };
    const result = await programs.run([...SAFE_GIT, ...args], options, signal);
    if (!result.ok || result.value.exitCode !== 0) return null;
    return new TextDecoder().decode(result.value.stdout).trimEnd();
  };
  const [status, log] = await Promise.all([
    git('status', '--short', '--branch', '--untracked-files=normal', '--ignore-submodules=all'),
    git('log', '--oneline', '--no-decorate', '--no-show-signature', '-n', '5'),
  ]);
  if (status === null) return null;
  const changes = status.length > MAX_SNAPSHOT ? `${cutLine(status)}\n(more left out)` : status;
  return [`Status:\n${changes}`, ...(log ? [`Latest commits:\n${log}`] : [])].join('\n\n');
}

const cutLine = (text: string): string =>
  text.slice(0, Math.max(0, text.lastIndexOf('\n', MAX_SNAPSHOT)));

/** Reads the branch a folder is on from git's files. Null outside a repository; a short hash when detached. */
export async function readGitBranch(files: Files, cwd: string): Promise<string | null> {
  const head = (await findHead(files, cwd)) ?? '';
  const ref = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return ref ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 8) : null);
}

/** Returns the first line of `HEAD` of the repository that holds a folder; null outside one. */
async function findHead(files: Files, cwd: string): Promise<string | null> {
  const real = await files.realPath(cwd);
  for (let folder = real.ok ? real.value : cwd; ; folder = dirname(folder)) {
    const head = await readHead(files, join(folder, '.git'));
    if (head !== null || dirname(folder) === folder) return head;
  }
}

/** Reads `HEAD` under `.git`, which is a folder, or (in a worktree) a file that says where it is. */
async function readHead(files: Files, dotGit: string): Promise<string | null> {
  const stat = await files.stat(dotGit);
  if (!stat.ok) return null;
  if (stat.value.kind === 'directory') return readLine(files, join(dotGit, 'HEAD'));
  const line = await readLine(files, dotGit);
  const target = /^gitdir: (.+)$/.exec(line ?? '')?.[1];
  if (target === undefined) return null;
  const folder = isAbsolute(target) ? target : join(dirname(dotGit), target);
  return readLine(files, join(folder, 'HEAD'));
}

async function readLine(files: Files, path: string): Promise<string | null> {
  const read = await files.read(path, 4096);
  return read.ok ? (new TextDecoder().decode(read.value).split('\n')[0] ?? '').trim() : null;
}
