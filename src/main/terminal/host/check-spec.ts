import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import type { TerminalInfo } from '../../../shared/terminal';
import type { TerminalSpec } from '../../engine/ports';
import { HOST_TAG, TERMINAL_TAG } from '../process/process-table';
import type { Pty } from './pty';

/** Terminal sizes are clamped to these. Cells. */
const SIZE = { minCols: 2, maxCols: 1_000, minRows: 1, maxRows: 1_000 } as const;

/** Clamps a size to what a terminal can have. */
export const clampSize = (cols: number, rows: number): { cols: number; rows: number } => ({
  cols: clamp(cols, SIZE.minCols, SIZE.maxCols),
  rows: clamp(rows, SIZE.minRows, SIZE.maxRows),
});

const clamp = (value: number, low: number, high: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(Math.floor(value), low), high) : low;

/** Returns the environment of a terminal's processes: what was asked for, and the tags that find them again. */
export const taggedEnvironment = (
  spec: TerminalSpec,
  hostId: string,
): Readonly<Record<string, string>> => ({
  ...spec.env,
  [TERMINAL_TAG]: spec.id,
  [HOST_TAG]: hostId,
});

/**
 * Checks that a terminal can be started where it should: a pty itself only says it by exiting with 1. Blocks, for a
 * hundredth of the time that the fork after it does.
 */
export function checkSpec(spec: TerminalSpec): Result<null> {
  const program = spec.argv[0] ?? '';
  try {
    if (!statSync(spec.cwd).isDirectory())
      return err(fault('no_folder', `${spec.cwd} is not a folder.`));
  } catch (error) {
    return err(folderFault(spec.cwd, (error as NodeJS.ErrnoException).code));
  }
  if (canRun(program, spec)) return ok(null);
  return err(
    fault('no_program', `The program ${program} was not found.`, 'Check that it is installed.'),
  );
}

function folderFault(cwd: string, code: string | undefined): Fault {
  return code === 'ENOENT'
    ? fault('no_folder', `The folder ${cwd} does not exist.`)
    : fault('no_folder', `The folder ${cwd} cannot be entered (${code ?? 'unknown error'}).`);
}

function canRun(program: string, spec: TerminalSpec): boolean {
  // Windows has its own search order and extensions; there the pty tells.
  if (process.platform === 'win32') return program !== '';
  const hasFolder = isAbsolute(program) || program.includes('/');
  const folders = (spec.env['PATH'] ?? '/usr/bin:/bin').split(delimiter);
  const candidates = hasFolder
    ? [resolve(spec.cwd, program)]
    : folders.map((folder) => join(folder, program));
  return candidates.some(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Returns what is told of a terminal that has just started. */
export function infoOf(
  spec: TerminalSpec,
  size: { readonly cols: number; readonly rows: number },
  { pid, group }: Pick<Pty, 'pid' | 'group'>,
): TerminalInfo {
  const { id, kind, sessionId, project, callId, taskId, title, command, cwd } = spec;
  return {
    ...{ id, kind, sessionId, project, callId, taskId, title, command, cwd, pid, ...size },
    ...(spec.profile === undefined ? {} : { profile: spec.profile }),
    ...(group === undefined ? { loose: true } : {}),
    startedAt: Date.now(),
  };
}
