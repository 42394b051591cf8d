import path from 'node:path';
import { relativeInside } from '../../../permissions/paths';
import type { ToolEnvironment } from '../../environment';

/**
 * The script that the shell really runs. The command comes as a positional argument and is evaluated as it is, so
 * what was approved and what runs are the same bytes. The final working directory goes to a file when it is another
 * one, also after `exit`. All of it is one line, so that bash counts the lines of the command when it complains. The
 * variables are not exported: programs do not see them, and `$1` is empty as in a fresh shell.
 */
const WRAPPER = [
  // A command's own `server &` must outlive its shell; the session's end still ends it.
  "trap '' HUP",
  '__lathe_command=$1',
  '__lathe_folder_file=$2',
  '__lathe_from=$PWD',
  'shift 2',
  `__lathe_leave() { [ -z "$__lathe_folder_file" ] || [ "$PWD" = "$__lathe_from" ] || pwd -P 2>/dev/null >|"$__lathe_folder_file"; }`,
  'trap __lathe_leave EXIT',
  'eval "$__lathe_command"',
].join('; ');

/** Returns the argument vector that runs a command in a shell; without a `folderFile` its last folder is not kept. */
export const shellArguments = (
  shell: string,
  command: string,
  folderFile: string | null,
): readonly string[] => [shell, '-c', WRAPPER, path.basename(shell), command, folderFile ?? ''];

/**
 * The variables of a command beside the user's own: a terminal to colour, and nothing that
 * would wait for a user (pagers, editors) where nobody sits.
 */
export const COMMAND_ENVIRONMENT: Readonly<Record<string, string>> = {
  TERM: 'xterm-256color',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_EDITOR: 'true',
};

/** Linux takes at most 128 KiB in one argument (MAX_ARG_STRLEN, execve(2)). */
const MAX_COMMAND_BYTES = 120_000;

/** Returns the reason a command cannot be given to a shell at all; null when it can. */
export function impossibleCommand(command: string): string | null {
  if (command.trim() === '') return 'command is empty.';
  if (command.includes('\0')) return 'command contains a NUL character, which no shell can take.';
  if (!command.isWellFormed()) return 'command contains half a character (a lone surrogate).';
  if (new TextEncoder().encode(command).byteLength > MAX_COMMAND_BYTES) {
    return `command is longer than ${MAX_COMMAND_BYTES} bytes. Write it to a file with Write and run that.`;
  }
  return null;
}

/** A path is at most this long (PATH_MAX on Linux). Bytes. */
const MAX_PATH_BYTES = 4096;

/**
 * Takes over the folder in which a command ended. Gives a note for the model when it moved or had to go back,
 * because the folder is outside the working directories or gone. The file is removed.
 */
export async function adoptWorkingDirectory(
  file: string,
  env: ToolEnvironment,
): Promise<string | null> {
  // Most commands stay where they are, and a look costs less than a try to open.
  if (!(await env.services.files.stat(file)).ok) return null;
  const read = await env.services.files.read(file, MAX_PATH_BYTES);
  if (!read.ok) return null;
  await env.services.files.remove(file);
  const ended = new TextDecoder().decode(read.value).replace(/\n$/, '');
  // A command can put anything there; what is no path is repeated to nobody.
  if (!path.isAbsolute(ended) || ended.includes('\n') || ended === env.agent.cwd.get()) return null;
  const real = await env.services.files.realPath(ended);
  const found = await env.services.files.stat(ended);
  const usable = real.ok && found.ok && found.value.kind === 'directory';
  if (usable && isAllowed(real.value, env)) {
    env.agent.cwd.set(real.value);
    return `The working directory is now ${real.value}.`;
  }
  const worktree = env.agent.worktree.get();
  const home = worktree ?? env.session.project;
  env.agent.cwd.set(home);
  const outside = `is outside the ${worktree === null ? 'working directories' : 'worktree'}`;
  return `${ended} ${usable ? outside : 'no longer exists'}; the working directory was set back to ${home}.`;
}

/** Tells whether the shell may stay in a folder. What begins in a worktree would go on in the project otherwise. */
const isAllowed = (folder: string, { agent, session }: ToolEnvironment): boolean => {
  const worktree = agent.worktree.get();
  const allowed = worktree === null ? session.workingDirectories() : [worktree];
  return allowed.some((one) => relativeInside(one, folder, false) !== null);
};
