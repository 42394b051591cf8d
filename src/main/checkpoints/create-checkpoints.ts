import { join } from 'node:path';
import type { Checkpoints, ProjectCheckpoints } from '../engine/ports-checkpoints';
import { createGitStore } from './git-store';
import { createOpenMarks } from './open-marks';
import { createProjectCheckpoints } from './project-checkpoints';
import { createStoreLease, type ProcessLocks } from './store-lease';
import { createTableFile } from './table-file';

export interface CheckpointsOptions {
  /** Returns the folder of a project's store, outside the project. */
  readonly folderOf: (project: string) => string;
  /** The folders in which git is looked for, as `PATH` has them. */
  readonly path: string;
  readonly platform: string;
  readonly locks: ProcessLocks;
}

/** Creates the checkpoints of this process. Nothing is looked at or written before a project's are used. */
export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  const { folderOf, path, platform, locks } = options;
  const projects = new Map<string, ProjectCheckpoints>();
  const create = (root: string): ProjectCheckpoints => {
    const folder = folderOf(root);
    return createProjectCheckpoints({
      root,
      store: createGitStore(folder, path),
      lease: createStoreLease(folder, locks),
      marks: createOpenMarks(join(folder, 'lathe-open')),
      tableFile: createTableFile(join(folder, 'lathe-table.jsonl')),
      caseInsensitive: platform === 'darwin' || platform === 'win32',
      now: Date.now,
    });
  };
  return {
    of: (project) => {
      const known = projects.get(project) ?? create(project);
      projects.set(project, known);
      return known;
    },
  };
}
