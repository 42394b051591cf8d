import { expect, test } from 'vitest';
import { cloudAuthOf, readKeys } from '../../src/main/app/cloud-commands';
import type { CommandEnd } from '../../src/main/engine/ports';
import { memoryClock } from '../support/memory-clock';

const signal = new AbortController().signal;
const KEYS = { AccessKeyId: 'AK', SecretAccessKey: 'secret', SessionToken: 'token' };
const keys = { accessKeyId: 'AK', secretAccessKey: 'secret', sessionToken: 'token' };

/** The ways to credentials over commands that print `stdout` when `end` is called. */
function authOf(stdout: string) {
  const clock = memoryClock(1_000_000);
  const ends: ((end: CommandEnd) => void)[] = [];
  const secrets: string[] = [];
  const command = (name: string) => ({ name, command: name, file: '/s.json', ofProject: false });
  const named = {
    awsAuthRefresh: command('awsAuthRefresh'),
    awsCredentialExport: command('awsCredentialExport'),
  };
  const of = cloudAuthOf(named, '/project', {
    ...{ clock, platform: 'linux', home: '/home', env: {}, id: () => 'id' },
    commands: {
      run: (_, until) =>
        new Promise((resolve) => {
          ends.push(resolve);
          const aborted = { kind: 'aborted', exitCode: null, stdout, stderr: '' } as const;
          until.addEventListener('abort', () => resolve(aborted));
        }),
    },
    onKey: (key) => secrets.push(key),
  });
  const end = (exitCode = 0) => ends.at(-1)?.({ kind: 'exited', exitCode, stdout, stderr: '' });
  const at = { kind: 'bedrock', region: 'r' } as const;
  return { auth: of(at), of, at, clock, end, secrets, runs: () => ends.length };
}

test('requests at one time share a sign-in, and the next one makes another', async () => {
  const { auth, end, runs } = authOf('Open https://x\n\nDone\n');
  const told: string[] = [];
  const refresh = () => auth?.refresh?.((lines) => told.push(lines.join('|')), signal);
  const both = [refresh(), refresh()];
  end();
  expect(await Promise.all(both)).toMatchObject([{ ok: true }, { ok: true }]);
  expect({ told, runs: runs() }).toEqual({
    told: ['Open https://x|Done', 'Open https://x|Done'],
    runs: 1,
  });
  const again = refresh();
  end(2);
  expect(await again).toMatchObject({ error: { code: 'cloud_auth' } });
  expect(runs()).toBe(2);
});

test('a sign-in that does not end is ended', async () => {
  const { auth, clock } = authOf('');
  const running = auth?.refresh?.(() => {}, signal);
  await clock.advance(180_000);
  expect(await running).toMatchObject({
    error: { message: 'awsAuthRefresh in /s.json did not finish in 180 s.' },
  });
});

test('keys are used for as long as they are fresh, and their secrets are known', async () => {
  const until = new Date(1_000_000 + 600_000).toISOString();
  const { auth, end, runs, clock, secrets } = authOf(
    JSON.stringify({ Credentials: { ...KEYS, Expiration: until } }),
  );
  const ask = async () => {
    const asked = auth?.exported?.(signal);
    end();
    return asked;
  };
  expect([await ask(), await ask()]).toMatchObject([{ value: keys }, { value: keys }]);
  expect(runs()).toBe(1);
  await clock.advance(301_000);
  await ask();
  auth?.forget();
  await ask();
  expect(runs()).toBe(3);
  expect(new Set(secrets)).toEqual(new Set(['secret', 'token']));
});

test('a provider whose key is given, or that a gateway signs for, needs none of it', () => {
  const { of, at } = authOf('');
  expect(of({ ...at, apiKey: 'k' })).toBeNull();
  expect(of({ ...at, skipAuth: true })).toBeNull();
  expect(of({ kind: 'vertex', region: 'r', projectId: 'p' })).toBeNull();
});

test.each([
  [JSON.stringify({ Credentials: KEYS }), keys],
  [JSON.stringify({ Version: 1, ...KEYS }), keys],
  [
    JSON.stringify({ AccessKeyId: 'AK', SecretAccessKey: 'secret' }),
    { accessKeyId: 'AK', secretAccessKey: 'secret' },
  ],
  [JSON.stringify({ Credentials: { AccessKeyId: 'AK' } }), null],
  [JSON.stringify({ Credentials: { ...KEYS, SecretAccessKey: 7 } }), null],
  ['null', null],
  ['export AWS_ACCESS_KEY_ID=AK', null],
])('%s', (text, expected) => {
  expect(readKeys(text)?.keys ?? null).toEqual(expected);
});
