import type { CommitReport, GitChange, GitChanges, StageDiff } from '../../../shared/commit';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { Clock, Commands, Ids } from '../ports';
import { SAFE_GIT } from '../prompt/git-facts';
import { type PatchHunk, readHunks, readPaths, readRenames, readStatus } from './git-output';

/** A huge repository may take its time to compare. Milliseconds. */
const LOOK_MS = 30_000;
/** Hooks of a commit may run whole test suites. Milliseconds. */
const COMMIT_MS = 900_000;
/** The most of a difference that is read. Bytes. */
const MAX_DIFF = 4_000_000;

/** Stages and commits what changed in the repository of a trusted folder. Nothing is committed but by `commit`. */
export interface Commits {
  /** Returns the top folder of the repository; null where there is none. */
  top(): Promise<string | null>;
  /** Null where there is no repository. */
  view(): Promise<Result<GitChanges | null>>;
  /** Both halves of the difference of a path. */
  diff(path: string): Promise<Result<StageDiff>>;
  /** Stages a path, or one hunk of it, or takes it out of the next commit. */
  stage(path: string, staged: boolean, hunk?: string): Promise<Result<null>>;
  /** The staged difference as text, of these paths. */
  stagedText(paths: readonly string[]): Promise<Result<string>>;
  /** The subjects of the latest commits, newest first. */
  subjects(): Promise<readonly string[]>;
  /** Commits what is staged; hooks run, which an abort ends. */
  commit(message: string, signal: AbortSignal): Promise<Result<CommitReport>>;
}

export interface CommitsOptions {
  readonly commands: Pick<Commands, 'run'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly folder: string;
  /** The environment that the user's own commands have. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
}

/** Creates the commits of one folder. */
export function createCommits({ commands, clock, ids, folder, env }: CommitsOptions): Commits {
  const run = async (
    argv: readonly string[],
    cwd: string,
    input = '',
    limitMs = LOOK_MS,
    signal?: AbortSignal,
  ) => {
    // Paths are names and no patterns, and nobody sits at a terminal.
    const own = { GIT_LITERAL_PATHSPECS: '1', GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true' };
    const command = {
      ...{ id: ids.uuid(), argv, cwd, input, maxBytes: MAX_DIFF },
      env: { ...(await env()), ...own },
    };
    const ended = new AbortController();
    const late = new AbortController();
    void clock.sleep(limitMs, ended.signal).then(() => ended.signal.aborted || late.abort());
    try {
      const until = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
      return await commands.run(command, until);
    } finally {
      ended.abort();
    }
  };
  /** Runs git where nothing of the repository starts a program; the error is what it printed. */
  const git = async (cwd: string, args: readonly string[], input = ''): Promise<Result<string>> => {
    const end = await run([...SAFE_GIT, ...args], cwd, input);
    if (end.kind === 'failed') return err(fault('no_git', end.message));
    if (end.kind === 'aborted') return err(fault('timeout', 'git took too long.'));
    return end.exitCode === 0 ? ok(end.stdout) : err(failed(end.stderr || end.stdout));
  };
  const top = async (): Promise<string | null> => {
    const found = await git(folder, ['rev-parse', '--show-toplevel']);
    return found.ok ? found.value.replace(/\r?\n$/, '') : null;
  };
  const inTop = async <T>(act: (cwd: string) => Promise<Result<T>>): Promise<Result<T>> => {
    const cwd = await top();
    return cwd === null ? err(NO_REPOSITORY) : act(cwd);
  };
  const hunksOf = async (
    cwd: string,
    path: string,
    staged: boolean,
  ): Promise<Result<readonly PatchHunk[] | null>> => {
    const diff = await git(cwd, [...DIFF, ...(staged ? ['--cached'] : []), '--', path]);
    if (!diff.ok) return diff;
    // One that was cut would end in half a hunk.
    return ok(diff.value.length >= MAX_DIFF ? null : readHunks(diff.value));
  };
  const stageHunk = async (cwd: string, path: string, staged: boolean, id: string) => {
    const found = await hunksOf(cwd, path, !staged);
    if (!found.ok) return found;
    const part = found.value?.find(({ hunk }) => hunk.id === id);
    if (part === undefined) return err(CHANGED);
    const how = ['apply', '--cached', '--whitespace=nowarn', ...(staged ? [] : ['--reverse']), '-'];
    return git(cwd, how, part.patch);
  };

  /** Stages a path, or takes it out; what was renamed with the name that it had before. */
  const stageWhole = async (cwd: string, path: string, staged: boolean) => {
    const status = await git(cwd, STATUS);
    if (!status.ok) return status;
    const { files } = readPaths(status.value);
    const file = files.find((one) => one.path === path);
    const before = (change: GitChange | null | undefined) =>
      change === 'renamed' && file?.from !== undefined ? [file.from] : [];
    if (!staged) return git(cwd, ['reset', '--quiet', '--', path, ...before(file?.staged)]);
    const added = await git(cwd, ['add', '--all', '--', path, ...before(file?.unstaged)]);
    const isNew = file?.staged === null && file.unstaged === 'new';
    if (!added.ok || !isNew || !files.some(({ unstaged }) => unstaged === 'deleted')) return added;
    // Git sees that a file was moved by hand only once its new name is known to it.
    const renames = await git(cwd, RENAMES);
    const from = renames.ok ? readRenames(renames.value).get(path) : undefined;
    // The deletion of the old name may be staged already: git knows no such path then.
    const isOpen = files.some((one) => one.path === from && one.unstaged === 'deleted');
    return from === undefined || !isOpen ? added : git(cwd, ['add', '--all', '--', from]);
  };

  return {
    top,
    view: async () => {
      const cwd = await top();
      if (cwd === null) return ok(null);
      const found = await git(cwd, STATUS);
      return found.ok ? ok(readStatus(found.value)) : found;
    },
    diff: (path) =>
      inTop(async (cwd) => {
        const [staged, unstaged] = [
          await hunksOf(cwd, path, true),
          await hunksOf(cwd, path, false),
        ];
        if (!staged.ok) return staged;
        if (!unstaged.ok) return unstaged;
        const shown = (hunks: readonly PatchHunk[] | null) =>
          hunks?.map(({ hunk }) => hunk) ?? null;
        return ok({ staged: shown(staged.value), unstaged: shown(unstaged.value) });
      }),
    stage: (path, staged, hunk) =>
      inTop(async (cwd) => {
        const done =
          hunk === undefined
            ? await stageWhole(cwd, path, staged)
            : await stageHunk(cwd, path, staged, hunk);
        return done.ok ? ok(null) : done;
      }),
    stagedText: (paths) => inTop((cwd) => git(cwd, [...DIFF, '--cached', '--', ...paths])),
    subjects: async () => {
      const told = await git(folder, ['log', '--format=%s', '--no-show-signature', '-n', '10']);
      return told.ok ? told.value.split('\n').filter((line) => line !== '') : [];
    },
    commit: (message, signal) =>
      inTop<CommitReport>(async (cwd) => {
        const head = async () => {
          const found = await git(cwd, ['rev-parse', '--short', 'HEAD']);
          return found.ok ? found.value.trim() : '';
        };
        const before = await head();
        const argv = ['git', 'commit', '--quiet', '--file=-'];
        const end = await run(argv, cwd, message, COMMIT_MS, signal);
        if (end.kind === 'failed') return err(fault('no_git', end.message));
        const output = [end.stdout, end.stderr].join('\n').trim().slice(0, MAX_SAID);
        const after = await head();
        // A hook that runs behind the commit can be stopped; the commit is made then.
        const made = end.kind === 'aborted' ? after !== before : end.exitCode === 0;
        if (made) return ok({ commit: after, output });
        if (end.kind !== 'aborted') return ok({ commit: null, output });
        if (signal.aborted) return ok({ commit: null, output, stopped: true });
        return err({ ...TOO_LONG, message: `${TOO_LONG.message}\n${output}` });
      }),
  };
}

/** The longest output of git that a user is shown. UTF-16 units. */
const MAX_SAID = 20_000;

const STATUS = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all'];
const RENAMES = ['diff', '--name-status', '-z', '--find-renames', '--no-ext-diff', 'HEAD'];
const DIFF = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '-U3'];

const NO_REPOSITORY = fault('no_repository', 'This project is in no git repository.');
const CHANGED = fault('changed', 'That change is not there any more.', 'Compare again.');
const TOO_LONG = fault('timeout', 'The commit was ended because it took over 15 minutes.');

const failed = (output: string): Fault =>
  fault('git_failed', output.trim().slice(0, MAX_SAID) || 'git failed and did not say why.');
