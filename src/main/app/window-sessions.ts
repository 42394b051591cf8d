import type { PermissionMode, RuleSuggestion } from '../../shared/permission';
import { err, ok, type Result } from '../../shared/result';
import { DEMO_MODEL } from '../../shared/settings';
import { createBroker } from '../engine/permissions/broker';
import type { Services } from '../engine/services';
import { openSession } from '../engine/session/open-session';
import { type EditSettings, UNTRUSTED } from '../engine/session/overlay';
import { createSessionRuntime, type SessionRuntime } from '../engine/session/session-runtime';
import type { BranchPoint } from '../engine/sessions/branch';
import type { StoredSession } from '../engine/sessions/list';
import { createFreshener, watchSettings } from '../engine/settings/changes';
import type { EffectiveSettings } from '../engine/settings/effective';
import type { ConnectionService } from './connection-service';
import type { ProjectRegistry } from './project-registry';

/** The session a window wants: a new one of a project, one that is on disk, or a copy of its beginning. */
export type WindowTarget =
  | { readonly kind: 'new'; readonly project: string }
  | { readonly kind: 'resume'; readonly stored: StoredSession }
  | { readonly kind: 'fork'; readonly stored: StoredSession; readonly until: BranchPoint };

export interface WindowSessionsOptions {
  readonly services: Services;
  readonly projects: ProjectRegistry;
  readonly connection: ConnectionService;
  /** Saves a rule where the user wants it. */
  readonly saveRule: (project: string, suggestion: RuleSuggestion) => Promise<Result<null>>;
  /** Changes a settings file and gives its path. */
  readonly editSettings: EditSettings;
  /** Tells whether the small model is to title new sessions. */
  readonly titles: () => boolean;
}

/**
 * Returns what opens sessions for windows: with the settings and connection of the moment, and a dialog for
 * questions.
 */
export function createWindowSessions(options: WindowSessionsOptions) {
  const { services, projects, connection } = options;

  const defaultModel = (settings: EffectiveSettings): Result<string> =>
    connection.current().kind === 'demo' ? ok(DEMO_MODEL) : services.defaultModel(settings);

  return async (target: WindowTarget): Promise<Result<SessionRuntime>> => {
    const project = target.kind === 'new' ? target.project : target.stored.project;
    const known = projects.settings(project) ? ok(null) : await projects.open(project);
    if (!known.ok) return known;
    const watched = watchSettings(() => projects.settings(project) ?? NO_SETTINGS);
    const settings = watched.now;
    const demo = connection.current().kind === 'demo';
    let reviewed = async () => {};
    const opened = await openSession(services, {
      target: target.kind === 'new' ? { ...target, demo } : target,
      chosen: {},
      defaultModel: defaultModel(settings()),
      resumedMode: allowedMode,
      host: {
        settings,
        freshenSettings: createFreshener({
          files: services.files,
          settings: () => projects.settings(project) ?? NO_SETTINGS,
          refresh: async () => {
            await projects.refresh(project);
            await reviewed();
          },
        }),
        refreshSettings: async () => {
          await projects.refresh(project);
        },
        createBroker,
        model: connection.client(settings(), project),
        limits: { maxTurns: null, maxBudgetUsd: null },
        unattended: false,
        prompts: {},
        titles: options.titles,
        saveRule: (suggestion) =>
          projects.changeSettings(project, () => options.saveRule(project, suggestion)),
        changeSettings: async (destination, edit) => {
          if (destination !== 'userSettings' && !projects.isTrusted(project)) {
            return err(UNTRUSTED);
          }
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
      },
    });
    if (!opened.ok) return opened;
    const session = opened.value;
    reviewed = () => watched.review(session.configChanged);
    const { state } = session.main;
    const prepare = async (): Promise<Result<null>> => {
      const problem = connection.problem(settings());
      if (problem) return err(problem);
      const refreshed = await projects.refresh(project);
      if (!refreshed.ok) return refreshed;
      await reviewed();
      const isDemo = connection.current().kind === 'demo';
      if (isDemo !== (state.config().model === DEMO_MODEL)) {
        const model = defaultModel(settings());
        if (!model.ok) return model;
        state.configure({ model: model.value });
      }
      return ok(null);
    };
    return ok(createSessionRuntime({ session, prepare }));
  };
}

/** Returns the mode to go on in: one that settings forbid by now is not taken up again. */
const allowedMode = (mode: PermissionMode, settings: EffectiveSettings): PermissionMode =>
  settings.modesOff.includes(mode) ? settings.defaultMode : mode;

/** For a project that was closed under a session: nothing is allowed that is not asked. */
const NO_SETTINGS: EffectiveSettings = {
  trusted: false,
  fallbackModels: [],
  defaultMode: 'default',
  modesOff: ['bypassPermissions'],
  additionalDirectories: [],
  env: {},
  rules: [],
  hooks: [],
  problems: [],
  findings: [],
  findingsHash: '',
};
