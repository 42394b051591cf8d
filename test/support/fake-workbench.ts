import type { ShowTarget, WindowEntry } from '../../src/main/app/app-feed';
import type { Attention, Workbench } from '../../src/main/app/workbench';
import type { AppFeed, AppState, SessionFeed, SessionSummary } from '../../src/shared/contract';
import { err, fault, ok } from '../../src/shared/result';
import type { Project } from '../../src/shared/settings';
import type { TerminalInfo } from '../../src/shared/terminal';
import { EMPTY_AGENT, emptyTranscript } from '../../src/shared/transcript';
import { NO_COSTS_YET } from './costs';
import { EMPTY_DETAILS } from './fake-host/fake-servers';
import { HEALTHY } from './health';

/** A workbench in memory. `calls` records what arrived; `frames` what a page sent to the terminal host. */
export interface FakeWorkbench extends Workbench {
  readonly calls: readonly (readonly [method: string, ...args: unknown[]])[];
  readonly frames: readonly Uint8Array[];
  readonly shown: readonly ShowTarget[];
  /** Open streams and terminal channels; 0 when every page has let go. */
  readonly open: { watches: number; channels: number };
  emitApp(feed: AppFeed): void;
  emitFrame(frame: Uint8Array): void;
  endTerminals(): void;
  attend(attention: Attention): void;
  readonly closedWith: { readonly keepTerminals: boolean } | null;
}

const EMPTY_REPLAY = { considered: 0, changed: [], unchanged: 0, dead: null };

/** Builds a {@link FakeWorkbench}. `running` is what a quit would end. */
export function createFakeWorkbench(
  running: ReturnType<Workbench['running']> = {
    queries: 0,
    tasks: [],
    shells: 0,
    pinned: [],
    leftovers: 0,
    unsaved: [],
  },
): FakeWorkbench {
  const calls: [string, ...unknown[]][] = [];
  const frames: Uint8Array[] = [];
  const shown: ShowTarget[] = [];
  const open = { watches: 0, channels: 0 };
  const appListeners = new Set<(feed: AppFeed) => void>();
  const channels = new Set<{ onFrame(frame: Uint8Array): void; onClose(): void }>();
  const attentionListeners = new Set<(attention: Attention) => void>();
  let closedWith: { readonly keepTerminals: boolean } | null = null;

  const watchApp = (signal: AbortSignal) =>
    watch(signal, { type: 'state', state: EMPTY_STATE }, appListeners, open);
  const record = <T>(method: string, args: unknown[], value: T) => {
    calls.push([method, ...args]);
    return Promise.resolve(ok(value));
  };
  return {
    calls,
    frames,
    shown,
    open,
    get closedWith() {
      return closedWith;
    },
    emitApp: (feed) => {
      for (const listener of appListeners) listener(feed);
    },
    emitFrame: (frame) => {
      for (const channel of channels) channel.onFrame(frame);
    },
    endTerminals: () => {
      for (const channel of [...channels]) channel.onClose();
    },
    attend: (attention) => {
      for (const listener of attentionListeners) listener(attention);
    },
    watchApp,
    watchSession(sessionId, since, signal) {
      calls.push(['watchSession', sessionId, since]);
      const snapshot: SessionFeed = {
        type: 'snapshot',
        transcript: emptyTranscript(sessionId, 'epoch-1'),
        older: 0,
      };
      return watch(signal, snapshot, new Set(), open);
    },
    setPreferences: (patch) =>
      record('setPreferences', [patch], { ...EMPTY_STATE.preferences, ...patch }),
    listFolder: async (path) => {
      calls.push(['listFolder', path]);
      return path === '/nowhere'
        ? err(fault('not_found', '/nowhere does not exist.'))
        : ok({ path: path ?? '/home/ann', parent: '/', folders: [], looksLikeProject: false });
    },
    openProject: (path) => record('openProject', [path], projectAt(path, false)),
    trustProject: (path, trusted) =>
      record('trustProject', [path, trusted], projectAt(path, trusted)),
    openDemoProject: () => record('openDemoProject', [], projectAt('/demo', true)),
    forgetProject: (path) => record('forgetProject', [path], null),
    files: {
      find: (query) => record('findFiles', [query], { found: [], searched: 0, partial: false }),
      read: ({ path }) =>
        record('readFile', [path], { path, name: path, text: '', size: 0, cut: false }),
      image: (pick) => record('readImage', [pick], { mediaType: 'image/png', data: '' }),
      edit: ({ path, line }) => record('editFile', [path, line], null),
    },
    checkConnection: (entered) => record('checkConnection', [entered], null),
    setConnection: (choice) => record('setConnection', [choice], { kind: 'none' as const }),
    listPrompts: (...args) => record('listPrompts', args, []),
    listModels: async () => [],
    createSession: (project) => record('createSession', [project], sessionIn(project)),
    renameSession: (...args) => record('renameSession', args, null),
    archiveSession: (...args) => record('archiveSession', args, null),
    restoreSession: (...args) => record('restoreSession', args, null),
    listTrash: (...args) => record('listTrash', args, []),
    removeSession: (...args) => record('removeSession', args, null),
    async *exportSession(sessionId, format) {
      calls.push(['exportSession', sessionId, format]);
      yield ok('# A session\n');
    },
    async *searchSessions(text) {
      calls.push(['searchSessions', text]);
      yield ok({ hits: [], more: false, progress: null, note: null });
    },
    otherLogs: {
      page: (...args) =>
        record('otherLogs.page', args, { messages: [], start: 0, end: 0, size: 0 }),
      contents: (...args) => record('otherLogs.contents', args, { prompts: [], more: false }),
      copy: ({ itemId, ...rest }) =>
        record('otherLogs.copy', [{ itemId, ...rest }], {
          ...{ sessionId: 'copied', project: '/p', prompt: null },
        }),
    },
    submit: (...args) => record('submit', args, null),
    stop: (...args) => record('stop', args, null),
    takeBack: (...args) => record('takeBack', args, { text: 'taken back' }),
    changeQueued: (...args) => record('changeQueued', args, null),
    editQueued: (...args) => record('editQueued', args, null),
    costs: (...args) => record('costs', args, NO_COSTS_YET),
    continueWork: (...args) => record('continueWork', args, null),
    commands: (...args) => record('commands', args, []),
    mentions: (...args) => record('mentions', args, []),
    agentTranscript: (...args) => record('agentTranscript', args, EMPTY_AGENT),
    prompt: (...args) => record('prompt', args, { text: 'again' }),
    rewind: (...args) => record('rewind', args, { text: 'again' }),
    previewRestore: (...args) => record('previewRestore', args, NOTHING_TO_RESTORE),
    diffRestore: (...args) => record('diffRestore', args, { path: args[2], hunks: [] }),
    restoreFiles: (...args) =>
      record('restoreFiles', args, { id: 'chk_1', count: 1, left: [], failed: [] }),
    changes: {
      list: (...args) => record('changes.list', args, { files: [], count: 0 }),
      diff: (...args) => record('changes.diff', args, { path: 'a', hunks: [], now: null }),
      revertHunk: (...args) =>
        record('changes.revertHunk', args, { id: 'chk_1', count: 1, left: [], failed: [] }),
    },
    commits: {
      view: (...args) => record('commits.view', args, null),
      diff: (...args) => record('commits.diff', args, { staged: [], unstaged: [] }),
      stage: (...args) => record('commits.stage', args, null),
      draft: (...args) => record('commits.draft', args, 'Begin'),
      commit: (...args) => record('commits.commit', args, { commit: 'abc1234', output: '' }),
      stop: (...args) => record('commits.stop', args, null),
    },
    fork: (...args) => record('fork', args, { sessionId: 'ses_fork', prompt: null }),
    changeContext: (...args) => record('changeContext', args, null),
    retryNow: (...args) => record('retryNow', args, null),
    configure: (...args) => record('configure', args, null),
    answer: (...args) => record('answer', args, null),
    stopTask: (...args) => record('stopTask', args, { killed: [1], survivors: [] }),
    cancelCall: (...args) => record('cancelCall', args, null),
    backgroundCall: (...args) => record('backgroundCall', args, null),
    permissions: {
      list: (...args) =>
        record('permissions.list', args, {
          mode: 'default' as const,
          modeWhy: '',
          rules: [],
          problems: [],
        }),
      replay: (...args) => record('permissions.replay', args, EMPTY_REPLAY),
      addRule: (...args) => record('permissions.addRule', args, null),
      removeRule: (...args) => record('permissions.removeRule', args, null),
    },
    memory: {
      list: (project) =>
        record('memory.list', [project], {
          ...{ files: [], notes: [], leftOut: [], outside: [] },
          places: { project: '', local: '', user: '' },
        }),
      add: (project, place, text) => record('memory.add', [project, place, text], 'CLAUDE.md'),
      allowImport: (...args) => record('memory.allowImport', args, null),
    },
    toolServers: {
      watch: async function* (...args) {
        await record('toolServers.watch', args, null);
        yield [];
      },
      details: (...args) => record('toolServers.details', args, EMPTY_DETAILS),
      act: (...args) => record('toolServers.act', args, null),
    },
    plugins: {
      list: (project) =>
        record('plugins.list', [project], { plugins: [], marketplaces: [], problems: [] }),
      act: (project, act) => record('plugins.act', [project, act], null),
    },
    health: {
      view: () => record('health.view', [], HEALTHY),
      examine: (project) => record('health.examine', [project], []),
    },
    hooks: {
      setDisabled: (...args) => record('setDisabled', args, null),
      remove: (...args) => record('removeHook', args, null),
    },
    settings: {
      setDefaults: (...args) => record('setDefaults', args, null),
      changeKeys: (...args) => record('changeKeys', args, null),
    },
    createTerminal: (project, cols, rows) =>
      record('createTerminal', [project, cols, rows], terminalIn(project, cols, rows)),
    killTerminal: (...args) => record('killTerminal', args, { killed: [1], survivors: [] }),
    dismissTerminal: (...args) => record('dismissTerminal', args, null),
    takeWheel: (...args) => record('takeWheel', args, null),
    renameTerminal: (...args) => record('renameTerminal', args, null),
    pinTerminal: (...args) => record('pinTerminal', args, null),
    rerunTerminal: (terminalId) =>
      record('rerunTerminal', [terminalId], terminalIn('/projects/demo', 80, 24)),
    listProcesses: () => record('listProcesses', [], []),
    killProcess: (...args) => record('killProcess', args, { killed: [1], survivors: [] }),
    endLeftovers: (...args) => record('endLeftovers', args, { killed: [1], survivors: [] }),
    forgetLeftovers: () => record('forgetLeftovers', [], null),
    restartTerminalHost: () => record('restartTerminalHost', [], null),
    async openTerminalChannel(onFrame, onClose) {
      const channel = { onFrame, onClose };
      channels.add(channel);
      open.channels += 1;
      return ok({
        send: (frame) => frames.push(new Uint8Array(frame)),
        close() {
          if (channels.delete(channel)) open.channels -= 1;
        },
      });
    },
    openWindow: (): WindowEntry => ({
      saw: (sessionId) => calls.push(['saw', sessionId]),
      opened: () => undefined,
      shown: () => ({ project: null, sessionId: null }),
      ask: () => undefined,
      watch: watchApp,
      close: () => calls.push(['windowClosed']),
    }),
    windowFor: () => null,
    show: (target) => shown.push(target),
    onAttention(listener) {
      attentionListeners.add(listener);
      return () => attentionListeners.delete(listener);
    },
    running: () => running,
    async close(options) {
      closedWith = options;
      return [];
    },
  };
}

async function* watch<T>(
  signal: AbortSignal,
  first: T,
  listeners: Set<(feed: T) => void>,
  open: { watches: number },
): AsyncGenerator<T, void> {
  const queue = [first];
  let wake = () => {};
  const push = (feed: T) => {
    queue.push(feed);
    wake();
  };
  listeners.add(push);
  open.watches += 1;
  try {
    while (!signal.aborted) {
      const next = queue.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  } finally {
    listeners.delete(push);
    open.watches -= 1;
  }
}

const EMPTY_STATE: AppState = {
  connection: { kind: 'none' },
  preferences: { theme: 'system', zoom: 1, layout: {} },
  recents: [],
  projects: [],
  sessions: [],
  terminals: [],
  leftovers: [],
  terminalHost: 'idle',
  keys: { file: '/home/ann/.claude/keybindings.json', bindings: [], problems: [] },
};

const projectAt = (path: string, trusted: boolean): Project => ({
  path,
  name: path.split('/').at(-1) ?? path,
  trusted,
  findings: [],
  problems: [],
});

const sessionIn = (project: string): SessionSummary => ({
  id: 'session-1',
  project,
  title: '',
  createdAt: 0,
  updatedAt: 0,
  running: false,
  needsAnswer: false,
  demo: false,
});

const terminalIn = (project: string, cols: number, rows: number): TerminalInfo => ({
  id: 'terminal-1',
  kind: 'shell',
  sessionId: '',
  project,
  title: 'bash',
  cwd: project,
  pid: 1,
  cols,
  rows,
  startedAt: 0,
});

const NOTHING_TO_RESTORE = { files: [], count: 0, conflicts: [], conflictCount: 0, lost: [] };
