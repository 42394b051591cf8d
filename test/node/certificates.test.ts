import https from 'node:https';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateStores, useCertificates } from '../../src/main/node/certificates';

const TLS = join(import.meta.dirname, '..', 'fixtures', 'tls');
const { options } = https.globalAgent;
const before = { ...options };

afterEach(() => {
  for (const name of ['cert', 'key', 'passphrase'] as const) delete options[name];
  expect(options).toEqual(before);
});

it.each([
  [undefined, ['bundled', 'system']],
  ['', ['bundled', 'system']],
  ['bundled', ['bundled']],
  ['System', ['system']],
  ['bundled, system', ['bundled', 'system']],
  ['keychain', ['bundled', 'system']],
])('CLAUDE_CODE_CERT_STORE=%s stands for %j', (value, stores) => {
  expect([...certificateStores({ CLAUDE_CODE_CERT_STORE: value })]).toEqual(stores);
});

describe('a client certificate', () => {
  const env = (cert: string, key: string, passphrase = '') => ({
    CLAUDE_CODE_CLIENT_CERT: cert && join(TLS, cert),
    CLAUDE_CODE_CLIENT_KEY: key && join(TLS, key),
    CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: passphrase,
  });

  it.each([
    ['half of it', env('client.pem', ''), /only work together/],
    ['a file that is not there', env('client.pem', 'no.key'), /no such file.*Check CLAUDE_CODE_/],
    ['a locked key', env('client.pem', 'client-locked.key', 'wrong'), /cannot be used \(/],
    ['a key of another', env('client.pem', 'server.key'), /cannot be used \(/],
  ])('says what is wrong with %s, and uses nothing of it', (_, given, problem) => {
    expect(useCertificates(given)).toMatch(problem);
    expect(options).toEqual(before);
  });

  it('is shown from then on, none when none is named', () => {
    expect(useCertificates({})).toBeNull();
    expect(options.cert).toBeUndefined();
    expect(useCertificates(env('client.pem', 'client-locked.key', 'open'))).toBeNull();
    expect(options).toMatchObject({ passphrase: 'open' });
    expect(String(options.cert)).toContain('BEGIN CERTIFICATE');
  });
});
