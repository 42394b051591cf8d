import path from 'node:path';
import { err, ok, type Result } from '../../../../../shared/result';
import type { Files, ProgramFault } from '../../../ports';
import type { ToolContext, ToolEnvironment } from '../../environment';
import { decidedTarget, locate, type Target } from './target';

/** A search that takes longer is too wide to be useful. */
const TIMEOUT_MS = 30_000;

/** ripgrep takes a few dozen MB for large trees; more when a line, or an ignore file, never ends. Bytes. */
const MAX_MEMORY_BYTES = 1024 * 1024 * 1024;

/** For every search: no configuration file, hidden files too, git's own folder never, ignore files also outside git. */
const COMMON = ['--no-config', '--hidden', '--no-require-git', '--glob=!.git', '--color=never'];

/** The findings of a search. */
interface RipgrepOutput {
  readonly text: string;
  /** There was more than fits. */
  readonly truncated: boolean;
  /** A note for the model on what could not be read; null when all could. */
  readonly note: string | null;
}

/** Matches ripgrep's report of a file or folder it could not read, among other complaints. */
const UNREADABLE = /^rg: (.+): .*\(os error \d+\)$/;

/** Runs ripgrep. What cannot be read is a note, what cannot be understood an error for the model. */
export async function ripgrep(
  args: readonly string[],
  { root, folder, pathOf }: SearchStart,
  maxBytes: number,
  context: ToolContext,
): Promise<Result<RipgrepOutput, string>> {
  const { signal } = context;
  const { programs } = context.services;
  const argv = [programs.ripgrep, ...COMMON, ...args];
  const limits = { maxBytes, timeoutMs: TIMEOUT_MS, maxMemoryBytes: MAX_MEMORY_BYTES };
  const ran = await programs.run(argv, { cwd: folder, ...limits }, signal);
  if (!ran.ok) return err(await explainFailure(ran.error, root.realPath, context.services.files));
  const { exitCode, stdout, stderr, truncated } = ran.value;
  const complaints = stderr.split('\n').filter((line) => line !== '');
  const unreadable = complaints.flatMap((line) => {
    const found = UNREADABLE.exec(line)?.[1];
    return found === undefined ? [] : pathOf(found, 'path');
  });
  const understood = exitCode === 0 || exitCode === 1 || truncated || unreadable.length > 0;
  if (!understood) return err(complaint(stderr));
  return ok({ text: new TextDecoder().decode(stdout), truncated, note: noteOn(unreadable) });
}

/** Returns ripgrep's own words about a search it cannot do, with Grep's names for what it advises. */
function complaint(stderr: string): string {
  const [said = ''] = stderr
    .trim()
    .replace(/^rg: /, '')
    .split(/\n\s*\nConsider enabling /, 1);
  if (said === '') return 'ripgrep failed.';
  if (said.includes('"\\n" is not allowed'))
    return `${said}. Set multiline to true to match over line ends.`;
  return said;
}

async function explainFailure(
  { code, message }: ProgramFault,
  folder: string,
  files: Files,
): Promise<string> {
  if (code === 'aborted') return 'Interrupted.';
  if (code !== 'timeout' && code !== 'memory') return `The search could not run: ${message}`;
  const trap = await endlessIgnoreFile(folder, files);
  if (trap !== null) {
    return `Nothing can be searched below ${path.dirname(trap)}: every search reads ${trap}, which is no ordinary file but has no end. It has to go first.`;
  }
  return code === 'timeout'
    ? `The search took longer than ${TIMEOUT_MS / 1000} s. Narrow it with path, glob or a longer pattern.`
    : 'The search was stopped because it took too much memory: some line, or some ignore file, does not end. Narrow it with path or glob.';
}

const IGNORE_FILES = ['.gitignore', '.ignore', '.rgignore'];
/** Nobody writes a longer one by hand. Bytes. */
const MAX_IGNORE_BYTES = 64 * 1024 * 1024;

/**
 * Finds the nearest ignore file of a folder and those above it that is a pipe, a device, or longer than any; null
 * when all are plain.
 */
async function endlessIgnoreFile(folder: string, files: Files): Promise<string | null> {
  for (const name of IGNORE_FILES) {
    const file = path.join(folder, name);
    const found = await files.stat(file);
    if (!found.ok) continue;
    const { kind, size } = found.value;
    if (kind === 'other' || (kind === 'file' && size > MAX_IGNORE_BYTES)) return file;
  }
  const above = path.dirname(folder);
  return above === folder ? null : endlessIgnoreFile(above, files);
}

function noteOn(unreadable: readonly string[]): string | null {
  if (unreadable.length === 0) return null;
  const named = unreadable.slice(0, 5).join(', ');
  const more = unreadable.length > 5 ? ` and ${unreadable.length - 5} more` : '';
  return `Could not be read: ${named}${more}.`;
}

/** Returns the folder (or file) a search looks in; without a path the working directory. */
export const searchRoot = (asked: string | undefined, env: ToolEnvironment): Promise<Target> =>
  locate(asked ?? '.', env);

/** The start of a search. */
export interface SearchStart {
  readonly root: Target;
  /** The folder ripgrep runs in: the decided one, whatever happens to its name. */
  readonly folder: string;
  /** The path it looks in: `./`, or one that stays the single file that was decided on. */
  readonly name: string;
  /** Returns the path of something found, below a place: where it was asked for, or where that really leads. */
  readonly pathOf: (found: string, below: 'path' | 'realPath') => string;
}

/** Runs a search in the folder (or file) that was decided on and in nothing else. The error is for the model. */
export async function searchDecided<T>(
  context: ToolContext,
  search: (start: SearchStart) => Promise<Result<T, string>>,
): Promise<Result<T, string>> {
  const root = decidedTarget(context);
  const start = await startOf(root, context);
  if (!start.ok) return start;
  const { folder, name, release } = start.value;
  const pathOf: SearchStart['pathOf'] = (found, below) =>
    name === './' ? path.join(root[below], found) : root[below];
  return search({ root, folder, name, pathOf }).finally(release);
}

async function startOf(root: Target, { services: { files }, session: { project } }: ToolContext) {
  const held = await files.holdFolder(root);
  if (held.ok) return ok({ folder: held.value.path, name: './', release: held.value.release });
  if (held.error.code !== 'not_directory') return err(held.error.message);
  const opened = await files.open(root);
  if (!opened.ok) return err(opened.error.message);
  return ok({ folder: project, name: opened.value.path, release: opened.value.close });
}
