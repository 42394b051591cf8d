import { join } from 'node:path';
import { fault } from '../shared/result';
import { cloudAuthOf } from './app/cloud-commands';
import type { Credentials } from './app/connection';
import { createKeyHelper, refused, requestSettings, withKeyHelper } from './app/connection';
import { price } from './engine/cost/price';
import { createCompactionSwitches } from './engine/model/api-compaction';
import { tapeMode, withCassette } from './engine/model/cassette';
import { modelInMode, resolveModel } from './engine/model/catalog';
import { createModelClient, parseCustomHeaders } from './engine/model/create-client';
import type { ModelClient } from './engine/model/model-client';
import { baseOf } from './engine/model/providers/anthropic';
import type { ProviderOptions } from './engine/model/providers/cloud';
import { providersFromEnv } from './engine/model/providers/from-env';
import { withTrace } from './engine/model/trace';
import type { Clock, Commands, Files, Log, Programs } from './engine/ports';
import { projectSlug } from './engine/sessions/paths';
import { providerRefusal } from './engine/settings/allowed-providers';
import type { EffectiveSettings } from './engine/settings/effective';
import { cappedEffort } from './engine/settings/schema';
import { createHttpFetch } from './node/fast/http-fetch';
import { createTrustMore } from './node/network';
import { reached } from './node/startup';
import { createNodeRandom } from './node/system';
import { withoutSecrets } from './terminal/child-env';

/** The parts of clients for a model. */
export interface ClientParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly latheHome: string;
  readonly platform: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly programs: Programs;
  readonly commands: Commands;
  readonly newId: () => string;
  /** The debug log; absent when nobody asked for one. */
  readonly log?: Log;
  /** Called when a request leaves, where there is a debug log. */
  readonly onSent: () => void;
  /** Called with the key of each client that is made. */
  readonly onKey: (key: string) => void;
}

/** Notes that a request is sent, with which the start is over (`keepHeapSmall`). */
const marked =
  (send: typeof fetch): typeof fetch =>
  (...args) => {
    reached('first request');
    return send(...args);
  };

/** Creates a function that makes the client for credentials, as the settings of a project and the environment want it. */
export function clientFactory(parts: ClientParts) {
  const { env, home, latheHome, platform, files, clock, programs, commands, newId, log } = parts;
  const { onSent, onKey } = parts;
  const requests = requestSettings(env);
  const tape = tapeMode(env['LATHE_VCR']);
  // A recording and its playback wait equally long before they try again.
  const random = tape === 'off' ? createNodeRandom() : () => 0;
  const send = marked(createHttpFetch({ trustMore: createTrustMore(env) }));
  const sendHere = marked(createHttpFetch({ direct: true }));
  let traced = 0;
  const nextNumber = () => ++traced;
  const compactionSwitch = createCompactionSwitches();
  const ttlMs = Number(env['CLAUDE_CODE_API_KEY_HELPER_TTL_MS']) || undefined;

  const direct = (credentials: Credentials, settings: EffectiveSettings, project: string) => {
    const { failoverWaitSeconds } = settings;
    const secrets = secretsOf(env, credentials);
    for (const key of [credentials.apiKey, credentials.authToken]) if (key) onKey(key);
    const client = createModelClient({
      ...credentials,
      ...requests,
      ...endpointOptions(credentials.baseUrl, settings, requests),
      ...(failoverWaitSeconds === undefined ? {} : { failoverWaitMs: failoverWaitSeconds * 1000 }),
      fallbackModels: settings.fallbackModels.flatMap((name) => {
        const model = resolveModel(name, env);
        return model.ok ? [modelInMode(model.value, 'default', env)] : [];
      }),
      fetch: credentials.demo ? sendHere : send,
      clock,
      random,
      price,
      providers: credentials.demo
        ? []
        : providersFromEnv(env)
            .others.filter((one) => providerRefusal(settings.allowedProviders, one) === null)
            .map((one) => withModelIds(one, settings)),
      withoutAnthropic: credentials.provider !== undefined,
      cloudAuth: cloudAuthOf(settings.cloudCommands, project, {
        ...{ commands, clock, platform, home, env: withoutSecrets(env), id: newId, onKey },
      }),
      compactionSwitch,
      tape: (endpoint) =>
        withCassette(endpoint, {
          mode: credentials.demo ? 'off' : tape,
          files,
          clock,
          folder: env['LATHE_VCR_DIR'] || join(latheHome, 'cassettes'),
          secrets,
          places: [
            { name: '{{project}}', value: project },
            { name: 'projects/{{project-slug}}', value: `projects/${projectSlug(project)}` },
            { name: '{{lathe-home}}', value: latheHome },
            { name: '{{home}}', value: home },
          ],
        }),
    });
    return log === undefined
      ? client
      : withTrace(client, { log, clock, secrets, nextNumber, onSent });
  };

  const uncapped = (credentials: Credentials, settings: EffectiveSettings, project: string) => {
    const { helper, ...rest } = credentials;
    if (helper === undefined || tape === 'playback') {
      return direct(helper ? { ...rest, apiKey: 'recorded' } : rest, settings, project);
    }
    const getKey = createKeyHelper({
      helper,
      project,
      home,
      platform,
      programs,
      clock,
      env: withoutSecrets(env),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    });
    // Some gateways look at one header, some at the other.
    return withKeyHelper(getKey, (key) =>
      direct({ ...rest, apiKey: key, authToken: key }, settings, project),
    );
  };

  return (credentials: Credentials, settings: EffectiveSettings, project: string): ModelClient => {
    reached('settings and key read');
    const refusal = refusalOf(credentials, settings, env);
    if (refusal !== null) return refusing(refusal);
    return withEffortUpTo(settings.maxEffort, uncapped(credentials, settings, project));
  };
}

/** Returns why the provider that is asked first may not be; null where it may. The demo asks nobody. */
function refusalOf(
  { provider, baseUrl, demo }: Credentials,
  { allowedProviders }: EffectiveSettings,
  env: ClientParts['env'],
): string | null {
  if (demo) return null;
  const way =
    provider === undefined
      ? ({ kind: 'anthropic', baseUrl } as const)
      : providersFromEnv(env).others.find(({ kind }) => kind === provider);
  return way === undefined ? null : providerRefusal(allowedProviders, way);
}

/** Creates a client that sends nothing, and says why. */
const refusing = (message: string): ModelClient => ({
  async *stream() {
    yield refused(fault('provider_not_allowed', message));
  },
});

const withModelIds = (
  provider: ProviderOptions,
  { modelOverrides }: EffectiveSettings,
): ProviderOptions =>
  modelOverrides === undefined
    ? provider
    : { ...provider, modelIds: { ...modelOverrides, ...provider.modelIds } };

/** Returns a client whose requests ask for no more effort than settings let them. */
const withEffortUpTo = (most: string | undefined, client: ModelClient): ModelClient =>
  most === undefined
    ? client
    : {
        stream: ({ effort, ...request }, signal) =>
          client.stream(
            effort === undefined ? request : { ...request, effort: cappedEffort(effort, most) },
            signal,
          ),
      };

/** Returns the settings of an endpoint, which go before those of the environment for all. */
function endpointOptions(
  baseUrl: string | undefined,
  { endpoints = {} }: EffectiveSettings,
  { betas = [] }: Pick<ReturnType<typeof requestSettings>, 'betas'>,
) {
  const asked = baseOf(baseUrl);
  const [, found] = Object.entries(endpoints).find(([url]) => baseOf(url) === asked) ?? [];
  if (found === undefined) return {};
  return {
    ...(found.apiVersion === undefined ? {} : { version: found.apiVersion }),
    ...(found.betas === undefined ? {} : { betas: [...new Set([...betas, ...found.betas])] }),
  };
}

/** Keys that are kept to be taken out of texts: a helper gives new ones again and again. */
const MAX_KEYS = 50;

/** Creates a list of the latest keys that clients were made with. */
export function createKeyRing(): {
  readonly add: (key: string) => void;
  readonly keys: () => Iterable<string>;
} {
  const keys = new Set<string>();
  return {
    add: (key) => {
      keys.delete(key);
      keys.add(key);
      const [oldest] = keys;
      if (keys.size > MAX_KEYS && oldest !== undefined) keys.delete(oldest);
    },
    keys: () => keys,
  };
}

/** Lists every key this process knows, so that none gets into a recording or a log. */
export const secretsOf = (
  env: Readonly<Record<string, string | undefined>>,
  { apiKey = '', authToken = '' }: Partial<Credentials>,
): readonly string[] => [
  apiKey,
  authToken,
  ...Object.entries(env).flatMap(([name, value = '']) =>
    /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name) ? [value] : [],
  ),
  ...Object.values(parseCustomHeaders(env['ANTHROPIC_CUSTOM_HEADERS'])),
];
