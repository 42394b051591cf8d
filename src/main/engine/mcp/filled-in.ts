import { err, ok, type Result } from '../../../shared/result';
import type { McpServerSetting } from '../settings/mcp-servers';
import { refusalOf, type ServerPolicy } from '../settings/server-policy';

/** A server with its variables filled in. */
interface Filled {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly remote?: NonNullable<McpServerSetting['remote']>;
}

/** A variable in a setting, e.g. `${TOKEN}` or `${PORT:-8080}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Fills the variables of a setting in. They come from the environment of commands, which holds no keys of Lathe; one
 * that is not set and has no default is an error. Pure.
 */
export function filledIn(
  { command, args, env, remote }: Pick<McpServerSetting, 'command' | 'args' | 'env' | 'remote'>,
  base: Readonly<Record<string, string>>,
): Result<Filled, string> {
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(VARIABLE, (_, name: string, otherwise: string | undefined) => {
      const value = base[name] ?? otherwise;
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
  const fillAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, fill(value)]));
  const argv = [command, ...args].map(fill);
  const own = fillAll(env);
  const reached = remote && {
    ...remote,
    url: fill(remote.url),
    headers: fillAll(remote.headers),
    ...(remote.headersHelper === undefined ? {} : { headersHelper: fill(remote.headersHelper) }),
  };
  if (missing.size > 0)
    return err(`These variables are not set for it: ${[...missing].join(', ')}.`);
  return ok({ argv, env: { ...base, ...own }, ...(reached ? { remote: reached } : {}) });
}

/** Fills a server in, unless settings keep it from starting: with its variables filled in or not. Pure. */
export function admitted(
  setting: McpServerSetting,
  base: Readonly<Record<string, string>>,
  policy: ServerPolicy | undefined,
): Result<Filled, string> {
  const filled = filledIn(setting, base);
  const why = filled.ok ? heldBy(setting, filled.value, policy) : null;
  return why === null ? filled : err(why);
}

/** Tells whether settings keep a server from starting. Pure. */
export function isHeld(
  setting: McpServerSetting,
  base: Readonly<Record<string, string>>,
  policy: ServerPolicy | undefined,
): boolean {
  const filled = filledIn(setting, base);
  return filled.ok && heldBy(setting, filled.value, policy) !== null;
}

/** Returns why settings keep a server from starting; null when they do not. */
function heldBy(
  setting: McpServerSetting,
  { argv, remote }: Filled,
  policy: ServerPolicy | undefined,
): string | null {
  if (policy === undefined) return null;
  const { name, command, args, inside = false } = setting;
  return refusalOf(policy, {
    name,
    commands: remote || inside ? [] : [argv, [command, ...args]],
    addresses: remote ? [remote.url, setting.remote?.url ?? ''] : [],
    inside,
  });
}
