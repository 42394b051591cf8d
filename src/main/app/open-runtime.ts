import type { PermissionMode, RuleSuggestion } from '../../shared/permission';
import { err, ok, type Result } from '../../shared/result';
import { DEMO_MODEL } from '../../shared/settings';
import { askedOutput } from '../engine/model/catalog';
import { createBroker } from '../engine/permissions/broker';
import type { SessionConfig } from '../engine/query-engine/options';
import type { StoredSession } from '../engine/sessions/list';
import { type LogWorld, type OpenLog, resumeLog, startLog } from '../engine/sessions/open-log';
import { scratchFolder } from '../engine/sessions/paths';
import type { EffectiveSettings } from '../engine/settings/effective';
import { createToolShelf } from '../engine/tools/tool-shelf';
import type { ConnectionKeeper } from './connection-keeper';
import { type EditSettings, UNTRUSTED } from './permission-updates';
import type { ProjectBook } from './project-book';
import { createRequestBuilder, type PromptWorld } from './request-builder';
import { assembleSession, type SessionWorld } from './session-factory';
import { createSessionRuntime, type SessionRuntime } from './session-runtime';
import { watchSettings } from './watched-settings';

/** What to open: a new session of a project, or one that is on disk. */
export type OpenTarget =
  | { readonly kind: 'new'; readonly project: string }
  | { readonly kind: 'resume'; readonly stored: StoredSession };

export interface OpenRuntimeOptions {
  readonly world: SessionWorld & LogWorld & PromptWorld;
  readonly projects: ProjectBook;
  readonly connection: ConnectionKeeper;
  /** A model's id for what a person calls it. */
  readonly resolveModel: (input: string) => Result<string>;
  /** The model when nobody chose one. */
  readonly defaultModel: (settings: EffectiveSettings) => Result<string>;
  /** Saves a rule where the person wants it. */
  readonly saveRule: (project: string, suggestion: RuleSuggestion) => Promise<Result<null>>;
  /** Changes a settings file and gives its path. */
  readonly editSettings: EditSettings;
}

/** Opens sessions for windows: settings and connection of the moment, a dialog for what asks. */
export function createRuntimeOpener(options: OpenRuntimeOptions) {
  const { world, projects, connection, resolveModel } = options;

  const defaultModel = (settings: EffectiveSettings): Result<string> =>
    connection.current().kind === 'demo' ? ok(DEMO_MODEL) : options.defaultModel(settings);

  const configOf = (open: OpenLog, settings: EffectiveSettings): Result<SessionConfig> => {
    const before = open.log.transcript();
    const model = before.model === '' ? defaultModel(settings) : ok(before.model);
    if (!model.ok) return model;
    return ok({
      model: model.value,
      effort: before.effort || settings.effort || DEFAULT_EFFORT,
      mode: before.model === '' ? settings.defaultMode : allowedMode(before.mode, settings),
    });
  };

  return async (target: OpenTarget): Promise<Result<SessionRuntime>> => {
    const project = target.kind === 'new' ? target.project : target.stored.project;
    const known = projects.settings(project) ? ok(null) : await projects.open(project);
    if (!known.ok) return known;
    const watched = watchSettings(() => projects.settings(project) ?? NO_SETTINGS);
    const settings = watched.now;
    const open = await openLog(target);
    if (!open.ok) return open;
    const config = configOf(open.value, settings());
    if (!config.ok) return config;

    const shelf = createToolShelf(world.registry.tools, open.value.history.messages());
    const requests = createRequestBuilder(world, {
      project,
      shelf,
      resumedAfter: open.value.history.messages().at(-1)?.id ?? null,
      trusted: () => projects.isTrusted(project),
      additionalDirectories: () => settings().additionalDirectories,
      rules: () => settings().rules,
      maxTokens: (model) => askedOutput(model, settings().maxOutputTokens),
      unattended: false,
      simple: settings().simple,
      language: settings().language,
      outputStyle: settings().outputStyle,
      scratchFolder: scratchFolder(open.value.paths.folder),
      onMemory: (files) => session.memoryLoaded(files),
      onProblem: (text) => {
        session.engine.record({ type: 'notice', level: 'warning', code: 'prompt_problem', text });
      },
    });
    const session = assembleSession(world, open.value, {
      project,
      shelf,
      config: config.value,
      limits: { maxTurns: null, maxBudgetUsd: null },
      model: connection.client(settings(), project),
      settings,
      createBroker,
      buildRequest: requests.build,
      folderMemory: requests.folderMemory,
      promptSections: requests.sections,
      remember: async (suggestion) => {
        if (suggestion.destination === 'session') {
          session.permissions.addRule({ behavior: 'allow', text: suggestion.rule });
          return ok(null);
        }
        return projects.changeSettings(project, () => options.saveRule(project, suggestion));
      },
      changeSettings: async (destination, edit) => {
        if (destination !== 'userSettings' && !projects.isTrusted(project)) return err(UNTRUSTED);
        const changed = await projects.changeSettings(project, () =>
          options.editSettings(project, destination, edit),
        );
        if (destination === 'userSettings') {
          for (const { path } of projects.list()) {
            if (path !== project) await projects.refresh(path);
          }
        }
        return changed;
      },
    });

    const { engine } = session;
    const prepare = async (): Promise<Result<null>> => {
      const problem = connection.problem(settings());
      if (problem) return err(problem);
      const refreshed = await projects.refresh(project);
      if (!refreshed.ok) return refreshed;
      await watched.review(session.configChanged);
      const isDemo = connection.current().kind === 'demo';
      if (isDemo !== (engine.config.model === DEMO_MODEL)) {
        const model = defaultModel(settings());
        if (!model.ok) return model;
        engine.configure({ model: model.value });
      }
      return ok(null);
    };
    return ok(
      createSessionRuntime({
        session,
        prepare,
        resolveModel,
        bypassAllowed: () => settings().bypassAllowed,
      }),
    );
  };

  function openLog(target: OpenTarget): Promise<Result<OpenLog>> {
    if (target.kind === 'resume') {
      const { file, id, project } = target.stored;
      return resumeLog(world, { file, project, sessionId: id });
    }
    const demo = connection.current().kind === 'demo';
    return startLog(world, { sessionId: world.ids.uuid(), project: target.project, demo });
  }
}

/** A mode that settings forbid by now is not taken up again. */
export const allowedMode = (mode: PermissionMode, settings: EffectiveSettings): PermissionMode =>
  mode === 'bypassPermissions' && !settings.bypassAllowed ? settings.defaultMode : mode;

/** What is asked of models that know effort levels when nobody chose. */
const DEFAULT_EFFORT = 'high';

/** For a project that was closed under a session: nothing is allowed that is not asked. */
const NO_SETTINGS: EffectiveSettings = {
  trusted: false,
  fallbackModels: [],
  defaultMode: 'default',
  bypassAllowed: false,
  additionalDirectories: [],
  env: {},
  rules: [],
  hooks: [],
  problems: [],
  findings: [],
  findingsHash: '',
};
