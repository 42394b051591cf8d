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

/** Runs a hook's command until it ends or the signal aborts. Never rejects. `onStart` is given what returns its output. */
export async function runCommandHook(
  hook: HookSetting,
  surroundings: CommandSurroundings,
  commands: Commands,
  signal: AbortSignal,
  onStart: (outputSoFar: () => CommandOutput) => void,
): Promise<HookEnd> {
  const end = await commands.run(
    { ...surroundings, argv: argvOf(hook, surroundings.env), maxBytes: MAX_OUTPUT_BYTES },
    signal,
    onStart,
  );
  if (end.kind === 'failed') return end;
  if (end.kind === 'aborted') return { kind: 'cancelled', message: 'ended before it was done' };
  return { ...end, kind: 'exited' };
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
  // Its standard input is a socket, which bash would take for a remote login and read the person's start-up file.
  return ['bash', '--norc', '-c', run];
}

/** Paths, and options of its plugin, that a hook can name wherever it runs. */
const PLACEHOLDER = /\$\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_OPTION_\w+)\}/g;
