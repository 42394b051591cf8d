import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

type Environment = Readonly<Record<string, string | undefined>>;

/** The key that holds a user's own variables on Windows, and the one of all users of the machine. */
export const USER_KEY = 'HKEY_CURRENT_USER\\Environment';
const MACHINE_KEY =
  'HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';

/** The registry does not answer: a program of the system that hangs is not waited for. Milliseconds. */
const ANSWER_MS = 10_000;

/** Returns the path of Windows's own program for the registry. */
const regProgram = (env: Environment): string =>
  win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'reg.exe');

/**
 * Runs `use` with the text of a key, as the registry writes it into a file: what `reg.exe` prints has the characters of a
 * console. `use` gets what reads a file of that kind back in. Rejects when the registry cannot be asked.
 */
export async function withKey<T>(
  { key, env, reg = regProgram(env) }: { key: string; env: Environment; reg?: string | undefined },
  use: (exported: string, file: string, takeIn: () => Promise<unknown>) => Promise<T> | T,
): Promise<T> {
  const place = await mkdtemp(join(tmpdir(), 'lathe-registry-'));
  const file = join(place, 'key.reg');
  const limits = { timeout: ANSWER_MS, windowsHide: true };
  try {
    await run(reg, ['export', key, file, '/y'], limits);
    const exported = await readFile(file, 'utf16le');
    return await use(exported, file, () => run(reg, ['import', file], limits));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** The kinds of text in the registry: as it stands, and with `%names%` in it. */
const AS_IT_STANDS = 1;
export const WITH_NAMES = 2;

/** A text of the registry. */
interface RegistryText {
  readonly text: string;
  readonly kind: number;
}

/** Returns a value of an exported key; `other` when it is no text, null when there is none. Pure. */
export function textIn(exported: string, key: string, name: string): RegistryText | 'other' | null {
  // Long values go on in the next line.
  const lines = exported.replace(/\\\r?\n\s*/g, '').split(/\r?\n/);
  const begin = lines.findIndex((line) => line.toLowerCase() === `[${key}]`.toLowerCase());
  const rest = begin < 0 ? [] : lines.slice(begin + 1);
  const end = rest.findIndex((line) => line.startsWith('['));
  const start = `"${name}"=`.toLowerCase();
  const line = rest
    .slice(0, end < 0 ? undefined : end)
    .find((one) => one.toLowerCase().startsWith(start));
  if (line === undefined) return null;
  const value = line.slice(start.length);
  if (/^".*"$/.test(value))
    return { text: value.slice(1, -1).replace(/\\(.)/g, '$1'), kind: AS_IT_STANDS };
  const [, kind, digits = ''] = /^hex\(([12])\):([\da-f,]*)$/i.exec(value) ?? [];
  if (kind === undefined) return 'other';
  const text = Buffer.from(digits.replaceAll(',', ''), 'hex').toString('utf16le');
  return { text: text.replace(/\0+$/, ''), kind: Number(kind) };
}

/**
 * Adds variables that Electron took out of the environment and nobody passed on, as after a start from the menu of Windows.
 * They come from the registry, the user's before the machine's. What cannot be read stays missing.
 */
export async function withRegistry(
  env: NodeJS.ProcessEnv,
  names: readonly string[],
  reg?: string,
): Promise<NodeJS.ProcessEnv> {
  const found: Record<string, string> = {};
  for (const key of [USER_KEY, MACHINE_KEY]) {
    const missing = names.filter((name) => (env[name] ?? found[name]) === undefined);
    if (missing.length === 0) break;
    const texts = await withKey({ key, env, reg }, (exported) =>
      missing.map((name) => [name, textIn(exported, key, name)] as const),
    ).catch(() => []);
    for (const [name, value] of texts)
      if (value !== null && value !== 'other') found[name] = filledIn(value, env);
  }
  return { ...env, ...found };
}

/** Returns a text with the variables that it names filled in; names are the same in any case on Windows. */
const filledIn = ({ text, kind }: RegistryText, env: Environment): string =>
  kind !== WITH_NAMES
    ? text
    : text.replace(/%([^%]+)%/g, (whole, name: string) => {
        const known = Object.keys(env).find((one) => one.toLowerCase() === name.toLowerCase());
        return (known === undefined ? undefined : env[known]) ?? whole;
      });
