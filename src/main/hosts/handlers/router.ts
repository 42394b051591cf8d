import { implement } from '@orpc/server';
import { type AppInfo, contract } from '../../../shared/contract';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { WindowEntry } from '../../app/app-feed';
import type { Workbench } from '../../app/workbench';

/** The services of a window: the app behind it, what it may know of its host, and the host's own folder dialog. */
export interface WindowServices {
  readonly workbench: Workbench;
  readonly info: AppInfo;
  /** The window that is served. */
  readonly window: WindowEntry;
  /** Ends Lathe in good order. A host with dialogs of its own asks first. */
  quit(keepTerminals: boolean): void;
  /** Opens the system's folder dialog; null when the user cancelled it. */
  pickFolder(): Promise<Result<string | null>>;
  /** Returns the text in the system's clipboard. Absent in a host whose page has one of its own. */
  clipboardText?(): Promise<string>;
  /** Opens the menu of the app at a place in the window. Absent in a host that has none. */
  openMenu?(place: { readonly x: number; readonly y: number }): void;
}

const NO_CLIPBOARD = fault('unsupported', 'This host has no clipboard.');
const NO_MENU = fault('unsupported', 'This host has no menu.');

/**
 * Creates what answers the contract. Inputs are checked by the contract before they arrive here; every host and every
 * transport uses this one router.
 */
export function createRouter(services: WindowServices) {
  const { workbench, info, window, quit, pickFolder } = services;
  const os = implement(contract);
  const { permissions, files } = workbench;
  return os.router({
    app: {
      info: os.app.info.handler(() => info),
      running: os.app.running.handler(() => ok(workbench.running())),
      quit: os.app.quit.handler(({ input }) => {
        quit(input.keepTerminals);
        return ok(null);
      }),
      ping: os.app.ping.handler(() => null),
      clipboardText: os.app.clipboardText.handler(async () => {
        const text = await services.clipboardText?.();
        return text === undefined ? err(NO_CLIPBOARD) : ok(text);
      }),
      openMenu: os.app.openMenu.handler(({ input }) => {
        services.openMenu?.(input);
        return services.openMenu === undefined ? err(NO_MENU) : ok(null);
      }),
      watch: os.app.watch.handler(({ signal }) => streamOf(window.watch(alive(signal)))),
      setPreferences: os.app.setPreferences.handler(({ input }) =>
        workbench.setPreferences(withoutUndefined(input)),
      ),
    },
    settings: {
      setDefaults: os.settings.setDefaults.handler(({ input }) =>
        workbench.settings.setDefaults(withoutUndefined(input)),
      ),
      changeKeys: os.settings.changeKeys.handler(({ input }) =>
        workbench.settings.changeKeys(input.changes),
      ),
    },
    folders: {
      list: os.folders.list.handler(({ input }) => workbench.listFolder(input.path)),
      pick: os.folders.pick.handler(() => pickFolder()),
    },
    projects: {
      open: os.projects.open.handler(async ({ input }) => {
        const opened = await workbench.openProject(input.path);
        if (opened.ok) window.opened(opened.value.path);
        return opened;
      }),
      trust: os.projects.trust.handler(({ input }) =>
        workbench.trustProject(input.path, input.trusted),
      ),
      openDemo: os.projects.openDemo.handler(async () => {
        const opened = await workbench.openDemoProject();
        if (opened.ok) window.opened(opened.value.path);
        return opened;
      }),
      forget: os.projects.forget.handler(({ input }) => workbench.forgetProject(input.path)),
    },
    files: {
      find: os.files.find.handler(({ input, signal }) => files.find(input, alive(signal))),
      read: os.files.read.handler(({ input, signal }) => files.read(input, alive(signal))),
      image: os.files.image.handler(({ input }) => files.image(input)),
      edit: os.files.edit.handler(({ input, signal }) => files.edit(input, alive(signal))),
    },
    connection: {
      check: os.connection.check.handler(({ input, signal }) =>
        workbench.checkConnection(input, signal ?? new AbortController().signal),
      ),
      set: os.connection.set.handler(({ input }) => workbench.setConnection(input)),
    },
    prompts: { list: os.prompts.list.handler(({ input }) => workbench.listPrompts(input.project)) },
    models: { list: os.models.list.handler(({ input }) => workbench.listModels(input.project)) },
    sessions: {
      create: os.sessions.create.handler(({ input }) => workbench.createSession(input.project)),
      rename: os.sessions.rename.handler(({ input }) =>
        workbench.renameSession(input.sessionId, input.title),
      ),
      remove: os.sessions.remove.handler(({ input }) => workbench.removeSession(input.sessionId)),
      archive: os.sessions.archive.handler(({ input }) =>
        workbench.archiveSession(input.sessionId, input.archived),
      ),
      restore: os.sessions.restore.handler(({ input }) =>
        workbench.restoreSession(input.sessionId),
      ),
      listTrash: os.sessions.listTrash.handler(({ input }) => workbench.listTrash(input.project)),
      search: os.sessions.search.handler(({ input, signal }) =>
        streamOf(workbench.searchSessions(input.text, alive(signal))),
      ),
      readOther: os.sessions.readOther.handler(({ input }) => workbench.otherLogs.page(input)),
      contentsOfOther: os.sessions.contentsOfOther.handler(({ input }) =>
        workbench.otherLogs.contents(input),
      ),
      copyOther: os.sessions.copyOther.handler(({ input }) => workbench.otherLogs.copy(input)),
      export: os.sessions.export.handler(({ input, signal }) =>
        streamOf(workbench.exportSession(input.sessionId, input.format, alive(signal))),
      ),
    },
    session: {
      watch: os.session.watch.handler(({ input, signal }) => {
        window.saw(input.sessionId);
        return streamOf(workbench.watchSession(input.sessionId, input.since, alive(signal)));
      }),
      agentTranscript: os.session.agentTranscript.handler(({ input }) =>
        workbench.agentTranscript(input.sessionId, input.agentId),
      ),
      submit: os.session.submit.handler(({ input }) =>
        workbench.submit(input.sessionId, input.text, input.priority, input.blocks, input.promptId),
      ),
      commands: os.session.commands.handler(({ input }) => workbench.commands(input.sessionId)),
      mentions: os.session.mentions.handler(({ input }) =>
        workbench.mentions(input.sessionId, input.kind),
      ),
      continueWork: os.session.continueWork.handler(({ input }) =>
        workbench.continueWork(input.sessionId, input.forSession),
      ),
      stop: os.session.stop.handler(({ input }) => workbench.stop(input.sessionId)),
      cancelCall: os.session.cancelCall.handler(({ input }) =>
        workbench.cancelCall(input.sessionId, input.callId),
      ),
      takeBack: os.session.takeBack.handler(({ input }) =>
        workbench.takeBack(input.sessionId, input.promptId),
      ),
      changeQueued: os.session.changeQueued.handler(
        ({ input: { sessionId, promptId, ...change } }) =>
          workbench.changeQueued(sessionId, promptId, change),
      ),
      editQueued: os.session.editQueued.handler(({ input, signal }) =>
        workbench.editQueued(input.sessionId, input.promptId, alive(signal)),
      ),
      prompt: os.session.prompt.handler(({ input }) =>
        workbench.prompt(input.sessionId, input.promptId),
      ),
      rewind: os.session.rewind.handler(({ input }) =>
        workbench.rewind(input.sessionId, input.promptId, input.restored),
      ),
      fork: os.session.fork.handler(({ input }) => workbench.fork(input.sessionId, input.until)),
      changeContext: os.session.changeContext.handler(({ input }) =>
        workbench.changeContext(input.sessionId, input.act),
      ),
      retryNow: os.session.retryNow.handler(({ input }) => workbench.retryNow(input.sessionId)),
      configure: os.session.configure.handler(({ input: { sessionId, ...change } }) =>
        workbench.configure(sessionId, change),
      ),
      answer: os.session.answer.handler(({ input }) =>
        workbench.answer(input.sessionId, input.approvalId, input.answer),
      ),
    },
    costs: { view: os.costs.view.handler(({ input }) => workbench.costs(input.project)) },
    health: {
      view: os.health.view.handler(() => workbench.health.view()),
      examine: os.health.examine.handler(({ input }) => workbench.health.examine(input.project)),
    },
    restore: {
      preview: os.restore.preview.handler(({ input }) =>
        workbench.previewRestore(input.sessionId, input.point),
      ),
      diff: os.restore.diff.handler(({ input }) =>
        workbench.diffRestore(input.sessionId, input.point, input.path),
      ),
      files: os.restore.files.handler(({ input }) =>
        workbench.restoreFiles(input.sessionId, input.point, input.overwrite),
      ),
    },
    changes: {
      list: os.changes.list.handler(({ input }) => workbench.changes.list(input.sessionId)),
      diff: os.changes.diff.handler(({ input }) =>
        workbench.changes.diff(input.sessionId, input.path),
      ),
      revertHunk: os.changes.revertHunk.handler(({ input }) =>
        workbench.changes.revertHunk(input.sessionId, input.path, input.now, input.hunk),
      ),
    },
    commits: {
      view: os.commits.view.handler(({ input }) => workbench.commits.view(input.sessionId)),
      diff: os.commits.diff.handler(({ input }) =>
        workbench.commits.diff(input.sessionId, input.path),
      ),
      stage: os.commits.stage.handler(({ input }) =>
        workbench.commits.stage(input.sessionId, input.path, input.staged, input.hunk),
      ),
      draft: os.commits.draft.handler(({ input }) => workbench.commits.draft(input.sessionId)),
      commit: os.commits.commit.handler(({ input }) =>
        workbench.commits.commit(input.sessionId, input.message),
      ),
      stop: os.commits.stop.handler(({ input }) => workbench.commits.stop(input.sessionId)),
    },
    permissions: {
      list: os.permissions.list.handler(({ input }) => permissions.list(input)),
      replay: os.permissions.replay.handler(({ input, signal }) =>
        permissions.replay(input, input, alive(signal)),
      ),
      addRule: os.permissions.addRule.handler(({ input }) => permissions.addRule(input, input)),
      removeRule: os.permissions.removeRule.handler(({ input }) =>
        permissions.removeRule(input, input),
      ),
    },
    hooks: {
      setDisabled: os.hooks.setDisabled.handler(({ input }) =>
        workbench.hooks.setDisabled(input.project, input.disabled),
      ),
      remove: os.hooks.remove.handler(({ input }) =>
        workbench.hooks.remove(input.project, input.hook),
      ),
    },
    memory: {
      list: os.memory.list.handler(({ input }) => workbench.memory.list(input.project)),
      add: os.memory.add.handler(({ input }) =>
        workbench.memory.add(input.project, input.place, input.text),
      ),
      allowImport: os.memory.allowImport.handler(({ input }) =>
        workbench.memory.allowImport(input.project, input.path, input.allowed),
      ),
    },
    toolServers: {
      watch: os.toolServers.watch.handler(({ input, signal }) =>
        streamOf(workbench.toolServers.watch(input.sessionId, alive(signal))),
      ),
      details: os.toolServers.details.handler(({ input, signal }) =>
        workbench.toolServers.details(input.sessionId, input.name, alive(signal)),
      ),
      act: os.toolServers.act.handler(({ input }) =>
        workbench.toolServers.act(input.sessionId, input.act),
      ),
    },
    plugins: {
      list: os.plugins.list.handler(({ input }) => workbench.plugins.list(input.project)),
      act: os.plugins.act.handler(({ input }) => workbench.plugins.act(input.project, input.act)),
    },
    tasks: {
      stop: os.tasks.stop.handler(({ input }) => workbench.stopTask(input.sessionId, input.taskId)),
      background: os.tasks.background.handler(({ input }) =>
        workbench.backgroundCall(input.sessionId, input.callId),
      ),
    },
    terminals: {
      create: os.terminals.create.handler(({ input }) =>
        workbench.createTerminal(input.project, input.cols, input.rows, input.profile),
      ),
      kill: os.terminals.kill.handler(({ input }) => workbench.killTerminal(input.terminalId)),
      dismiss: os.terminals.dismiss.handler(({ input }) =>
        workbench.dismissTerminal(input.terminalId),
      ),
      takeWheel: os.terminals.takeWheel.handler(({ input }) =>
        workbench.takeWheel(input.terminalId, input.taken),
      ),
      rename: os.terminals.rename.handler(({ input }) =>
        workbench.renameTerminal(input.terminalId, input.name),
      ),
      pin: os.terminals.pin.handler(({ input }) =>
        workbench.pinTerminal(input.terminalId, input.pinned),
      ),
      rerun: os.terminals.rerun.handler(({ input }) => workbench.rerunTerminal(input.terminalId)),
      processes: os.terminals.processes.handler(() => workbench.listProcesses()),
      killProcess: os.terminals.killProcess.handler(({ input }) =>
        workbench.killProcess(input.terminalId, input.pid, input.startTime),
      ),
      endLeftovers: os.terminals.endLeftovers.handler(({ input }) =>
        workbench.endLeftovers(input.ids),
      ),
      forgetLeftovers: os.terminals.forgetLeftovers.handler(() => workbench.forgetLeftovers()),
      restartHost: os.terminals.restartHost.handler(() => workbench.restartTerminalHost()),
    },
  });
}

/** The router of one window. */
export type WindowRouter = ReturnType<typeof createRouter>;

/** Returns the signal of a call; one without (none of our transports makes one) never ends early. */
const alive = (signal: AbortSignal | undefined): AbortSignal =>
  signal ?? new AbortController().signal;

/** oRPC streams iterator objects; a Workbench gives iterables. */
async function* streamOf<T>(events: AsyncIterable<T>): AsyncGenerator<T, void> {
  yield* events;
}

/** Removes fields that are `undefined`, as zod gives absent ones; the Workbench knows only absent ones. */
function withoutUndefined<T extends object>(
  value: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
