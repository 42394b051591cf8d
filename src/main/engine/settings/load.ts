import { createHash } from 'node:crypto';
import path from 'node:path';
import type { PermissionMode, PermissionRule, RuleSource } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import { ruleDoubt } from '../permissions/rule-doubts';
import { areSeveral, EACH_ALONE, readRule } from '../permissions/rules';
import type { Files } from '../ports';
import type { EffectiveSettings } from './effective';
import { findingsIn, hashFindings, markFindings } from './findings';
import { findFolderScripts } from './folder-scripts';
import { ASKS_EVERYTHING, askEverything, NO_SERVER, STARTS_NO_SERVER } from './lost-denials';
import { lostPlace } from './lost-place';
import { readMcpLayer } from './mcp-servers';
import { folderOf, mergeSettings } from './merge';
import { type LoadPlugins, pluginLayers } from './plugins/plugin-loader';
import { pluginWishes } from './plugins/wanted-plugins';
import { emptyLayer, readSettings, type SettingsLayer } from './read';
import { restricting } from './restricting';
import { readStateServers, userStateFile } from './state-servers';

/** Longer settings files are refused. */
const MAX_SETTINGS_BYTES = 8 * 1024 * 1024;
/** More files beside the managed one are not read. */
const MAX_DROP_INS = 200;

export interface LoadSettingsOptions {
  readonly files: Files;
  /** The project folder, as a real path. */
  readonly project: string;
  readonly home: string;
  /** `$CLAUDE_CONFIG_DIR` or `~/.claude`. */
  readonly configDir: string;
  /** The machine's managed settings; null where the system has no place for them. */
  readonly managedFile: string | null;
  readonly trusted: boolean;
  /** Loads the plugins that settings turn on. Absent: there are none. */
  readonly loadPlugins?: LoadPlugins;
  readonly commandLine: {
    /** A settings file or inline JSON. */
    readonly settings?: string;
    /** JSON that goes before those: what a program changed in its run. */
    readonly changedSettings?: string;
    /** A settings file or inline JSON that restricts like managed settings, where the machine has none. */
    readonly managedSettings?: string;
    readonly allowedTools: readonly string[];
    readonly disallowedTools: readonly string[];
    readonly mode?: PermissionMode;
    readonly addDirectories: readonly string[];
    /** Files that name tool servers, or inline JSON. */
    readonly mcpConfig?: readonly string[];
    /** No other servers than those. */
    readonly strictMcpConfig?: boolean;
    /** The settings files that are read beside managed ones. Default: all. */
    readonly settingSources?: readonly SettingSource[];
    /** The folder whose configuration counts in the place of the project's own. Absolute. */
    readonly configRoot?: string;
    /** The program that drives Lathe named those servers, and answers for what they run. */
    readonly driven?: boolean;
    /** Folders of plugins that count beside those of settings. */
    readonly pluginFolders?: readonly string[];
    /** The plugins among them whose tool servers are left out. */
    readonly serverlessPlugins?: readonly string[];
  };
}

/** Settings files that a command line can choose from, with the memory files of the same place. */
type SettingSource = 'user' | 'project' | 'local';

/** Returns the place of managed settings on this system. docs/configuration.md. */
export function managedSettingsFile(platform: string): string | null {
  switch (platform) {
    case 'darwin':
      return '/Library/Application Support/ClaudeCode/managed-settings.json';
    case 'linux':
      return '/etc/claude-code/managed-settings.json';
    case 'win32':
      return 'C:\\Program Files\\ClaudeCode\\managed-settings.json';
    default:
      return null;
  }
}

/**
 * Reads every settings file of a project and merges them. Never fails: what cannot be used is in `problems`.
 * Reads files only; nothing of the folder runs.
 */
export async function loadSettings(options: LoadSettingsOptions): Promise<EffectiveSettings> {
  const { files, project, configDir, managedFile, commandLine } = options;
  const userFile = path.join(configDir, 'settings.json');
  const { configRoot = project } = commandLine;
  const mcpFile = path.join(configRoot, '.mcp.json');
  const inProject = (name: string) => path.join(configRoot, '.claude', name);
  const { settingSources: sources } = commandLine;
  const reads = (source: SettingSource) => sources === undefined || sources.includes(source);
  const stateFile = userStateFile(configDir, options.home);
  const [managed, asManaged, given, local, shared, user, mcp, state, scripts, ...servers] =
    await Promise.all([
      managedFile ? readManaged(files, managedFile) : [],
      givenSettings(files, project, '--managed-settings', commandLine.managedSettings),
      givenSettings(files, project, '--settings', commandLine.settings),
      reads('local')
        ? readLayer(files, 'localSettings', inProject('settings.local.json'))
        : emptyLayer('localSettings', inProject('settings.local.json')),
      // In the home folder the project's file is the user's own.
      inProject('settings.json') === userFile || !reads('project')
        ? emptyLayer('projectSettings', inProject('settings.json'))
        : readLayer(files, 'projectSettings', inProject('settings.json')),
      reads('user')
        ? readLayer(files, 'userSettings', userFile)
        : emptyLayer('userSettings', userFile),
      reads('project') ? readMcpFile(files, mcpFile) : emptyLayer('projectSettings', mcpFile),
      readStateServers(files, stateFile, configRoot),
      reads('project') ? findFolderScripts(files, configRoot) : [],
      ...(commandLine.mcpConfig ?? []).map((text) => mcpConfig(files, project, text)),
    ]);
  const findings = markFindings(
    [...findingsIn(shared), ...findingsIn(local), ...findingsIn(mcp), ...scripts],
    configRoot,
  );
  const own = [
    ...managed,
    ...(commandLine.managedSettings === undefined ? [] : [restricting(asManaged, managed)]),
    commandLineRules(commandLine),
    ...servers,
    ...(commandLine.changedSettings === undefined
      ? []
      : [readSettings(commandLine.changedSettings, 'commandLine', CHANGED_SETTINGS)]),
    given,
    ...(reads('local') ? [state.local] : []),
    local,
    mcp,
    shared,
    ...(reads('user') ? [state.user] : []),
    user,
  ];
  const counted = options.trusted ? own : own.filter(({ source }) => !OF_FOLDER.has(source));
  const wishes = pluginWishes(counted, options);
  const ownWishes = pluginWishes(
    counted.filter(({ source }) => !OF_FOLDER.has(source)),
    options,
  );
  const loaded = (await options.loadPlugins?.(
    wishes.wanted,
    commandLine.pluginFolders ?? [],
    wishes.options,
  )) ?? { plugins: [], problems: [], lostIn: [] };
  const serverless = await Promise.all(
    (commandLine.serverlessPlugins ?? []).map(async (folder) => {
      const real = await options.files.realPath(folder);
      return real.ok ? real.value : folder;
    }),
  );
  const plugins = loaded.plugins.map((one) =>
    serverless.includes(one.root) ? { ...one, servers: {} } : one,
  );
  const layers = [...own, ...pluginLayers(plugins, loaded.lostIn)];
  const named = plugins.flatMap((one) => one.languageServers);
  const languages =
    named.length === 0
      ? { servers: [], problems: [] }
      : (await import('./plugins/language-servers')).distinctServers(named);
  const merged = mergeSettings(layers, {
    project,
    home: options.home,
    configDir,
    trusted: options.trusted,
    findings,
    findingsHash: hashFindings(findings),
    addDirectories: commandLine.addDirectories,
    mcp: {
      projectFile: mcpFile,
      onlyCommandLine: commandLine.strictMcpConfig === true,
      driven: commandLine.driven === true,
    },
    ...(sources === undefined ? {} : { sources }),
    ...(commandLine.mode === undefined ? {} : { mode: commandLine.mode }),
  });
  const gone = await missingFolders(layers, merged.additionalDirectories, options);
  const { switches, marketplaces, options: pluginOptions } = wishes;
  return {
    ...merged,
    given: counted
      .flatMap(({ source, given: settings }) =>
        settings === undefined ? [] : { source, settings },
      )
      .reverse(),
    ...(commandLine.configRoot === undefined ? {} : { configRoot }),
    problems: [
      ...[...merged.problems, ...wishes.problems, ...loaded.problems],
      ...[...languages.problems, ...gone],
    ],
    ...(plugins.length === 0 ? {} : { plugins }),
    ...(languages.servers.length > 0 && options.trusted
      ? { languageServers: languages.servers }
      : {}),
    ...(loaded.problems.length === 0 ? {} : { pluginProblems: loaded.problems }),
    ...(Object.keys(switches).length === 0 ? {} : { pluginSwitches: switches }),
    ...(Object.keys(ownWishes.switches).length === 0 ? {} : { ownPlugins: ownWishes }),
    ...(Object.keys(pluginOptions).length === 0 ? {} : { pluginOptions }),
    ...(Object.keys(marketplaces).length === 0 ? {} : { marketplaces }),
  };
}

/** The sources of settings that a folder itself brings. */
const OF_FOLDER: ReadonlySet<RuleSource> = new Set(['localSettings', 'projectSettings']);

/** More folders are not looked for. */
const MAX_FOLDERS = 200;

/** Returns the additional folders, of settings that count and of the command line, that are no folders. */
async function missingFolders(
  layers: readonly SettingsLayer[],
  counted: readonly string[],
  { files, project, home, commandLine }: LoadSettingsOptions,
): Promise<SettingsProblem[]> {
  const field = 'permissions.additionalDirectories';
  const given = {
    ...emptyLayer('commandLine', '--add-dir'),
    additionalDirectories: commandLine.addDirectories,
  };
  const named = [given, ...layers]
    .flatMap(({ file, lines, additionalDirectories }) =>
      additionalDirectories.map((name) => ({ name, file, line: lines[field] })),
    )
    .filter(({ name }) => counted.includes(folderOf(name, project, home)))
    .slice(0, MAX_FOLDERS);
  const found = await Promise.all(
    named.map(async ({ name, file, line }): Promise<SettingsProblem[]> => {
      const stat = await files.stat(folderOf(name, project, home));
      if (stat.ok && stat.value.kind === 'directory') return [];
      const place = line === undefined ? file : `${file}, line ${line}`;
      const why = stat.ok ? 'is not a folder' : 'is not there';
      const what = file === given.file ? '' : `${field}: `;
      const message = `${place}: ${what}“${name.slice(0, 300)}” ${why}.`;
      return [{ file, ...(line === undefined ? {} : { line }), field, message, level: 'warning' }];
    }),
  );
  return found.flat();
}

/**
 * Reads the managed file and the files of `managed-settings.d` beside it, strongest first: what is
 * later in the alphabet goes before what is earlier, and all of them before the file itself. Hidden
 * files and other endings do not count.
 */
export async function readManaged(files: Files, managedFile: string): Promise<SettingsLayer[]> {
  const folder = managedFile.replace(/\.json$/, '.d');
  const listed = await files.list(folder);
  const names = (listed.ok ? listed.value : [])
    .map(({ name }) => name)
    .filter((name) => /\.json$/i.test(name) && !name.startsWith('.'))
    .sort();
  const places = names.slice(0, MAX_DROP_INS).map((name) => path.join(folder, name));
  const layers = await Promise.all(
    [managedFile, ...places].map((file) => readLayer(files, 'managed', file)),
  );
  const why = listed.ok
    ? null
    : isAbsent(listed.error)
      ? await lostPlace(path.join(folder, '*.json'), files)
      : listed.error.message;
  const message =
    why !== null
      ? `${folder} could not be read: ${why}`
      : names.length > MAX_DROP_INS
        ? `${folder} holds more than ${MAX_DROP_INS} files; those after ${places.at(-1)} are not read.`
        : null;
  const unread = message === null ? [] : [unreadLayer('managed', folder, message)];
  return [...layers.reverse(), ...unread];
}

/** Reads one settings file; one that cannot be read asks about everything. */
export async function readLayer(
  files: Files,
  source: RuleSource,
  file: string,
): Promise<SettingsLayer> {
  const bytes = await files.read(file, MAX_SETTINGS_BYTES);
  if (bytes.ok) {
    const digest = createHash('sha256').update(bytes.value).digest('base64url');
    return { ...readSettings(bytes.value, source, file), digest };
  }
  const why = isAbsent(bytes.error) ? await lostPlace(file, files) : bytes.error.message;
  return why === null
    ? emptyLayer(source, file)
    : unreadLayer(source, file, `${file} could not be read: ${why}`);
}

const isAbsent = ({ code }: { readonly code: string }): boolean =>
  code === 'not_found' || code === 'not_directory';

/** Creates the layer of a file that may deny something and cannot be read: it asks about everything, and no tool server starts. */
const unreadLayer = (source: RuleSource, file: string, message: string): SettingsLayer => ({
  ...emptyLayer(source, file),
  ...NO_SERVER,
  rules: askEverything(source, file),
  problems: [
    { file, message: `${message} ${ASKS_EVERYTHING} ${STARTS_NO_SERVER}`, level: 'error' },
  ],
});

/** The place that settings count as written in which a program changes in its run. */
export const CHANGED_SETTINGS = 'apply_flag_settings';

/** Reads settings that a flag gives: inline JSON when it begins with a brace, else a file that has to be there. */
export async function givenSettings(
  files: Files,
  project: string,
  flag: '--settings' | '--managed-settings',
  given: string | undefined,
): Promise<SettingsLayer> {
  if (given === undefined) return emptyLayer('commandLine', flag);
  if (given.trimStart().startsWith('{')) return readSettings(given, 'commandLine', flag);
  const file = path.resolve(project, given);
  const stat = await files.stat(file);
  if (stat.ok) return readLayer(files, 'commandLine', file);
  return unreadLayer('commandLine', file, `${flag}: ${stat.error.message}`);
}

/** The flags that rules of the command line come from. */
const RULE_FLAGS = { allow: '--allowedTools', deny: '--disallowedTools', ask: 'the command line' };

function commandLineRules(commandLine: LoadSettingsOptions['commandLine']): SettingsLayer {
  const make = (behavior: 'allow' | 'deny', texts: readonly string[]): PermissionRule[] =>
    texts.flatMap(splitRules).map((text) => ({ behavior, text, source: 'commandLine' }));
  const written = [
    ...make('deny', commandLine.disallowedTools),
    ...make('allow', commandLine.allowedTools),
  ];
  const readings = written.map((rule) => ({
    ...(rule.behavior === 'deny' && areSeveral(rule.text)
      ? { parsed: null, problem: { message: `The rule “${rule.text}” is several: ${EACH_ALONE}` } }
      : readRule(rule)),
    behavior: rule.behavior,
  }));
  return {
    ...emptyLayer('commandLine', 'the command line'),
    rules: readings.flatMap(({ parsed }) => (parsed ? [parsed.rule] : [])),
    problems: readings.flatMap(({ parsed, problem, behavior }): SettingsProblem[] => {
      const message = problem?.message ?? (parsed && ruleDoubt(parsed));
      if (message === null) return [];
      // Of a denial that says nothing of any tool, nothing is left that could hold.
      const level = behavior === 'deny' && parsed === null ? 'error' : 'warning';
      return [{ file: RULE_FLAGS[behavior], message: `${message}.`, level }];
    }),
  };
}

/** Takes `Bash(git log *),Read Edit` apart at commas and spaces outside parentheses. */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let current = '';
  for (const char of text) {
    if (char === '(') depth++;
    if (char === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(char)) {
      rules.push(current);
      current = '';
    } else current += char;
  }
  return [...rules, current].filter((rule) => rule !== '');
}

/** Reads the project's `.mcp.json`. */
export async function readMcpFile(files: Files, file: string): Promise<SettingsLayer> {
  const bytes = await files.read(file, MAX_SETTINGS_BYTES);
  if (bytes.ok) return readMcpLayer(bytes.value, 'projectSettings', file);
  const why = isAbsent(bytes.error) ? await lostPlace(file, files) : bytes.error.message;
  return why === null
    ? emptyLayer('projectSettings', file)
    : unreadMcp('projectSettings', file, why);
}

/** Reads one `--mcp-config`: inline JSON when it begins with a brace, else a file that has to be there. */
async function mcpConfig(files: Files, project: string, given: string): Promise<SettingsLayer> {
  const name = '--mcp-config';
  if (given.trimStart().startsWith('{')) return readMcpLayer(given, 'commandLine', name);
  const bytes = await files.read(path.resolve(project, given), MAX_SETTINGS_BYTES);
  return bytes.ok
    ? readMcpLayer(bytes.value, 'commandLine', name)
    : unreadMcp('commandLine', name, bytes.error.message);
}

const unreadMcp = (source: RuleSource, file: string, message: string): SettingsLayer => ({
  ...emptyLayer(source, file),
  problems: [{ file, message: `${file}: ${message}`, level: 'error' }],
});
