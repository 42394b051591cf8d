import type { Connection } from '../../../shared/settings';
import { withoutSecrets } from '../../engine/settings/shown-server';
import { keySource } from './session-facts';

/** Returns what `lathe auth status` prints of a connection: never a key, only where it comes from. */
export function authStatus(connection: Connection, asJson: boolean): string {
  const { kind, from } = connection;
  const endpoint = endpointOf(connection);
  if (asJson) {
    const status = {
      loggedIn: kind !== 'none',
      authMethod: methodOf(connection),
      apiProvider: PROVIDERS.get(from) ?? 'firstParty',
      ...(kind === 'apiKey' ? { apiKeySource: keySource(from) } : {}),
      ...(from === TOKEN ? { apiKeySource: TOKEN } : {}),
      ...(endpoint === null ? {} : { baseUrl: endpoint }),
    };
    return JSON.stringify(status, null, 2);
  }
  const where = `Endpoint: ${endpoint ?? (PROVIDERS.has(from) ? from : 'the usual one')}`;
  if (kind === 'none')
    return `Not logged in: there is no API key. Set ANTHROPIC_API_KEY, or enter a key in the app.\n${where}`;
  return `Logged in by ${SOURCE_WORDS.get(from) ?? from}.\n${where}`;
}

/** Returns what `lathe auth logout` prints: the files that are gone, and the keys that runs go on with. */
export function loggedOut(
  removed: readonly string[],
  sources: readonly string[],
  asJson: boolean,
): string {
  if (asJson) return JSON.stringify({ removed, loggedIn: sources.length > 0, sources }, null, 2);
  const done =
    removed.length === 0
      ? 'No key was entered, so there was nothing to forget.'
      : `The key that was entered is forgotten (${removed.join(', ')}). An app that is open keeps it until it is closed.`;
  if (sources.length === 0) return `${done}\nNot logged in: no other key is there.`;
  const left = sources.map((from) => SOURCE_WORDS.get(from) ?? from).join(', and ');
  return `${done}\nStill logged in by ${left}. Unset that where it is set: in the environment, or in "env" and "apiKeyHelper" of settings.`;
}

const TOKEN = 'ANTHROPIC_AUTH_TOKEN';

const PROVIDERS: ReadonlyMap<string | undefined, string> = new Map([
  ['Amazon Bedrock', 'bedrock'],
  ['Google Vertex AI', 'vertex'],
]);

const SOURCE_WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['ANTHROPIC_API_KEY', 'the variable ANTHROPIC_API_KEY'],
  [TOKEN, `the variable ${TOKEN}`],
  ['apiKeyHelper', 'what apiKeyHelper of the settings prints'],
  ['stored key', 'the key that was entered in the app'],
]);

function methodOf({ kind, from }: Connection): string {
  if (kind === 'none') return 'none';
  if (PROVIDERS.has(from)) return 'third_party';
  if (from === 'apiKeyHelper') return 'api_key_helper';
  return kind === 'authToken' ? 'oauth_token' : 'api_key';
}

/**
 * Returns what can be shown of the endpoint: no name, no password, nothing that looks like a key, and nothing at all of one
 * that no request could be sent to. Null for the usual one.
 */
function endpointOf({ baseUrl }: Connection): string | null {
  if (baseUrl === undefined) return null;
  const { protocol, origin, pathname } = URL.parse(baseUrl) ?? {};
  if (pathname === undefined || !HTTP.has(protocol)) return 'an address that cannot be read';
  return withoutSecrets(`${origin}${pathname === '/' ? '' : pathname}`);
}

/** The schemes of endpoints. In an address of another one a password may stand anywhere. */
const HTTP: ReadonlySet<string | undefined> = new Set(['http:', 'https:']);
