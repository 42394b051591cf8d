import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/client';
import { err, ok, type Result } from '../../../shared/result';
import type { LogLevel } from '../../../shared/tool-server';
import type { Clock, CommandSpec, Commands } from '../ports';
import { shownAddress } from '../settings/shown-server';
import {
  isForgotten,
  isLost,
  reasonOf,
  scopeOf,
  wantsSignIn,
  withStderr,
} from './connection-faults';
import type { Elicit } from './elicitation';
import { type AskOptions, inTime } from './in-time';
import { createListChanges } from './list-changes';
import { type ListedTools, listTools } from './listed-tools';
import {
  firstPrompts,
  listPrompts,
  listResources,
  listTemplates,
  serveRoots,
} from './server-lists';
import { logLine } from './server-log';
import { createSocketTransport } from './socket-transport';
import { type CallProgress, createToolCalls, type ToolCalls } from './tool-calls';
import {
  createInsideTransport,
  createRemoteTransport,
  createStdioTransport,
  type InsideServer,
  type RemoteServer,
  type ServerTransport,
} from './transports';

/** The longest a server may take to start and list its tools (docs/configuration.md). Milliseconds. */
export const START_LIMIT_MS = 30_000;
/** A call takes as long as it takes: the user sees it, and can stop it. The longest that timers count. Milliseconds. */
const CALL_LIMIT_MS = 2 ** 31 - 1;

/** The least important messages that a server is asked to log. */
const LOG_LEVEL: LogLevel = 'info';

/** The SDK would wait for a pause between two changes, and a storm has none. */
const AT_ONCE = { autoRefresh: false, debounceMs: 0 } as const;

/** The services that a connection to a server needs. */
export interface ConnectionDeps {
  readonly commands: Pick<Commands, 'start'>;
  readonly clock: Clock;
  /** Reaches servers by their address. */
  readonly fetch: typeof fetch;
  /** The version of Lathe, which it introduces itself with. */
  readonly version: string;
  /** The folders that it says it works in: this one, and those added to it. Absolute. */
  readonly project: string;
  readonly folders?: () => readonly string[];
  /** Answers what servers ask the user. */
  readonly elicit: Elicit;
  /** Hears that a server has what it sent the user to an address for. */
  readonly elicited?: (server: string, elicitationId: string) => void;
  /** Absent: what holds where nobody says otherwise. */
  readonly limits?: ConnectionLimits;
}

/** The addresses of one server whose end is waited for; of more, nobody is told. */
const MAX_VISITS = 100;

/** The time that a server has. Milliseconds. */
interface ConnectionLimits {
  /** To start and to list its tools. */
  readonly startMs: number;
  /** For each call of a tool. */
  readonly callMs: number;
}

/**
 * Returns the time that a server has: by its setting `timeout` for calls, else by `MCP_TOOL_TIMEOUT`; by `MCP_TIMEOUT` to
 * start. A variable that is no number of milliseconds counts as not set. Pure.
 */
export const limitsOf = (
  timeout: number | undefined,
  env: Readonly<Record<string, string>>,
): ConnectionLimits => ({
  startMs: milliseconds(env['MCP_TIMEOUT']) ?? START_LIMIT_MS,
  callMs: timeout ?? milliseconds(env['MCP_TOOL_TIMEOUT']) ?? CALL_LIMIT_MS,
});

const milliseconds = (text = ''): number | undefined =>
  /^[1-9]\d{0,9}$/.test(text.trim()) ? Math.min(Number(text), CALL_LIMIT_MS) : undefined;

/** The reason that a server is not connected. */
export interface ConnectFault {
  /** For a user. */
  readonly why: string;
  /** A user has to sign in first. */
  readonly needsSignIn: boolean;
}

/** Listens to a server while it is connected. */
export interface ConnectionEvents {
  /** Hears each later list of tools. */
  onTools(list: ListedTools): void;
  /** Hears that its list of resources is another one now. */
  onResources(): void;
  /** Hears each later list of prompts. */
  onPrompts(prompts: readonly Prompt[]): void;
  /** Hears what it logs. */
  onLog(level: LogLevel, text: string): void;
  /** Hears that the server did not list something in its time: what it has without it, in a sentence. */
  onMissing(text: string): void;
  /** Hears that a call wanted rights which the sign-in does not give, with spaces between them. */
  onScope(scope: string): void;
}

/** The reason that a request has no answer. */
export interface CallFault {
  /** For the model, or the user who asked. */
  readonly why: string;
  /** The server said that it does not know of the connection: it did nothing, and another connection may do. */
  readonly isForgotten: boolean;
}

/** A running tool server. */
export interface McpConnection {
  /** The tools that it listed first. */
  readonly tools: ListedTools;
  /** The prompts that it listed first. */
  readonly prompts: readonly Prompt[];
  /** Begins to tell of later lists, also of those that changed before. */
  follow(): void;
  /** Tells a server that asked for the folders of the session when they are others by now. */
  tellRoots(): void;
  /** Its name and version, as it says. */
  readonly info: { readonly name: string; readonly version: string } | null;
  /** Its instructions for the model; empty when there are none. */
  readonly instructions: string;
  /** Calls a tool; an abort tells the server. */
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    onProgress: (progress: CallProgress) => void,
    signal: AbortSignal,
  ): Promise<Result<CallToolResult, CallFault>>;
  /** Lists its resources, as many as are listed; null for a server that has none. The error is for the model. */
  readonly listResources:
    | ((signal: AbortSignal) => Promise<Result<readonly Resource[], string>>)
    | null;
  /** Lists the patterns of addresses that it has to read besides. The error is for the model. */
  listTemplates(signal: AbortSignal): Promise<Result<readonly ResourceTemplateType[], string>>;
  readResource(uri: string, signal: AbortSignal): Promise<Result<ReadResourceResult, CallFault>>;
  /** Fills a prompt in. */
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Result<GetPromptResult, CallFault>>;
  /** Returns what it printed last on standard error, as a program; else nothing. */
  printed(): string;
  /** Resolves with the reason, for a user, when the connection is over. */
  readonly ended: Promise<string>;
  /** Tells whether it is over because the server, which is there, has forgotten it. */
  isForgotten(): boolean;
  /** Ends the server with everything that grew from it. */
  end(): Promise<void>;
}

/** Connects to a server inside the program that drives Lathe, as {@link connectServer} does to one that is started. */
export const connectInside = (
  server: string,
  connect: (receive: (message: unknown) => void) => InsideServer,
  deps: Omit<ConnectionDeps, 'commands'>,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<Result<McpConnection, ConnectFault>> =>
  connectOver(server, createInsideTransport(connect), deps, events, signal);

/**
 * Starts a server and connects to it. The error says why that failed, with what the server printed last; its processes are
 * ended then.
 */
export async function connectServer(
  server: string,
  command: Pick<CommandSpec, 'id' | 'argv' | 'cwd' | 'env'>,
  deps: ConnectionDeps,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<Result<McpConnection, ConnectFault>> {
  const transport = await createStdioTransport(deps.commands, command);
  return connectOver(server, transport, deps, events, signal);
}

/** Connects to a server at an address. The error says why that failed. */
export async function connectRemote(
  name: string,
  server: RemoteServer,
  deps: Omit<ConnectionDeps, 'commands'>,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<Result<McpConnection, ConnectFault>> {
  const url = URL.parse(server.url);
  const shown = shownAddress(server.url);
  const isSocket = server.type === 'ws';
  const schemes = isSocket ? /^wss?:$/ : /^https?:$/;
  if (!schemes.test(url?.protocol ?? '')) {
    return unfit(`${shown} is no address with ${isSocket ? 'ws or wss' : 'http or https'}.`);
  }
  if (url?.username || url?.password)
    return unfit(`${shown} holds a user and a password: put them into a header.`);
  const transport = isSocket
    ? createSocketTransport(server)
    : await createRemoteTransport(server, deps);
  return connectOver(name, transport, deps, events, signal);
}

const unfit = (why: string) => err({ why, needsSignIn: false });

async function connectOver(
  server: string,
  transport: ServerTransport,
  deps: Omit<ConnectionDeps, 'commands'>,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<Result<McpConnection, ConnectFault>> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client(
    { name: 'lathe', version: deps.version },
    {
      capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
      listChanged: {
        tools: { ...AT_ONCE, onChanged: () => changes.tools.note() },
        resources: { ...AT_ONCE, onChanged: () => changes.resources.note() },
        prompts: { ...AT_ONCE, onChanged: () => changes.prompts.note() },
      },
    },
  );
  const calls = createToolCalls(client, deps.clock);
  const { startMs, callMs } = deps.limits ?? limitsOf(undefined, {});
  const again = { signal, timeout: startMs };
  const changing = (look: () => Promise<void> | void) =>
    createListChanges(look, deps.clock, signal);
  const changes = {
    tools: changing(async () => events.onTools(calls.note(await listTools(server, client, again)))),
    resources: changing(events.onResources),
    prompts: changing(async () => events.onPrompts(await listPrompts(client, again))),
  };
  const tellRoots = serveRoots(client, () => [deps.project, ...(deps.folders?.() ?? [])]);
  /** The addresses that it asked about, by its names for them: it speaks of the end of no others. */
  const visits = new Set<string>();
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => {
    if (params.mode === 'url' && visits.size < MAX_VISITS) visits.add(params.elicitationId);
    return deps.elicit({ server, params }, AbortSignal.any([signal, mcpReq.signal]));
  });
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
    if (visits.delete(params.elicitationId)) deps.elicited?.(server, params.elicitationId);
  });
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level, text } = logLine(params);
    events.onLog(level, text);
  });
  const stop = new AbortController();
  const limit = new AbortController();
  const starting = AbortSignal.any([signal, stop.signal, limit.signal]);
  const timer = deps.clock.sleep(startMs, stop.signal).then(() => {
    if (!stop.signal.aborted) limit.abort();
  });
  const options = { signal: starting, timeout: CALL_LIMIT_MS };
  try {
    await client.connect(transport, options);
    const tools = client.getServerCapabilities()?.tools
      ? calls.note(await listTools(server, client, options))
      : { tools: [], leftOut: [] };
    const { prompts, later } = await firstPrompts(client, deps.clock, again);
    // A server that cannot is one that says what it likes.
    if (client.getServerCapabilities()?.logging)
      client.setLoggingLevel(LOG_LEVEL, { timeout: CALL_LIMIT_MS, signal }).catch(() => {});
    const follow = () => {
      for (const one of Object.values(changes)) one.begin();
      tellRoots();
      later
        ?.then((listed) => {
          if (signal.aborted) return;
          if (listed !== null) events.onPrompts(listed);
          else events.onMissing(noPromptsText(startMs));
        })
        .catch(() => {});
    };
    return ok(
      connectionOver(client, transport, events, {
        ...{ tools, prompts, follow, tellRoots, callMs, calls },
        list: (ask, asking) => inTime(deps.clock, startMs, asking, ask),
      }),
    );
  } catch (thrown) {
    const isLate = limit.signal.aborted;
    await transport.close();
    const why = isLate
      ? `It did not answer within ${startMs / 1000} s.`
      : await reasonOf(thrown, transport);
    return err({
      why: withStderr(why, transport),
      needsSignIn: !isLate && wantsSignIn(thrown, transport),
    });
  } finally {
    stop.abort();
    await timer;
  }
}

type Client = InstanceType<typeof import('@modelcontextprotocol/client').Client>;

const noPromptsText = (limitMs: number): string =>
  `It did not list its prompts within ${limitMs / 1000} s: its tools are there, its prompts are not.`;

function connectionOver(
  client: Client,
  transport: ServerTransport,
  events: ConnectionEvents,
  {
    callMs,
    calls,
    list,
    ...known
  }: Pick<McpConnection, 'tools' | 'prompts' | 'follow' | 'tellRoots'> & {
    readonly callMs: number;
    readonly calls: ToolCalls;
    /** Asks for a list, which is given up when the time of a start is over. */
    readonly list: <T>(ask: (options: AskOptions) => Promise<T>, signal: AbortSignal) => Promise<T>;
  },
): McpConnection {
  const program = transport.program();
  /** Makes a function that asks the server something, and says what went wrong. */
  const tried =
    <T>(ask: (options: AskOptions) => Promise<T>) =>
    async (signal: AbortSignal): Promise<Result<T, CallFault>> => {
      try {
        return ok(await ask({ signal, timeout: CALL_LIMIT_MS }));
      } catch (thrown) {
        if (signal.aborted)
          return err({ why: 'The call was stopped; the server was told.', isForgotten: false });
        const forgotten = isForgotten(thrown, transport);
        const why = withStderr(await reasonOf(thrown, transport), transport);
        // A server at an address that is not there any more says nothing by itself.
        if (forgotten) transport.lose?.(why, 'forgotten');
        else if (isLost(thrown) || wantsSignIn(thrown, transport)) transport.lose?.(why);
        const scope = scopeOf(thrown);
        if (scope !== null) events.onScope(scope);
        return err({ why, isForgotten: forgotten });
      }
    };
  const asked =
    <T>(ask: (options: AskOptions) => Promise<T>) =>
    async (signal: AbortSignal): Promise<Result<T, string>> => {
      const answer = await tried(ask)(signal);
      return answer.ok ? answer : err(answer.error.why);
    };
  return {
    ...known,
    getPrompt: (name, args, signal) =>
      tried((options) => client.getPrompt({ name, arguments: { ...args } }, options))(signal),
    info: infoOf(client),
    instructions: client.getInstructions() ?? '',
    call: (name, input, onprogress, signal) =>
      tried((options) => calls.call(name, input, { ...options, timeout: callMs, onprogress }))(
        signal,
      ),
    listResources: client.getServerCapabilities()?.resources
      ? asked(({ signal }) => list((options) => listResources(client, options), signal))
      : null,
    listTemplates: asked(({ signal }) => list((options) => listTemplates(client, options), signal)),
    readResource: (uri, signal) =>
      tried((options) => client.readResource({ uri }, options))(signal),
    printed: () => program?.stderr() ?? '',
    ended: (program?.ended ?? transport.gone ?? Promise.resolve('')).then((why) =>
      withStderr(why, transport),
    ),
    isForgotten: () => transport.isForgotten?.() === true,
    end: () => transport.close(),
  };
}

function infoOf(client: Client): McpConnection['info'] {
  const said = client.getServerVersion();
  return said ? { name: said.name, version: said.version } : null;
}
