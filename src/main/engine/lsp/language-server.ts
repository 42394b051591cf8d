import { isAbsolute, resolve } from 'node:path';
import { plainLine, withoutHidden } from '../../../shared/plain-line';
import { err, ok, type Result } from '../../../shared/result';
import { filledIn } from '../mcp/filled-in';
import type { Clock, Commands, Files, Ids } from '../ports';
import type { LanguageServerSetting } from '../settings/plugins/language-servers';
import { CAPABILITIES, languageOf } from './configuration';
import { connect, type LspConnection } from './connection';
import { createDocuments, type Documents, uriOf } from './documents';
import { createServerRequests, type ServerRequests, workspaceFolders } from './server-requests';

/** The most of what it printed that is told when it fails. Lines and characters. */
const MAX_PRINTED_LINES = 5;
const MAX_PRINTED = 600;

/** Dependencies of one language server. */
export interface LanguageServerDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Pick<Files, 'stat'>;
  readonly commands: Pick<Commands, 'start'>;
  readonly platform: string;
  readonly version: string;
  /** The environment that it is filled in from and started with. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
  /** Tells the user that something is wrong with it. */
  readonly tell: (text: string) => void;
  /** Hears of each change of its phase. */
  readonly changed: () => void;
}

/** The phase of a server. `missing`: there is no such program; `over`: it is not started any more. */
export type ServerPhase = 'idle' | 'starting' | 'running' | 'missing' | 'crashed' | 'over';

/** A server that runs. */
export interface RunningServer extends Pick<LspConnection, 'request' | 'notify'> {
  /** Its name and version, as it says; '' where it does not. */
  readonly program: string;
  readonly documents: Documents;
  /** Tells whether it answers requests of a method; `ability` is the name under which it says so. */
  offers(method: string, ability: string): boolean;
  wantsFileEvents(): boolean;
  working(): string | null;
}

/** One language server of a session for one folder. */
export interface LanguageServer {
  readonly setting: LanguageServerSetting;
  readonly root: string;
  phase(): ServerPhase;
  /** Returns the reason that it does not run; null when it does, or nobody needed it yet. */
  problem(): string | null;
  running(): RunningServer | null;
  /**
   * Starts it where it does not run, as often as it may be started; resolves once it runs, or with the reason that it does not.
   * `asked`: somebody asks it something, so that a program that was missing is looked for again.
   */
  ready(asked: boolean): Promise<Result<RunningServer, string>>;
  /** Ends it for good. */
  close(): Promise<void>;
}

/** Creates a server that is started by the first {@link LanguageServer.ready}. */
export function createLanguageServer(
  setting: LanguageServerSetting,
  root: string,
  deps: LanguageServerDeps,
): LanguageServer {
  const stop = new AbortController();
  let phase: ServerPhase = 'idle';
  let problem: string | null = null;
  let starting: Promise<Result<RunningServer, string>> | null = null;
  let running: RunningServer | null = null;
  let live: LspConnection | null = null;
  let starts = 0;
  const told = new Set<ServerPhase>();
  const enter = (next: ServerPhase, why: string | null) => {
    phase = stop.signal.aborted ? 'over' : next;
    problem = why;
    if (why !== null && !stop.signal.aborted && !told.has(phase)) {
      told.add(phase);
      deps.tell(`The language server ${setting.name}: ${why}`);
    }
    deps.changed();
  };

  const failed = (next: 'missing' | 'crashed', why: string, printed = '') => {
    const isLast = next === 'crashed' && starts > setting.maxRestarts;
    const whole = isLast ? `${why} ${noMore(setting)}` : why;
    enter(isLast ? 'over' : next, withPrinted(whole, printed));
    return err(problem ?? why);
  };
  const start = async (): Promise<Result<RunningServer, string>> => {
    const filled = filledIn(setting, await deps.env());
    if (!filled.ok) return failed('missing', filled.error);
    const { argv, env } = filled.value;
    const [program = ''] = argv;
    if (!(await isThere(program, root, env, deps))) return failed('missing', notThere(program));
    if (stop.signal.aborted) return err(ENDED);
    starts += 1;
    enter('starting', null);
    const begun = await begin(setting, root, { argv, env }, deps, stop.signal);
    if (!begun.ok) return failed('crashed', begun.error.why, begun.error.printed);
    const { connection, server } = begun.value;
    live = connection;
    running = server;
    enter('running', null);
    connection.ended
      .then((why) => {
        running = null;
        live = null;
        if (!stop.signal.aborted) failed('crashed', why, connection.printed());
        return connection.end();
      })
      .catch(() => {});
    return ok(server);
  };

  return {
    setting,
    root,
    phase: () => phase,
    problem: () => problem,
    running: () => running,
    ready: async (asked) => {
      if (running !== null) return ok(running);
      if (starting !== null) return starting;
      if (phase === 'over' || (phase === 'missing' && !asked)) return err(problem ?? ENDED);
      starting = start()
        .catch((thrown: unknown) => failed('crashed', String(thrown)))
        .finally(() => {
          starting = null;
        });
      return starting;
    },
    close: async () => {
      stop.abort('closed');
      // One that has begun this moment ends, too.
      await starting;
      if (live !== null) await goodbye(live, setting, deps.clock);
      enter('over', null);
    },
  };
}

const ENDED = 'It has ended.';

const noMore = ({ maxRestarts }: LanguageServerSetting): string =>
  maxRestarts === 0
    ? 'It is not started again, as its plugin says.'
    : `It was started again ${maxRestarts} times, and is not any more.`;

const notThere = (program: string): string =>
  /[\\/]/.test(program)
    ? `there is no program ${program}.`
    : `${program} is not on the PATH. Install it; its plugin may say how.`;

/** Tells whether a program is there, so that one that is not can be told from one that fails. */
async function isThere(
  program: string,
  root: string,
  env: Readonly<Record<string, string>>,
  { files, platform }: Pick<LanguageServerDeps, 'files' | 'platform'>,
): Promise<boolean> {
  const isWindows = platform === 'win32';
  const ends = isWindows ? ['', ...(env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';')] : [''];
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const folders = /[\\/]/.test(program)
    ? [root]
    : path.split(isWindows ? ';' : ':').filter((folder) => isAbsolute(folder));
  for (const folder of folders)
    for (const end of ends) {
      const found = await files.stat(resolve(folder, program + end));
      if (found.ok && found.value.kind === 'file') return true;
    }
  return false;
}

/** Says goodbye to a server in the time that it has for it, and ends whatever is left. */
async function goodbye(
  connection: LspConnection,
  { shutdownTimeout }: LanguageServerSetting,
  clock: Clock,
): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(shutdownTimeout, over.signal);
  const leave = async () => {
    await connection.request('shutdown', undefined, shutdownTimeout, over.signal);
    connection.notify('exit');
    await connection.ended;
  };
  await Promise.race([leave(), late]);
  over.abort('over');
  await connection.end();
}

interface Begun {
  readonly connection: LspConnection;
  readonly server: RunningServer;
}

/** Starts a server and introduces itself to it, in the time that it has for that. */
async function begin(
  setting: LanguageServerSetting,
  root: string,
  command: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> },
  deps: LanguageServerDeps,
  signal: AbortSignal,
): Promise<Result<Begun, { readonly why: string; readonly printed: string }>> {
  let documents: Documents | null = null;
  const requests = createServerRequests(setting, root, () => documents?.refresh());
  const connection = await connect(
    deps,
    { ...command, id: deps.ids.next('lsp'), cwd: root },
    {
      onRequest: requests.answer,
      onNotification: (method, params) => {
        if (method === '$/progress') requests.progress(params);
        if (method === 'textDocument/publishDiagnostics') documents?.published(params);
      },
    },
  );
  const introduced = connection.request(
    'initialize',
    {
      processId: null,
      clientInfo: { name: 'Lathe', version: deps.version },
      ...{ rootPath: root, rootUri: uriOf(root), workspaceFolders: workspaceFolders(root) },
      capabilities: CAPABILITIES,
      initializationOptions: setting.initializationOptions,
    },
    setting.startupTimeout,
    signal,
  );
  const first = await Promise.race([
    introduced,
    connection.ended.then((why) => err({ message: why })),
  ]);
  const giveUp = async (why: string) => {
    await connection.end();
    return err({ why, printed: connection.printed() });
  };
  if (!first.ok) return giveUp(`it did not start: ${first.error.message}`);
  const abilities = Object(Object(first.value).capabilities) as Readonly<Record<string, unknown>>;
  const { positionEncoding: encoding = 'utf-16' } = abilities;
  if (encoding !== 'utf-16')
    return giveUp(
      `it counts characters as ${plainLine(String(encoding), 20)}, not as it was offered.`,
    );
  connection.notify('initialized', {});
  if (setting.settings !== undefined)
    connection.notify('workspace/didChangeConfiguration', { settings: setting.settings });
  const server = serverOf(connection, setting, abilities, requests, deps, signal);
  documents = server.documents;
  return ok({ connection, server: { ...server, program: programOf(first.value) } });
}

/** Returns a server that has said what it is able to. */
function serverOf(
  connection: LspConnection,
  setting: LanguageServerSetting,
  abilities: Readonly<Record<string, unknown>>,
  requests: ServerRequests,
  { clock }: LanguageServerDeps,
  signal: AbortSignal,
): Omit<RunningServer, 'program'> {
  const offers = (method: string, ability: string) =>
    isGiven(abilities[ability]) || requests.hasRegistered(method);
  const documents = createDocuments({
    clock,
    signal,
    notify: connection.notify,
    ask: (method, params, ms) => connection.request(method, params, ms, signal),
    languageOf: (path) => languageOf(path, setting) ?? 'plaintext',
    pulls: () => offers('textDocument/diagnostic', 'diagnosticProvider'),
    wants: wantsOf(abilities['textDocumentSync']),
  });
  return {
    documents,
    offers,
    request: connection.request,
    notify: connection.notify,
    wantsFileEvents: () => requests.hasRegistered('workspace/didChangeWatchedFiles'),
    working: requests.working,
  };
}

/** Returns the name and version that a server has for itself. */
function programOf(introduction: unknown): string {
  const { name, version } = Object(Object(introduction).serverInfo) as Readonly<
    Record<string, unknown>
  >;
  const words = [name, version].filter((word) => typeof word === 'string');
  return plainLine(words.join(' '), 100);
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false;

/** Returns the notices of documents that a server asks for. */
function wantsOf(sync: unknown): Parameters<typeof createDocuments>[0]['wants'] {
  if (typeof sync !== 'object' || sync === null)
    return { changes: sync !== 0, saves: typeof sync === 'number' && sync > 0 ? 'yes' : 'no' };
  const { change, save } = sync as Readonly<Record<string, unknown>>;
  const withText = Object(save).includeText === true;
  return { changes: change !== 0, saves: withText ? 'text' : isGiven(save) ? 'yes' : 'no' };
}

/** Returns a reason with the last that the program printed. */
function withPrinted(why: string, printed: string): string {
  const lines = withoutHidden(printed).trim().split('\n').slice(-MAX_PRINTED_LINES);
  const text = lines.join('\n').slice(-MAX_PRINTED).toWellFormed();
  return text === '' ? why : `${why} It printed:\n${text}`;
}
