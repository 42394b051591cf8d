import { z } from 'zod';
import type { HookSetting } from '../../../shared/hooks';
import type { CommandOutput, Commands } from '../ports';
import type { HookEnd } from './reply';

/** More than any hook has to say; the rest of what it prints is read away. Bytes, of each stream. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** The surroundings of a hook's command. */
export interface CommandSurroundings {
  readonly id: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The text on its standard input. */
  readonly input: string;
}

/** Listeners to a command while it runs. */
export interface CommandListeners {
  /** Called once with what returns its output so far. */
  readonly onStart: (outputSoFar: () => CommandOutput) => void;
  /** Called at most once: it says that nobody is to wait for it. */
  readonly onAsync: (answer: AsyncAnswer) => void;
}

/** Runs a hook's command until it ends or the signal aborts. A line that says it is async is no part of what it printed. Never rejects. */
export async function runCommandHook(
  hook: HookSetting,
  surroundings: CommandSurroundings,
  commands: Commands,
  signal: AbortSignal,
  { onStart, onAsync }: CommandListeners,
): Promise<HookEnd> {
  let printed = () => '';
  let isRead = false;
  const readFirstLine = () => {
    if (isRead) return;
    const first = readAsyncAnswer(printed());
    if (first === 'unknown') return;
    isRead = true;
    if (first !== null) onAsync(first);
  };
  const end = await commands.run(
    { ...surroundings, argv: argvOf(hook, surroundings.env), maxBytes: MAX_OUTPUT_BYTES },
    signal,
    (outputSoFar) => {
      printed = () => outputSoFar().stdout;
      onStart(outputSoFar);
    },
    readFirstLine,
  );
  if (end.kind === 'failed') return end;
  if (end.kind === 'aborted') return { kind: 'cancelled', message: 'ended before it was done' };
  return { ...end, kind: 'exited', stdout: withoutAsyncAnswer(end.stdout) };
}

/** The first line of a command that nobody is to wait for. */
export interface AsyncAnswer {
  /** The time it has from then on; null: as long as its session. */
  readonly timeoutMs: number | null;
}

/** A first line that is longer says something else. UTF-16 units. */
const MAX_FIRST_LINE = 1_000;

/** The longest time that timers can wait for. Milliseconds. */
const MAX_TIMEOUT_MS = 86_400_000;

/** Nothing else may stand there: what decides something is to be waited for. */
const AsyncLine = z.strictObject({
  async: z.literal(true),
  /** Milliseconds, as in the SDK of programs. */
  asyncTimeout: z.number().nonnegative().nullish(),
});

/**
 * Reads the first line of what a command printed so far: null where it is none that ends the waiting, `unknown` while it
 * may still become one. It need not have its end yet. Pure.
 */
export function readAsyncAnswer(printed: string): AsyncAnswer | null | 'unknown' {
  const text = printed.trimStart();
  const [line = ''] = text.split('\n', 1);
  const answer = line.length > MAX_FIRST_LINE ? null : asyncAnswerOf(line);
  if (answer !== null) return answer;
  const goesOn = line.length === text.length && printed.length <= MAX_FIRST_LINE;
  return goesOn && (line === '' || line.startsWith('{')) ? 'unknown' : null;
}

function asyncAnswerOf(line: string): AsyncAnswer | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = AsyncLine.safeParse(value);
  if (!parsed.success) return null;
  const { asyncTimeout } = parsed.data;
  // None is none: no time at all would be no use.
  return { timeoutMs: asyncTimeout ? Math.min(asyncTimeout, MAX_TIMEOUT_MS) : null };
}

/** Returns what a command printed behind the line that ended the waiting; all of it where there is none. Pure. */
export function withoutAsyncAnswer(printed: string): string {
  const answer = readAsyncAnswer(printed);
  if (answer === null || answer === 'unknown') return printed;
  return printed.trimStart().split('\n').slice(1).join('\n');
}

/**
 * Returns the argument vector of a hook: with arguments a program, without a line for a shell (docs/hooks.md). A
 * shell fills placeholders in itself; where there is none they are filled in here, as plain text.
 */
function argvOf(
  { run, args, shell }: Pick<HookSetting, 'run' | 'args' | 'shell'>,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const filled = (text: string) =>
    text.replaceAll(PLACEHOLDER, (whole, name: string) => env[name] ?? whole);
  if (args !== undefined) return [run, ...args].map(filled);
  if (shell === 'powershell') {
    const line = run.replaceAll(PLACEHOLDER, (_, name: string) => `\${env:${name}}`);
    return ['pwsh', '-NoProfile', '-NonInteractive', '-Command', line];
  }
  // Its standard input is a socket, which bash would take for a remote login and read the user's start-up file.
  return ['bash', '--norc', '-c', run];
}

/** Paths, and options of its plugin, that a hook can name wherever it runs. */
const PLACEHOLDER = /\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_OPTION_\w+)\}/g;
