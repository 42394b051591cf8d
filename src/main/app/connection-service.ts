import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import type { Connection, EnteredKey } from '../../shared/settings';
import type { ModelClient, ModelEvent } from '../engine/model/model-client';
import { withCredentialRefresh } from '../engine/model/retry';
import { type AllowedProviders, providerRefusal } from '../engine/settings/allowed-providers';
import type { ApiKeyHelper, EffectiveSettings } from '../engine/settings/effective';
import {
  type Credentials,
  isEndpoint,
  type ResolvedConnection,
  refused,
  resolveConnection,
} from './connection';
import type { KeyStore, StoredKey } from './key-store';
import type { StateStore } from './state-store';
import type { Workbench } from './workbench';

/** The way to a model, and the client for it. */
export interface ConnectionService {
  current(): Connection;
  /** Tries a key and an endpoint, without keeping them. */
  check: Workbench['checkConnection'];
  choose: Workbench['setConnection'];
  /** Null when a project with such settings has a connection; otherwise what to do about it. */
  problem(settings: EffectiveSettings): Fault | null;
  /** A client that always uses the connection of the moment; a refused key is looked up anew once. */
  client(settings: EffectiveSettings, project: string): ModelClient;
  /** Returns the credentials that hold now; null when there are none. */
  credentials(): Credentials | null;
  /** Returns those for the list of models; null when there is nobody to ask. */
  forModels(): Credentials | null;
  close(): Promise<void>;
}

/** The offline demo's server, started at its first use. */
interface DemoServer {
  start(): Promise<{ readonly url: string; close(): Promise<void> }>;
}

export interface ConnectionServiceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly keyStore: KeyStore;
  readonly state: StateStore;
  readonly demo: DemoServer;
  readonly createClient: (
    credentials: Credentials,
    settings: EffectiveSettings,
    project: string,
  ) => ModelClient;
  readonly check: (credentials: Credentials, signal: AbortSignal) => Promise<Result<null>>;
  /** The providers that managed settings let be asked. Absent: all. */
  readonly allowedProviders?: AllowedProviders;
  /** The command of the user, or of the machine, that prints the key; nothing of a project. */
  readonly helper?: ApiKeyHelper;
}

const CHOICES = { apiKey: 'stored', demo: 'demo', none: 'environment' } as const;

const NO_KEY = fault(
  'no_key',
  'Lathe has no API key.',
  'Set ANTHROPIC_API_KEY, enter a key in Settings, or try the offline demo.',
);

/** Reads what a user entered; a fault when it is no endpoint that a key may be sent to. Pure. */
function readEntered({ key, baseUrl: asked }: EnteredKey): Result<StoredKey> {
  const baseUrl = asked?.trim() || undefined;
  if (baseUrl === undefined) return ok({ key: key.trim() });
  return isEndpoint(baseUrl)
    ? ok({ key: key.trim(), baseUrl })
    : err(
        fault(
          'bad_endpoint',
          `"${baseUrl}" is no endpoint a key may be sent to.`,
          'Use an https:// address, or http:// on this machine.',
        ),
      );
}

async function* failing(fault: Fault): AsyncGenerator<ModelEvent> {
  yield refused(fault);
}

/** Reads the stored key and takes up the connection chosen last. */
export async function createConnectionService(
  options: ConnectionServiceOptions,
): Promise<ConnectionService> {
  const { env, keyStore, state } = options;
  let demo: Awaited<ReturnType<DemoServer['start']>> | null = null;
  let stored = await keyStore.get();
  let resolved: ResolvedConnection;

  const resolve = async () => {
    const chosen = state.get().connection;
    if (chosen === 'demo') demo ??= await options.demo.start();
    const demoUrl = chosen === 'demo' && demo ? demo.url : null;
    resolved = resolveConnection(env, stored, demoUrl, chosen === 'stored', options.helper);
  };
  await resolve();

  /** Returns the credentials of the helper that a trusted project names: it serves where there is nothing else. */
  const ofProject = ({ apiKeyHelper }: EffectiveSettings): Credentials | null =>
    apiKeyHelper === undefined
      ? null
      : resolveConnection(env, null, null, false, apiKeyHelper).credentials;

  const refusalOf = (credentials: Credentials | null): string | null =>
    credentials === null || credentials.demo || credentials.provider
      ? null
      : providerRefusal(options.allowedProviders, { ...credentials, kind: 'anthropic' });

  const store = async (entered: EnteredKey): Promise<Result<null>> => {
    const key = readEntered(entered);
    if (!key.ok) return key;
    const saved = await keyStore.set(key.value);
    if (saved.ok) stored = await keyStore.get();
    return saved;
  };

  return {
    current: () => resolved.connection,
    check: async (entered, signal) => {
      const key = readEntered(entered);
      if (!key.ok) return key;
      const { credentials } = resolveConnection(env, key.value, null, true);
      const refusal = refusalOf(credentials);
      if (refusal !== null) return err(fault('provider_not_allowed', refusal));
      return credentials === null ? err(NO_KEY) : options.check(credentials, signal);
    },
    choose: async (choice) => {
      if (choice.kind === 'apiKey') {
        const saved = await store(choice);
        if (!saved.ok) return saved;
      }
      if (choice.kind === 'none') {
        const cleared = await keyStore.clear();
        if (!cleared.ok) return cleared;
        stored = null;
      }
      await state.update({ connection: CHOICES[choice.kind] });
      await resolve();
      const { kind, from } = resolved.connection;
      return choice.kind === 'none' && kind !== 'none'
        ? err(
            fault(
              'environment_key',
              `${from} is still set, in the environment Lathe was started from or in "env" of your settings.`,
              'Unset it there and start Lathe again.',
            ),
          )
        : ok(resolved.connection);
    },
    problem: (settings) => ((resolved.credentials ?? ofProject(settings)) ? null : NO_KEY),
    credentials: () => resolved.credentials,
    forModels: () => (refusalOf(resolved.credentials) === null ? resolved.credentials : null),
    client: (settings, project) => {
      let own = ofProject(settings);
      let made: { readonly of: Credentials; readonly client: ModelClient } | null = null;
      const ofTheMoment: ModelClient = {
        stream: (request, signal) => {
          const credentials = resolved.credentials ?? own;
          if (!credentials) return failing(NO_KEY);
          if (made?.of !== credentials) {
            const client = options.createClient(credentials, settings, project);
            made = { of: credentials, client };
          }
          return made.client.stream(request, signal);
        },
      };
      return withCredentialRefresh(ofTheMoment, async () => {
        stored = await keyStore.get();
        await resolve();
        own = ofProject(settings);
        return (resolved.credentials ?? own) !== null;
      });
    },
    close: async () => {
      await demo?.close();
    },
  };
}
