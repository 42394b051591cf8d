import { expect, test } from 'vitest';
import { createConnectionService } from '../../src/main/app/connection-service';
import type { StoredKey } from '../../src/main/app/key-store';
import { ok } from '../../src/shared/result';

const signal = new AbortController().signal;
const KEY = 'sk-ant-of-the-test';

/** The service over a stored key, with what it checked. */
async function serviceWith(stored: StoredKey | null, names: readonly string[]) {
  const checked: string[] = [];
  const service = await createConnectionService({
    env: {},
    keyStore: {
      ...{ describe: () => 'a test', get: async () => stored },
      ...{ set: async () => ok(null), clear: async () => ok(null) },
    },
    state: {
      get: () => ({ recents: [], preferences: {}, connection: 'stored' }) as never,
      update: async () => {},
    } as never,
    demo: { start: () => Promise.reject(new Error('no demo')) },
    createClient: () => ({ stream: () => [] as never }),
    check: async ({ baseUrl = 'its own' }) => {
      checked.push(baseUrl);
      return ok(null);
    },
    allowedProviders: { file: '/etc/managed.json', names, addresses: ['https://gate.example'] },
  });
  return { service, checked };
}

test('a key is tried only where managed settings let it go', async () => {
  const { service, checked } = await serviceWith(null, ['anthropic']);
  expect(await service.check({ key: KEY }, signal)).toEqual(ok(null));
  for (const baseUrl of ['https://gate.example', 'https://other.example'])
    expect(await service.check({ key: KEY, baseUrl }, signal)).toMatchObject({
      error: { code: 'provider_not_allowed' },
    });
  expect(checked).toEqual(['its own']);
});

test('an endpoint that managed settings do not list is not asked for its models', async () => {
  const at = async (baseUrl: string) =>
    (await serviceWith({ key: KEY, baseUrl }, ['customEndpoint'])).service.forModels();
  expect(await at('https://gate.example')).toMatchObject({ apiKey: KEY });
  expect(await at('https://other.example')).toBeNull();
});
