import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/** Where nothing is and nothing can be made: the home that Debian gives accounts without one. */
const NO_HOME = '/nonexistent';

/**
 * Returns the user's home, always absolute: the one of the environment, else the one of the account. With an empty or
 * relative `HOME` the folder Lathe starts in would count as the user's own, and be trusted (docs/security.md 1).
 */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  const named = [env['HOME'], env['USERPROFILE']].find((path) => path && isAbsolute(path));
  return named ?? accountHome() ?? NO_HOME;
}

/**
 * Makes `env` name a home that is absolute, for Node and the shells, which take the variable as it stands. Returns what
 * is to be told about it; null when nothing is wrong.
 */
export function mendHome(env: NodeJS.ProcessEnv): string | null {
  const said = env['HOME'];
  if (said === undefined ? accountHome() !== null : isAbsolute(said)) return null;
  const home = homeFolder(env);
  env['HOME'] = home;
  const what =
    said === undefined
      ? 'HOME is not set, and this account has no home'
      : `HOME is ${said === '' ? 'empty' : `"${said}"`}, not an absolute path`;
  return `${what}: Lathe takes ${home}. Set HOME to the full path of your home folder.`;
}

/** Returns the home that the system knows of this account; null when it knows none. */
function accountHome(): string | null {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : null;
  } catch {
    // An account that is in no list, as in a container with a number for a user.
    return null;
  }
}
