import { err, fault, ok, type Result } from '../../shared/result';
import type { AwsCredentials, CloudAuth } from '../engine/model/cloud-auth';
import type { ProviderOptions } from '../engine/model/providers/cloud';
import type { Clock, CommandEnd, CommandOutput, Commands } from '../engine/ports';
import type { CloudCommands, SettingCommand } from '../engine/settings/effective';

/** The longest sign-in: people have to go to a page. Milliseconds. */
const REFRESH_TIMEOUT_MS = 180_000;
/** The longest run of a command that prints keys. Milliseconds. */
const EXPORT_TIMEOUT_MS = 30_000;
/** The pause between two looks at what a sign-in has printed. Milliseconds. */
const LOOK_EVERY_MS = 200;
/** The time that printed keys are used when they do not say it themselves, and the part of it that is left out. Milliseconds. */
const KEYS_LIFE_MS = 3_600_000;
const KEYS_MARGIN_MS = 300_000;
/** More output is cut. Bytes. */
const MAX_BYTES = 64 * 1024;
/** The newest lines of a sign-in that are told. */
const MAX_LINES = 200;

/** The surroundings of the commands that settings name for a provider. */
export interface CloudCommandParts {
  readonly commands: Pick<Commands, 'run'>;
  readonly clock: Clock;
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly id: () => string;
  /** Called with each secret that a command printed. */
  readonly onKey: (key: string) => void;
}

/** Creates a function that gives a provider the ways to credentials that settings name; null where they name none. */
export function cloudAuthOf(
  named: CloudCommands | undefined,
  project: string,
  parts: CloudCommandParts,
): (provider: ProviderOptions) => CloudAuth | null {
  return (provider) => {
    // What is given is used as it is.
    const isGiven =
      provider.skipAuth === true ||
      (provider.kind === 'bedrock' ? provider.apiKey : provider.accessToken) !== undefined;
    if (named === undefined || isGiven) return null;
    const isAws = provider.kind === 'bedrock';
    const refresh = isAws ? named.awsAuthRefresh : named.gcpAuthRefresh;
    const keys = isAws ? named.awsCredentialExport : undefined;
    if (refresh === undefined && keys === undefined) return null;
    const run = createRun(project, parts);
    const printed = keys === undefined ? null : createExport(keys, run, parts);
    return {
      name: refresh?.name ?? '',
      refresh: refresh === undefined ? null : createRefresh(refresh, run, parts.clock),
      exported: printed?.get ?? null,
      forget: printed?.forget ?? (() => {}),
    };
  };
}

type Run = (
  command: SettingCommand,
  timeoutMs: number,
  joined: boolean,
  signal: AbortSignal,
  onStart?: (outputSoFar: () => CommandOutput) => void,
) => Promise<CommandEnd>;

/** Creates what runs one command: in the project when the project itself names it, else where no project can meddle. */
const createRun =
  (project: string, { commands, clock, platform, home, env, id }: CloudCommandParts): Run =>
  async ({ command, ofProject }, timeoutMs, joined, signal, onStart) => {
    const late = new AbortController();
    const over = new AbortController();
    void clock.sleep(timeoutMs, over.signal).then(() => over.signal.aborted || late.abort());
    const argv =
      platform === 'win32'
        ? ['cmd.exe', '/d', '/s', '/c', command]
        : ['/bin/sh', '-c', joined ? `exec 2>&1\n${command}` : command];
    const cwd = ofProject ? project : home;
    const spec = { id: id(), argv, cwd, env, input: '', maxBytes: MAX_BYTES };
    const end = await commands.run(spec, AbortSignal.any([signal, late.signal]), onStart);
    over.abort();
    return late.signal.aborted && !signal.aborted
      ? { kind: 'failed', message: `did not finish in ${timeoutMs / 1000} s` }
      : end;
  };

/** Returns why a command did not do its work; null when it did. */
function failureOf(end: CommandEnd): string | null {
  if (end.kind === 'failed')
    return /^did not/.test(end.message) ? end.message : `could not be run: ${end.message}`;
  if (end.kind === 'aborted') return 'was stopped';
  return end.exitCode === 0 ? null : `failed with exit code ${end.exitCode ?? 'none'}`;
}

const failed = ({ name, file }: SettingCommand, what: string): Result<never> =>
  err(
    fault('cloud_auth', `${name} in ${file} ${what}.`, 'Run its command in a terminal to see why.'),
  );

/** Creates the sign-in: requests at one time share one run, and each is told of it. */
function createRefresh(
  command: SettingCommand,
  run: Run,
  clock: Clock,
): NonNullable<CloudAuth['refresh']> {
  type Tell = (lines: readonly string[]) => void;
  let running: { readonly done: Promise<Result<null>>; readonly listeners: Set<Tell> } | null =
    null;
  const start = (listeners: Set<Tell>, signal: AbortSignal): Promise<Result<null>> => {
    let told = '';
    const look = ({ stdout, stderr }: CommandOutput) => {
      const text = stdout + stderr;
      if (text === told) return;
      told = text;
      for (const tell of listeners) tell(linesOf(text));
    };
    const over = new AbortController();
    const follow = async (outputSoFar: () => CommandOutput): Promise<void> => {
      while (!over.signal.aborted) {
        look(outputSoFar());
        await clock.sleep(LOOK_EVERY_MS, over.signal);
      }
    };
    const work = async (): Promise<Result<null>> => {
      const end = await run(command, REFRESH_TIMEOUT_MS, true, signal, (soFar) => {
        void follow(soFar);
      });
      over.abort();
      if (end.kind === 'exited') look(end);
      running = null;
      const why = failureOf(end);
      return why === null ? ok(null) : failed(command, why);
    };
    return work();
  };
  return (tell, signal) => {
    if (running === null) {
      const listeners = new Set<Tell>();
      running = { listeners, done: start(listeners, signal) };
    }
    running.listeners.add(tell);
    return running.done;
  };
}

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-MAX_LINES);

/** Creates the source of keys that a command prints. What it prints is never shown. */
function createExport(command: SettingCommand, run: Run, { clock, onKey }: CloudCommandParts) {
  let known: { readonly keys: AwsCredentials; readonly until: number } | null = null;
  let running: Promise<Result<AwsCredentials>> | null = null;
  const ask = async (signal: AbortSignal): Promise<Result<AwsCredentials>> => {
    const end = await run(command, EXPORT_TIMEOUT_MS, false, signal);
    const why = failureOf(end);
    if (why !== null || end.kind !== 'exited') return failed(command, why ?? 'was stopped');
    const read = readKeys(end.stdout);
    if (read === null) return failed(command, 'printed no keys in the form of "Credentials"');
    const { keys, expires } = read;
    for (const key of [keys.secretAccessKey, keys.sessionToken]) if (key) onKey(key);
    const until = (expires ?? clock.date() + KEYS_LIFE_MS) - KEYS_MARGIN_MS;
    known = { keys, until };
    return ok(keys);
  };
  return {
    get: async (signal: AbortSignal): Promise<Result<AwsCredentials>> => {
      if (known !== null && clock.date() < known.until) return ok(known.keys);
      running ??= ask(signal).finally(() => {
        running = null;
      });
      return running;
    },
    forget: () => {
      known = null;
    },
  };
}

/** Reads keys as `aws sts` and `aws configure export-credentials` print them; null when there are none. Pure. */
export function readKeys(
  text: string,
): { readonly keys: AwsCredentials; readonly expires: number | null } | null {
  const whole = objectOf(parsed(text));
  const found = objectOf(whole['Credentials'] ?? whole);
  const word = (name: string) => {
    const value = found[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const accessKeyId = word('AccessKeyId');
  const secretAccessKey = word('SecretAccessKey');
  const sessionToken = word('SessionToken');
  if (accessKeyId === undefined || secretAccessKey === undefined) return null;
  const at = Date.parse(word('Expiration') ?? '');
  return {
    keys: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
    expires: Number.isNaN(at) ? null : at,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
