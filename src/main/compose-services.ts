import { release } from 'node:os';
import { dirname, join } from 'node:path';
import type { Result } from '../shared/result';
import type { ModelChoice, SettingsProblem } from '../shared/settings';
import { problemLine } from '../shared/settings-problem';
import type { Credentials } from './app/connection';
import { requestSettings } from './app/connection';
import type { HeadlessOptions } from './app/headless-session';
import { createCheckpoints } from './checkpoints/create-checkpoints';
import { clientFactory, createKeyRing } from './compose-client';
import { personalFolders } from './compose-environment';
import { KEPT_FILES } from './compose-files';
import { composeTelemetry } from './compose-telemetry';
import { createDayLedger } from './engine/cost/day-ledger';
import { damagedFiles } from './engine/damaged-file';
import { createSignInStore } from './engine/mcp/sign-in-store';
import { createToolApprovals } from './engine/mcp/tool-approvals';
import { modelInMode, resolveModel, smallModel } from './engine/model/catalog';
import { checkConnection } from './engine/model/check-connection';
import type { ModelClient } from './engine/model/model-client';
import { createModelMenu } from './engine/model/models-api';
import { createDecide } from './engine/permissions/decide';
import { dialectOf } from './engine/permissions/shell-analysis/dialect';
import { createShellParser } from './engine/permissions/shell-analysis/parser';
import { createTrustStore, type TrustStore } from './engine/permissions/trust';
import { isPrivateAddress, isPrivateHost } from './engine/permissions/web-request';
import { createRepositoryFetch } from './engine/plugins/fetch-repository';
import { createPluginStore, type PluginStore } from './engine/plugins/plugin-store';
import type { Clock, Files, Log, SecretFile, Terminals } from './engine/ports';
import type { Services } from './engine/services';
import { projectSlug } from './engine/sessions/paths';
import type { EffectiveSettings } from './engine/settings/effective';
import { COMMAND_LIMITS, readEnvironment, withEnvironment } from './engine/settings/environment';
import { loadSettings, managedSettingsFile, readManaged } from './engine/settings/load';
import { newModel } from './engine/settings/new-model';
import { createPluginFolders } from './engine/settings/plugins/folder';
import { createPluginLoader } from './engine/settings/plugins/plugin-loader';
import { createPluginStateFile } from './engine/settings/plugins/plugin-state';
import { createBuiltinTools } from './engine/tools/builtin/all';
import { fixedSource } from './engine/tools/catalogue';
import { createSecretFile, plainly } from './hosts/common/secret-file';
import { createCallbacks } from './node/callbacks';
import { createNodeCommands } from './node/commands';
import { openDebugLog } from './node/debug-log';
import { createDocumentThreads } from './node/document-thread';
import { createHookPost } from './node/hook-post';
import { createNodeLocks } from './node/locks';
import {
  createTrustingFetch,
  createTrustMore,
  goesThroughProxy,
  useCertificates,
  useProxy,
} from './node/network';
import { createNodePrograms } from './node/programs';
import { loadWasm } from './node/runtime';
import { reached, startupProfile } from './node/startup';
import { createNodeClock, createNodeIds } from './node/system';
import { createHttpGet } from './node/web/http-get';
import { createSandbox } from './sandbox/sandbox-client';
import { sandboxEnvironment } from './sandbox/sandbox-process';
import { withoutAppImage, withoutSecrets } from './terminal/child-env';
import { createOwnTrees } from './terminal/process/kill-tree';
import { systemProcesses } from './terminal/process/system-processes';
import { createShellEnv, shellProblem } from './terminal/shell-env';

/** The facts that a host knows of its process. */
export interface ServiceOptions {
  readonly latheHome: string;
  /** Problems that the host met, e.g. a folder that it could not use. Default: none. */
  readonly problems?: readonly SettingsProblem[] | undefined;
  /** The wish for a debug log; without a file it lies in `logs` of `latheHome`. */
  readonly debug?: { readonly file?: string } | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The environment with the proxies that Lathe itself goes through. Default: `env`. */
  readonly proxies?: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Keeps the sign-ins to tool servers. Default: a file that only this user can read. */
  readonly signIns?: SecretFile;
  /** The script of the threads that read strangers' documents. */
  readonly documentReader: string;
  /** The script of the sandbox's process. */
  readonly sandboxHost: string;
  /** The program of the terminal host: Node, and what comes before its options. */
  readonly launchTerminalHost: {
    readonly execPath: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    /** Our own. */
    readonly version: string;
  };
}

/** The services of one process: those of sessions, and those of the app around them. Nothing starts before it is used. */
export interface AppServices extends Services {
  /** The user's own shell, and the environment for it. */
  readonly userShell: string;
  interactiveEnv(): Promise<Readonly<Record<string, string>>>;
  createClient(credentials: Credentials, settings: EffectiveSettings, project: string): ModelClient;
  /** The menu of models: what the API offers, or the built-in list. */
  /** Tries credentials with one cheap request. */
  checkConnection(credentials: Credentials, signal: AbortSignal): Promise<Result<null>>;
  listModels(credentials: Credentials | null): Promise<readonly ModelChoice[]>;
  readonly trust: TrustStore;
  readonly plugins: PluginStore;
  /** Reads all settings that apply to a folder. Nothing of the folder runs. */
  loadSettings(
    project: string,
    trusted: boolean,
    asked: Partial<HeadlessOptions>,
  ): Promise<EffectiveSettings>;
  /** Writes what the start took into the debug log, where there is one. */
  started(until: 'first request' | 'first window'): void;
  /**
   * Tells of a fault that is nobody's session: who started the process at once, and where problems of settings are, until the
   * returned function takes it back.
   */
  tell(problem: SettingsProblem): () => void;
}

/** Between TERM and KILL of a hook that ran out of time. Milliseconds. */
const HOOK_GRACE_MS = 500;

/** The parts that differ between a process with windows and one without. */
export interface HostParts {
  readonly files: Files;
  readonly terminals: Terminals;
  /** Commands get what only the login shell knows beside the environment of this process. */
  readonly completesEnvironment: boolean;
  /** A command whose time is over goes on in the background, unless the environment says otherwise. */
  readonly autoBackground: boolean;
}

/** Creates the services of a process. */
export function createServices(options: ServiceOptions, parts: HostParts): AppServices {
  const { latheHome } = options;
  const env = withoutAppImage(options.env);
  const { files } = parts;
  const programs = createNodePrograms(env);
  const clock = createNodeClock();
  const log = debugLog(options, clock);
  const started = startReports(log);
  const { home, configDir } = personalFolders(env);
  const { platform } = process;
  const managedFile = managedSettingsFile(platform);
  const requests = requestSettings(env);
  const environment = readEnvironment(env, {
    ...COMMAND_LIMITS,
    autoBackground: parts.autoBackground,
  });
  // A program that drives Lathe says so by this one.
  const previews = env['CLAUDE_CODE_QUESTION_PREVIEW_FORMAT'] === 'html' ? 'html' : 'markdown';
  const trust = createTrustStore({ files, clock, file: join(latheHome, 'trust.json') });
  const menu = createModelMenu(env, clock);
  const proxies = options.proxies ?? env;
  if (useProxy(proxies) === null) complain('A proxy is set, but this Node cannot use one.');
  const certificateProblem = useCertificates(env);
  if (certificateProblem !== null) complain(certificateProblem);
  const trustMore = createTrustMore(env);
  const trustingFetch = createTrustingFetch(trustMore);
  const { version } = options;
  const ring = createKeyRing();
  const traced = composeTelemetry({ env, version, fetch: trustingFetch, log, keys: ring.keys });
  const wrongShell = shellProblem(env);
  const problems = [
    ...(options.problems ?? []),
    ...traced.problems,
    ...(wrongShell ? [wrongShell] : []),
  ];
  const shells = createShellEnv({
    env,
    execPath: options.launchTerminalHost.execPath,
    completes: parts.completesEnvironment,
  });
  const commands = createNodeCommands(createOwnTrees(systemProcesses(), HOOK_GRACE_MS));
  const ids = createNodeIds();
  const parser = createShellParser(loadWasm, dialectOf(shells.commandShell));
  const pluginFolders = createPluginFolders(files);
  const pluginState = createPluginStateFile(files, join(latheHome, 'plugins'), createNodeLocks());
  const loadPlugins = createPluginLoader(files, pluginFolders, pluginState);
  const documents = createDocumentThreads(options.documentReader);
  const ledger = createDayLedger({ files, clock, folder: join(latheHome, 'spending') });
  return {
    files,
    clock,
    latheHome,
    home,
    platform,
    decide: createDecide(),
    parser,
    ids,
    locks: createNodeLocks(),
    checkpoints: createCheckpoints({
      folderOf: (project) => join(latheHome, 'checkpoints', projectSlug(project)),
      path: env['PATH'] ?? '',
      platform,
      locks: createNodeLocks(),
    }),
    ledger,
    programs,
    sandbox: createSandbox({
      platform,
      path: env['PATH'] ?? '',
      programs,
      launch: {
        execPath: options.launchTerminalHost.execPath,
        args: [options.sandboxHost],
        env: { ...sandboxEnvironment(env), ...options.launchTerminalHost.env },
      },
    }),
    commands,
    fetch: trustingFetch,
    telemetry: traced.telemetry,
    signIns: createSignInStore(
      options.signIns ?? createSecretFile(files, latheHome, plainly('sign-ins.json')),
      { locks: createNodeLocks(), folder: join(latheHome, 'run') },
    ),
    approvals: createToolApprovals(files, join(latheHome, 'tool-approvals.json')),
    callbacks: createCallbacks(),
    postHook: createHookPost({
      trustMore,
      isPrivateAddress,
      isPrivateHost,
      proxied: (url) => goesThroughProxy(proxies, url),
    }),
    web: {
      get: createHttpGet({
        trustMore,
        isPrivateAddress,
        userAgent: `Lathe/${options.version} (coding agent, on behalf of a user)`,
        proxied: (url) => goesThroughProxy(proxies, url),
      }),
      readable: documents.readable,
    },
    pdfs: documents.pdfs,
    smallModel: () => smallModel(env),
    configDir,
    claudeTranscripts: /^(1|true|yes|on)$/i.test(env['LATHE_CLAUDE_TRANSCRIPTS'] ?? ''),
    managedMemory: managedFile ? join(dirname(managedFile), 'CLAUDE.md') : null,
    version: options.version,
    system: `${release()}, ${process.arch}`,
    runtime: `Node ${process.versions.node}`,
    toolSources: [fixedSource('built in', createBuiltinTools(environment.commands, previews))],
    terminals: parts.terminals,
    shell: shells.commandShell,
    shellEnv: async (added) => ({
      ...(await shells.forCommands()),
      ...withoutSecrets(added),
    }),
    userShell: shells.shell,
    interactiveEnv: shells.forShells,
    createClient: clientFactory({
      env,
      home,
      latheHome,
      platform,
      files,
      clock,
      programs,
      commands,
      newId: ids.uuid,
      onSent: () => started('first request'),
      onKey: ring.add,
      ...(log === null ? {} : { log }),
    }),
    checkConnection: (credentials, signal) =>
      checkConnection({ ...credentials, ...requests, model: smallModel(env), clock }, signal),
    listModels: (credentials) =>
      menu.list(
        credentials === null || credentials.provider || credentials.helper
          ? null
          : { ...credentials, ...requests, clock },
      ),
    trust,
    plugins: createPluginStore({
      files,
      ids: createNodeIds(),
      folder: join(latheHome, 'plugins'),
      folders: pluginFolders,
      state: pluginState,
      fetchRepository: createRepositoryFetch(files, programs),
      locks: createNodeLocks(),
      home,
      managed: async () => (managedFile ? readManaged(files, managedFile) : []),
    }),
    loadSettings: async (project, trusted, asked) => {
      reached('services ready');
      const distrust = await trust.problem();
      const damaged = await damagedFiles(files, latheHome, KEPT_FILES);
      const unread = await ledger.problems();
      const found = [...problems, ...(distrust === null ? [] : [distrust]), ...damaged, ...unread];
      return withEnvironment(
        await loadSettings({
          files,
          project,
          home,
          configDir,
          managedFile,
          trusted,
          loadPlugins,
          commandLine: { allowedTools: [], disallowedTools: [], addDirectories: [], ...asked },
        }),
        { ...environment, problems: [...found, ...environment.problems] },
        env,
      );
    },
    started,
    tell: (problem) => {
      complain(problemLine(problem));
      problems.push(problem);
      return () => void problems.splice(problems.indexOf(problem), 1);
    },
    resolveModel: (input) => resolveModel(input, env),
    modelInMode: (model, mode) => modelInMode(model, mode, env),
    defaultModel: (settings) => newModel(settings, env, (name) => resolveModel(name, env)),
  };
}

/**
 * Reads the settings of a folder, as far as it is trusted. Where another folder gives the configuration, that one is asked
 * for the settings, and the folder worked in for all else: its memory, its git, its worktrees.
 */
export async function settingsAsTrusted(
  services: Pick<AppServices, 'loadSettings' | 'trust'>,
  project: string,
  asked: Partial<HeadlessOptions>,
): Promise<{ readonly settings: EffectiveSettings; readonly trusted: boolean }> {
  const { configRoot, ...inFolder } = asked;
  const own = await services.loadSettings(project, false, inFolder);
  const trusted =
    asked.trust ||
    answersForFolder(asked, project) ||
    (await services.trust.isTrusted(project, own.findingsHash));
  if (configRoot === undefined)
    return { settings: trusted ? await services.loadSettings(project, true, asked) : own, trusted };
  const untrusted = await services.loadSettings(project, false, asked);
  const rootTrusted =
    asked.trust ||
    asked.driven === true ||
    (await services.trust.isTrusted(configRoot, untrusted.findingsHash));
  const found = rootTrusted ? await services.loadSettings(project, true, asked) : untrusted;
  return { settings: { ...found, trusted, rootTrusted }, trusted };
}

/** Returns whether a program that drives the run names the settings of the folder itself: it decides for the user. */
const answersForFolder = (
  { driven, settingSources = [], configRoot }: Partial<HeadlessOptions>,
  project: string,
): boolean =>
  driven === true && (configRoot === project || settingSources.some((source) => source !== 'user'));

/** Opens the debug log and tells the user where it is; null when none is wished, or it cannot be opened. */
function debugLog({ debug, latheHome, version }: ServiceOptions, clock: Clock): Log | null {
  if (debug === undefined) return null;
  const opened = openDebugLog({
    ...debug,
    folder: join(latheHome, 'logs'),
    clock,
    pid: process.pid,
    onFailure: (why) => complain(`The debug log ends here: ${why}`),
  });
  if (!opened.ok) {
    complain(`There is no debug log: ${opened.error}`);
    return null;
  }
  complain(`Debug log: ${opened.value.path}`);
  const { platform, pid, version: node } = process;
  opened.value.record('start', { version, node, platform, pid });
  return opened.value;
}

/** Returns what writes the profile of the start into the debug log, once for each end of it. */
function startReports(log: Log | null): AppServices['started'] {
  const told = new Set<string>();
  return (until) => {
    if (log === null || told.has(until)) return;
    told.add(until);
    reached(until);
    log.record('startup', { until, checkpoints: startupProfile() });
  };
}

/** Tells whoever started the process of a fault that is nobody's session. */
export const complain = (message: string): void => {
  process.stderr.write(`${message}\n`);
};
