import { isAbsolute, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolServerView } from '../../../shared/tool-server';
import { worktreeAround } from '../agents/worktree';
import { filledIn } from '../mcp/filled-in';
import type { Files } from '../ports';
import type { LanguageServerSetting } from '../settings/plugins/language-servers';
import { shownServer } from '../settings/shown-server';
import { readPlace } from '../tools/builtin/support/current-text';
import type { FileFollower } from '../tools/middleware/follow-files';
import { languageOf } from './configuration';
import type { DocumentNews } from './documents';
import type { LanguageServer, LanguageServerDeps, ServerPhase } from './language-server';

/** The most servers of a session, more than anybody works with at a time: the one used longest ago is ended. */
export const MAX_SERVERS = 12;
/** The most that a user is told of in one session. */
const MAX_NOTICES = 100;
/** The most uses of files that wait for a server which begins. */
export const MAX_WAITING = 64;
/** Longer texts are not given to servers. Characters. */
const MAX_TEXT = 2_000_000;

/** Dependencies of the language servers of a session. */
export interface LanguageServersDeps extends Omit<LanguageServerDeps, 'changed'> {
  readonly files: Files;
  /** The servers that count now; none where nobody trusts the folder. The same list again until settings change. */
  readonly wanted: () => readonly LanguageServerSetting[];
  readonly project: string;
  /** The folders that are worked in beside the project. */
  readonly folders: () => readonly string[];
}

/** The language servers of one session. None starts before the first file that it is for. */
export interface LanguageServers {
  wanted(): readonly LanguageServerSetting[];
  /** Returns the server of a file, which need not run; null for a file that none is for. The error says why there is none. */
  serverOf(path: string): Promise<LanguageServer | string | null>;
  /** Takes in all open files that changed on the disk, and one that is asked about. */
  bringUpToDate(server: LanguageServer, path: string): Promise<string | null>;
  /** Hears of the files that the calls of one agent use. */
  follower(agent: string): FileFollower;
  /** Returns the faults that an agent's changes brought, as far as they are known. */
  news(agent: string): readonly DocumentNews[];
  /** Resolves when servers that run have looked through what an agent changed; null when they have. */
  settled(agent: string): Promise<void> | null;
  /** Returns all as a user sees them: one line for each, however many folders it looks after. */
  views(): readonly ToolServerView[];
  /** Calls back when views may have changed; gives a function that ends it. */
  onView(listener: () => void): () => void;
  /** Has one begin anew with the next file, however often it failed; false when there is none of that name. */
  restart(name: string): boolean;
  close(): Promise<void>;
}

/** Creates them. */
export function createLanguageServers(deps: LanguageServersDeps): LanguageServers {
  const servers = new Map<string, LanguageServer>();
  const leaving = new Set<Promise<void>>();
  const listeners = new Set<() => void>();
  /** The last work on each file: what is done with one file keeps its order. */
  const queues = new Map<string, Promise<void>>();
  let closed = false;
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  /** The texts that were told: a fault that each folder has alike is told once. */
  const told = new Set<string>();
  const tell = (text: string) => {
    if (told.has(text) || told.size >= MAX_NOTICES) return;
    told.add(text);
    deps.tell(text);
  };
  const end = (key: string, server: LanguageServer) => {
    servers.delete(key);
    const over = server.close().finally(() => leaving.delete(over));
    leaving.add(over);
  };
  let looked: readonly LanguageServerSetting[] = [];
  const wanted = (): readonly LanguageServerSetting[] => {
    const now = deps.wanted();
    if (now === looked) return now;
    looked = now;
    const kept = new Set(now.map((setting) => JSON.stringify(setting)));
    // What settings no longer name as it was is ended.
    for (const [key, server] of [...servers])
      if (!kept.has(JSON.stringify(server.setting))) end(key, server);
    changed();
    return now;
  };
  /** Ends the servers of folders that are gone, as those of worktrees are, and one where there are too many. */
  const makeRoom = async () => {
    for (const [key, server] of [...servers])
      if (!(await deps.files.stat(server.root)).ok && servers.get(key) === server) end(key, server);
    for (const [key, server] of [...servers].slice(0, Math.max(0, servers.size - MAX_SERVERS + 1)))
      end(key, server);
  };
  const settingOf = (path: string) =>
    wanted().find((setting) => languageOf(path, setting) !== null) ?? null;

  const use = (key: string, server: LanguageServer): LanguageServer => {
    servers.delete(key);
    servers.set(key, server);
    return server;
  };
  const serverOf = async (path: string): Promise<LanguageServer | string | null> => {
    const setting = settingOf(path);
    if (setting === null || closed) return null;
    const place = await placeOf(setting, path, deps);
    if (typeof place === 'string') return place;
    const { root, env } = place;
    const key = `${setting.name}\0${root}`;
    const known = servers.get(key);
    if (known !== undefined) return use(key, known);
    // Loaded with the first file that a server is for.
    const { createLanguageServer } = await import('./language-server');
    await makeRoom();
    if (closed) return null;
    const own = { ...deps, changed, tell, env };
    return use(key, servers.get(key) ?? createLanguageServer(setting, root, own));
  };

  const textOf = async (path: string): Promise<string | null> => {
    const place = await deps.files.locate(path);
    // What a call may read was decided by where the path led: a link that stands there now leads elsewhere.
    if (!place.ok || place.value.special || place.value.realPath !== path) return null;
    const read = await readPlace(place.value, deps.files);
    const text = read.ok ? (read.value.decoded?.text ?? null) : null;
    return text === null || text.length > MAX_TEXT ? null : text;
  };
  let waiting = 0;
  /** Does something with a file behind all that was begun with it before. */
  const inQueue = (path: string, act: () => Promise<void>): Promise<void> => {
    waiting += 1;
    const done = (queues.get(path) ?? Promise.resolve())
      .then(act)
      .catch(() => {})
      .finally(() => {
        waiting -= 1;
        if (queues.get(path) === done) queues.delete(path);
      });
    queues.set(path, done);
    return done;
  };
  const later = (work: Promise<void>) => void work.catch(() => {});
  const documentsFor = async (path: string) => {
    const server = await serverOf(path);
    if (server === null || typeof server === 'string') return null;
    const ready = await server.ready(false);
    return ready.ok ? ready.value : null;
  };
  const isOpen = (path: string) =>
    [...servers.values()].some((server) => server.running()?.documents.isOpen(path));

  /** The texts that are read now: a call that changes the file waits for them. */
  const reading = new Map<string, Promise<string | null>>();
  const read = (path: string): Promise<string | null> => {
    const text = textOf(path).finally(() => {
      if (reading.get(path) === text) reading.delete(path);
    });
    reading.set(path, text);
    return text;
  };
  const show = (path: string, reads: Promise<string | null>): void => {
    later(
      inQueue(path, async () => {
        const text = await reads;
        if (text !== null) (await documentsFor(path))?.documents.show(path, text);
      }),
    );
  };
  const edited = async (path: string, text: string, agent: string): Promise<void> => {
    const server = await documentsFor(path);
    if (server === null) return;
    // Before the change, what was there was opened.
    const created = !server.documents.isOpen(path);
    await server.documents.edited(path, text, agent, created);
    if (!server.wantsFileEvents()) return;
    const changes = [{ uri: pathToFileURL(path).href, type: created ? CREATED : CHANGED }];
    server.notify('workspace/didChangeWatchedFiles', { changes });
  };
  /** The edits that servers were not told of yet. */
  const edits = new Set<{
    readonly path: string;
    readonly agent: string;
    readonly done: Promise<void>;
  }>();
  const follower = (agent: string): FileFollower => ({
    before: (path) => {
      if (closed || settingOf(path) === null) return null;
      if (!isOpen(path) && !queues.has(path) && waiting < MAX_WAITING) show(path, read(path));
      return reading.get(path)?.then(() => {}) ?? null;
    },
    used: (path, access) => {
      if (closed || settingOf(path) === null) return;
      // What is left out here is taken in before the next question.
      if (waiting >= MAX_WAITING) return;
      const reads = read(path);
      if (access === 'read') return show(path, reads);
      const edit = {
        ...{ path, agent },
        done: inQueue(path, async () => {
          const text = await reads;
          if (text !== null) await edited(path, text, agent);
        }).finally(() => edits.delete(edit)),
      };
      edits.add(edit);
      later(edit.done);
    },
  });

  const ownOf = (name: string) => [...servers].filter(([, { setting }]) => setting.name === name);
  const running = () => [...servers.values()].flatMap((server) => server.running() ?? []);
  return {
    wanted,
    serverOf,
    bringUpToDate: async (server, path) => {
      await queues.get(path);
      const { documents } = server.running() ?? {};
      if (documents === undefined) return null;
      const all = new Set([...documents.paths(), path]);
      let own: string | null = null;
      await Promise.all(
        [...all].map(async (one) => {
          const text = await textOf(one);
          if (one === path) own = text;
          if (text === null) documents.close(one);
          else if (!queues.has(one)) documents.show(one, text);
        }),
      );
      return own;
    },
    follower,
    news: (agent) => running().flatMap(({ documents }) => documents.news(agent)),
    settled: (agent) => {
      const looking = () => running().flatMap(({ documents }) => documents.settled(agent) ?? []);
      const all = [...servers.values()];
      // A server that begins is not waited for.
      const untold = [...edits].filter(
        (edit) =>
          edit.agent === agent &&
          all.some((one) => one.running() !== null && languageOf(edit.path, one.setting) !== null),
      );
      if (untold.length === 0 && looking().length === 0) return null;
      return Promise.all(untold.map(({ done }) => done))
        .then(() => Promise.all(looking()))
        .then(() => {});
    },
    views: () =>
      wanted().map((setting) =>
        languageServerView(
          setting,
          ownOf(setting.name).map(([, one]) => one),
        ),
      ),
    onView: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    restart: (name) => {
      if (!wanted().some((setting) => setting.name === name)) return false;
      for (const [key, server] of ownOf(name)) end(key, server);
      // Whoever had it tried again wants to know.
      told.clear();
      changed();
      return true;
    },
    close: async () => {
      closed = true;
      for (const [key, server] of [...servers]) end(key, server);
      await Promise.all(leaving);
      await Promise.all(queues.values());
    },
  };
}

/** The kinds of changes of files, as servers are told them. */
const CREATED = 1;
const CHANGED = 2;

/**
 * Returns the folder that the server of a file looks after: the one that its setting names, else the innermost of those that are
 * worked in, worktrees included; with an environment that names the one worked in. A text says why there is none.
 */
async function placeOf(
  { workspaceFolder }: LanguageServerSetting,
  path: string,
  { project, folders, ...deps }: Pick<LanguageServersDeps, 'project' | 'folders' | 'env'>,
): Promise<(Pick<LanguageServerDeps, 'env'> & { readonly root: string }) | string> {
  const around = [project, ...folders()].filter((folder) => isInside(folder, path));
  const [innermost] = around.sort((a, b) => b.length - a.length);
  if (innermost === undefined) return OUTSIDE;
  const folder = worktreeAround(innermost, path)?.path ?? innermost;
  const env = async () => ({ ...(await deps.env()), CLAUDE_PROJECT_DIR: folder });
  if (workspaceFolder === undefined) return { root: folder, env };
  const filled = filledIn({ command: workspaceFolder, args: [], env: {} }, await env());
  if (!filled.ok) return 'its workspaceFolder has a variable that is not set.';
  return { root: resolve(folder, filled.value.argv[0] ?? ''), env };
}

/** Servers run what belongs to a file, such as rules of a linter beside it: to read one elsewhere was no trust in its folder. */
const OUTSIDE = 'the file is in none of the folders that are worked in.';

const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way.split(/[\\/]/, 1)[0] !== '..' && !isAbsolute(way);
};

const STATES: Readonly<Record<ServerPhase, ToolServerView['state']>> = {
  idle: 'idle',
  starting: 'connecting',
  running: 'connected',
  ...{ missing: 'failed', crashed: 'failed', over: 'failed' },
};

/** The phases of which one is told first, where a server looks after several folders. */
const FIRST: readonly ServerPhase[] = ['over', 'missing', 'crashed', 'running', 'starting', 'idle'];

/** Returns what is shown of a server that looks after some folders, or none yet. */
function languageServerView(
  { name, command, args, file, languages }: LanguageServerSetting,
  own: readonly LanguageServer[],
): ToolServerView {
  const phase = FIRST.find((one) => own.some((server) => server.phase() === one)) ?? 'idle';
  const shown = own.find((server) => server.phase() === phase);
  const { target } = shownServer({ command, args });
  return {
    ...{ name, state: STATES[phase], transport: 'stdio', target, file },
    languages: Object.keys(languages),
    program: shown?.running()?.program ?? '',
    problem: shown?.problem() ?? null,
    ...{ tools: 0, prompts: 0, resources: null, signIn: null, offering: 0, revision: 0 },
  };
}
