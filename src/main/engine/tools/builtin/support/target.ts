import { z } from 'zod';
import type { ApprovalSubject } from '../../../../../shared/permission';
import { type Lead, leadingTo } from '../../../permissions/build-request';
import {
  absolutePath,
  isPathTooLong,
  MAX_PATH_BYTES,
  relativeInside,
} from '../../../permissions/paths';
import type { PermissionRequest } from '../../../permissions/request';
import type { ToolContext, ToolEnvironment } from '../../environment';
import { type ResourceAccess, reading, writing } from '../../resource-access';

/** A path as asked for (absolute), where it really leads, and what is there. */
export type Target = Lead;

/** Looks up a tool's path field: absolute, `~/…`, or relative to the working directory. */
export const locate = (
  asked: string,
  { services: { home, files }, agent: { cwd } }: Pick<ToolEnvironment, 'services' | 'agent'>,
): Promise<Target> => leadingTo(absolutePath(asked, cwd.get(), home), files, cwd.get());

/** Returns what was decided on for this call, so that nothing else is opened than that. Calls get here only decided. */
export function decidedTarget(context: ToolContext): Target {
  const request = context.decided.find(({ kind }) => kind === 'file');
  if (request?.kind !== 'file') throw new Error('This call was not decided.');
  return request;
}

/** Returns a path as people and hooks are shown it: from the root. `~` is left: it says enough. */
export const absoluteOf = (asked: string, env: ToolEnvironment): string =>
  asked.startsWith('~') ? asked : absolutePath(asked, env.agent.cwd.get(), env.session.project);

/** A path field. No system knows a path with NUL in it. */
export const PathInput = z
  .string()
  .min(1)
  .refine((path) => !path.includes('\0'), 'a path cannot contain a NUL character')
  .refine((path) => !isPathTooLong(path), `a path has at most ${MAX_PATH_BYTES} bytes`);

/** Returns the permission that showing a file to the model needs, whoever mentions it. */
export const readRequest = (target: Target): PermissionRequest => ({
  kind: 'file',
  tool: 'Read',
  access: 'read',
  ...target,
});

/** Describes a file or folder that is to be read for the dialog. */
export const readSubject = ({ path, realPath }: Target): ApprovalSubject => ({
  kind: 'read',
  path,
  realPath,
});

/** Returns the shortest way to name a path that every tool understands: relative inside the working directory. */
export function shortPath(path: string, env: ToolEnvironment): string {
  const relative = relativeInside(env.agent.cwd.get(), path, false);
  return relative === null || relative === '' ? path : relative;
}

/** Returns what a call accesses that uses one file, or reads one folder. */
export const fileAccess = (access: 'read' | 'edit', { realPath }: Target): ResourceAccess =>
  access === 'read' ? reading(realPath) : writing(realPath);
