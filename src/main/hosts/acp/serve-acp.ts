import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { PermissionMode } from '../../../shared/permission';
import type { Fault, Result } from '../../../shared/result';
import type { HeadlessOptions, OpenHeadless } from '../../app/headless-session';
import { type EditorSession, openEditorSession } from './editor-session';
import { replayed } from './updates';

/** The surroundings of `lathe acp`. */
export interface AcpParts {
  readonly input: Readable;
  readonly output: Writable;
  readonly open: OpenHeadless;
  /** Lists the sessions of a folder, newest first. Times are epoch milliseconds. */
  readonly list: (
    folder: string,
  ) => Promise<
    readonly { readonly id: string; readonly title: string; readonly updatedAt: number }[]
  >;
  /** Moves a session that is open nowhere into the trash. */
  readonly remove: (sessionId: string, folder: string) => Promise<Result<unknown>>;
  /** Aborts when the user or the system ends the run. */
  readonly ending: AbortSignal;
  readonly complain: (line: string) => void;
  readonly version: string;
}

/** The most sessions that an editor may have open at once: each has processes of its own. */
const MAX_SESSIONS = 20;

/**
 * Serves an editor that speaks the Agent Client Protocol until it closes the connection, then ends every session.
 * `asked` are the wishes of the command line for each of them.
 */
export async function serveAcp(asked: HeadlessOptions, parts: AcpParts): Promise<void> {
  const sessions = new Map<string, EditorSession>();
  const sessionOf = (id: string): EditorSession => {
    const session = sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };
  const begin = async (
    place: Place,
    client: AgentContext,
    resume?: string,
  ): Promise<EditorSession> => {
    if (sessions.size >= MAX_SESSIONS)
      throw RequestError.invalidRequest(
        undefined,
        `${MAX_SESSIONS} sessions are open. Close one first.`,
      );
    if (resume !== undefined && sessions.has(resume))
      throw RequestError.invalidRequest(undefined, 'This session is open already.');
    const opened = await openEditorSession(parts.open, optionsFor(asked, place, resume), client);
    if (!opened.ok) throw asRequestError(opened.error);
    const session = opened.value;
    sessions.set(session.id, session);
    for (const problem of session.problems) parts.complain(problem);
    return session;
  };
  const end = async (session: EditorSession): Promise<void> => {
    sessions.delete(session.id);
    const lost = await session.close();
    if (lost !== null) parts.complain(`Error: ${lost}`);
  };
  const app = agent({ name: 'lathe' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'lathe', title: 'Lathe', version: parts.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: {
          list: {},
          delete: {},
          close: {},
          resume: {},
          additionalDirectories: {},
        },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const session = await begin(params, client);
      session.tellCommands();
      return { sessionId: session.id, ...choicesOf(session) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const session = await begin(params, client, params.sessionId);
      for (const update of session.conversation().flatMap(replayed)) await session.tell(update);
      session.tellCommands();
      return choicesOf(session);
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      const session = await begin(
        { ...params, mcpServers: params.mcpServers ?? [] },
        client,
        params.sessionId,
      );
      session.tellCommands();
      return choicesOf(session);
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      const cwd = params.cwd ?? asked.folder;
      const found = await parts.list(cwd);
      return {
        sessions: found.map(({ id, title, updatedAt }) => ({
          sessionId: id,
          cwd,
          title,
          updatedAt: new Date(updatedAt).toISOString(),
        })),
      };
    })
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      const mode = PermissionMode.safeParse(params.modeId);
      if (!mode.success)
        throw RequestError.invalidParams(undefined, `There is no mode ${params.modeId}.`);
      const done = await sessionOf(params.sessionId).setMode(mode.data);
      if (!done.ok) throw asRequestError(done.error);
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => {
      const session = sessionOf(params.sessionId);
      const done = await session.choose(params.configId, params.value);
      if (!done.ok) throw asRequestError(done.error);
      return { configOptions: session.configOptions() };
    })
    .onRequest(methods.agent.session.prompt, async ({ params, signal }) => {
      const answered = await sessionOf(params.sessionId).prompt(params.prompt, signal);
      if (!answered.ok) throw asRequestError(answered.error);
      return { stopReason: answered.value };
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await end(sessionOf(params.sessionId));
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params }) => {
      const open = sessions.get(params.sessionId);
      if (open !== undefined) await end(open);
      const removed = await parts.remove(params.sessionId, asked.folder);
      if (!removed.ok) throw asRequestError(removed.error);
      return {};
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.cancel();
    });
  const connection = app.connect(
    // The types of Node's streams differ from those of the web in what a done read may leave out.
    ndJsonStream(
      Writable.toWeb(parts.output),
      Readable.toWeb(parts.input) as unknown as ReadableStream<Uint8Array>,
    ),
  );
  const close = () => connection.close();
  parts.ending.addEventListener('abort', close, { once: true });
  await connection.closed.catch(() => {});
  parts.ending.removeEventListener('abort', close);
  const lost = await Promise.all([...sessions.values()].map((session) => session.close()));
  for (const words of lost) if (words !== null) parts.complain(`Error: ${words}`);
}

/** The place of a session, as editors name it. */
interface Place {
  readonly cwd: string;
  readonly mcpServers: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
}

function optionsFor(
  asked: HeadlessOptions,
  { cwd, mcpServers, additionalDirectories = [] }: Place,
  resume: string | undefined,
): HeadlessOptions {
  const named = JSON.stringify({ mcpServers: Object.fromEntries(mcpServers.map(serverSetting)) });
  return {
    ...asked,
    folder: cwd,
    driven: true,
    wishes: { ...asked.wishes, saidAlone: true },
    addDirectories: [...asked.addDirectories, ...additionalDirectories],
    ...(mcpServers.length === 0 ? {} : { mcpConfig: [...(asked.mcpConfig ?? []), named] }),
    ...(resume === undefined ? {} : { resume }),
  };
}

/** Returns a server as `.mcp.json` names it. */
function serverSetting(server: McpServer): readonly [string, object] {
  const named = (pairs: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
  if ('type' in server)
    return [server.name, { type: server.type, url: server.url, headers: named(server.headers) }];
  return [
    server.name,
    { type: 'stdio', command: server.command, args: server.args, env: named(server.env) },
  ];
}

const choicesOf = (session: EditorSession) => ({
  modes: session.modes(),
  configOptions: session.configOptions(),
});

/** Faults of what was asked for; all others are of Lathe or of what it needs. */
const ASKED_WRONGLY: ReadonlySet<string> = new Set([
  'bad_argument',
  'bad_option',
  'busy',
  'empty_prompt',
  'no_command',
  'not_found',
]);

const asRequestError = ({ code, message, fix }: Fault): RequestError => {
  const words = fix === undefined ? message : `${message} ${fix}`;
  if (code === 'no_session') return new RequestError(NOT_FOUND, words);
  return ASKED_WRONGLY.has(code)
    ? RequestError.invalidParams(undefined, words)
    : RequestError.internalError(undefined, words);
};

/** The protocol's code for what is not there. */
const NOT_FOUND = -32_002;
