import type { Prompt, Tool as ServerTool } from '@modelcontextprotocol/client';
import { err, ok, type Result } from '../../../shared/result';
import type { Ids, Programs } from '../ports';
import type { McpServerSetting } from '../settings/mcp-servers';
import type { ToolSource } from '../tools/catalogue';
import type { AnyTool } from '../tools/tool';
import {
  type ConnectionDeps,
  type ConnectionEvents,
  connectInside,
  connectRemote,
  connectServer,
  type McpConnection,
} from './connection';
import { filledIn } from './filled-in';
import { helperHeaders } from './helper-headers';
import { createMcpTool } from './mcp-tool';
import { createResourceTools, type ServerResources } from './resource-tools';
import { clashOf, plainName } from './server-names';
import { asCommand, filledPrompt, promptArguments, type ServerPrompts } from './server-prompts';
import type { ConnectInside } from './transports';

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
  readonly status: 'pending' | 'connected' | 'failed' | 'disabled';
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
  readonly programs: Pick<Programs, 'run'>;
  /** The shell of commands. */
  readonly shell: string;
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
  /** Connects to a server anew, e.g. one that failed; false when there is none of that name. Returns at once. */
  reconnect(name: string): boolean;
  /** Ends a server for this session, or starts it again; false when there is none of that name. Returns at once. */
  enable(name: string, on: boolean): boolean;
  /** What servers have to read. */
  readonly resources: ServerResources;
  /** The prompts that a person can have servers write for the model. */
  readonly prompts: ServerPrompts;
  /** Resolves when the servers inside the program that drives Lathe are connected, or failed. */
  insideReady(): Promise<void>;
  /** Starts what is to start, and resolves when the server whose prompt a command names is connected, or failed. */
  promptReady(command: string): Promise<void>;
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
  prompts: readonly Prompt[];
  info: McpConnection['info'];
  problem: string | null;
  instructions: string;
  connection: McpConnection | null;
  readonly stop: AbortController;
  readonly inside: boolean;
  /** Resolves when it is no longer pending. */
  readonly begun: Promise<void>;
  hasBegun(): void;
  /** Resolves when it is gone, however that came. */
  readonly over: Promise<void>;
}

/** The pauses before the tries to reach again a server at an address that was lost. Milliseconds. */
export const RECONNECT_AFTER_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

/**
 * Creates them; the first {@link McpServers.sync} starts them. One at an address that was reached and is lost is tried
 * again for a while; any other that failed only when somebody asks for it.
 */
export function createMcpServers(deps: McpServersDeps): McpServers {
  const servers = new Map<string, Server>();
  const leaving = new Set<Promise<void>>();
  const listeners = new Set<() => void>();
  /** Switched off for this session. */
  const disabled = new Set<string>();
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };

  const start = (setting: McpServerSetting, clash: string | null): Server => {
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
      prompts: [],
      info: null,
      problem: null,
      instructions: '',
      connection: null,
      stop,
      over: Promise.resolve()
        .then(() => (clash === null ? run(setting, server) : fail(server, clash)))
        .catch((thrown: unknown) =>
          fail(server, `The tool server "${setting.name}" failed: ${thrown}`),
        ),
    };
    return server;
  };

  const fail = (server: Server, why: string): void => {
    server.status = 'failed';
    server.tools = [];
    server.connection = null;
    server.problem = why;
    server.hasBegun();
    if (!server.stop.signal.aborted) deps.tell(why);
    changed();
  };

  const run = async (setting: McpServerSetting, server: Server): Promise<void> => {
    const { signal } = server.stop;
    let end = await live(setting, server);
    if (!end.connected)
      return fail(server, `The tool server "${setting.name}" did not start. ${end.why}`);
    for (let tries = 0; setting.remote && !signal.aborted; tries += 1) {
      const pause = RECONNECT_AFTER_MS[tries];
      if (pause === undefined) break;
      server.status = 'pending';
      server.problem = end.why;
      changed();
      await deps.clock.sleep(pause, signal);
      if (signal.aborted) break;
      end = await live(setting, server);
      // It was there for a while: what comes next is another loss.
      if (end.connected) tries = -1;
    }
    const lost = `The tool server "${setting.name}" has ended; its tools are gone. ${end.why}`;
    fail(server, lost);
  };

  /** Connects to a server and serves its tools until it is lost; says whether it was reached, and why it is not any more. */
  const live = async (
    setting: McpServerSetting,
    server: Server,
  ): Promise<{ readonly connected: boolean; readonly why: string }> => {
    const { signal } = server.stop;
    const connected = await connect(
      setting,
      {
        onTools: (tools) => {
          if (server.status === 'connected') take(tools);
        },
        onResources: changed,
        onPrompts: (prompts) => {
          server.prompts = prompts;
          changed();
        },
      },
      signal,
    );
    if (!connected.ok) return { connected: false, why: connected.error };
    const connection = connected.value;
    const take = (listed: readonly ServerTool[]): void => {
      server.tools = toolsOf(setting, listed, connection.call);
      server.listed = listed.slice(0, MAX_TOOLS).map(({ name }) => name);
      changed();
    };
    server.status = 'connected';
    server.problem = null;
    server.connection = connection;
    server.info = connection.info;
    server.instructions = shortened(connection.instructions);
    server.prompts = connection.prompts;
    take(connection.tools);
    server.hasBegun();
    await Promise.race([connection.ended, aborted(signal)]);
    server.tools = [];
    server.connection = null;
    await connection.end();
    return { connected: true, why: await connection.ended };
  };

  const connect = async (
    setting: McpServerSetting,
    events: ConnectionEvents,
    signal: AbortSignal,
  ): Promise<Result<McpConnection, string>> => {
    if (setting.inside) {
      const { connectInside: connectTo } = deps;
      if (connectTo === undefined) return err('No program drives this session.');
      return connectInside(
        setting.name,
        (receive) => connectTo(setting.name, receive),
        deps,
        events,
        signal,
      );
    }
    const base = { ...(await deps.env()), CLAUDE_PROJECT_DIR: deps.project };
    const filled = filledIn(setting, base);
    if (!filled.ok) return filled;
    const { remote, argv, env } = filled.value;
    if (remote) {
      const given = await helperHeaders(setting.name, remote, { ...deps, env }, signal);
      if (!given.ok) return given;
      const server = { ...remote, headers: given.value };
      return connectRemote(setting.name, server, deps, events, signal);
    }
    const command = { argv, env, id: deps.ids.next('mcp'), cwd: deps.project };
    return connectServer(setting.name, command, deps, events, signal);
  };

  const end = (name: string, server: Server): void => {
    servers.delete(name);
    server.stop.abort();
    leaving.add(server.over);
    server.over.finally(() => leaving.delete(server.over)).catch(() => {});
  };

  const sync = (): void => {
    const settings = deps.wanted().filter(({ name }) => !disabled.has(name));
    const wanted = new Map(settings.map((setting) => [setting.name, setting]));
    for (const [name, server] of [...servers]) {
      const setting = wanted.get(name);
      if (setting === undefined || JSON.stringify(setting) !== server.key) end(name, server);
    }
    for (const [name, setting] of wanted)
      if (!servers.has(name)) servers.set(name, start(setting, clashOf(name, wanted)));
    changed();
  };

  const resources: ServerResources = {
    servers: () =>
      [...servers].flatMap(([name, { connection }]) => (connection?.listResources ? name : [])),
    list: async (name, signal) =>
      (await servers.get(name)?.connection?.listResources?.(signal)) ?? err(NOT_CONNECTED),
    read: async (name, uri, signal) =>
      (await servers.get(name)?.connection?.readResource(uri, signal)) ?? err(NOT_CONNECTED),
  };
  const resourceTools = createResourceTools(resources);
  const listPrompts = () => {
    const all = [...servers].flatMap(([name, { connection, prompts }]) =>
      connection === null ? [] : prompts.map((prompt) => asCommand(name, prompt)),
    );
    const byName = new Map(all.toReversed().map((one) => [one.name.toLowerCase(), one]));
    return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  const prompts: ServerPrompts = {
    list: listPrompts,
    find: (name) =>
      listPrompts().find((one) => one.name.toLowerCase() === name.toLowerCase()) ?? null,
    fill: async (prompt, args, signal) => {
      const given = promptArguments(prompt, args);
      if (!given.ok) return given;
      const connection = servers.get(prompt.server)?.connection ?? null;
      if (connection === null) return err(NOT_CONNECTED);
      const filled = await connection.getPrompt(prompt.prompt.name, given.value, signal);
      return filled.ok ? ok(filledPrompt(filled.value)) : filled;
    },
  };
  const isWanted = (name: string) => deps.wanted().some((setting) => setting.name === name);

  return {
    resources,
    prompts,
    reconnect: (name) => {
      if (!isWanted(name)) return false;
      const server = servers.get(name);
      if (server) end(name, server);
      disabled.delete(name);
      sync();
      return true;
    },
    enable: (name, on) => {
      if (!isWanted(name)) return false;
      if (on) disabled.delete(name);
      else disabled.add(name);
      sync();
      return true;
    },
    source: {
      name: 'tool servers',
      list: () => [
        ...[...servers.values()].flatMap(({ tools }) => tools),
        ...(resources.servers().length === 0 ? [] : resourceTools),
      ],
      pending: () =>
        [...servers].flatMap(([name, { status }]) => (status === 'pending' ? [name] : [])),
      maySearch: () => servers.size > 0,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    sync,
    status: () => [
      ...[...servers].map(([name, { status, info, listed, problem, inside }]) => ({
        ...{ name, status, info, tools: listed, problem, inside },
      })),
      ...deps
        .wanted()
        .filter(({ name }) => disabled.has(name))
        .map(({ name, inside = false }) => ({ ...OFF, name, inside })),
    ],
    insideReady: async () => {
      const inside = [...servers.values()].filter((server) => server.inside);
      await Promise.all(inside.map(({ begun }) => begun));
    },
    promptReady: async (command) => {
      sync();
      const named = [...servers].filter(([name]) =>
        command.toLowerCase().startsWith(`mcp__${plainName(name)}__`.toLowerCase()),
      );
      await Promise.all(named.map(([, { begun }]) => begun));
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

const NOT_CONNECTED = 'That server is not connected.';

const OFF = { status: 'disabled', info: null, tools: [], problem: null } as const;

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
