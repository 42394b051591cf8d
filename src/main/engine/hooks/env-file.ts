import type { Commands, Files } from '../ports';

/** A longer file is not what a few variables need. Bytes. */
const MAX_BYTES = 256 * 1024;
/** Variables of the shell that reads the file, not of the user. */
const OWN = /^(_|PWD|OLDPWD|SHLVL|CLAUDE_ENV_FILE|LATHE_.*|__proto__)$/;
const READ = 'set -a; . "$CLAUDE_ENV_FILE" >/dev/null 2>&1; env -0';

/**
 * Reads the variables that SessionStart hooks wrote to their file (`export NAME=value` lines), for the shell commands
 * of the session: what differs from `env` after a shell has read it. Nothing when there is no such file.
 */
export async function readEnvFile(
  file: string,
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  { files, commands }: { readonly files: Files; readonly commands: Commands },
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const stat = await files.stat(file);
  if (!stat.ok || stat.value.size === 0 || stat.value.size > MAX_BYTES) return {};
  const env = { ...where.env, CLAUDE_ENV_FILE: file };
  const argv = ['bash', '--norc', '-c', READ];
  const end = await commands.run(
    { id: 'env-file', argv, cwd: where.cwd, env, input: '', maxBytes: MAX_BYTES * 4 },
    signal,
  );
  if (end.kind !== 'exited') return {};
  const pairs = end.stdout.split('\0').flatMap((line) => {
    const at = line.indexOf('=');
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
  });
  return Object.fromEntries(
    pairs.filter(([name, value]) => !OWN.test(name) && where.env[name] !== value),
  );
}
