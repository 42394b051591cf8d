import { absolutePath, relativeInside } from '../../../permissions/paths';
import type { PermissionRequest } from '../../../permissions/request';
import { type Reach, reading, writing } from '../../reach';
import type { ToolEnvironment } from '../../tool';

/** A path as asked for (absolute) and where it really leads. */
export interface Target {
  readonly path: string;
  readonly realPath: string;
}

/** Finds what a tool's path field means: absolute, `~/…`, or relative to the working directory. */
export async function locate(asked: string, env: ToolEnvironment): Promise<Target> {
  const home = asked.startsWith('~') ? (await env.shellEnv())['HOME'] : undefined;
  const path = absolutePath(asked, env.cwd.get(), home ?? env.project);
  const real = await env.files.realPath(path);
  return { path, realPath: real.ok ? real.value : path };
}

/** Completes a file tool's input for people and hooks: the path from the root. `~` is left: it says enough. */
export const withAbsolutePath = <Input extends { readonly file_path: string }>(
  input: Input,
  env: ToolEnvironment,
): Input =>
  input.file_path.startsWith('~')
    ? input
    : { ...input, file_path: absolutePath(input.file_path, env.cwd.get(), env.project) };

/** The permission that using a file needs. */
export const fileRequest = (
  tool: string,
  access: 'read' | 'edit',
  target: Target,
): PermissionRequest => ({ kind: 'file', tool, access, ...target });

/** The shortest way to name a path that every tool understands: relative inside the working directory. */
export function shortPath(path: string, env: ToolEnvironment): string {
  const relative = relativeInside(env.cwd.get(), path, false);
  return relative === null || relative === '' ? path : relative;
}

/** The reach of a call that uses one file, or reads one folder. */
export const fileReach = (access: 'read' | 'edit', { realPath }: Target): Reach =>
  access === 'read' ? reading(realPath) : writing(realPath);
