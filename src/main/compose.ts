import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../shared/health';
import { createKeymap } from '../shared/keymap';
import { err, fault, ok, type Result } from '../shared/result';
import type { SettingsProblem } from '../shared/settings';
import { problemLine } from '../shared/settings-problem';
import type { ShellWatcher } from '../shared/window-ports';
import { resolveConnection } from './app/connection';
import { createConnectionService } from './app/connection-service';
import { createWorkbenchFrom } from './app/create-workbench';
import { examine } from './app/doctor';
import { createFileFinder } from './app/file-finder';
import type { DrivingProgram, HeadlessOptions, HeadlessSession } from './app/headless-session';
import type { KeyStore } from './app/key-store';
import { openHeadlessSession } from './app/open-headless';
import { changeTrusted, createProjectRegistry } from './app/project-registry';
import { openSettingsService, readKeysFile } from './app/settings-service';
import { openStateStore, stateProblem } from './app/state-store';
import { createTerminalService } from './app/terminal-service';
import { createWindowSessions } from './app/window-sessions';
import type { Workbench } from './app/workbench';
import { ownEnvironment, personalFolders } from './compose-environment';
import {
  type AppServices,
  complain,
  createServices,
  type HostParts,
  type ServiceOptions,
  settingsAsTrusted,
} from './compose-services';
import { createSearches } from './compose-sessions';
import { spanFindings } from './compose-telemetry';
import { startDemoApi } from './demo/api-server';
import { prepareDemoProject } from './demo/demo-project';
import { paceFrom } from './demo/messages-api';
import { DEMO_CHOICE } from './engine/model/catalog';
import type { ModelClient } from './engine/model/model-client';
import { TASK_BUDGET_BETA } from './engine/model/request-body';
import { withCredentialRefresh } from './engine/model/retry';
import type { Terminals } from './engine/ports';
import { loadMemory } from './engine/prompt/memory-files';
import { memoryPlaces } from './engine/prompt/memory-places';
import { approvedImports } from './engine/prompt/outside-imports';
import { definitionProblems } from './engine/session/definitions';
import { createSettingsEditor } from './engine/session/overlay';
import type { EffectiveSettings } from './engine/settings/effective';
import { addRule, createSettingsWriter } from './engine/settings/write';
import { findTool } from './engine/tools/catalogue';
import { createNeedsByName } from './engine/tools/foreign-tools';
import { createEditors } from './node/editors';
import { createDirectFiles } from './node/fast/direct-files';
import { createNodeFiles } from './node/files';
import { createHostProbe } from './node/host-health';
import { removeLeftDrafts } from './node/left-drafts';
import { findProxy } from './node/network';
import { createNodePrograms } from './node/programs';
import { reached } from './node/startup';
import { createNodeClock } from './node/system';
import { withoutAppImage } from './terminal/child-env';
import { createTerminalClient } from './terminal/client/terminal-client';
import { createOwnTerminals } from './terminal/own/own-terminals';
import { createRunTerminals } from './terminal/own/run-terminals';
import { messageOf } from './terminal/run-folder';
import { loginEnvironment } from './terminal/shell-env';
import { launchShell } from './terminal/shell-integration';

/** The facts that a host knows of its process. */
export interface ComposeOptions extends ServiceOptions {
  readonly keyStore: KeyStore;
  /** The folder of files that ship with Lathe. */
  readonly resources: string;
  /** Tells how the system would reach an address, in the words of a proxy script; absent where nobody knows. */
  readonly systemProxy?: (url: string) => Promise<string>;
  /** The notice that the login shell is being asked; absent where nobody sees it. */
  readonly shellWatcher?: ShellWatcher;
}

/** Wires the app for a host with windows. */
export async function createWorkbench(
  given: ComposeOptions & {
    readonly host: 'electron' | 'web';
    /** Folders of plugins that count beside those of settings. */
    readonly pluginFolders: readonly string[];
    /** The script of the thread that searches sessions. */
    readonly searchWorker: string;
  },
): Promise<Workbench> {
  const login = await loginEnvironment({
    env: withoutAppImage(given.env),
    execPath: given.launchTerminalHost.execPath,
    completes: given.host === 'web',
    ...(given.shellWatcher ? { watcher: given.shellWatcher } : {}),
  });
  const env = await ownEnvironment(login.env);
  reached('login shell asked');
  const proxy = await findProxy(env, given.systemProxy);
  const problems = [given.problems ?? [], login.problem ?? [], proxy.problem ?? []].flat();
  const options = { ...given, env, proxies: proxy.env, problems };
  const terminals = createTerminalClient({
    runFolder: join(options.latheHome, 'run'),
    launch: options.launchTerminalHost,
  });
  const services = createServices(await withoutLeftDrafts(options), {
    files: createNodeFiles(),
    terminals,
    completesEnvironment: false,
    autoBackground: true,
  });
  const { files, home, latheHome } = services;
  const state = await openStateStore(files, latheHome, services.tell);
  const projects = createProjectRegistry({
    files,
    home,
    trust: services.trust,
    sandbox: services.sandbox,
    loadSettings: (project, trusted) =>
      services.loadSettings(project, trusted, { pluginFolders: given.pluginFolders }),
    definitionProblems: (project, settings) => definitionProblems(services, project, settings),
  });
  // In the home folder, untrusted: what the user and the machine say, nothing of a project.
  const personal = await services.loadSettings(home, false, {});
  const connection = await createConnectionService({
    env: options.env,
    keyStore: options.keyStore,
    state,
    demo: { start: () => startDemoApi(paceFrom(options.env)) },
    createClient: services.createClient,
    check: services.checkConnection,
    ...(personal.apiKeyHelper ? { helper: personal.apiKeyHelper } : {}),
    ...(personal.allowedProviders ? { allowedProviders: personal.allowedProviders } : {}),
  });
  const settingsWriter = createSettingsWriter(files);
  const settings = await openSettingsService({
    ...{ files, projects, writer: settingsWriter },
    clock: services.clock,
    configDir: services.configDir,
  });
  return createWorkbenchFrom({
    settings,
    files,
    home,
    latheHome,
    state,
    projects,
    connection,
    terminals: createTerminalService({
      backend: terminals,
      ids: services.ids,
      shell: services.userShell,
      profiles: () => state.get().preferences.profiles ?? [],
      shellEnv: services.interactiveEnv,
      launchShell: (shell, env) => launchShell(shell, env, join(latheHome, 'run', 'shell')),
    }),
    finder: createFileFinder({
      programs: services.programs,
      clock: services.clock,
      breathe: () => new Promise((resume) => setImmediate(resume)),
    }),
    ledger: services.ledger,
    started: services.started,
    telemetry: services.telemetry,
    locks: services.locks,
    clock: services.clock,
    searches: createSearches(latheHome, given.searchWorker, options.env, state.get),
    openEditor: createEditors({ platform: process.platform, env: options.env }),
    openRuntime: createWindowSessions({
      ...{ services, projects, connection },
      saveRule: (project, suggestion) =>
        addRule(settingsWriter, { project, configDir: services.configDir }, suggestion),
      editSettings: createSettingsEditor(settingsWriter, services.configDir),
      titles: () => state.get().preferences.modelTitles !== false,
    }),
    permissions: {
      parser: services.parser,
      needsOf: createNeedsByName((name) => findTool(services.toolSources, name)),
      writer: settingsWriter,
      configDir: services.configDir,
      platform: services.platform,
    },
    health: {
      host: createHostProbe(),
      examine: (project) => examineInstallation(project, options),
    },
    hooks: { writer: settingsWriter, configDir: services.configDir },
    memory: services,
    commits: services,
    plugins: {
      store: services.plugins,
      writer: settingsWriter,
      configDir: services.configDir,
      home,
    },
    resolveModel: services.resolveModel,
    listModels: async () =>
      connection.current().kind === 'demo'
        ? [DEMO_CHOICE]
        : services.listModels(connection.forModels()),
    prepareDemo: () =>
      prepareDemoProject(
        join(options.resources, 'demo', 'project'),
        join(latheHome, 'demo', 'sample-project'),
      ),
  });
}

/** Returns the parts of a process without windows. */
const windowless = (terminals: Terminals): HostParts => ({
  files: createDirectFiles(createNodeFiles()),
  terminals,
  completesEnvironment: true,
  autoBackground: false,
});

/** Clears what a Lathe that was killed left half written, and lists it among the problems to tell. */
async function withoutLeftDrafts(options: ComposeOptions): Promise<ComposeOptions> {
  const folders = [options.latheHome, personalFolders(options.env).configDir];
  const left = await removeLeftDrafts(folders, createNodeClock());
  return { ...options, problems: [...(options.problems ?? []), ...left] };
}

/** Opens a session without a window. */
export async function openHeadless(
  options: HeadlessOptions,
  given: ComposeOptions,
  program?: DrivingProgram,
): Promise<Result<HeadlessSession>> {
  const counted = options.wishes?.taskBudget === undefined ? [] : [TASK_BUDGET_BETA];
  const env = await ownEnvironment(given.env, options);
  const composing = withBetas({ ...given, env }, [...(options.betas ?? []), ...counted]);
  // A session that is not kept is resumed by nobody, so nothing of it may outlive this process.
  const terminals = options.keepsNothing ? ownTerminals(composing) : runTerminals(composing);
  const services = createServices(await withoutLeftDrafts(composing), windowless(terminals));
  // The session lies elsewhere, and goes with its folder: nothing of it is ever where others are kept.
  const kept = options.keepsNothing ? await mkdtemp(join(tmpdir(), 'lathe-session-')) : null;
  const end = async () => {
    await terminals.close();
    await services.telemetry?.close();
    if (kept !== null) await rm(kept, { recursive: true, force: true });
  };
  let problems: readonly SettingsProblem[] = [];
  const opened = await openHeadlessSession(
    {
      services:
        kept === null ? services : { ...services, latheHome: kept, claudeTranscripts: false },
      connect: (settings) => connect(services, composing, settings, options.folder),
      close: end,
      loadSettings: async (project, asked) => {
        const loaded = await settingsAsTrusted(services, project, asked);
        ({ problems } = loaded.settings);
        return loaded;
      },
      editSettings: async (project, destination, edit) => {
        const write = createSettingsEditor(
          createSettingsWriter(services.files),
          services.configDir,
        );
        return changeTrusted(project, () => write(project, destination, edit), {
          trust: services.trust,
          untrusted: () => services.loadSettings(project, false, options),
        });
      },
    },
    options,
    program,
  );
  reached('session open');
  if (!opened.ok) {
    await end();
    // What is left out may be the cause: the helper that prints the key, a field of an agent.
    for (const problem of problems)
      if (problem.message !== opened.error.message) complain(`Warning: ${problemLine(problem)}`);
  }
  return opened;
}

/** Adds betas of the API to those of the environment. */
const withBetas = (given: ComposeOptions, betas: readonly string[] = []): ComposeOptions => {
  const all = [given.env['ANTHROPIC_BETAS'] ?? '', ...betas].filter((beta) => beta !== '');
  return betas.length === 0
    ? given
    : { ...given, env: { ...given.env, ANTHROPIC_BETAS: all.join(',') } };
};

const ownTerminals = (options: ServiceOptions) => createOwnTerminals(inThisProcess(options));
const runTerminals = (options: ServiceOptions) => createRunTerminals(inThisProcess(options));

const inThisProcess = (options: ServiceOptions) => ({
  runFolder: join(options.latheHome, 'run'),
  guard: options.launchTerminalHost,
  failed: (error: unknown) => complain(`A terminal failed: ${messageOf(error)}`),
});

async function connect(
  services: AppServices,
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
  let client = services.createClient(credentials, settings, project);
  const ofTheMoment: ModelClient = {
    stream: (request, signal) => client.stream(request, signal),
  };
  const refresh = async () => {
    const found = (await look()).credentials;
    if (found) client = services.createClient(found, settings, project);
    return found !== null;
  };
  return ok({
    client: withCredentialRefresh(ofTheMoment, refresh),
    apiKeySource: connection.from ?? 'none',
  });
}

/** Creates the services of a process that opens no session. */
export const lookingServices = (options: ServiceOptions): AppServices =>
  createServices(options, windowless(ownTerminals(options)));

/** Returns what is ignored or guessed in the settings and memory files that apply to a folder, as far as it is trusted. */
async function configurationProblems(
  folder: string,
  options: ServiceOptions,
  asked: Partial<HeadlessOptions>,
): Promise<readonly SettingsProblem[]> {
  const services = lookingServices(options);
  const real = await services.files.realPath(folder);
  const project = real.ok ? real.value : folder;
  const { settings, trusted } = await settingsAsTrusted(services, project, asked);
  const memory = await loadMemory(
    services.files,
    memoryPlaces(services, project, {
      includeProject: trusted,
      ...{ sources: settings.sources, excludes: settings.memoryExcludes },
      rules: settings.rules,
      ...{ autoMemory: settings.autoMemory, simple: settings.simple },
      approved: () => approvedImports(services.files, services.latheHome, project),
    }),
  );
  const state = await stateProblem(services.files, services.latheHome);
  const defined = await definitionProblems(services, project, settings);
  const keys = await readKeysFile(services.files, services.configDir);
  return [
    ...settings.problems,
    ...memory.problems,
    ...defined,
    ...createKeymap(keys, process.platform === 'darwin').problems,
    ...(state === null ? [] : [state]),
  ];
}

/** Looks at everything Lathe depends on, for a folder, as a run with these options would read it; nothing of it runs. */
export async function examineInstallation(
  folder: string,
  options: ComposeOptions,
  asked: Partial<HeadlessOptions> = {},
): Promise<readonly Finding[]> {
  const services = lookingServices(options);
  const { execPath, env } = options.launchTerminalHost;
  const pty = createRequire(import.meta.url).resolve('node-pty');
  const findings = await examine({
    ...{ version: options.version, latheHome: options.latheHome, folder },
    ...{ env: options.env, platform: process.platform, programs: createNodePrograms() },
    terminalProbe: { argv: [execPath, '-e', `require(${JSON.stringify(pty)})`], env },
    storedKey: async () => ({
      storage: options.keyStore.describe(),
      present: (await options.keyStore.get()) !== null,
    }),
    lookForSandbox: () => services.sandbox.availability(),
    configurationProblems: () => configurationProblems(folder, options, asked),
  });
  return [...findings, ...spanFindings(options.env)];
}
