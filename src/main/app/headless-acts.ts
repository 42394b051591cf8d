import { join, resolve } from 'node:path';
import type { PermissionMode } from '../../shared/permission';
import { err, fault, ok, type Result } from '../../shared/result';
import { isSettled } from '../../shared/task';
import { allItems } from '../../shared/transcript';
import { contextWindowOf, effortsOf } from '../engine/model/catalog';
import { fileRequest } from '../engine/permissions/build-request';
import { relativeInside } from '../engine/permissions/paths';
import { plainName } from '../engine/permissions/server-names';
import { styleNames } from '../engine/prompt/output-styles';
import type { Services } from '../engine/services';
import type { EditSettings } from '../engine/session/overlay';
import type { Session } from '../engine/session/session';
import { withField } from '../engine/settings/agent-defaults';
import type { EffectiveSettings } from '../engine/settings/effective';
import { toldName } from '../engine/settings/plugins/read-plugin';
import { observer } from '../engine/tasks/runners/observer';
import { needsContext } from '../engine/tools/environment';
import { requestsOf } from '../engine/tools/needs';
import { untilAborted } from '../engine/until-aborted';
import { createFileFinder } from './file-finder';
import type { HeadlessSession } from './headless-session';

/** The modes in which the tools of single servers are judged. */
export interface ServerModes {
  /** Returns the mode for a tool, which is never less strict than that of the session. */
  of(tool: string, mode: PermissionMode): PermissionMode;
  set(server: string, mode: 'default' | 'auto' | null): void;
}

/** Creates the modes of single servers; none has one. */
export function createServerModes(): ServerModes {
  const modes = new Map<string, 'default' | 'auto'>();
  return {
    of: (tool, mode) => {
      if (modes.size === 0 || (mode !== 'bypassPermissions' && mode !== 'auto')) return mode;
      const [, server] = /^mcp__(.+?)__/.exec(tool) ?? [];
      return (server !== undefined && modes.get(server)) || mode;
    },
    set: (server, mode) => {
      const name = plainName(server);
      if (mode === null) modes.delete(name);
      else if (modes.size < MAX_MODES) modes.set(name, mode);
    },
  };
}

/** More servers have no mode of their own. */
const MAX_MODES = 1_000;

interface HeadlessActsOptions {
  readonly services: Services;
  readonly session: Session;
  /** The folder whose configuration counts, and whether it does. */
  readonly root: string;
  readonly trusted: boolean;
  readonly settings: () => EffectiveSettings;
  readonly serverModes: ServerModes;
  /** Lets JSON of settings hold, in the place of what held so before; an error changes nothing. */
  readonly change: (text: string) => ReturnType<HeadlessSession['applySettings']>;
  /** Reads settings and definitions again. */
  readonly reload: HeadlessSession['reload'];
  readonly editSettings: (
    place: 'userSettings' | 'localSettings',
    edit: Parameters<EditSettings>[2],
  ) => ReturnType<EditSettings>;
}

/** Creates what a program may do in its session besides prompts: read it, change settings, load files again. */
export function createHeadlessActs(
  options: HeadlessActsOptions,
): Pick<
  HeadlessSession,
  | 'addFolder'
  | 'agentsAtWork'
  | 'observersBegun'
  | 'askAside'
  | 'effort'
  | 'efforts'
  | 'givenSettings'
  | 'permissionRules'
  | 'applySettings'
  | 'callTool'
  | 'contextUse'
  | 'planLimits'
  | 'conversation'
  | 'findFiles'
  | 'hooks'
  | 'onTerminalSequences'
  | 'outputStyles'
  | 'pluginProblems'
  | 'plugins'
  | 'readFile'
  | 'reload'
  | 'saveSetting'
  | 'seedRead'
  | 'setServerMode'
  | 'signIn'
  | 'signOut'
  | 'skills'
  | 'stopAgents'
  | 'stopTask'
  | 'taskOutput'
> {
  const { services, session, root, settings } = options;
  const finder = createFileFinder({
    programs: services.programs,
    clock: services.clock,
    breathe: () => new Promise((resume) => setImmediate(resume)),
  });
  let applied: Readonly<Record<string, unknown>> = {};
  const { state } = session.main;
  const stopTask: HeadlessSession['stopTask'] = async (taskId) => {
    const stopped = await session.tasks.stopByUser(taskId);
    return stopped.ok ? ok({}) : err(fault('not_stopped', stopped.message));
  };
  return {
    stopTask,
    askAside: session.asides.answer,
    effort: () => state.config().effort,
    efforts: () => effortsOf(state.config().model),
    conversation: () => allItems(session.log.transcript()),
    planLimits: () => session.log.transcript().planLimits,
    contextUse: () =>
      session.log.transcript().context ?? {
        ...NOTHING_USED,
        windowTokens: contextWindowOf(state.config().model),
      },
    givenSettings: () => settings().given ?? [],
    permissionRules: () => {
      const { rules } = session.permissions.now();
      const { additionalDirectories: folders, managedRulesOnly = false } = settings();
      return { rules, folders, managedOnly: managedRulesOnly };
    },
    // The end of one that was stopped is told with the next prompt, should one come.
    agentsAtWork: (observers = false) =>
      session.tasks
        .list()
        .some(
          ({ type, subAgentId, status, endTold }) =>
            subAgentId !== undefined &&
            (type === observer.type ? observers : !endTold) &&
            (!isSettled(status) || session.hasNews()),
        ),
    observersBegun: async (signal) => void (await untilAborted(session.observersBegun(), signal)),
    stopAgents: () => {
      for (const { id, subAgentId, status } of session.tasks.list())
        if (subAgentId !== undefined && status === 'running') stopTask(id).catch(() => {});
    },
    reload: options.reload,
    addFolder: async (folder, wishes) => {
      const added = await session.addFolder(folder, 'register_repo_root', wishes);
      return added.ok ? ok({}) : added;
    },
    skills: () => session.skillNames(),
    pluginProblems: () => {
      const { plugins = [], pluginProblems = [] } = settings();
      const inside = session.definitionProblems().flatMap((problem) => {
        const plugin = plugins.find(({ root }) => relativeInside(root, problem.file, false));
        return plugin === undefined ? [] : { ...problem, plugin: toldName(plugin) };
      });
      return [...pluginProblems, ...inside];
    },
    plugins: () =>
      (settings().plugins ?? []).map(({ name, root, version }) => ({
        name,
        path: root,
        ...(version === '' ? {} : { version }),
      })),
    outputStyles: () =>
      styleNames(services.files, {
        project: root,
        userFolder: services.configDir,
        includeProject: options.trusted,
        plugins: settings().plugins ?? [],
      }),
    applySettings: async (given) => {
      const merged = { ...applied, ...given };
      const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value != null));
      const done = await options.change(JSON.stringify(kept));
      if (!done.ok) return done;
      applied = kept;
      const { model, effortLevel, permissions } = given;
      const mode = Object(permissions)['defaultMode'];
      return asEmpty(
        await session.reconfigure({
          ...(model === undefined
            ? {}
            : { model: typeof model === 'string' ? model : (settings().model ?? 'default') }),
          ...(effortLevel == null ? {} : { effort: settings().effort }),
          ...(mode === undefined ? {} : { mode: settings().defaultMode }),
          source: 'sdk',
        }),
      );
    },
    saveSetting: async (place, name, value) => {
      if (place === 'localSettings' && !options.trusted && (await leadsElsewhere(services, root)))
        return err(
          fault('untrusted', 'The settings of this folder lie elsewhere, and nobody trusted it.'),
        );
      const written = await options.editSettings(place, (text, file) =>
        withField(text, file, name, value),
      );
      if (!written.ok) return written;
      await options.reload();
      return ok({});
    },
    readFile: async (path, maxBytes) => {
      const { rules, mode, context } = session.permissions.now();
      const request = await fileRequest('Read', 'read', path, context, services.files);
      const decision = services.decide(request, rules, mode, context);
      if (decision.behavior !== 'allow' || request.kind !== 'file')
        return err(fault('not_allowed', `${path} may not be read: ${decision.reason}`));
      const stat = await services.files.stat(request.realPath);
      if (!stat.ok) return stat;
      const read = await services.files.readRange(request.realPath, 0, maxBytes);
      return read.ok
        ? ok({ bytes: read.value, path: request.realPath, truncated: stat.value.size > maxBytes })
        : read;
    },
    seedRead: async (path, mtimeMs) => {
      const real = await services.files.realPath(resolve(state.cwd.get(), path));
      if (!real.ok) return real;
      const stat = await services.files.stat(real.value);
      if (!stat.ok) return stat;
      // What was read before that moment is what stands there; else an edit has to wait for another read.
      if (Math.floor(stat.value.mtimeMs) <= mtimeMs) {
        const { size, mtimeMs: seen } = stat.value;
        state.reads.set(real.value, { mtimeMs: seen, size, whole: true });
      }
      return ok({});
    },
    taskOutput: async (taskId, maxBytes) => {
      const task = session.tasks.list().find(({ id }) => id === taskId);
      if (task === undefined || task.subAgentId !== undefined)
        return err(fault('no_task', `There is no command "${taskId}" in the background.`));
      const { outputFile } = task;
      const stat = outputFile === undefined ? null : await services.files.stat(outputFile);
      // Nothing was printed yet, or its file is gone.
      if (outputFile === undefined || stat?.ok !== true)
        return ok({ end: new Uint8Array(), totalBytes: 0 });
      const { size } = stat.value;
      const read = await services.files.readRange(outputFile, Math.max(0, size - maxBytes), size);
      return read.ok ? ok({ end: read.value, totalBytes: size }) : read;
    },
    callTool: async (name, input, signal) => {
      const tool = await whenThere(session, name, signal);
      if (tool === null) return err(`there is no tool ${name}`);
      const { environment } = session.main;
      // The program named the tool itself: it may be used as it is now.
      const decided = await requestsOf(tool, input, needsContext(environment));
      const steps = tool.execute(input, {
        ...environment,
        ...{ callId: services.ids.next('ask'), decided, signal, askUser: null },
        backgroundRequested: new Promise(() => {}),
      });
      let step = await steps.next();
      while (!step.done) step = await steps.next();
      const { value: outcome } = step;
      return outcome.ok ? ok(tool.toModel(outcome.output)) : err(outcome.message);
    },
    signIn: async (server, signal) => {
      const { signIns } = session.servers;
      const shown = Promise.withResolvers<Result<string, string>>();
      const unlisten = session.onToolServers(() => {
        const page = signIns.page(server);
        if (page !== null && page !== '') shown.resolve(ok(page));
      });
      const stop = () => signIns.stop(server);
      signal.addEventListener('abort', stop, { once: true });
      // It goes on behind the answer, until the browser comes back.
      const done = signIns.signIn(server);
      const first = await Promise.race([shown.promise, done]);
      unlisten();
      signal.removeEventListener('abort', stop);
      return first;
    },
    signOut: (server) => session.servers.signIns.signOut(server),
    findFiles: async (text, signal) => {
      const found = await finder.find({ project: session.project, text }, signal);
      return found.ok ? ok(found.value.found) : found;
    },
    hooks: () => settings().hooks,
    onTerminalSequences: (listener) =>
      session.log.listen(({ event }) => {
        if (event.type === 'terminal_signals') listener(event.sequences);
      }),
    setServerMode: (server, mode) => {
      options.serverModes.set(server, mode);
      return session.toolServers().some(({ name }) => name === server);
    },
  };
}

/** The use of the context before the first answer. */
const NOTHING_USED = {
  usedTokens: 0,
  parts: { system: 0, tools: 0, memory: 0, messages: 0 },
  compactAt: null,
};

/** Tells whether the local settings of a project are a link, or in a linked folder. */
async function leadsElsewhere({ files }: Services, project: string): Promise<boolean> {
  const paths = [['.claude'], ['.claude', 'settings.local.json']].map((of) => join(project, ...of));
  const real = await Promise.all(paths.map((path) => files.realPath(path)));
  return real.some((found, at) => found.ok && found.value !== paths[at]);
}

/** Returns a tool of a tool server, waiting while one of them connects; null when it does not come. */
async function whenThere(session: Session, name: string, signal: AbortSignal) {
  for (;;) {
    const changed = Promise.withResolvers<void>();
    const unlisten = session.onToolServers(changed.resolve);
    signal.addEventListener('abort', () => changed.resolve(), { once: true });
    const tool = session.serverTool(name);
    const waits = session.toolServers().some(({ status }) => status === 'pending');
    if (tool === null && waits && !signal.aborted) await changed.promise;
    unlisten();
    if (tool !== null || !waits || signal.aborted) return tool;
  }
}

const asEmpty = (done: Result<null>): Result<Record<string, never>> => (done.ok ? ok({}) : done);
