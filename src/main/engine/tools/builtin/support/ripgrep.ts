import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolContext } from '../../tool';
import type { SearchStart } from './search-root';

/** A search that takes longer is too wide to be useful. */
const TIMEOUT_MS = 30_000;

/** For every search: no configuration file, hidden files too, git's own folder never, ignore files also outside git. */
const COMMON = ['--no-config', '--hidden', '--no-require-git', '--glob=!.git', '--color=never'];

/** What a search found. */
export interface RipgrepOutput {
  readonly text: string;
  /** There was more than fits. */
  readonly truncated: boolean;
  /** What could not be read, for the model; null when all could. */
  readonly note: string | null;
}

/** How ripgrep reports a file or folder it could not read, among other complaints. */
const UNREADABLE = /^rg: (.+): .*\(os error \d+\)$/;

/** Runs ripgrep. What cannot be read is a note, what cannot be understood an error for the model. */
export async function ripgrep(
  args: readonly string[],
  { folder, pathOf }: SearchStart,
  maxBytes: number,
  context: ToolContext,
): Promise<Result<RipgrepOutput, string>> {
  const { programs, signal } = context;
  const argv = [programs.ripgrep, ...COMMON, ...args];
  const ran = await programs.run(argv, { cwd: folder, maxBytes, timeoutMs: TIMEOUT_MS }, signal);
  if (!ran.ok) return err(explainFailure(ran.error));
  const { exitCode, stdout, stderr, truncated } = ran.value;
  const complaints = stderr.split('\n').filter((line) => line !== '');
  const unreadable = complaints.flatMap((line) => {
    const found = UNREADABLE.exec(line)?.[1];
    return found === undefined ? [] : pathOf(found, 'path');
  });
  const understood = exitCode === 0 || exitCode === 1 || truncated || unreadable.length > 0;
  if (!understood) return err(stderr.trim().replace(/^rg: /, '') || 'ripgrep failed.');
  return ok({ text: new TextDecoder().decode(stdout), truncated, note: noteOn(unreadable) });
}

function explainFailure(error: { readonly code: string; readonly message: string }): string {
  if (error.code === 'timeout') {
    return `The search took longer than ${TIMEOUT_MS / 1000} s. Narrow it with path, glob or a longer pattern.`;
  }
  return error.code === 'aborted' ? 'Interrupted.' : `The search could not run: ${error.message}`;
}

function noteOn(unreadable: readonly string[]): string | null {
  if (unreadable.length === 0) return null;
  const named = unreadable.slice(0, 5).join(', ');
  const more = unreadable.length > 5 ? ` and ${unreadable.length - 5} more` : '';
  return `Could not be read: ${named}${more}.`;
}
