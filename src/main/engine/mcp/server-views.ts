import { plainLine } from '../../../shared/plain-line';
import type {
  ServerOffer,
  ToolServerDetails,
  ToolServerState,
  ToolServerView,
} from '../../../shared/tool-server';
import type { HeldServer, McpServerSetting } from '../settings/mcp-servers';
import { shownServer } from '../settings/shown-server';
import type { ServerLog } from './server-log';
import type { ServerSignIns } from './server-sign-ins';
import type { ToolServer } from './tool-server';

/** The longest description that is shown of one thing. Characters. */
const MAX_DETAIL_CHARS = 500;
/** The most things of a kind that are shown. */
const MAX_OFFERS = 1000;

const STATES: Readonly<Record<ToolServer['status'], ToolServerState>> = {
  pending: 'connecting',
  connected: 'connected',
  failed: 'failed',
  'needs-auth': 'needs_sign_in',
};

/** The number of changes to the view of a server. */
type Stamps = Pick<ToolServerView, 'offering' | 'revision'>;

/** Returns what is shown of a server that is there. Pure. */
export function serverView(
  server: ToolServer,
  signIns: Pick<ServerSignIns, 'page' | 'problem'>,
  stamps: Stamps,
): ToolServerView {
  const { setting, status, info, problem, connection, listed, prompts, resources } = server;
  return {
    ...named(setting),
    state: server.held && status === 'failed' ? 'denied' : STATES[status],
    program: info === null ? '' : `${info.name} ${info.version}`.slice(0, 200),
    problem,
    tools: connection === null ? 0 : listed.length,
    prompts: connection === null ? 0 : prompts.length,
    resources: connection?.listResources ? { count: resources?.length ?? null } : null,
    signIn: server.canSignIn
      ? {
          signedIn: server.signedIn,
          page: signIns.page(setting.name),
          problem: signIns.problem(setting.name),
        }
      : null,
    ...stamps,
  };
}

/** Returns what is shown of a server that is not started. Pure. */
export const idleView = (
  setting: McpServerSetting,
  state: 'off' | 'off_in_settings' | 'waits_for_trust',
  stamps: Stamps,
): ToolServerView => ({
  ...named(setting),
  state,
  ...{ program: '', problem: null, tools: 0, prompts: 0, resources: null, signIn: null },
  ...stamps,
});

/** Returns the state of a server that settings keep from starting. Pure. */
export const heldState = ({ why }: HeldServer) =>
  why === 'trust' ? 'waits_for_trust' : 'off_in_settings';

function named(setting: McpServerSetting) {
  const { name, file, inside, remote, command, args } = setting;
  const { target } = shownServer(remote ?? { command, args });
  const transport: ToolServerView['transport'] = inside ? 'program' : (remote?.type ?? 'stdio');
  return { name, file, transport, target: inside ? '' : target };
}

/** Returns all that is shown of a server, or of one that is not there any more. Pure. */
export function serverDetails(
  server: ToolServer | undefined,
  log: ServerLog | undefined,
): ToolServerDetails {
  const connected = server !== undefined && server.connection !== null;
  const offers = (list: readonly ServerOffer[]): readonly ServerOffer[] =>
    list.slice(0, MAX_OFFERS).map(({ name, detail }) => ({
      name: plainLine(name, MAX_DETAIL_CHARS),
      detail: detail.slice(0, MAX_DETAIL_CHARS),
    }));
  return {
    instructions: connected ? server.instructions : '',
    tools: offers(
      connected
        ? server.listed.map(({ name, description = '' }) => ({ name, detail: description }))
        : [],
    ),
    prompts: offers(
      connected
        ? server.prompts.map(({ name, description = '' }) => ({ name, detail: description }))
        : [],
    ),
    resources: offers(
      (connected ? (server.resources ?? []) : []).map(({ uri, title, name }) => ({
        name: uri,
        detail: title ?? name,
      })),
    ),
    log: log?.entries() ?? [],
    printed: server?.printed() ?? '',
  };
}
