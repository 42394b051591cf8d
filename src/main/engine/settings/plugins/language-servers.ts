import { z } from 'zod';
import type { SettingsProblem } from '../../../../shared/settings';
import { propertiesOf } from '../json-text';
import { filledServer } from './filled-in';
import type { Part } from './parts-of';
import { type JsonObject, objectAt, pluginProblem, tellNear } from './plugin-json';
import { missingOptions, type OptionValues, withoutValue } from './plugin-options';

/** A language server of a plugin. Variables of the environment are filled in when it starts. */
export interface LanguageServerSetting {
  /** Its own name behind that of its plugin: `plugin:name`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The languages of files by the end of their names, in small letters: `.ts` is `typescript`. */
  readonly languages: Readonly<Record<string, string>>;
  readonly initializationOptions?: unknown;
  /** The answers to what it asks about its configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The folder that it looks after, where that is not the one that is worked in. */
  readonly workspaceFolder?: string;
  /** Milliseconds. */
  readonly startupTimeout: number;
  /** Milliseconds. */
  readonly shutdownTimeout: number;
  /** The number of times that it is started again after it ended by itself. */
  readonly maxRestarts: number;
  /** The file that names it, and the line in it. */
  readonly file: string;
  readonly line: number;
}

/** The start of a server of the ecosystem has as long where it says nothing; so have tool servers here. Milliseconds. */
const STARTUP_MS = 30_000;
/** No start is waited for longer: 10 minutes, for a server that downloads what it needs. Milliseconds. */
const MAX_STARTUP_MS = 10 * 60_000;
/** A session that closes waits for it, and then ends it. Milliseconds. */
const SHUTDOWN_MS = 2_000;
const MAX_SHUTDOWN_MS = 10_000;
const MAX_RESTARTS = 3;
const MOST_RESTARTS = 100;

/** The end of a file name, from its point on. */
const Extension = z.string().regex(/^\.[^\s/\\*]{1,50}$/);

const Server = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  extensionToLanguage: z
    .record(Extension, z.string().min(1).max(100))
    .refine((map) => Object.keys(map).length > 0),
  transport: z.literal('stdio').optional(),
  env: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))
    .optional(),
  initializationOptions: z.unknown().optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  workspaceFolder: z.string().min(1).optional(),
  startupTimeout: z.number().min(1).max(MAX_STARTUP_MS).optional(),
  shutdownTimeout: z.number().min(1).max(MAX_SHUTDOWN_MS).optional(),
  restartOnCrash: z.boolean().optional(),
  maxRestarts: z.number().int().min(0).max(MOST_RESTARTS).optional(),
});
type Server = z.infer<typeof Server>;

/** The words for the value that a field should have. */
const EXPECTED: Readonly<Record<string, string>> = {
  command: 'a command in quotes is expected',
  args: 'a list of texts is expected',
  extensionToLanguage: 'an object such as {".ts": "typescript"} is expected',
  transport:
    'only "stdio" is supported; the format does not say how a program hears of a socket. Have it talk over standard input and output',
  env: 'an object of names and texts is expected',
  settings: 'an object is expected',
  workspaceFolder: 'a folder in quotes is expected',
  startupTimeout: `milliseconds up to ${MAX_STARTUP_MS} are expected`,
  shutdownTimeout: `milliseconds up to ${MAX_SHUTDOWN_MS} are expected`,
  restartOnCrash: 'true or false is expected',
  maxRestarts: `a whole number up to ${MOST_RESTARTS} is expected`,
};

/** Fields that cost only themselves when they are wrong: a default stands in. */
const WITH_DEFAULT: ReadonlySet<string> = new Set([
  ...['startupTimeout', 'shutdownTimeout', 'restartOnCrash', 'maxRestarts'],
]);

/** `loggingConfig` is for a log of another program and changes nothing else. */
const FIELDS = [...Object.keys(Server.shape), 'loggingConfig'];

const FIELD = 'lspServers';

interface ReadContext {
  readonly root: string;
  /** The plugin's. */
  readonly name: string;
  readonly problems: SettingsProblem[];
  readonly values: OptionValues | null;
}

/** Reads the language servers of a plugin. A bad one is told with its line, and costs itself alone. */
export function languageServersOf(
  parts: readonly Part[],
  { root, name: plugin, problems, values }: ReadContext,
): readonly LanguageServerSetting[] {
  const servers = new Map<string, LanguageServerSetting>();
  for (const { object, node } of parts) {
    const { file, lineAt } = object;
    const tellAt = (field: string, offset: number, message: string) =>
      void problems.push(pluginProblem(file, field, message, lineAt(offset), 'warning'));
    if (node.type !== 'object') {
      tellAt(FIELD, node.offset, 'an object of language servers is expected');
      continue;
    }
    for (const { name: own, value, at } of propertiesOf(node)) {
      if (own === '$schema') continue;
      const field = `${FIELD}.${own}`;
      const leftOut = (why: string) => tellAt(field, at, `${why}; it is left out`);
      if (!/^[\w.+#-]{1,100}$/.test(own)) {
        leftOut('letters, digits and any of "_.+#-" are expected as the name of a language server');
        continue;
      }
      if (value.type !== 'object') {
        leftOut('an object with "command" and "extensionToLanguage" is expected');
        continue;
      }
      const one = objectAt(value, { file, problems, lineAt });
      tellNear(one, FIELDS);
      const lacks = missingOptions(JSON.stringify(one.value) ?? '', values);
      if (lacks.length > 0) {
        tellAt(field, at, withoutValue(lacks));
        continue;
      }
      const server = readServer(
        one,
        filledServer(one.value, root, values),
        (key, why) =>
          void problems.push(
            pluginProblem(file, `${field}.${key}`, why, one.lineOf(key), 'warning'),
          ),
      );
      if (server !== null)
        servers.set(own, settingOf(`${plugin}:${own}`, server, file, lineAt(at)));
    }
  }
  return [...servers.values()];
}

/** Returns a server without the fields for which a default stands in; null when it cannot be started. */
function readServer(
  { value }: Pick<JsonObject, 'value'>,
  filled: unknown,
  tell: (field: string, why: string) => void,
): Server | null {
  const parsed = Server.safeParse(filled);
  if (parsed.success) return parsed.data;
  const wrong = new Set(parsed.error.issues.map(({ path }) => String(path[0] ?? '')));
  const ends = [...wrong].some((field) => !WITH_DEFAULT.has(field));
  for (const field of wrong) {
    const missing = value[field] === undefined ? 'it is missing: ' : '';
    const what = WITH_DEFAULT.has(field) ? 'the default counts' : 'this server is left out';
    tell(field, `${missing}${EXPECTED[field] ?? 'something else is expected'}; ${what}`);
  }
  if (ends) return null;
  const rest = Object.entries(Object(filled)).filter(([field]) => !wrong.has(field));
  return Server.safeParse(Object.fromEntries(rest)).data ?? null;
}

function settingOf(
  name: string,
  server: Server,
  file: string,
  line: number,
): LanguageServerSetting {
  const { command, args = [], env = {}, extensionToLanguage, maxRestarts = MAX_RESTARTS } = server;
  const { initializationOptions, settings, workspaceFolder, restartOnCrash = true } = server;
  const { startupTimeout = STARTUP_MS, shutdownTimeout = SHUTDOWN_MS } = server;
  return {
    ...{ name, command, args, env, file, line, startupTimeout, shutdownTimeout },
    languages: Object.fromEntries(
      Object.entries(extensionToLanguage).map(([end, language]) => [end.toLowerCase(), language]),
    ),
    ...(initializationOptions === undefined ? {} : { initializationOptions }),
    ...(settings === undefined ? {} : { settings }),
    ...(workspaceFolder === undefined ? {} : { workspaceFolder }),
    maxRestarts: restartOnCrash ? maxRestarts : 0,
  };
}

/** Language servers without the files that another is for, and which those are. */
interface DistinctServers {
  readonly servers: readonly LanguageServerSetting[];
  readonly problems: readonly SettingsProblem[];
}

/** Leaves each kind of file to the first server that is for it; what another is not used for is told. Pure. */
export function distinctServers(all: readonly LanguageServerSetting[]): DistinctServers {
  const owners = new Map<string, string>();
  const problems: SettingsProblem[] = [];
  const servers = all.flatMap((server): readonly LanguageServerSetting[] => {
    const { name, languages, file, line } = server;
    const taken = Object.keys(languages).filter((end) => owners.has(end));
    if (taken.length === 0) {
      for (const end of Object.keys(languages)) owners.set(end, name);
      return [server];
    }
    const by = [...new Set(taken.map((end) => owners.get(end) ?? ''))].join(', ');
    const field = `${FIELD}.${name.slice(name.indexOf(':') + 1)}`;
    const why = `${name} is not used for ${taken.join(', ')}: ${by} comes first. Turn one of the plugins off`;
    problems.push(pluginProblem(file, field, why, line, 'warning'));
    const left = Object.entries(languages).filter(([end]) => !owners.has(end));
    for (const [end] of left) owners.set(end, name);
    return left.length === 0 ? [] : [{ ...server, languages: Object.fromEntries(left) }];
  });
  return { servers, problems };
}
