import type { Prompt, Resource, Tool as ServerTool } from '@modelcontextprotocol/client';
import { withoutHidden } from '../../../shared/plain-line';
import { err, type Result } from '../../../shared/result';
import { toolName } from '../permissions/server-names';
import type { Callbacks, Ids, Programs } from '../ports';
import type { McpServerSetting } from '../settings/mcp-servers';
import type { ServerPolicy } from '../settings/server-policy';
import type { AnyTool } from '../tools/tool';
import {
  type ConnectFault,
  type ConnectionDeps,
  type ConnectionEvents,
  connectInside,
  connectRemote,
  connectServer,
  limitsOf,
  type McpConnection,
} from './connection';
import { admitted, isHeld } from './filled-in';
import { createForgottenCalls, type ForgottenCalls } from './forgotten-calls';
import { type ListedTools, leftOutText, MAX_TOLD } from './listed-tools';
import { createMcpTool, maxResultChars, type ToolBounds } from './mcp-tool';
import { canSignIn, remoteServer, serverEnvironment, withBearer } from './remote-server';
import type { ServerLog } from './server-log';
import type { SignInStore } from './sign-in-store';
import type { ToolApprovals } from './tool-approvals';
import type { ToolContents } from './tool-contents';
import type { ConnectInside } from './transports';

/** The most of a server's instructions that goes to the model: every request carries them. Characters. */
const MAX_INSTRUCTIONS = 2000;

/** Dependencies of one server of a session. */
export interface ToolServerDeps extends ConnectionDeps {
  /** The folder whose configuration counts. Default: the project. */
  readonly configRoot?: string | undefined;
  /** The folder in which their programs start. Default: the project. */
  readonly startFolder?: string;
  readonly ids: Ids;
  readonly programs: Pick<Programs, 'run'>;
  /** The shell of commands. */
  readonly shell: string;
  /** The environment of commands, secrets removed. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
  /** Returns what settings say now about the servers that may start; undefined: nothing. */
  readonly policy: () => ServerPolicy | undefined;
  /** Tells the user what became of a server. */
  readonly tell: (text: string) => void;
  readonly signIns: SignInStore;
  readonly callbacks: Callbacks;
  /** The digests of tools from when the user allowed them for good. */
  readonly approvals: ToolApprovals;
  /** Servers start then. Absent: at once. */
  readonly startsAfter?: Promise<void>;
  /** Reaches servers inside the program that drives Lathe. Absent: no program does. */
  readonly connectInside?: ConnectInside;
  /** Hears of each try to reach a server; gives what hears of its end, with why it failed. Absent: nobody wants to know. */
  readonly connecting?: (name: string, transport: string) => (failure: string | null) => void;
}

/** One server of a session, as it stands now. */
export interface ToolServer {
  readonly setting: McpServerSetting;
  /** Its setting and what settings say about servers when it starts: another one means another server. */
  readonly key: string;
  readonly contents: ToolContents;
  status: 'pending' | 'connected' | 'failed' | 'needs-auth';
  tools: readonly AnyTool[];
  listed: readonly ServerTool[];
  prompts: readonly Prompt[];
  /** The resources it has to read, as it listed them last; null before it did. */
  resources: readonly Resource[] | null;
  info: McpConnection['info'];
  problem: string | null;
  /** Settings keep it from starting. */
  held: boolean;
  instructions: string;
  connection: McpConnection | null;
  /** The rights that it wanted and its sign-in does not give, with spaces between them. */
  lacking: string;
  /** The address that it was reached at last; null before that, and for any other kind of server. */
  address: string | null;
  /** A user can sign in to it. */
  canSignIn: boolean;
  /** Somebody has. */
  signedIn: boolean;
  /** Returns what it printed last on standard error. */
  printed: () => string;
  /** The token with which it wanted a sign-in; null when there was none. */
  refused: string | null;
  readonly stop: AbortController;
  readonly calls: ForgottenCalls;
  /** Resolves when it is no longer pending. */
  readonly begun: Promise<void>;
  hasBegun(): void;
  /** Resolves when it is gone, however that came. */
  readonly over: Promise<void>;
}

/** The state of a server that outlives a restart in the same session. */
export interface ServerMemory {
  readonly log: ServerLog;
  readonly contents: ToolContents;
}

/** Returns the key of a server that starts now. */
export const serverKey = (
  setting: McpServerSetting,
  { policy }: Pick<ToolServerDeps, 'policy'>,
): string => JSON.stringify([setting, policy()]);

/** The pauses before the tries to reach again a server at an address that was lost. Milliseconds. */
export const RECONNECT_AFTER_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

/**
 * Starts a server, and serves its tools until its `stop` aborts. One at an address that was reached and is lost is tried
 * again for a while. With a `clash` it is not started, and that is why. Returns at once; `changed` hears of every change.
 */
export function startToolServer(
  setting: McpServerSetting,
  clash: string | null,
  deps: ToolServerDeps,
  { log, contents }: ServerMemory,
  changed: () => void,
): ToolServer {
  const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
  const server: ToolServer = {
    setting,
    key: serverKey(setting, deps),
    contents,
    status: 'pending',
    tools: [],
    listed: [],
    prompts: [],
    resources: null,
    info: null,
    problem: null,
    held: false,
    instructions: '',
    connection: null,
    lacking: '',
    address: null,
    canSignIn: false,
    signedIn: false,
    printed: () => '',
    refused: null,
    stop: new AbortController(),
    calls: createForgottenCalls(contents),
    begun,
    hasBegun,
    over: Promise.resolve()
      .then(() =>
        clash === null ? run(server, deps, log, settle, changed) : settle('failed', clash),
      )
      .catch((thrown: unknown) =>
        settle('failed', `The tool server "${setting.name}" failed: ${thrown}`),
      ),
  };
  const settle: Settle = (status, why) => {
    server.status = status;
    server.tools = [];
    server.connection = null;
    server.problem = why;
    server.calls.end();
    server.hasBegun();
    if (!server.stop.signal.aborted) {
      deps.tell(why);
      if (status === 'failed') log.add('lathe', 'error', why);
      else log.add('lathe', 'warning', 'It wants you to sign in.');
    }
    changed();
  };
  return server;
}

/** Says for good what became of a server. */
type Settle = (status: 'failed' | 'needs-auth', why: string) => void;

async function run(
  server: ToolServer,
  deps: ToolServerDeps,
  log: ServerLog,
  settle: Settle,
  changed: () => void,
): Promise<void> {
  const { setting } = server;
  const { signal } = server.stop;
  const { name } = setting;
  const wantSignIn = async () => {
    const kept = await deps.signIns.get(server.address ?? '');
    server.refused = kept?.tokens.access_token ?? null;
    settle('needs-auth', signInText(name));
  };
  if (deps.startsAfter && !setting.inside) await Promise.race([deps.startsAfter, aborted(signal)]);
  if (signal.aborted) return settle('failed', 'It was not started.');
  let end = await live(server, deps, log, changed);
  if (!end.connected && end.needsSignIn) return wantSignIn();
  if (!end.connected)
    return settle('failed', `The tool server "${name}" did not start. ${end.why}`);
  for (let tries = 0; setting.remote && !signal.aborted; tries += 1) {
    // A server that has only forgotten the session is there, and a call waits.
    const pause = end.connected && end.isForgotten ? 0 : RECONNECT_AFTER_MS[tries];
    if (pause === undefined) break;
    server.status = 'pending';
    server.problem = end.why;
    const when = pause === 0 ? 'at once' : `in ${pause / 1000} s`;
    log.add('lathe', 'warning', `Lost; tried again ${when}. ${end.why}`);
    changed();
    if (pause === 0) tries -= 1;
    else await deps.clock.sleep(pause, signal);
    if (signal.aborted) break;
    end = await live(server, deps, log, changed);
    if (!end.connected) {
      server.tools = [];
      server.calls.next(null);
    }
    if (!end.connected && end.needsSignIn) return wantSignIn();
    // It was there for a while: what comes next is another loss.
    if (end.connected) tries = -1;
  }
  settle('failed', `The tool server "${name}" has ended; its tools are gone. ${end.why}`);
}

const signInText = (name: string): string =>
  `The tool server "${name}" wants you to sign in: in the settings under Tool servers, or with lathe mcp login ${name}`;

/** The end of a try to reach a server. */
interface Life extends ConnectFault {
  readonly connected: boolean;
  /** It was lost because the server forgot the session. */
  readonly isForgotten: boolean;
}

/** Connects to a server and serves its tools until it is lost; says whether it was reached, and why it is not any more. */
async function live(
  server: ToolServer,
  deps: ToolServerDeps,
  log: ServerLog,
  changed: () => void,
): Promise<Life> {
  const { setting } = server;
  const { signal } = server.stop;
  log.add('lathe', 'info', 'Connecting.');
  const tried = deps.connecting?.(setting.name, transportOf(setting));
  const connected = await connect(
    server,
    deps,
    {
      onTools: (list) => {
        if (server.status !== 'connected') return;
        log.add('lathe', 'info', `Its tools have changed: ${list.tools.length} now.`);
        take(list);
      },
      onResources: () => {
        server.resources = null;
        log.add('lathe', 'info', 'What it has to read has changed.');
        changed();
      },
      onPrompts: (prompts) => {
        server.prompts = prompts;
        log.add('lathe', 'info', `Its prompts have changed: ${prompts.length} now.`);
        changed();
      },
      onLog: (level, text) => log.add('server', level, text),
      onMissing: (text) => {
        log.add('lathe', 'warning', text);
        deps.tell(`The tool server "${setting.name}": ${text}`);
      },
      onScope: (scope) => {
        server.lacking = scope;
        changed();
      },
    },
    signal,
  );
  tried?.(connected.ok ? null : connected.error.why);
  if (!connected.ok) return { connected: false, isForgotten: false, ...connected.error };
  const connection = connected.value;
  const longTold = new Set<string>();
  const bounds: ToolBounds = {
    maxChars: maxResultChars(await deps.env()),
    onAllowed: (tool, content) => {
      const name = toolName(setting.name, tool);
      if ((allowed.get(name) ?? content) === content) return;
      allowed.set(name, content);
      deps.approvals.keep(deps.project, name, content).catch(() => {});
    },
    onLong: (tool, text) => {
      log.add('lathe', 'warning', text);
      if (longTold.has(tool)) return;
      longTold.add(tool);
      deps.tell(text);
    },
  };
  const allowed = new Map(await deps.approvals.look(deps.project));
  const call = server.calls.over(connection);
  let toldBefore = '';
  const take = ({ tools: listed, leftOut }: ListedTools): void => {
    server.contents.recall(
      new Map(
        listed.flatMap(({ name }): [string, string][] => {
          const before = allowed.get(toolName(setting.name, name));
          return before === undefined ? [] : [[name, before]];
        }),
      ),
    );
    server.listed = listed;
    server.contents.take(listed);
    server.tools = listed.map((tool) =>
      createMcpTool(setting, tool, call, server.contents, bounds),
    );
    for (const one of leftOut.slice(0, MAX_TOLD)) log.add('lathe', 'warning', `Left out: ${one}.`);
    const told = leftOutText(setting.name, leftOut);
    if (told !== '' && told !== toldBefore) deps.tell(told);
    toldBefore = told;
    changed();
  };
  server.status = 'connected';
  server.problem = null;
  server.connection = connection;
  server.printed = connection.printed;
  server.info = connection.info;
  server.instructions = shortened(withoutHidden(connection.instructions));
  server.prompts = connection.prompts;
  take(connection.tools);
  log.add('lathe', 'info', `Connected: ${server.listed.length} tools.`);
  connection.follow();
  server.hasBegun();
  server.calls.next(connection);
  await Promise.race([connection.ended, aborted(signal)]);
  const isForgotten = connection.isForgotten();
  // Those of a session that was forgotten stay: their calls wait for the next one.
  if (!isForgotten) server.tools = [];
  server.resources = null;
  server.connection = null;
  await connection.end();
  const printed = connection.printed();
  server.printed = () => printed;
  return { connected: true, isForgotten, why: await connection.ended, needsSignIn: false };
}

/** Returns the way to a server, as settings name it. */
const transportOf = ({ inside, remote }: McpServerSetting): string =>
  inside === true ? 'inside' : (remote?.type ?? 'stdio');

async function connect(
  tool: ToolServer,
  given: ToolServerDeps,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<Result<McpConnection, ConnectFault>> {
  const unfit = (why: string) => err({ why, needsSignIn: false });
  const { setting } = tool;
  const deps = { ...given, limits: limitsOf(setting.timeout, await given.env()) };
  const surroundings = await serverEnvironment(deps);
  tool.held = isHeld(setting, surroundings, deps.policy());
  if (setting.remote) {
    const server = await remoteServer(setting, deps, signal);
    if (!server.ok) return unfit(server.error);
    tool.address = server.value.url;
    tool.canSignIn = canSignIn(server.value);
    tool.signedIn = tool.canSignIn && (await deps.signIns.get(server.value.url)) !== null;
    return connectRemote(
      setting.name,
      withBearer(server.value, deps, signal),
      deps,
      events,
      signal,
    );
  }
  const filled = admitted(setting, surroundings, deps.policy());
  if (!filled.ok) return unfit(filled.error);
  if (setting.inside) {
    const { connectInside: connectTo } = deps;
    if (connectTo === undefined) return unfit('No program drives this session.');
    const reach = (receive: (message: unknown) => void) => connectTo(setting.name, receive);
    return connectInside(setting.name, reach, deps, events, signal);
  }
  const { argv, env } = filled.value;
  const command = { argv, env, id: deps.ids.next('mcp'), cwd: deps.startFolder ?? deps.project };
  return connectServer(setting.name, command, deps, events, signal);
}

const shortened = (text: string): string =>
  text.length > MAX_INSTRUCTIONS
    ? `${text.slice(0, MAX_INSTRUCTIONS).toWellFormed()}\n(the rest is left out)`
    : text;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
