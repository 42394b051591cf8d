import { err, fault, ok, type Result } from '../../shared/result';
import { type ModelChoice, type Project, TERMINAL_DEFAULTS } from '../../shared/settings';
import { type TerminalInfo, terminalLabel } from '../../shared/terminal';
import { costView } from '../engine/cost/cost-report';
import type { DayLedger } from '../engine/cost/day-ledger';
import type { Clock, Files, Locks } from '../engine/ports';
import type { SessionRuntime } from '../engine/session/session-runtime';
import { promptIn } from '../engine/sessions/branch';
import { exportSession } from '../engine/sessions/export';
import { listTrash } from '../engine/sessions/list';
import { type ResolveModel, withRefusals } from '../engine/settings/available-models';
import type { Telemetry } from '../engine/telemetry/tracing';
import type { LogSearches } from '../search/search-thread';
import { createAppFeed } from './app-feed';
import { type CommitServiceOptions, createCommitService } from './commit-service';
import type { ConnectionService } from './connection-service';
import type { FileFinder } from './file-finder';
import { createFileService, type OpenEditor } from './file-service';
import { createHealthService, type HealthServiceOptions } from './health-service';
import { createHookService, type HookServiceOptions } from './hook-service';
import { createMemoryService, type MemoryServiceOptions } from './memory-service';
import { createPermissionService, type PermissionServiceOptions } from './permission-service';
import { createPluginService, type PluginServiceOptions } from './plugin-service';
import { expandHome, listFolder, type ProjectRegistry } from './project-registry';
import { createPromptHistory } from './prompt-history';
import { tellSignals, watchAttention } from './session-attention';
import { sessionMentions } from './session-mentions';
import {
  createSessionRegistry,
  MAX_IDLE,
  nameOf,
  type SessionRegistryOptions,
} from './session-registry';
import type { SettingsService } from './settings-service';
import { type StateStore, withRecent } from './state-store';
import type { TerminalService } from './terminal-service';
import { createToolServerService } from './tool-server-service';
import type { Workbench } from './workbench';

export interface WorkbenchOptions {
  readonly files: Files;
  readonly home: string;
  readonly latheHome: string;
  readonly state: StateStore;
  readonly projects: ProjectRegistry;
  readonly connection: ConnectionService;
  readonly terminals: TerminalService;
  readonly finder: FileFinder;
  readonly openEditor: OpenEditor;
  readonly telemetry?: Telemetry | undefined;
  /** Hears of the first window. */
  readonly started?: (until: 'first window') => void;
  readonly searches: LogSearches;
  readonly ledger: DayLedger;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly openRuntime: SessionRegistryOptions['openRuntime'];
  readonly listModels: () => Promise<readonly ModelChoice[]>;
  readonly resolveModel: ResolveModel;
  readonly permissions: Pick<
    PermissionServiceOptions,
    'needsOf' | 'parser' | 'writer' | 'configDir' | 'platform'
  >;
  readonly health: Pick<HealthServiceOptions, 'host' | 'examine'>;
  readonly hooks: Omit<HookServiceOptions, 'projects'>;
  readonly memory: MemoryServiceOptions['services'];
  readonly commits: Omit<CommitServiceOptions, 'inSession'>;
  readonly plugins: Omit<PluginServiceOptions, 'settings' | 'refresh'>;
  readonly settings: SettingsService;
  /** Puts a fresh copy of the sample project in place and gives its folder. */
  readonly prepareDemo: () => Promise<Result<string>>;
}

const NO_PROJECT = fault('not_open', 'That folder is not open.', 'Open it first.');

/** Builds the app behind the windows from its parts. */
export async function createWorkbenchFrom(options: WorkbenchOptions): Promise<Workbench> {
  const { files, home, latheHome, state, projects, connection, terminals, settings } = options;
  const feed = createAppFeed(
    {
      connection: connection.current(),
      preferences: state.get().preferences,
      recents: state.get().recents,
      projects: [],
      sessions: [],
      terminals: await terminals.list(),
      leftovers: await terminals.leftovers(),
      terminalHost: 'idle',
      keys: settings.keys(),
    },
    (sessionId) => {
      const shown = sessions.runtimes().find((r) => r.session.log.sessionId === sessionId);
      shown?.denyPending();
    },
  );
  const sessions = createSessionRegistry({
    files,
    latheHome: options.latheHome,
    ...{ locks: options.locks, clock: options.clock },
    openRuntime: options.openRuntime,
    onChanged: (summaries) => feed.set({ sessions: summaries }),
  });
  const history = createPromptHistory(files, options.latheHome);
  const keepLines = () => {
    const { scrollback } = { ...TERMINAL_DEFAULTS, ...state.get().preferences.terminal };
    terminals.keepLines(scrollback);
  };
  keepLines();
  const lookForLeftovers = async () => feed.set({ leftovers: await terminals.leftovers() });
  const unlistenHost = terminals.onHostState((terminalHost) => {
    feed.set({ terminalHost });
    // A host that is lost leaves some, one that is silent holds some, and one that wakes takes them back.
    void lookForLeftovers();
  });
  settings.onKeysChanged((keys) => feed.set({ keys }));
  projects.onChanged(() => feed.set({ projects: projects.list() }));
  const attention = watchAttention(sessions);
  tellSignals(sessions, (request) => {
    const isNotice = request.signal.kind === 'notification';
    if (!isNotice || !state.get().preferences.silenced?.includes('hook')) feed.tell(request);
  });
  const unlisten = terminals.onChanged((list: readonly TerminalInfo[]) =>
    feed.set({ terminals: list }),
  );

  const opened = async (result: Result<Project>): Promise<Result<Project>> => {
    if (!result.ok) return result;
    const { path } = result.value;
    await state.update({ recents: withRecent(state.get().recents, path) });
    feed.set({ projects: projects.list(), recents: state.get().recents });
    await sessions.addProject(path);
    await ownTasks(path);
    const { cleanupPeriodDays: days } = projects.settings(path) ?? {};
    if (days !== undefined) void sessions.removeUnused(path, days).catch(() => {});
    return result;
  };

  /** Opens the sessions of a project whose tasks outlived an earlier Lathe, so that they are owned and told again. */
  const ownTasks = async (project: string): Promise<void> => {
    const running = (await terminals.list()).filter(
      (info) => info.project === project && info.taskId && info.endedAt === undefined,
    );
    const owners = new Set(running.map(({ sessionId }) => sessionId));
    await Promise.all([...owners].map((sessionId) => sessions.open(sessionId)));
  };

  const inSession = async <T>(
    sessionId: string,
    act: (runtime: SessionRuntime) => Result<T> | Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const runtime = await sessions.open(sessionId);
    return runtime.ok ? act(runtime.value) : runtime;
  };

  /** Returns the names of the terminals that run and go on when the app quits, by id. */
  const pinnedNow = (): ReadonlyMap<string, string> =>
    new Map(
      feed
        .get()
        .terminals.filter((t) => t.pinned === true && t.endedAt === undefined)
        .map((t) => [t.id, terminalLabel(t)]),
    );

  return {
    watchApp: feed.watch,
    setPreferences: async (patch) => {
      await state.update({ preferences: { ...state.get().preferences, ...patch } });
      keepLines();
      feed.set({ preferences: state.get().preferences });
      return ok(state.get().preferences);
    },
    listFolder: async (path) => listFolder(files, expandHome(path ?? home, home)),
    openProject: async (path) => opened(await projects.open(path)),
    trustProject: async (path, trusted) => opened(await projects.trust(path, trusted)),
    openDemoProject: async () => {
      const folder = await options.prepareDemo();
      return folder.ok ? opened(await projects.open(folder.value)) : folder;
    },
    forgetProject: async (path) => {
      projects.close(path);
      await state.update({ recents: state.get().recents.filter((other) => other !== path) });
      feed.set({ projects: projects.list(), recents: state.get().recents });
      return ok(null);
    },
    checkConnection: connection.check,
    setConnection: async (choice) => {
      const changed = await connection.choose(choice);
      feed.set({ connection: connection.current() });
      return changed;
    },
    listModels: async (project) => {
      const settings = project === undefined ? null : projects.settings(project);
      return withRefusals(await options.listModels(), settings ?? {}, options.resolveModel);
    },
    createSession: async (project) => {
      const known = projects.list().some((open) => open.path === project);
      return known ? sessions.create(project) : err(NO_PROJECT);
    },
    renameSession: (sessionId, title) => sessions.rename(sessionId, title),
    archiveSession: sessions.archive,
    removeSession: sessions.remove,
    restoreSession: sessions.restore,
    listTrash: async (project) => ok(await listTrash(options, project)),
    searchSessions: options.searches.search,
    otherLogs: options.searches.others,
    exportSession: async function* (sessionId, format, signal) {
      const running = sessions.runtimes().find((r) => r.session.log.sessionId === sessionId);
      await running?.session.log.flush();
      const { apiKey, authToken } = connection.credentials() ?? {};
      const secrets = [apiKey, authToken].filter((secret) => secret !== undefined);
      const open = projects.list().map(({ path }) => path);
      const told: string[] = [];
      const tell = (line: string) => void told.push(line);
      const request = { sessionId, format, secrets, projects: open, tell };
      yield* exportSession(files, latheHome, request, signal);
      const more = told.length > 1 ? ` So it is with ${told.length - 1} more of its files.` : '';
      if (told[0] !== undefined) yield ok({ told: `${told[0]}${more}` });
    },
    watchSession: async function* (sessionId, since, signal) {
      const runtime = await sessions.open(sessionId);
      if (runtime.ok) yield* runtime.value.session.log.subscribe(since, signal);
      else yield { type: 'refused', fault: runtime.error };
    },
    agentTranscript: (sessionId, agentId) =>
      inSession(sessionId, (r) => r.session.agentTranscript(agentId)),
    submit: (sessionId, text, priority, blocks, promptId) =>
      inSession(sessionId, async (r) => {
        const taken = await r.submit(text, priority, blocks, promptId);
        if (taken.ok) await history.add(r.session.project, text);
        return taken;
      }),
    listPrompts: async (project) => ok(await history.list(project)),
    commands: (sessionId) =>
      inSession(sessionId, async ({ session }) => {
        await session.settled();
        return ok(session.commands);
      }),
    mentions: (sessionId, kind) =>
      inSession(sessionId, async ({ session }) => ok(await sessionMentions(session, kind))),
    continueWork: (sessionId, forSession) =>
      inSession(sessionId, (r) => r.continueWork(forSession)),
    costs: async (project) =>
      ok(await costView(options.ledger, projects.settings(project)?.maxDailyBudgetUsd)),
    stop: (sessionId) => inSession(sessionId, (r) => r.stop()),
    takeBack: (sessionId, promptId) => inSession(sessionId, (r) => r.takeBack(promptId)),
    changeQueued: (sessionId, promptId, change) =>
      inSession(sessionId, (r) => r.changeQueued(promptId, change)),
    editQueued: (sessionId, promptId, signal) =>
      inSession(sessionId, (r) => r.editQueued(promptId, signal)),
    prompt: (sessionId, promptId) => inSession(sessionId, (r) => r.prompt(promptId)),
    rewind: (sessionId, promptId, restored) =>
      inSession(sessionId, (r) => r.rewind(promptId, restored)),
    previewRestore: (sessionId, point) =>
      inSession(sessionId, (r) => r.session.checkpoints.preview(point)),
    diffRestore: (sessionId, point, path) =>
      inSession(sessionId, (r) => r.session.checkpoints.diff(point, path)),
    restoreFiles: (sessionId, point, overwrite) =>
      inSession(sessionId, (r) => r.restoreFiles(point, overwrite)),
    changes: {
      list: (sessionId) => inSession(sessionId, (r) => r.session.checkpoints.changes()),
      diff: (sessionId, path) =>
        inSession(sessionId, (r) => r.session.checkpoints.changedText(path)),
      revertHunk: (sessionId, path, now, hunk) =>
        inSession(sessionId, (r) => r.revertHunk(path, now, hunk)),
    },
    commits: createCommitService({
      ...options.commits,
      inSession: (sessionId, act) => inSession(sessionId, ({ session }) => act(session)),
    }),
    fork: async (sessionId, until) => {
      const source = await sessions.open(sessionId);
      if (!source.ok) return source;
      const history = source.value.session.main.state.history();
      const place = until.kind === 'item' ? until.itemId : null;
      const promptId = until.kind === 'prompt' ? until.promptId : place;
      const prompt = promptId === null ? null : promptIn(history, promptId);
      const forked = await sessions.fork(sessionId, until);
      if (!forked.ok) return forked;
      return ok({ sessionId: forked.value.session.log.sessionId, prompt });
    },
    changeContext: (sessionId, act) => inSession(sessionId, (r) => r.changeContext(act)),
    retryNow: (sessionId) => inSession(sessionId, (r) => r.retryNow()),
    configure: (sessionId, change) => inSession(sessionId, (r) => r.configure(change)),
    answer: (sessionId, approvalId, answer) =>
      inSession(sessionId, (r) => r.answer(approvalId, answer)),
    stopTask: (sessionId, taskId) => inSession(sessionId, (r) => r.stopTask(taskId)),
    backgroundCall: (sessionId, callId) => inSession(sessionId, (r) => r.background(callId)),
    cancelCall: (sessionId, callId) => inSession(sessionId, (r) => r.cancelCall(callId)),
    files: createFileService({
      ...{ ...options, projects },
      caseInsensitive: /^(?:darwin|win32)$/.test(options.permissions.platform),
    }),
    permissions: createPermissionService({
      ...options.permissions,
      files,
      latheHome: options.latheHome,
      home,
      projects,
      sessions,
    }),
    health: createHealthService({
      ...options.health,
      ...{ runtimes: sessions.runtimes, idleLimit: MAX_IDLE, terminals },
    }),
    hooks: createHookService({ ...options.hooks, projects }),
    memory: createMemoryService({
      services: options.memory,
      settings: (project) => projects.settings(project),
    }),
    toolServers: createToolServerService({
      sessionOf: (sessionId) => inSession(sessionId, ({ session }) => ok(session)),
      clock: options.clock,
    }),
    plugins: createPluginService({
      ...options.plugins,
      settings: (project) => projects.settings(project),
      refresh: async () => {
        for (const { path } of projects.list()) await projects.refresh(path);
      },
    }),
    settings,
    createTerminal: async (project, cols, rows, profile) => {
      const known = projects.list().some((open) => open.path === project);
      return known ? terminals.openShell(project, cols, rows, profile) : err(NO_PROJECT);
    },
    killTerminal: terminals.kill,
    dismissTerminal: terminals.dismiss,
    takeWheel: terminals.takeWheel,
    renameTerminal: terminals.rename,
    pinTerminal: terminals.pin,
    rerunTerminal: terminals.rerun,
    listProcesses: terminals.processes,
    killProcess: terminals.killProcess,
    endLeftovers: async (ids) => {
      const report = await terminals.endLeftovers(ids);
      await lookForLeftovers();
      return report;
    },
    forgetLeftovers: async () => {
      const forgotten = await terminals.forgetLeftovers();
      await lookForLeftovers();
      return forgotten;
    },
    restartTerminalHost: terminals.restartHost,
    openTerminalChannel: terminals.openChannel,
    openWindow: () => {
      options.started?.('first window');
      return feed.openWindow();
    },
    windowFor: feed.windowFor,
    show: feed.show,
    onAttention: (listener) =>
      attention.listen((one) => {
        if (!state.get().preferences.silenced?.includes(one.kind)) listener(one);
      }),
    running: () => ({
      queries: sessions.runtimes().filter((r) => r.session.main.engine.isRunning).length,
      tasks: sessions
        .runtimes()
        .flatMap((r) => r.session.tasks.list())
        .filter((task) => task.status === 'running' && !pinnedNow().has(task.terminalId ?? ''))
        .map((task) => task.title),
      shells: feed
        .get()
        .terminals.filter((t) => t.kind === 'shell' && t.endedAt === undefined && t.pinned !== true)
        .length,
      pinned: [...pinnedNow().values()],
      leftovers: feed
        .get()
        .leftovers.flatMap((one) => (one.otherVersion === true ? [] : one.processes)).length,
      loose: feed.get().terminals.some((t) => t.endedAt === undefined && t.loose === true),
      unsaved: sessions
        .runtimes()
        .filter(({ session }) => session.log.transcript().unsaved !== null)
        .map(nameOf),
    }),
    close: async ({ keepTerminals }) => {
      unlisten();
      unlistenHost();
      settings.close();
      const lost = await sessions.closeAll({
        keepTasks: keepTerminals || new Set(pinnedNow().keys()),
      });
      await terminals.close({ keepTerminals });
      await connection.close();
      await options.searches.close();
      await options.telemetry?.close();
      return lost;
    },
  };
}
