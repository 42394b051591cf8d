import { expect, test } from 'vitest';
import { authStatus } from '../../../src/main/hosts/headless/auth-command';

const KEY = 'zebra-quilt-7741-marble-key';

/** Prints an address as `lathe auth status` does, as JSON and as words. */
const printed = (baseUrl: string) =>
  [true, false].map((asJson) =>
    authStatus({ kind: 'apiKey', from: 'ANTHROPIC_API_KEY', baseUrl }, asJson),
  );

test.each([
  `https://u:${KEY}@ho st/`,
  `//u:${KEY}@host/x`,
  `http://u:${KEY}@host:99999/x`,
  `u:${KEY}@host`,
  `blob:https://u:${KEY}@host/x`,
  'localhost:8080',
])('auth status shows nothing of an address that nothing can be sent to: %s', (address) => {
  const [json = '', words = ''] = printed(address);
  const unreadable = 'an address that cannot be read';
  expect(JSON.parse(json)).toMatchObject({ baseUrl: unreadable });
  expect(words).toMatch(new RegExp(`\\nEndpoint: ${unreadable}$`));
  expect(json + words).not.toContain(KEY);
});

test.each(['sk-ant-api03-abc', 'sk-proj-0123456789abcdef'])(
  'auth status hides a key in the path of an address: %s',
  (key) => {
    for (const text of printed(`https://gw.example/v1/${key}/x`)) {
      expect(text).toContain('https://gw.example/v1/…/x');
      expect(text).not.toContain(key);
    }
  },
);
