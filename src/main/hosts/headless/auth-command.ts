import type { Connection } from '../../../shared/settings';
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

/** Returns the endpoint without a name and a password that may stand in it; null for the usual one. */
function endpointOf({ baseUrl }: Connection): string | null {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return baseUrl ?? null;
  const { origin, pathname } = new URL(baseUrl);
  return origin === 'null' ? null : `${origin}${pathname === '/' ? '' : pathname}`;
}
