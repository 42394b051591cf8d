import { plainLine } from '../../../shared/plain-line';
import { err, ok, type Result } from '../../../shared/result';
import type { ToolServerDetails, ToolServerView } from '../../../shared/tool-server';
import { clashOf, plainName } from '../permissions/server-names';
import {
  type HeldServer,
  type McpServerSetting,
  originOf,
  type ServerOrigin,
} from '../settings/mcp-servers';
import type { ToolSource } from '../tools/catalogue';
import { untilAborted } from '../until-aborted';
import type { CallFault, McpConnection } from './connection';
import { contentOf, contentText } from './mcp-tool';
import { createResourceTools, type ServerResources } from './resource-tools';
import { createServerLog } from './server-log';
import { asCommand, filledPrompt, promptArguments, type ServerPrompts } from './server-prompts';
import { createServerSignIns, type ServerSignIns } from './server-sign-ins';
import { heldState, idleView, serverDetails, serverView } from './server-views';
import { createToolContents } from './tool-contents';
import {
  type ServerMemory,
  serverKey,
  startToolServer,
  type ToolServer,
  type ToolServerDeps,
} from './tool-server';

/** The instructions of one server. */
export interface ServerInstructions {
  readonly server: string;
  readonly text: string;
}

/** A server as screens and programs show it. */
export interface McpServerStatus {
  readonly name: string;
  readonly status: ToolServer['status'] | 'disabled';
  /** Its own name and version, once it has said them. */
  readonly info: McpConnection['info'];
  /** Its tools, by the names that the server gives them. */
  readonly tools: readonly string[];
  /** The reason it failed. */
  readonly problem: string | null;
  /** The place it is defined in. */
  readonly source: ServerOrigin;
}

/** Dependencies of the servers of a session. */
export interface McpServersDeps extends ToolServerDeps {
  /** The servers that the settings name now. */
  readonly wanted: () => readonly McpServerSetting[];
  /** The servers that they name and keep from starting. */
  readonly held: () => readonly HeldServer[];
}

/** The tool servers of one session. They start beside everything else: nothing ever waits for one. */
export interface McpServers {
  readonly source: ToolSource;
  /** Starts the servers that settings name by now, and ends those that they no longer name. Returns at once. */
  sync(): void;
  status(): readonly McpServerStatus[];
  /** Returns all as a user sees them, sorted by name, also those that are not started. */
  views(): readonly ToolServerView[];
  /** Returns all that one offers and said. */
  details(name: string, signal: AbortSignal): Promise<ToolServerDetails>;
  /** Calls back when views or details may have changed; gives a function that ends it. */
  onView(listener: () => void): () => void;
  /** Connects to a server anew, e.g. one that failed; false when there is none of that name. Returns at once. */
  reconnect(name: string): boolean;
  /** Ends a server for this session, or starts it again; false when there is none of that name. Returns at once. */
  enable(name: string, on: boolean): boolean;
  /** Signs the user in to servers, and out. */
  readonly signIns: Pick<ServerSignIns, 'signIn' | 'stop' | 'signOut' | 'page'>;
  /** The resources of servers. */
  readonly resources: ServerResources;
  /** The prompts that a user can have servers write for the model. */
  readonly prompts: ServerPrompts;
  /** Calls a tool for a hook; gives its text. Waits for a server that is still to connect. The error is for a user. */
  callTool(
    server: string,
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Result<string, string>>;
  /** Resolves when the servers inside the program that drives Lathe are connected, or failed. */
  insideReady(): Promise<void>;
  /** Resolves when every server is connected, or failed. */
  ready(): Promise<void>;
  /** Starts what is to start, and resolves when the server whose prompt a command names is connected, or failed. */
  promptReady(command: string): Promise<void>;
  /** Returns what connected servers say about their tools, of those with a tool that `includes` lets through. */
  instructions(includes: (tool: string) => boolean): readonly ServerInstructions[];
  /** Ends all of them. */
  close(): Promise<void>;
}

/** Creates them; the first {@link McpServers.sync} starts them. One that failed is tried again when somebody asks for it. */
export function createMcpServers(given: McpServersDeps): McpServers {
  /** Somebody waits for a server. */
  const needed = Promise.withResolvers<void>();
  const { startsAfter } = given;
  const deps: McpServersDeps =
    startsAfter === undefined
      ? given
      : { ...given, startsAfter: Promise.race([startsAfter, needed.promise]) };
  const servers = new Map<string, ToolServer>();
  const leaving = new Set<Promise<void>>();
  const listeners = new Set<() => void>();
  /** Switched off for this session. */
  const disabled = new Set<string>();
  const watchers = new Set<() => void>();
  const memories = new Map<string, ServerMemory>();
  let offering = 0;
  const logged = new Map<string, number>();
  const stamps = (name: string) => ({ offering, revision: offering + (logged.get(name) ?? 0) });
  const viewed = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const changed = () => {
    offering += 1;
    for (const listener of [...listeners]) listener();
    viewed();
  };
  const memoryOf = (name: string): ServerMemory => {
    const known = memories.get(name);
    if (known !== undefined) return known;
    const log = createServerLog(deps.clock, () => {
      logged.set(name, (logged.get(name) ?? 0) + 1);
      viewed();
    });
    const memory = { log, contents: createToolContents() };
    memories.set(name, memory);
    return memory;
  };

  const end = (name: string, server: ToolServer): void => {
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
      if (setting === undefined || serverKey(setting, deps) !== server.key) end(name, server);
    }
    for (const [name, setting] of wanted)
      if (!servers.has(name))
        servers.set(
          name,
          startToolServer(setting, clashOf(name, wanted), deps, memoryOf(name), changed),
        );
    for (const { connection } of servers.values()) connection?.tellRoots();
    signIns.recheck();
    changed();
  };
  const reconnect: McpServers['reconnect'] = (name) => {
    if (!isWanted(name)) return false;
    needed.resolve();
    const server = servers.get(name);
    if (server) end(name, server);
    disabled.delete(name);
    sync();
    return true;
  };
  const signIns = createServerSignIns(deps, { servers, reconnect, changed });

  const ask = async <T>(
    name: string,
    question: (over: McpConnection) => Promise<Result<T, CallFault>>,
    signal: AbortSignal,
  ): Promise<Result<T, string>> => {
    const server = servers.get(name);
    const connection = server?.connection ?? null;
    if (server === undefined || connection === null) return err(NOT_CONNECTED);
    return server.calls.ask(connection, question, signal);
  };
  const resources: ServerResources = {
    servers: () =>
      [...servers].flatMap(([name, { connection }]) => (connection?.listResources ? name : [])),
    list: async (name, signal) =>
      (await servers.get(name)?.connection?.listResources?.(signal)) ?? err(NOT_CONNECTED),
    templates: async (name, signal) =>
      (await servers.get(name)?.connection?.listTemplates(signal)) ?? err(NOT_CONNECTED),
    read: (name, uri, signal) => ask(name, (over) => over.readResource(uri, signal), signal),
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
      const { name } = prompt.prompt;
      const question = (over: McpConnection) => over.getPrompt(name, given.value, signal);
      const filled = await ask(prompt.server, question, signal);
      return filled.ok ? ok(filledPrompt(filled.value)) : filled;
    },
  };
  const callTool: McpServers['callTool'] = async (server, tool, input, signal) => {
    needed.resolve();
    const { begun } = servers.get(server) ?? {};
    if (begun && (await untilAborted(begun, signal)) === 'aborted') return err(NOT_CONNECTED);
    const answer = await ask(server, (over) => over.call(tool, input, () => {}, signal), signal);
    if (!answer.ok) return answer;
    const text = contentText(contentOf(answer.value));
    return answer.value.isError === true ? err(text || 'the tool says that it failed') : ok(text);
  };
  const isWanted = (name: string) => deps.wanted().some((setting) => setting.name === name);

  return {
    resources,
    prompts,
    callTool,
    reconnect,
    signIns,
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
      arrival: (tool) => {
        const readsAll = resourceTools.some(({ name }) => name === tool);
        const coming = [...servers].filter(
          ([name, { status }]) =>
            status === 'pending' && (readsAll || tool.startsWith(`mcp__${plainName(name)}__`)),
        );
        if (coming.length === 0) return null;
        needed.resolve();
        return Promise.all(coming.map(([, { begun }]) => begun)).then(() => {});
      },
      maySearch: () => servers.size > 0,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    sync,
    status: () => [
      ...[...servers].map(([name, { setting, status, info, listed, problem }]) => ({
        ...{ name, status, info, problem, source: originOf(setting) },
        tools: listed.map((tool) => plainLine(tool.name, MAX_NAME_CHARS)),
      })),
      ...deps
        .wanted()
        .filter(({ name }) => disabled.has(name))
        .map((setting) => ({ ...OFF, name: setting.name, source: originOf(setting) })),
    ],
    views: () =>
      [
        ...[...servers.values()].map((server) =>
          serverView(server, signIns, stamps(server.setting.name)),
        ),
        ...deps
          .wanted()
          .filter(({ name }) => disabled.has(name))
          .map((setting) => idleView(setting, 'off', stamps(setting.name))),
        ...deps
          .held()
          .map((held) => idleView(held.setting, heldState(held), stamps(held.setting.name))),
      ].sort((a, b) => (a.name < b.name ? -1 : 1)),
    details: async (name, signal) => {
      const server = servers.get(name);
      if (server?.connection?.listResources && server.resources === null) {
        const listed = await server.connection.listResources(signal);
        // What was listed meanwhile anew is newer.
        if (server.connection !== null) server.resources ??= listed.ok ? listed.value : [];
        logged.set(name, (logged.get(name) ?? 0) + 1);
        viewed();
      }
      return serverDetails(server, memories.get(name)?.log);
    },
    onView: (listener) => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    insideReady: async () => {
      const inside = [...servers.values()].filter(({ setting }) => setting.inside);
      await Promise.all(inside.map(({ begun }) => begun));
    },
    ready: async () => {
      await Promise.all([...servers.values()].map(({ begun }) => begun));
    },
    promptReady: async (command) => {
      needed.resolve();
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
      signIns.close();
      for (const [name, server] of [...servers]) end(name, server);
      await Promise.all(leaving);
    },
  };
}

/** The longest name of a tool that programs are told. Characters. */
const MAX_NAME_CHARS = 200;

const NOT_CONNECTED = 'That server is not connected.';

const OFF = { status: 'disabled', info: null, tools: [], problem: null } as const;
