import { basename } from 'node:path';
import { TERMINAL_TAG } from '../process/process-table';
import type { PtySpec } from './pty';

/**
 * A shell that is started before its command is known. Its program, script, environment and size are those of the command;
 * the arguments of the script, the folder and the name of the terminal come late, as orders.
 */
export interface WaitingShell extends Pick<PtySpec, 'env' | 'cols' | 'rows'> {
  readonly shell: string;
  readonly script: string;
  readonly name: string;
}

/**
 * Reads the orders until there are some, stopped in between. It stands on the first line of the script, so that the line
 * numbers of error messages stay what they are. Where orders cannot be read it ends before anybody counts on it.
 */
const WAIT = `while . "$1" || exit 1; [ -z "\${__lathe_go-}" ]; do kill -STOP "$$"; done; unset __lathe_go; `;

/** Shells that know what {@link WAIT} needs, and read no file before it. */
const SHELLS: ReadonlySet<string> = new Set(['bash', 'dash', 'sh']);

/** Variables that make a shell do something when it starts, or change what waiting comes to: it must not start ahead then. */
const NOT_AHEAD = /^(BASH_ENV|BASHOPTS|SHELLOPTS|SECONDS|BASH_FUNC_.*)$/;

/** The waiting shell for a program of the form `shell -c script name argument…`; null when it must be started when it is known. */
export function waitingShellFor({ argv, env, cols, rows }: PtySpec): WaitingShell | null {
  const [shell = '', option, script, name, ...late] = argv;
  if (option !== '-c' || script === undefined || name === undefined || late.length === 0)
    return null;
  if (!SHELLS.has(basename(shell))) return null;
  if (Object.keys(env).some((variable) => NOT_AHEAD.test(variable))) return null;
  const { [TERMINAL_TAG]: _, ...kept } = env;
  return { shell, script, name, env: kept, cols, rows };
}

/** Whether one waiting shell is as good as the other. */
export const isSameShell = (one: WaitingShell, other: WaitingShell): boolean =>
  isSameRecord({ ...one, env: '' }, { ...other, env: '' }) && isSameRecord(one.env, other.env);

const isSameRecord = (
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean => {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
};

/** How a waiting shell is started. It stands in nobody's folder and looks for its orders in the file `place`. */
export const startOf = (
  { shell, script, name, ...rest }: WaitingShell,
  place: string,
): PtySpec => ({ ...rest, argv: [shell, '-c', WAIT + script, name, place], cwd: '/' });

/** The orders that make a waiting shell the one of a program, in the state in which a fresh one begins. Shell text. */
export function ordersFor({ argv, cwd, env }: PtySpec): string {
  return [
    `__lathe_go=\${OLDPWD-}`,
    `cd -- ${quote(cwd)} || exit 1`,
    'if [ -n "$__lathe_go" ]; then OLDPWD=$__lathe_go; else unset OLDPWD; fi',
    // In bash it is for programs even before it is set, and seconds count from the start of the shell.
    `if [ -n "\${BASH_VERSION-}" ]; then export OLDPWD; SECONDS=0; fi`,
    `export ${TERMINAL_TAG}=${quote(env[TERMINAL_TAG] ?? '')}`,
    '__lathe_go=1',
    `set -- ${argv.slice(4).map(quote).join(' ')}\n`,
  ].join('\n');
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
