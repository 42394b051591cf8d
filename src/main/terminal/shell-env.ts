import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { basename, delimiter, isAbsolute } from 'node:path';
import { isSecret } from '../../shared/secret-variables';
import type { SettingsProblem } from '../../shared/settings';
import type { ShellWatcher } from '../../shared/window-ports';
import {
  commandEnvironment,
  type Environment,
  shellEnvironment,
  withoutSecrets,
} from './child-env';

/** Time for a login shell to print its environment. Milliseconds. */
const SHELL_MS = 10_000;
/** The same where a user sees what is waited for, and can go on without it. */
const SEEN_SHELL_MS = 60_000;
/** A shell that prints more than this is not telling its environment. */
const MAX_OUTPUT_CHARS = 8 * 1024 * 1024;
/** Lets a user's start-up files know that nobody is looking. */
const RESOLVING = 'LATHE_RESOLVING_ENVIRONMENT';
/** Variables that asking leaves behind in the answer. */
const TRACES = [
  ...['SHLVL', '_', 'PWD', 'OLDPWD', 'ELECTRON_RUN_AS_NODE', 'DISABLE_AUTO_UPDATE'],
  RESOLVING,
] as const;
const POSIX_SHELLS = new Set(['bash', 'zsh', 'sh', 'dash', 'ksh']);

/** The environment of a user's shell, asked for once. */
export interface ShellEnv {
  /** The user's own interactive shell. */
  readonly shell: string;
  /**
   * The shell of the agent's commands ({@link commandShellOf}).
   */
  readonly commandShell: string;
  /** For a user's shells. Secrets removed. */
  forShells(): Promise<Readonly<Record<string, string>>>;
  /** For the agent's commands. Secrets removed, no pagers. */
  forCommands(): Promise<Readonly<Record<string, string>>>;
}

/** The question put to a login shell. */
interface LoginShellOptions {
  /** Our own environment. */
  readonly env: Environment;
  /** A Node program (or Electron, run as Node) that prints the environment from inside the shell where `env` cannot. */
  readonly execPath: string;
  readonly timeoutMs?: number;
  /** Present when a user sees that the shell is asked. */
  readonly watcher?: ShellWatcher;
}

/** Options of {@link createShellEnv}. */
export interface ShellEnvOptions extends LoginShellOptions {
  /** Adds what only the login shell knows; our own environment goes before it. */
  readonly completes?: boolean;
}

/** Creates the environment commands run in. A shell that fails or hangs leaves our own environment as it is. */
export function createShellEnv(options: ShellEnvOptions): ShellEnv {
  const { env, completes = false } = options;
  const shell = userShell(env);
  let asked: Promise<Environment> | null = null;
  let ofCommands: Promise<Readonly<Record<string, string>>> | null = null;
  const base = (): Promise<Environment> => {
    asked ??=
      !completes || cameFromTerminal(env)
        ? Promise.resolve(env)
        : askLoginShell(shell, options).then((told) => completed(env, told));
    return asked;
  };
  return {
    shell,
    commandShell: commandShellOf(env),
    forShells: async () => shellEnvironment(await base()),
    forCommands: () => {
      ofCommands ??= base().then((known) => commandEnvironment(known));
      return ofCommands;
    },
  };
}

/** The environment to work with, and what to tell the user about it; null when nothing. */
export interface LoginEnvironment {
  readonly env: Environment;
  readonly problem: SettingsProblem | null;
}

/**
 * Returns the environment of a program with windows. One started by a double click has none of the user's variables, so it
 * takes those of the login shell, and keeps the keys it has itself. With `completes`, as for a service whose environment was
 * written down, only what is missing is added. A process started from a terminal has all already.
 */
export async function loginEnvironment(options: ShellEnvOptions): Promise<LoginEnvironment> {
  const { env, completes } = options;
  if (cameFromTerminal(env)) return { env, problem: null };
  const shell = userShell(env);
  const { watcher, timeoutMs = watcher ? SEEN_SHELL_MS : SHELL_MS } = options;
  const askedAt = performance.now();
  watcher?.onAsking(true);
  const told = await askLoginShell(shell, { ...options, timeoutMs });
  watcher?.onAsking(false);
  if (told !== null && completes) return { env: completed(env, told), problem: null };
  if (told !== null) return { env: { ...keysOf(env), ...told }, problem: null };
  const why = watcher?.skip.aborted
    ? 'was not waited for'
    : performance.now() - askedAt < timeoutMs
      ? 'told no environment'
      : `did not tell its environment within ${timeoutMs / 1000} s`;
  const message = `The login shell ${why}, so what its start-up files set is missing here: keys, proxies, folders of PATH. Look for what waits or fails in them.`;
  return { env, problem: { file: shell, message, level: 'warning' } };
}

/** Returns the variables that are never given to a shell that is asked. */
const keysOf = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isSecret(name)));

/** Adds to our own environment what only the login shell knows; the folders of its PATH come after our own. */
function completed(own: Environment, told: Environment | null): Environment {
  if (told === null) return own;
  const folders = [own['PATH'], told['PATH']].flatMap((list) => list?.split(delimiter) ?? []);
  return { ...told, ...own, PATH: [...new Set(folders)].join(delimiter) };
}

/** Tells whether a shell in a terminal made an environment, so that no shell needs to be asked. */
export const cameFromTerminal = (env: Environment): boolean =>
  process.platform === 'win32' ||
  (Boolean(env['PATH']) && Boolean(env['TERM']) && Number(env['SHLVL'] ?? 0) >= 1);

function userShell(env: Environment): string {
  if (process.platform === 'win32') return env['COMSPEC'] ?? 'cmd.exe';
  const named = env['SHELL'];
  if (named !== undefined && isAbsolute(named) && isExecutable(named)) return named;
  const usual =
    process.platform === 'darwin' ? ['/bin/zsh', '/bin/bash'] : ['/bin/bash', '/bin/zsh'];
  return usual.find(isExecutable) ?? '/bin/sh';
}

/** The paths at which bash is looked for; on a Mac the newer one of a package manager comes first. */
const BASH = ['/opt/homebrew/bin/bash', '/usr/local/bin/bash', '/bin/bash', '/usr/bin/bash'];

/**
 * Returns the shell of the agent's commands: the one in `CLAUDE_CODE_SHELL` when it can be run, else bash where there is
 * one, because lines are judged as bash reads them. What another shell may read otherwise is asked about.
 */
export function commandShellOf(env: Environment): string {
  const chosen = env['CLAUDE_CODE_SHELL'];
  if (chosen !== undefined && isAbsolute(chosen) && isExecutable(chosen)) return chosen;
  const shell = userShell(env);
  if (process.platform === 'win32') return shell;
  const bash = basename(shell) === 'bash' ? shell : BASH.find(isExecutable);
  if (bash !== undefined) return bash;
  return POSIX_SHELLS.has(basename(shell)) ? shell : '/bin/sh';
}

/** Returns why the commands run in another shell than `CLAUDE_CODE_SHELL` names; null where they do not. */
export function shellProblem(env: Environment): SettingsProblem | null {
  const field = 'CLAUDE_CODE_SHELL';
  const chosen = env[field] ?? '';
  const used = commandShellOf(env);
  if (chosen === '' || chosen === used) return null;
  const message = `${field} is ignored, so commands run in ${used}: the absolute path of a program is expected.`;
  return { file: 'the environment', field, message, level: 'warning' };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the environment after a login shell's start-up files; null when the shell does not tell in time. */
async function askLoginShell(
  shell: string,
  options: LoginShellOptions,
): Promise<Environment | null> {
  const mark = `lathe-${randomBytes(12).toString('hex')}`;
  const flags = FLAGS[basename(shell)] ?? USUAL_FLAGS;
  const child = startShell(shell, [...flags, tellCommand(options.execPath, mark)], {
    ...withoutSecrets(options.env),
    ELECTRON_RUN_AS_NODE: '1',
    [RESOLVING]: '1',
    // Frameworks that update themselves at start-up wait for an answer.
    DISABLE_AUTO_UPDATE: 'true',
  });
  if (child === null) return null;
  const { timeoutMs = SHELL_MS, watcher } = options;
  const output = await collect(child, mark, timeoutMs, watcher?.skip);
  const told = output === null ? null : parseTold(output, mark);
  return told === null ? null : withoutTraces(told, options.env);
}

/** Starts a shell in the home folder; null when the system refuses. */
function startShell(
  shell: string,
  words: readonly string[],
  env: Record<string, string>,
): ChildProcess | null {
  try {
    return spawn(shell, words, {
      // A session of its own: without a terminal, no start-up file can ask or stop us.
      detached: true,
      // Never in a project: start-up files look at where they are.
      cwd: env['HOME'] || '/',
      stdio: ['ignore', 'pipe', 'ignore'],
      env,
    });
  } catch {
    // A home that is no folder.
    return null;
  }
}

/** The flags of a login shell that runs a command, where they are not {@link USUAL_FLAGS}. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  csh: ['-ic'],
  tcsh: ['-ic'],
  pwsh: ['-l', '-c'],
};
const USUAL_FLAGS = ['-ilc'];

/**
 * Returns a command that prints mark, `NAME=value` parts ended by NUL, mark: whatever else start-up files print is outside of the marks. It is
 * one program with quoted words, which every shell can start whatever its language; a backslash in quotes is not the same to all. Node needs
 * 45 MB and as many milliseconds, so it is asked only where `env` knows no `-0`.
 */
function tellCommand(execPath: string, mark: string): string {
  const parts =
    'Object.entries(process.env).map(p=>p.join(String.fromCharCode(61))+String.fromCharCode(0))';
  const node = `"$0" -e "process.stdout.write(${parts}.join(String()))"`;
  const script = `printf %s ${mark}; /usr/bin/env -0 || ${node}; printf %s ${mark}`;
  return `/bin/sh -c '${script}' '${execPath.replaceAll("'", "'\\''")}'`;
}

/**
 * Collects a shell's standard output up to the second mark, or to its end; null when it failed, hung or printed too much.
 * Its exit alone says nothing: output may still be on its way, and programs it left behind may hold the pipe open.
 */
function collect(
  child: ChildProcess,
  mark: string,
  timeoutMs: number,
  skip?: AbortSignal,
): Promise<string | null> {
  let output = '';
  const end = () => endGroup(child);
  return new Promise((resolve) => {
    const finish = (result: string | null) => {
      clearTimeout(impatience);
      skip?.removeEventListener('abort', giveUp);
      process.removeListener('exit', end);
      end();
      child.stdout?.destroy();
      resolve(result);
    };
    const giveUp = () => finish(null);
    skip?.addEventListener('abort', giveUp);
    // A session of its own hears nothing of our end.
    process.once('exit', end);
    const impatience = setTimeout(() => finish(null), timeoutMs);
    child.once('error', () => finish(null));
    child.once('close', () => finish(output));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MAX_OUTPUT_CHARS) finish(null);
      else if (output.indexOf(mark) !== output.lastIndexOf(mark)) finish(output);
    });
  });
}

/** Kills the shell's process group: start-up files may have left programs behind. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All gone already.
  }
}

/** Returns the environment between the marks; null when there is none. */
export function parseTold(output: string, mark: string): Environment | null {
  const start = output.indexOf(mark);
  const end = output.lastIndexOf(mark);
  if (start < 0 || end <= start) return null;
  const pairs = output
    .slice(start + mark.length, end)
    .split('\0')
    .flatMap((part) => {
      const at = part.indexOf('=');
      return at > 0 ? [[part.slice(0, at), part.slice(at + 1)] as const] : [];
    });
  return pairs.length === 0 ? null : Object.fromEntries(pairs);
}

function withoutTraces(told: Environment, own: Environment): Environment {
  const cleaned: Record<string, string | undefined> = { ...told };
  for (const name of TRACES) {
    if (own[name] === undefined) delete cleaned[name];
    else cleaned[name] = own[name];
  }
  return cleaned;
}
