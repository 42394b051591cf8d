import type { ToolEnvironment } from '../../tool';
import { locate, type Target } from './target';

/** The folder (or file) a search looks in; without a path the working directory. */
export const searchRoot = (path: string | undefined, env: ToolEnvironment): Promise<Target> =>
  locate(path ?? env.cwd.get(), env);

/** Why a search cannot look there; null when it can. */
export async function unsearchable(target: Target, env: ToolEnvironment): Promise<string | null> {
  const found = await env.files.stat(target.realPath);
  return found.ok ? null : found.error.message;
}
