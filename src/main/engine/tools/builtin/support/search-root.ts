import path from 'node:path';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolContext, ToolEnvironment } from '../../environment';
import { decidedTarget, locate, type Target } from './target';

/** The folder (or file) a search looks in; without a path the working directory. */
export const searchRoot = (asked: string | undefined, env: ToolEnvironment): Promise<Target> =>
  locate(asked ?? '.', env);

/** Where a search starts. */
export interface SearchStart {
  readonly root: Target;
  /** Where ripgrep runs: in the decided folder, whatever happens to its name. */
  readonly folder: string;
  /** What it looks in: `./`, or a path that stays the single file that was decided on. */
  readonly name: string;
  /** The path of something found, below a place: where it was asked for, or where that really leads. */
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
