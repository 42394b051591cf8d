import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** docs/headless.md: longest readable part of a project's folder name. */
const MAX_SLUG = 200;

/** Returns a project's folder name under `projects/`: every character that is no ASCII letter or digit becomes '-'. */
export function projectSlug(project: string): string {
  const slug = project.replace(/[^A-Za-z0-9]/g, '-');
  if (slug.length <= MAX_SLUG) return slug;
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 12);
  return `${slug.slice(0, MAX_SLUG)}-${hash}`;
}

/** The paths of one session's files. */
export interface SessionPaths {
  /** The log. */
  readonly file: string;
  /** Saved results and task output. */
  readonly folder: string;
  /** The model's own folder. */
  readonly scratch: string;
  /** The conversation in the shape that hooks and other programs read, where it is written. */
  readonly transcript?: string;
}

/** Returns the folder of a project's sessions. */
export const projectFolder = (latheHome: string, project: string): string =>
  join(latheHome, 'projects', projectSlug(project));

/** Returns the file in which other programs of the ecosystem look for a session of a project. */
export const claudeFile = (configDir: string, project: string, sessionId: string): string =>
  join(configDir, 'projects', projectSlug(project), `${sessionId}.jsonl`);

/** Returns the file in which they look for a sub-agent of the session whose file that is. */
export const claudeAgentFile = (sessionFile: string, agentId: string): string =>
  join(sessionFile.replace(/\.jsonl$/, ''), 'subagents', `agent-${agentId}.jsonl`);

/** Returns the paths of one session. */
export function sessionPaths(latheHome: string, project: string, sessionId: string): SessionPaths {
  const base = join(projectFolder(latheHome, project), sessionId);
  return { file: `${base}.jsonl`, folder: base, scratch: join(base, 'scratch') };
}

/** Returns the file of a sub-agent's events, in its session's folder. */
export const subAgentFile = (sessionFolder: string, agentId: string): string =>
  join(sessionFolder, 'agents', `${agentId}.jsonl`);

/** Returns the folder of a sub-agent's saved results, in its session's folder. */
export const subAgentFolder = (sessionFolder: string, agentId: string): string =>
  join(sessionFolder, 'agents', agentId);

/** Session ids name files: only UUID-like ones are accepted. */
export const isSessionId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9-]{7,63}$/.test(text);
