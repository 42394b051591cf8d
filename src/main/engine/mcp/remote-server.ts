import { err, type Result } from '../../../shared/result';
import type { Programs } from '../ports';
import type { McpServerSetting } from '../settings/mcp-servers';
import type { ServerPolicy } from '../settings/server-policy';
import { type BearerDeps, createBearer } from './bearer';
import { admitted } from './filled-in';
import { helperHeaders } from './helper-headers';
import type { RemoteServer } from './transports';

/** The values and programs by which the fields of a server's setting are filled in. */
interface FillDeps {
  /** The folder worked in. Absolute. */
  readonly project: string;
  /** The folder whose configuration counts. Default: the project. */
  readonly configRoot?: string | undefined;
  /** The folder in which programs start. Default: the project. */
  readonly startFolder?: string;
  readonly programs: Pick<Programs, 'run'>;
  /** The shell of commands. */
  readonly shell: string;
  /** The environment of commands, secrets removed. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
  /** Returns what settings say now about the servers that may start; undefined: nothing. */
  readonly policy: () => ServerPolicy | undefined;
}

/** Returns the variables that settings of servers are filled in from. */
export const serverEnvironment = async ({
  env,
  project,
  configRoot = project,
}: Pick<FillDeps, 'env' | 'project' | 'configRoot'>): Promise<
  Readonly<Record<string, string>>
> => ({
  ...(await env()),
  CLAUDE_PROJECT_DIR: configRoot,
});

/** Returns a server at an address with everything filled in, what its helper prints included. */
export async function remoteServer(
  setting: McpServerSetting,
  deps: FillDeps,
  signal: AbortSignal,
): Promise<Result<NonNullable<McpServerSetting['remote']>, string>> {
  const filled = admitted(setting, await serverEnvironment(deps), deps.policy());
  if (!filled.ok) return filled;
  const { remote, env } = filled.value;
  if (remote === undefined) return err(`The tool server "${setting.name}" has no address.`);
  const project = deps.startFolder ?? deps.project;
  const headers = await helperHeaders(setting.name, remote, { ...deps, project, env }, signal);
  return headers.ok ? { ok: true, value: { ...remote, headers: headers.value } } : headers;
}

/** Tells whether a user can sign in to a server: it is reached by HTTP, and no header of the settings does it. Pure. */
export const canSignIn = ({ type, headers }: Pick<RemoteServer, 'type' | 'headers'>): boolean =>
  type !== 'ws' && !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

/** Returns a server with what gives requests the token of a sign-in, where a user can sign in to it. */
export const withBearer = (
  server: RemoteServer,
  deps: BearerDeps,
  signal: AbortSignal,
): RemoteServer =>
  canSignIn(server) ? { ...server, bearer: createBearer(server.url, deps, signal) } : server;
