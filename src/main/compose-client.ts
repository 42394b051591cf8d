import { join } from 'node:path';
import type { Credentials } from './app/connection';
import { requestSettings } from './app/connection-options';
import { createKeyHelper, withKeyHelper } from './app/key-helper';
import { price } from './engine/cost/price';
import { tapeMode, withCassette } from './engine/model/cassette';
import { resolveModel } from './engine/model/catalog';
import { createModelClient, parseCustomHeaders } from './engine/model/create-client';
import type { ModelClient } from './engine/model/model-client';
import { baseOf } from './engine/model/providers/anthropic';
import { providersFromEnv } from './engine/model/providers/from-env';
import type { Clock, Files, Programs } from './engine/ports';
import { projectSlug } from './engine/sessions/paths';
import type { EffectiveSettings } from './engine/settings/effective';
import { createHttpFetch } from './node/http-fetch';
import { certificateStores } from './node/network';
import { createNodeRandom } from './node/system';
import { withoutSecrets } from './terminal/child-env';

/** What clients for a model are made of, whoever they are for. */
export interface ClientParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly latheHome: string;
  readonly platform: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly programs: Programs;
}

/** Makes the client for credentials, as settings of a project and the environment want it. */
export function clientFactory(parts: ClientParts) {
  const { env, home, latheHome, platform, files, clock, programs } = parts;
  const requests = requestSettings(env);
  const tape = tapeMode(env['LATHE_VCR']);
  // A recording and its playback wait equally long before they try again.
  const random = tape === 'off' ? createNodeRandom() : () => 0;
  const send = createHttpFetch({ trustSystem: certificateStores(env).has('system') });
  const sendHere = createHttpFetch({ direct: true });
  const ttlMs = Number(env['CLAUDE_CODE_API_KEY_HELPER_TTL_MS']) || undefined;

  const direct = (credentials: Credentials, settings: EffectiveSettings, project: string) => {
    const { failoverWaitSeconds } = settings;
    return createModelClient({
      ...credentials,
      ...requests,
      ...endpointOptions(credentials.baseUrl, settings, requests),
      ...(failoverWaitSeconds === undefined ? {} : { failoverWaitMs: failoverWaitSeconds * 1000 }),
      fallbackModels: settings.fallbackModels.flatMap((name) => {
        const model = resolveModel(name, env);
        return model.ok ? [model.value] : [];
      }),
      fetch: credentials.demo ? sendHere : send,
      clock,
      random,
      price,
      providers: credentials.demo ? [] : providersFromEnv(env).others,
      withoutAnthropic: credentials.provider !== undefined,
      tape: (endpoint) =>
        withCassette(endpoint, {
          mode: credentials.demo ? 'off' : tape,
          files,
          clock,
          folder: env['LATHE_VCR_DIR'] || join(latheHome, 'cassettes'),
          secrets: secretsOf(env, credentials),
          places: [
            { name: '{{project}}', value: project },
            { name: 'projects/{{project-slug}}', value: `projects/${projectSlug(project)}` },
            { name: '{{lathe-home}}', value: latheHome },
            { name: '{{home}}', value: home },
          ],
        }),
    });
  };

  return (credentials: Credentials, settings: EffectiveSettings, project: string): ModelClient => {
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
    // As gateways take it: some look at one header, some at the other.
    return withKeyHelper(getKey, (key) =>
      direct({ ...rest, apiKey: key, authToken: key }, settings, project),
    );
  };
}

/** What settings say of the endpoint goes before what the environment says of all. */
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

/** Every key this process knows, so that none gets into a recording. */
const secretsOf = (
  env: Readonly<Record<string, string | undefined>>,
  { apiKey = '', authToken = '' }: Credentials,
): readonly string[] => [
  apiKey,
  authToken,
  ...Object.entries(env).flatMap(([name, value = '']) =>
    /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name) ? [value] : [],
  ),
  ...Object.values(parseCustomHeaders(env['ANTHROPIC_CUSTOM_HEADERS'])),
];
