import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { err, ok, type Result } from '../../../shared/result';
import type { Ids } from '../ports';
import type { McpServerSetting } from '../settings/mcp-servers';
import type { ToolSource } from '../tools/catalogue';
import type { AnyTool } from '../tools/tool';
import {
  type ConnectInside,
  type ConnectionDeps,
  connectInside,
  connectServer,
  type McpConnection,
} from './connection';
import { createMcpTool } from './mcp-tool';

/** The most tools of one server; more would drown the others. */
const MAX_TOOLS = 1000;

/** The most of a server's instructions that goes to the model: every request carries them. Characters. */
const MAX_INSTRUCTIONS = 2000;

/** The instructions of one server. */
export interface ServerInstructions {
  readonly server: string;
  readonly text: string;
}

/** A server as screens and programs show it. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: 'pending' | 'connected' | 'failed';
  /** Its own name and version, once it has said them. */
  readonly info: McpConnection['info'];
  /** Its tools, by the names that the server gives them. */
  readonly tools: readonly string[];
  /** The reason it failed. */
  readonly problem: string | null;
  /** It runs inside the program that drives Lathe. */
  readonly inside: boolean;
}

/** Dependencies of the servers of a session. */
export interface McpServersDeps extends ConnectionDeps {
  readonly ids: Ids;
  /** The folder they run in. Absolute. */
  readonly project: string;
  /** The servers that the settings name now. */
  readonly wanted: () => readonly McpServerSetting[];
  /** The environment of commands, secrets removed. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
  /** Tells the user what became of a server. */
  readonly tell: (text: string) => void;
  /** Reaches servers inside the program that drives Lathe. Absent: no program does. */
  readonly connectInside?: ConnectInside;
}

/** The tool servers of one session. They start beside everything else: nothing ever waits for one. */
export interface McpServers {
  readonly source: ToolSource;
  /** Starts the servers that settings name by now, and ends those that they no longer name. Returns at once. */
  sync(): void;
  status(): readonly McpServerStatus[];
  /** Resolves when the servers inside the program that drives Lathe are connected, or failed. */
  insideReady(): Promise<void>;
  /** Returns what connected servers say about their tools, of those with a tool that `includes` lets through. */
  instructions(includes: (tool: string) => boolean): readonly ServerInstructions[];
  /** Ends all of them. */
  close(): Promise<void>;
}

interface Server {
  /** The whole of its setting: another one means another server. */
  readonly key: string;
  status: McpServerStatus['status'];
  tools: readonly AnyTool[];
  listed: readonly string[];
  info: McpConnection['info'];
  problem: string | null;
  instructions: string;
  readonly stop: AbortController;
  readonly inside: boolean;
  /** Resolves when it is no longer pending. */
  readonly begun: Promise<void>;
  hasBegun(): void;
  /** Resolves when it is gone, however that came. */
  readonly over: Promise<void>;
}

/** Creates them; the first {@link McpServers.sync} starts them. A server that failed is not tried again. */
export function createMcpServers(deps: McpServersDeps): McpServers {
  const servers = new Map<string, Server>();
  const leaving = new Set<Promise<void>>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };

  const start = (setting: McpServerSetting): Server => {
    const stop = new AbortController();
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
    const server: Server = {
      inside: setting.inside === true,
      begun,
      hasBegun,
      key: JSON.stringify(setting),
      status: 'pending',
      tools: [],
      listed: [],
      info: null,
      problem: null,
      instructions: '',
      stop,
      over: Promise.resolve()
        .then(() => run(setting, server))
        .catch((thrown: unknown) =>
          fail(server, `The tool server "${setting.name}" failed: ${thrown}`),
        ),
    };
    return server;
  };

  const fail = (server: Server, why: string): void => {
    server.status = 'failed';
    server.tools = [];
    server.problem = why;
    server.hasBegun();
    if (!server.stop.signal.aborted) deps.tell(why);
    changed();
  };

  const run = async (setting: McpServerSetting, server: Server): Promise<void> => {
    const { signal } = server.stop;
    const connection = await connect(setting, signal, (tools) => {
      if (server.status === 'connected') take(tools);
    });
    if (!connection.ok)
      return fail(server, `The tool server "${setting.name}" did not start. ${connection.error}`);
    const { call, ended, end } = connection.value;
    const take = (listed: readonly ServerTool[]): void => {
      server.tools = toolsOf(setting, listed, call);
      server.listed = listed.slice(0, MAX_TOOLS).map(({ name }) => name);
      changed();
    };
    server.status = 'connected';
    server.info = connection.value.info;
    server.instructions = shortened(connection.value.instructions);
    take(connection.value.tools);
    server.hasBegun();
    await Promise.race([ended, aborted(signal)]);
    await end();
    fail(server, `The tool server "${setting.name}" has ended; its tools are gone. ${await ended}`);
  };

  const connect = async (
    setting: McpServerSetting,
    signal: AbortSignal,
    onTools: (tools: readonly ServerTool[]) => void,
  ): Promise<Result<McpConnection, string>> => {
    if (setting.inside) {
      const { connectInside: connectTo } = deps;
      if (connectTo === undefined) return err('No program drives this session.');
      return connectInside((receive) => connectTo(setting.name, receive), deps, onTools, signal);
    }
    const base = { ...(await deps.env()), CLAUDE_PROJECT_DIR: deps.project };
    const filled = filledIn(setting, base);
    if (!filled.ok) return filled;
    const command = { ...filled.value, id: deps.ids.next('mcp'), cwd: deps.project };
    return connectServer(command, deps, onTools, signal);
  };

  const end = (name: string, server: Server): void => {
    servers.delete(name);
    server.stop.abort();
    leaving.add(server.over);
    server.over.finally(() => leaving.delete(server.over)).catch(() => {});
  };

  const sync = (): void => {
    const wanted = new Map(deps.wanted().map((setting) => [setting.name, setting]));
    for (const [name, server] of [...servers]) {
      const setting = wanted.get(name);
      if (setting === undefined || JSON.stringify(setting) !== server.key) end(name, server);
    }
    for (const [name, setting] of wanted) if (!servers.has(name)) servers.set(name, start(setting));
    changed();
  };

  return {
    source: {
      name: 'tool servers',
      list: () => [...servers.values()].flatMap(({ tools }) => tools),
      pending: () =>
        [...servers].flatMap(([name, { status }]) => (status === 'pending' ? [name] : [])),
      maySearch: () => servers.size > 0,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    sync,
    status: () =>
      [...servers].map(([name, { status, info, listed, problem, inside }]) => ({
        name,
        status,
        info,
        tools: listed,
        problem,
        inside,
      })),
    insideReady: async () => {
      const inside = [...servers.values()].filter((server) => server.inside);
      await Promise.all(inside.map(({ begun }) => begun));
    },
    instructions: (includes) =>
      [...servers].flatMap(([name, { tools, instructions }]) =>
        instructions !== '' && tools.some((tool) => includes(tool.name))
          ? [{ server: name, text: instructions }]
          : [],
      ),
    close: async () => {
      for (const [name, server] of [...servers]) end(name, server);
      await Promise.all(leaving);
    },
  };
}

const shortened = (text: string): string =>
  text.length > MAX_INSTRUCTIONS
    ? `${text.slice(0, MAX_INSTRUCTIONS).toWellFormed()}\n(the rest is left out)`
    : text;

const toolsOf = (
  setting: McpServerSetting,
  listed: readonly ServerTool[],
  call: McpConnection['call'],
): readonly AnyTool[] =>
  listed.slice(0, MAX_TOOLS).flatMap((tool) => createMcpTool(setting, tool, call) ?? []);

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** A variable in a setting, e.g. `${TOKEN}` or `${PORT:-8080}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Fills the variables of a setting in. They come from the environment of commands, which holds no keys of Lathe; one
 * that is not set and has no default is an error. Pure.
 */
export function filledIn(
  { command, args, env }: Pick<McpServerSetting, 'command' | 'args' | 'env'>,
  base: Readonly<Record<string, string>>,
): Result<{ argv: readonly string[]; env: Readonly<Record<string, string>> }, string> {
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(VARIABLE, (_, name: string, otherwise: string | undefined) => {
      const value = base[name] ?? otherwise;
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
  const argv = [command, ...args].map(fill);
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
  if (missing.size > 0) {
    return err(`These variables are not set for it: ${[...missing].join(', ')}.`);
  }
  return ok({ argv, env: { ...base, ...own } });
}
