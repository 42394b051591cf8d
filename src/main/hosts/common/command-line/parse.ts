import { resolve } from 'node:path';
import { err, ok, type Result } from '../../../../shared/result';
import { ExportFormat } from '../../../../shared/session-export';
import type { CommandLine, PluginCommand, WindowCommand } from './command';
import { KEEP_ACTS } from './command';
import { FLAGS, type FlagScope } from './flags';
import { HELP_TOPICS, type HelpTopic } from './help-text';
import { given, parseHeadless } from './parse-headless';
import { parseMcp } from './parse-mcp';
import { debugFlags, type Scanned, scan, usage } from './scan';

/**
 * Reads a command line (without `node` and the script). `base` is what relative paths are relative to. `piped`: something
 * else than a terminal reads what is printed.
 */
export function parseCommandLine(
  words: readonly string[],
  base: string,
  piped: Piped | null = null,
): Result<CommandLine> {
  if (words[0] === 'mcp') return parseMcp(words.slice(1), base);
  const scanned = scan(words);
  if (!scanned.ok) return scanned;
  const { values, positionals } = scanned.value;
  if (values.has('--help')) return ok({ kind: 'help', topic: topicOf(positionals[0]) });
  if (values.has('--version')) return ok({ kind: 'version' });
  if (values.has('-v')) return ok({ kind: 'protocolVersion' });
  // Programs that drive an agent leave `-p` out: whoever speaks this way reads what is printed.
  const driven = values.get('--input-format')?.at(-1) === 'stream-json';
  if (values.has('--print') || values.has('--init-only') || driven)
    return parseHeadless(scanned.value, base);
  if (positionals[0] === 'doctor') return parseDoctor(scanned.value, base);
  if (positionals[0] === 'auth') return parseAuth(scanned.value, base);
  if (positionals[0] === 'permissions') return parsePermissions(scanned.value, base);
  if (positionals[0] === 'path') return parsePath(scanned.value);
  if (positionals[0] === 'acp') return parseAcp(scanned.value, base);
  if (positionals[0] === 'plugin' || positionals[0] === 'plugins')
    return parsePlugin(scanned.value, base);
  if (positionals[0] === 'sessions') return parseSessions(scanned.value);
  if (!asksForAnswer(scanned.value, base, piped)) return parseWindow(scanned.value, base);
  const [only = '', ...more] = positionals;
  // A script that means the command would pay for an answer.
  if (more.length === 0 && ELSEWHERE.has(only))
    return err(usage(`Lathe has no command ${only}.`, `For a prompt: lathe -p "${only}"`));
  return parseHeadless(scanned.value, base);
}

const topicOf = (word: string | undefined): HelpTopic | null =>
  HELP_TOPICS.find((one) => one === (word === 'plugins' ? 'plugin' : word)) ?? null;

/** Words that are commands of other programs which scripts start in the same way. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...['agents', 'config', 'install', 'login', 'logout', 'migrate-installer'],
  ...['remote-control', 'setup-token', 'uninstall', 'update', 'upgrade'],
]);

/** The look at the disk that tells a prompt from a folder. */
interface Piped {
  /** `path` is absolute. */
  readonly isFolder: (path: string) => boolean;
}

/** Tells whether a command line without `-p` wants an answer all the same: a prompt whose output goes into a pipe. */
function asksForAnswer({ values, positionals }: Scanned, base: string, piped: Piped | null) {
  if (piped === null || positionals[0] === 'serve') return false;
  const has = (scope: FlagScope) =>
    FLAGS.some((one) => one.scope === scope && values.has(one.name));
  if (has('window')) return false;
  const [first, ...more] = positionals;
  if (first === undefined) return has('headless');
  return more.length > 0 || !(PATH.test(first) || piped.isFolder(resolve(base, first)));
}

/** Words that name a place, whether it is there or not: a mistyped folder is no prompt. */
const PATH = /^(?:\.{1,2}(?:[\\/]|$)|~|[\\/][^\s\\/]+[\\/]\S*$|[A-Za-z]:[\\/])/;

function parseDoctor({ values, positionals }: Scanned, base: string): Result<CommandLine> {
  const others = new Map([...values].filter(([name]) => !OF_SETTINGS.has(name)));
  const misplaced = misplacedFlag(others, []);
  if (misplaced !== null) return err(usage(misplaced));
  const folder = resolve(base, values.get('--cwd')?.at(-1) ?? positionals[1] ?? '.');
  const ofRun = new Map([...values].filter(([name]) => OF_SETTINGS.has(name)));
  const parsed = parseHeadless({ values: ofRun, positionals: [] }, base);
  if (!parsed.ok || parsed.value.kind !== 'headless') return parsed;
  const { trust, settings, managedSettings, settingSources } = parsed.value.options;
  const { mcpConfig, pluginFolders, serverlessPlugins } = parsed.value.options;
  return ok({
    ...{ kind: 'doctor', folder, debug: values.has('--debug') },
    ...(trust ? { trust } : {}),
    ...given({ settings, managedSettings, settingSources }),
    ...given({ mcpConfig, pluginFolders, serverlessPlugins }),
  });
}

/** The flags of `lathe -p` that say which settings and plugins count. */
const OF_SETTINGS: ReadonlySet<string> = new Set([
  ...['--trust', '--settings', '--managed-settings', '--setting-sources'],
  ...['--mcp-config', '--plugin-dir', '--plugin-dir-no-mcp'],
]);

/** Reads `lathe auth status` and `logout`, which take the flags of `lathe -p` that say where a key comes from. */
function parseAuth({ values, positionals }: Scanned, base: string): Result<CommandLine> {
  const others = new Map([...values].filter(([name]) => !OF_KEYS.has(name)));
  const misplaced = misplacedFlag(others, ['auth']);
  if (misplaced !== null) return err(usage(misplaced));
  const act = positionals[1];
  if ((act !== 'status' && act !== 'logout') || positionals.length > 2)
    return err(
      usage(
        'There are two such commands: lathe auth status [--json], lathe auth logout [--json].',
        'A key comes from ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN or apiKeyHelper, or is entered in the app: lathe serve. For a prompt: lathe -p "auth …"',
      ),
    );
  const ofRun = new Map([...values].filter(([name]) => name !== '--json'));
  const parsed = parseHeadless({ values: ofRun, positionals: [] }, base);
  if (!parsed.ok || parsed.value.kind !== 'headless') return parsed;
  return ok({ kind: 'auth', act, options: parsed.value.options, asJson: values.has('--json') });
}

const OF_KEYS: ReadonlySet<string> = new Set(['--settings', '--setting-sources', '--trust']);

function parsePermissions({ values, positionals }: Scanned, base: string): Result<CommandLine> {
  const misplaced = misplacedFlag(values, []);
  if (misplaced !== null) return err(usage(misplaced));
  if (positionals[1] !== 'check' || positionals.length > 2)
    return err(usage('There is one such command: lathe permissions check.', CHECK_USAGE));
  return ok({
    kind: 'checkPermissions',
    folder: resolve(base, values.get('--cwd')?.at(-1) ?? '.'),
  });
}

function parsePath({ values, positionals }: Scanned): Result<CommandLine> {
  const misplaced = misplacedFlag(values, []);
  if (misplaced !== null) return err(usage(misplaced));
  const act = positionals[1];
  if ((act !== 'add' && act !== 'remove') || positionals.length > 2)
    return err(usage('There are two such commands: lathe path add, lathe path remove.'));
  return ok({ kind: 'path', act });
}

/** Reads `lathe acp`, which takes the flags of `lathe -p` that are about a session. */
function parseAcp(scanned: Scanned, base: string): Result<CommandLine> {
  const own = ['--output-format', '--input-format', '--resume', '--continue', '--session-id'];
  const misplaced = own.find((name) => scanned.values.has(name));
  if (misplaced !== undefined) return err(usage(`${misplaced} does not belong to this command.`));
  if (scanned.positionals.length > 1)
    return err(usage('lathe acp takes no folder and no prompt: the editor says both.'));
  const parsed = parseHeadless({ ...scanned, positionals: [] }, base);
  if (!parsed.ok || parsed.value.kind !== 'headless') return parsed;
  const { options, debug, debugFile } = parsed.value;
  return ok({ kind: 'acp', options, debug, ...(debugFile === undefined ? {} : { debugFile }) });
}

function parseSessions({ values, positionals }: Scanned): Result<CommandLine> {
  const misplaced = misplacedFlag(values, []);
  if (misplaced !== null) return err(usage(misplaced));
  const [, verb, ...words] = positionals;
  const text = words.join(' ').trim();
  if (verb === 'search' && text !== '') return ok({ kind: 'searchSessions', text });
  const [sessionId = '', format = 'markdown', ...more] = words;
  const act = KEEP_ACTS.find((one) => one === verb);
  if (act !== undefined && sessionId !== '' && words.length === 1)
    return ok({ kind: 'keepSession', act, sessionId });
  const known = ExportFormat.safeParse(format);
  if (verb === 'export' && sessionId !== '' && known.success && more.length === 0)
    return ok({ kind: 'exportSession', sessionId, format: known.data });
  return err(usage('Not one of: lathe sessions search <words>', SESSIONS_USAGE));
}

const SESSIONS_USAGE =
  'lathe sessions export <id> [markdown|json|html], lathe sessions archive|unarchive|delete|restore <id>';

const CHECK_USAGE =
  'It reads one JSON object a line: {"tool":"Bash","input":{"command":"ls"},"rules":{"deny":["Bash(rm:*)"]}}';

const VERBS: Readonly<Record<string, PluginCommand['verb']>> = {
  list: 'list',
  show: 'show',
  install: 'install',
  enable: 'enable',
  disable: 'disable',
  update: 'update',
  remove: 'remove',
  uninstall: 'remove',
  set: 'set',
  unset: 'unset',
};
const PLACE_VERBS: Readonly<Record<string, PluginCommand['verb']>> = {
  list: 'places',
  add: 'addPlace',
  update: 'updatePlace',
  remove: 'removePlace',
};

function parsePlugin({ values, positionals }: Scanned, base: string): Result<CommandLine> {
  const misplaced = misplacedFlag(values, ['plugin']);
  if (misplaced !== null) return err(usage(misplaced));
  const ofPlaces = positionals[1] === 'marketplace';
  const [word = 'list', name = '', ...more] = positionals.slice(ofPlaces ? 2 : 1);
  const verbs = ofPlaces ? PLACE_VERBS : VERBS;
  const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined;
  const needsName = verb !== 'list' && verb !== 'places';
  const words = verb === 'set' ? 2 : verb === 'unset' ? 1 : 0;
  if (verb === undefined || more.length !== words || needsName !== (name !== ''))
    return err(usage('Not a command of plugins.', PLUGIN_USAGE));
  const folder = resolve(base, values.get('--cwd')?.at(-1) ?? '.');
  const [key, value = null] = more;
  const option = key === undefined ? {} : { option: { key, value } };
  return ok({ kind: 'plugin', folder, verb, name, ...option, agreed: values.has('--yes') });
}

const PLUGIN_USAGE =
  'lathe plugin list | show|install|enable|disable|update|remove <name@marketplace> | set <name@marketplace> <option> <value> | unset <name@marketplace> <option> | marketplace list|add|update|remove <name>';

function parseWindow({ values, positionals }: Scanned, base: string): Result<CommandLine> {
  const misplaced = misplacedFlag(values, ['window', 'session']);
  if (misplaced !== null) return err(usage(misplaced));
  const serving = positionals[0] === 'serve';
  const folders = serving ? positionals.slice(1) : positionals;
  if (folders.length > 1)
    return err(
      usage(
        `One folder at a time, but got: ${folders.join(', ')}`,
        'To send a prompt without a window: lathe -p "…". See lathe --help.',
      ),
    );
  const port = portOf(values.get('--port')?.at(-1));
  if (port === null)
    return err(
      usage(`--port must be a number from 0 to 65535, not ${values.get('--port')?.at(-1)}.`),
    );
  const folder = folders[0] ?? values.get('--cwd')?.at(-1);
  const plugins = values.get('--plugin-dir');
  const command: WindowCommand = {
    kind: serving ? 'serve' : 'open',
    demo: values.has('--demo'),
    port,
    openWindow: !values.has('--no-open'),
    ...(values.has('--wait') ? { waits: true } : {}),
    ...debugFlags(values, base),
    ...(plugins === undefined ? {} : { pluginFolders: plugins.map((one) => resolve(base, one)) }),
    ...(folder === undefined ? {} : { folder: resolve(base, folder) }),
  };
  return ok(command);
}

function portOf(text: string | undefined): number | null {
  if (text === undefined) return 0;
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port <= 65_535 ? port : null;
}

function misplacedFlag(values: Scanned['values'], scopes: readonly FlagScope[]): string | null {
  const misplaced = FLAGS.find(
    ({ name, scope }) => values.has(name) && !ANYWHERE.has(scope) && !scopes.includes(scope),
  );
  if (misplaced === undefined) return null;
  return misplaced.scope === 'headless'
    ? `${misplaced.name} only works with -p.`
    : `${misplaced.name} does not belong to this command.`;
}

const ANYWHERE: ReadonlySet<FlagScope> = new Set<FlagScope>(['any', 'ignored']);
