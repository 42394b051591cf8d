import { join } from 'node:path';
import { err, fault, ok, type Result } from '../shared/result';
import type { SettingsProblem } from '../shared/settings';
import { resolveConnection } from './app/connection';
import { createConnectionKeeper } from './app/connection-keeper';
import { createWorkbenchFrom } from './app/create-workbench';
import type { HeadlessOptions, HeadlessSession } from './app/headless-session';
import type { KeyStore } from './app/key-store';
import { openHeadlessSession } from './app/open-headless';
import { createRuntimeOpener } from './app/open-runtime';
import { createSettingsEditor } from './app/permission-updates';
import { createProjectBook } from './app/project-book';
import { openStateStore } from './app/state-store';
import { createTerminalDesk } from './app/terminal-desk';
import { changeTrusted } from './app/trusted-change';
import type { Workbench } from './app/workbench';
import { complain, createWorld, type World, type WorldOptions } from './compose-world';
import { startDemoApi } from './demo/api-server';
import { prepareDemoProject } from './demo/demo-project';
import { DEMO_CHOICE } from './engine/model/catalog';
import type { ModelClient } from './engine/model/model-client';
import { withCredentialRefresh } from './engine/model/retry';
import type { SandboxAvailability } from './engine/ports-sandbox';
import type { EffectiveSettings } from './engine/settings/effective';
import { addRule, createSettingsWriter } from './engine/settings/write';
import { createTerminalClient } from './terminal/client/terminal-client';
import { createOwnTerminals } from './terminal/own/own-terminals';
import { messageOf } from './terminal/run-folder';

/** What a host knows of its process. */
export interface ComposeOptions extends WorldOptions {
  readonly keyStore: KeyStore;
  /** The folder of files that ship with Lathe. */
  readonly resources: string;
}

/** Wires the app for a host with windows. */
export async function createWorkbench(
  options: ComposeOptions & { readonly host: 'electron' | 'web' },
): Promise<Workbench> {
  const terminals = createTerminalClient({
    runFolder: join(options.latheHome, 'run'),
    launch: options.launchTerminalHost,
  });
  const world = createWorld(options, { terminals, ownEnvironmentFirst: false });
  const { files, home, latheHome } = world;
  const state = await openStateStore(files, latheHome, world.complain);
  const projects = createProjectBook({
    files,
    home,
    trust: world.trust,
    sandbox: world.sandbox,
    loadSettings: (project, trusted) => world.loadSettings(project, trusted, {}),
  });
  // In the home folder, untrusted: what the person and the machine say, nothing of a project.
  const personal = await world.loadSettings(home, false, {});
  const connection = await createConnectionKeeper({
    env: options.env,
    keyStore: options.keyStore,
    state,
    demo: { start: () => startDemoApi() },
    createClient: world.createClient,
    ...(personal.apiKeyHelper ? { helper: personal.apiKeyHelper } : {}),
  });
  const settingsWriter = createSettingsWriter(files);
  return createWorkbenchFrom({
    files,
    home,
    latheHome,
    state,
    projects,
    connection,
    terminals: createTerminalDesk({
      backend: terminals,
      ids: world.ids,
      shell: world.personShell,
      shellEnv: world.interactiveEnv,
    }),
    openRuntime: createRuntimeOpener({
      world,
      projects,
      connection,
      resolveModel: world.resolveModel,
      defaultModel: world.defaultModel,
      saveRule: (project, suggestion) =>
        addRule(settingsWriter, { project, configDir: world.configDir }, suggestion),
      editSettings: createSettingsEditor(settingsWriter, world.configDir),
    }),
    permissions: {
      parser: world.parser,
      writer: settingsWriter,
      configDir: world.configDir,
      platform: world.platform,
    },
    hooks: { writer: settingsWriter, configDir: world.configDir },
    listModels: async () =>
      connection.current().kind === 'demo'
        ? [DEMO_CHOICE]
        : world.listModels(connection.credentials()),
    prepareDemo: () =>
      prepareDemoProject(
        join(options.resources, 'demo', 'project'),
        join(latheHome, 'demo', 'sample-project'),
      ),
  });
}

/** Opens a session without a window. */
export async function openHeadless(
  options: HeadlessOptions,
  composing: ComposeOptions,
): Promise<Result<HeadlessSession>> {
  const terminals = ownTerminals(composing);
  const world = createWorld(composing, { terminals, ownEnvironmentFirst: true });
  const opened = await openHeadlessSession(
    {
      world,
      resolveModel: world.resolveModel,
      defaultModel: world.defaultModel,
      connect: (settings) => connect(world, composing, settings, options.folder),
      close: terminals.close,
      loadSettings: async (project, asked) => {
        const untrusted = await world.loadSettings(project, false, asked);
        const trusted =
          asked.trust || (await world.trust.isTrusted(project, untrusted.findingsHash));
        const settings = trusted ? await world.loadSettings(project, true, asked) : untrusted;
        return { settings, trusted };
      },
      editSettings: async (project, destination, edit) => {
        const write = createSettingsEditor(createSettingsWriter(world.files), world.configDir);
        return changeTrusted(project, () => write(project, destination, edit), {
          trust: world.trust,
          untrusted: () => world.loadSettings(project, false, options),
        });
      },
    },
    options,
  );
  if (!opened.ok) await terminals.close();
  return opened;
}

const ownTerminals = (options: WorldOptions) =>
  createOwnTerminals({
    runFolder: join(options.latheHome, 'run'),
    guard: options.launchTerminalHost,
    failed: (error) => complain(`A terminal failed: ${messageOf(error)}`),
  });

async function connect(
  world: World,
  options: ComposeOptions,
  settings: EffectiveSettings,
  project: string,
) {
  const { env, keyStore } = options;
  const look = async () =>
    resolveConnection(env, await keyStore.get(), null, false, settings.apiKeyHelper);
  const { connection, credentials } = await look();
  if (credentials === null) {
    return err(
      fault(
        'no_key',
        'Lathe has no API key.',
        'Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or enter a key in the app: lathe serve',
      ),
    );
  }
  let client = world.createClient(credentials, settings, project);
  const ofTheMoment: ModelClient = {
    stream: (request, signal) => client.stream(request, signal),
  };
  const refresh = async () => {
    const found = (await look()).credentials;
    if (found) client = world.createClient(found, settings, project);
    return found !== null;
  };
  return ok({
    client: withCredentialRefresh(ofTheMoment, refresh),
    apiKeySource: connection.from ?? 'none',
  });
}

/** Everything that cannot be used as written in the settings files that apply to a folder. */
export async function settingsProblems(
  folder: string,
  options: WorldOptions,
): Promise<readonly SettingsProblem[]> {
  const world = createWorld(options, {
    terminals: ownTerminals(options),
    ownEnvironmentFirst: true,
  });
  return (await world.loadSettings(folder, true, {})).problems;
}

/** Whether commands can be put into a sandbox on this system. */
export async function lookForSandbox(options: WorldOptions): Promise<SandboxAvailability> {
  const world = createWorld(options, {
    terminals: ownTerminals(options),
    ownEnvironmentFirst: true,
  });
  return world.sandbox.availability();
}
