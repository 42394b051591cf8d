import { implement } from '@orpc/server';
import { type AgentEvent, MAIN_AGENT, type Stamped } from '../../../src/shared/agent-event';
import { applyEvent } from '../../../src/shared/apply-event';
import {
  type AppFeed,
  type AppInfo,
  type AppState,
  contract,
  type SessionFeed,
} from '../../../src/shared/contract';
import { err, fault, ok } from '../../../src/shared/result';
import type { ModelChoice, Project } from '../../../src/shared/settings';
import { snapshotPieces } from '../../../src/shared/snapshot';
import type { ProcessTree } from '../../../src/shared/terminal';
import { EMPTY_AGENT, type Transcript } from '../../../src/shared/transcript';
import { NO_COSTS_YET } from '../costs';
import { HEALTHY } from '../health';
import { fakeChanges, fakeCommits } from './fake-changes';
import { fakeKept } from './fake-kept';
import { fakeConfigured } from './fake-plugins';
import { fakeRestore } from './fake-restore';
import { fakeRules } from './fake-rules';
import { createHub, type Hub } from './hub';

/** What a fake engine starts with. */
export interface FakeScenario {
  readonly info: AppInfo;
  readonly app: AppState;
  readonly processes: readonly ProcessTree[];
  readonly models: readonly ModelChoice[];
  /** Folder → names of the folders in it. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
  /** Paths of files of the project, relative to it. */
  readonly files: readonly string[];
  readonly demoProject: Project;
  readonly transcripts: readonly Transcript[];
}

/** Keeps the contract over canned data, so that the screen can be built and tested without the real engine. */
export interface FakeEngine {
  readonly router: ReturnType<typeof createRouter>;
  app(): AppState;
  setApp(patch: Partial<AppState>): void;
  /** Makes something happen in a session, for every subscriber. */
  emit(sessionId: string, event: AgentEvent): void;
  transcript(sessionId: string): Transcript | undefined;
  /** Every call that changed something, by its path. */
  readonly calls: readonly { readonly path: string; readonly input: unknown }[];
  /** What each new session subscription asked for. */
  readonly watches: readonly { readonly sessionId: string; readonly since?: number }[];
}

interface Parts {
  readonly scenario: FakeScenario;
  readonly appHub: Hub<AppFeed>;
  readonly sessionHub: (id: string) => Hub<SessionFeed>;
  readonly sessions: Map<string, { transcript: Transcript; log: Stamped[] }>;
  readonly calls: { path: string; input: unknown }[];
  readonly watches: { sessionId: string; since?: number }[];
  app: AppState;
  processes: readonly ProcessTree[];
  readonly setApp: (patch: Partial<AppState>) => void;
}

/** Starts a fake engine over a scenario. */
export function createFakeEngine(scenario: FakeScenario): FakeEngine {
  const hubs = new Map<string, Hub<SessionFeed>>();
  const sessionHub = (id: string) => {
    const hub = hubs.get(id) ?? createHub<SessionFeed>();
    hubs.set(id, hub);
    return hub;
  };
  const parts: Parts = {
    scenario,
    appHub: createHub(),
    sessionHub,
    sessions: new Map(scenario.transcripts.map((t) => [t.sessionId, { transcript: t, log: [] }])),
    calls: [],
    watches: [],
    app: scenario.app,
    processes: scenario.processes,
    setApp(patch) {
      parts.app = { ...parts.app, ...patch };
      parts.appHub.send({ type: 'state', state: patch });
    },
  };
  return {
    router: createRouter(parts),
    app: () => parts.app,
    setApp: parts.setApp,
    calls: parts.calls,
    watches: parts.watches,
    transcript: (id) => parts.sessions.get(id)?.transcript,
    emit(sessionId, event) {
      const session = parts.sessions.get(sessionId);
      if (!session) return;
      const { epoch, seq } = session.transcript;
      const stamped: Stamped = {
        ...{ sessionId, agentId: MAIN_AGENT, epoch, seq: seq + 1, at: Date.now() },
        event,
      };
      session.transcript = applyEvent(session.transcript, stamped);
      session.log.push(stamped);
      sessionHub(sessionId).send({ type: 'event', stamped });
    },
  };
}

function createRouter(parts: Parts) {
  const os = implement(contract);
  const { scenario, calls } = parts;
  const did = (path: string, input: unknown) => calls.push({ path, input });
  /** Answers that it was done, and writes down what was asked. */
  const noted =
    <T = null>(path: string, value = null as T) =>
    ({ input }: { readonly input: unknown }) => {
      did(path, input);
      return ok(value);
    };
  const unknownFolder = (path: string) =>
    err(fault('no_folder', `${path} does not exist.`, 'Check the spelling or choose another one.'));
  const project = (path: string): Project =>
    parts.app.projects.find((p) => p.path === path) ?? {
      ...{ path, name: path.split('/').at(-1) ?? path },
      trusted: false,
      ...{ findings: [], problems: [] },
    };
  const keep = (p: Project) => {
    const projects = [p, ...parts.app.projects.filter((known) => known.path !== p.path)];
    const recents = [p.path, ...parts.app.recents.filter((known) => known !== p.path)];
    parts.setApp({ projects, recents });
    return ok(p);
  };
  return os.router({
    app: {
      info: os.app.info.handler(() => scenario.info),
      running: os.app.running.handler(() =>
        ok({ queries: 0, tasks: [], shells: 0, pinned: [], leftovers: 0, unsaved: [] }),
      ),
      quit: os.app.quit.handler(noted('app.quit')),
      ping: os.app.ping.handler(() => null),
      clipboardText: os.app.clipboardText.handler(() => ok('')),
      openMenu: os.app.openMenu.handler(noted('app.openMenu')),
      watch: os.app.watch.handler(({ signal }) =>
        parts.appHub.follow(signal, () => [{ type: 'state', state: parts.app }]),
      ),
      setPreferences: os.app.setPreferences.handler(({ input }) => {
        const given = Object.entries(input).filter(([, value]) => value !== undefined);
        const preferences = { ...parts.app.preferences, ...Object.fromEntries(given) };
        did('app.setPreferences', input);
        parts.setApp({ preferences });
        return ok(preferences);
      }),
    },
    settings: {
      setDefaults: os.settings.setDefaults.handler(noted('settings.setDefaults')),
      changeKeys: os.settings.changeKeys.handler(noted('settings.changeKeys')),
    },
    folders: {
      list: os.folders.list.handler(({ input }) => {
        const path = input.path ?? scenario.info.home;
        const names = scenario.folders[path];
        if (!names) return unknownFolder(path);
        const prefix = path === '/' ? '/' : `${path}/`;
        return ok({
          path,
          parent: path === '/' ? null : path.split('/').slice(0, -1).join('/') || '/',
          folders: names.map((name) => ({
            name,
            path: prefix + name,
            hidden: name.startsWith('.'),
          })),
          looksLikeProject: false,
        });
      }),
      pick: os.folders.pick.handler(() => ok(null)),
    },
    projects: {
      open: os.projects.open.handler(({ input }) => {
        const known = input.path in scenario.folders || parts.app.recents.includes(input.path);
        return known ? keep(project(input.path)) : unknownFolder(input.path);
      }),
      trust: os.projects.trust.handler(({ input }) =>
        keep({ ...project(input.path), trusted: input.trusted }),
      ),
      openDemo: os.projects.openDemo.handler(() => keep(scenario.demoProject)),
      forget: os.projects.forget.handler(({ input }) => {
        parts.setApp({ recents: parts.app.recents.filter((path) => path !== input.path) });
        return ok(null);
      }),
    },
    files: {
      find: os.files.find.handler(({ input }) => {
        const fits = scenario.files.filter((path) => path.includes(input.text));
        const found = fits.map((path) => ({ path, marks: [] }));
        return ok({ found, searched: scenario.files.length, partial: false });
      }),
      read: os.files.read.handler(({ input: { project, path } }) =>
        scenario.files.includes(path)
          ? ok({
              ...{ path: `${project}/${path}`, name: path, size: 48, cut: false },
              text: `// ${path}\nexport const answer = 42;\n`,
            })
          : err(fault('not_found', `There is no ${path}.`)),
      ),
      image: os.files.image.handler(() => err(fault('no_image', 'There are no images here.'))),
      edit: os.files.edit.handler(noted('files.edit')),
    },
    connection: {
      check: os.connection.check.handler(({ input }) =>
        input.key.startsWith('sk-')
          ? ok(null)
          : err(
              fault('unauthorized', 'The key was refused (401).', 'Check it and enter it again.'),
            ),
      ),
      set: os.connection.set.handler(({ input }) => {
        const connection = { kind: input.kind, from: 'a file only you can read' };
        parts.setApp({ connection });
        return ok(connection);
      }),
    },
    prompts: { list: os.prompts.list.handler(() => ok(['an older prompt', 'fix the login'])) },
    models: { list: os.models.list.handler(() => scenario.models) },
    sessions: {
      create: os.sessions.create.handler(({ input }) => createSession(parts, input.project)),
      rename: os.sessions.rename.handler(({ input }) => {
        const sessions = parts.app.sessions.map((s) =>
          s.id === input.sessionId ? { ...s, title: input.title } : s,
        );
        parts.setApp({ sessions });
        return ok(null);
      }),
      ...fakeKept(() => parts.app.sessions),
      remove: os.sessions.remove.handler(({ input }) => {
        parts.setApp({ sessions: parts.app.sessions.filter((s) => s.id !== input.sessionId) });
        return ok(null);
      }),
    },
    costs: { view: os.costs.view.handler(() => ok(NO_COSTS_YET)) },
    health: {
      view: os.health.view.handler(() => ok(HEALTHY)),
      examine: os.health.examine.handler(() => ok([])),
    },
    session: {
      watch: os.session.watch.handler(({ input, signal }) => watchSession(parts, input, signal)),
      agentTranscript: os.session.agentTranscript.handler(() => ok(EMPTY_AGENT)),
      commands: os.session.commands.handler(() =>
        ok([{ name: 'compact', description: 'Summarise the conversation', argumentHint: '' }]),
      ),
      mentions: os.session.mentions.handler(() => ok([{ path: 'agent:Explore', detail: 'Reads' }])),
      submit: os.session.submit.handler(noted('session.submit')),
      continueWork: os.session.continueWork.handler(noted('session.continueWork')),
      stop: os.session.stop.handler(noted('session.stop')),
      takeBack: os.session.takeBack.handler(() => ok({ text: 'taken back', blocks: [] })),
      changeQueued: os.session.changeQueued.handler(noted('session.changeQueued')),
      editQueued: os.session.editQueued.handler(noted('session.editQueued')),
      cancelCall: os.session.cancelCall.handler(noted('session.cancelCall')),
      prompt: os.session.prompt.handler(() => ok({ text: 'again' })),
      rewind: os.session.rewind.handler(noted('session.rewind', { text: 'again' })),
      fork: os.session.fork.handler(({ input }) => {
        did('session.fork', input);
        return ok({ sessionId: input.sessionId, prompt: null });
      }),
      changeContext: os.session.changeContext.handler(noted('session.changeContext')),
      retryNow: os.session.retryNow.handler(noted('session.retryNow')),
      configure: os.session.configure.handler(noted('session.configure')),
      answer: os.session.answer.handler(noted('session.answer')),
    },
    restore: fakeRestore(did),
    changes: fakeChanges(did),
    commits: fakeCommits(did),
    permissions: fakeRules(did),
    ...fakeConfigured(did),
    hooks: {
      setDisabled: os.hooks.setDisabled.handler(noted('hooks.setDisabled')),
      remove: os.hooks.remove.handler(noted('hooks.remove')),
    },
    tasks: {
      stop: os.tasks.stop.handler(({ input }) => {
        did('tasks.stop', input);
        return ok({ killed: [1], survivors: [] });
      }),
      background: os.tasks.background.handler(() => ok(null)),
    },
    terminals: {
      create: os.terminals.create.handler(({ input }) => {
        const [some] = parts.app.terminals;
        if (some === undefined) return err(fault('no_terminals', 'This fake host has no shells.'));
        const { endedAt: _, exitCode: _code, command: _command, taskId: _task, ...rest } = some;
        const count = parts.app.terminals.length + 1;
        const shell = {
          ...{ ...rest, id: `t${count}`, kind: 'shell' as const, title: `shell ${count}` },
          ...{ project: input.project, cwd: input.project, startedAt: Date.now() },
        };
        parts.setApp({ terminals: [...parts.app.terminals, shell] });
        return ok(shell);
      }),
      kill: os.terminals.kill.handler(() => ok({ killed: [1], survivors: [] })),
      dismiss: os.terminals.dismiss.handler(({ input }) => {
        parts.setApp({ terminals: parts.app.terminals.filter((t) => t.id !== input.terminalId) });
        return ok(null);
      }),
      takeWheel: os.terminals.takeWheel.handler(({ input: { terminalId, taken } }) => {
        parts.setApp({
          terminals: parts.app.terminals.map((t) =>
            t.id === terminalId ? { ...t, wheel: taken } : t,
          ),
        });
        return ok(null);
      }),
      rename: os.terminals.rename.handler(({ input: { terminalId, name } }) => {
        parts.setApp({
          terminals: parts.app.terminals.map(({ name: _, ...t }) =>
            t.id === terminalId && name !== '' ? { ...t, name } : t,
          ),
        });
        return ok(null);
      }),
      pin: os.terminals.pin.handler(({ input: { terminalId, pinned } }) => {
        parts.setApp({
          terminals: parts.app.terminals.map((t) => (t.id === terminalId ? { ...t, pinned } : t)),
        });
        return ok(null);
      }),
      rerun: os.terminals.rerun.handler(({ input }) => {
        const ended = parts.app.terminals.find(({ id }) => id === input.terminalId);
        if (ended === undefined) return err(fault('gone', 'There is no such terminal.'));
        const { endedAt: _, exitCode: _code, taskId: _task, ...rest } = ended;
        const again = { ...rest, id: 't3', kind: 'shell' as const, startedAt: Date.now() };
        const others = parts.app.terminals.filter(({ id }) => id !== again.id && id !== ended.id);
        parts.setApp({ terminals: [...others, again] });
        return ok(again);
      }),
      processes: os.terminals.processes.handler(() => ok(parts.processes)),
      killProcess: os.terminals.killProcess.handler(({ input }) => {
        parts.processes = parts.processes.map((tree) => ({
          ...tree,
          processes: tree.processes.filter(({ pid }) => pid !== input.pid),
        }));
        did('terminals.killProcess', input);
        return ok({ killed: [input.pid], survivors: [] });
      }),
      endLeftovers: os.terminals.endLeftovers.handler(({ input }) => {
        const left = parts.app.leftovers.filter(({ id }) => !input.ids.includes(id));
        parts.setApp({ leftovers: left });
        did('terminals.endLeftovers', input);
        return ok({ killed: [1], survivors: [] });
      }),
      forgetLeftovers: os.terminals.forgetLeftovers.handler(() => {
        parts.setApp({ leftovers: [] });
        did('terminals.forgetLeftovers', null);
        return ok(null);
      }),
      restartHost: os.terminals.restartHost.handler(() => {
        parts.setApp({ terminalHost: 'ready' });
        did('terminals.restartHost', null);
        return ok(null);
      }),
    },
  });
}

function createSession(parts: Parts, project: string) {
  const id = `ses_${parts.sessions.size + 1}`;
  const now = Date.now();
  const base = parts.scenario.transcripts[0];
  if (!base) return err(fault('no_base', 'The scenario has no transcript.'));
  const { model, effort, mode } = base;
  const transcript: Transcript = {
    ...base,
    ...{ sessionId: id, epoch: `ep_${id}`, seq: 0, cwd: project, createdAt: now, title: '' },
    ...{ committed: [], active: [], running: null, approvals: [], queue: [], tasks: [] },
    ...{ model, effort, mode, costUsd: 0, context: null },
  };
  parts.sessions.set(id, { transcript, log: [] });
  const summary = { id, project, title: '', createdAt: now, updatedAt: now };
  const session = { ...summary, running: false, needsAnswer: false, demo: false };
  parts.setApp({ sessions: [session, ...parts.app.sessions] });
  return ok(session);
}

async function* watchSession(
  parts: Parts,
  input: { sessionId: string; since?: { epoch: string; seq: number } | undefined },
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionFeed, void> {
  const { sessionId, since } = input;
  parts.watches.push({ sessionId, ...(since ? { since: since.seq } : {}) });
  const session = parts.sessions.get(sessionId);
  if (!session) throw new Error('no such session');
  yield* parts.sessionHub(sessionId).follow(signal, () => {
    const resumes = since?.epoch === session.transcript.epoch;
    const missed = session.log.filter((s) => since !== undefined && s.seq > since.seq);
    const start: SessionFeed[] = resumes
      ? missed.map((stamped) => ({ type: 'event', stamped }))
      : [...snapshotPieces(session.transcript)];
    return [...start, { type: 'caught_up' }];
  });
}
