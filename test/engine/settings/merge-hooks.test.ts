import { expect, test } from 'vitest';
import { isListedAddress } from '../../../src/main/engine/settings/address-patterns';
import { layersOf } from './hook-layers';

test.each([
  ['https://hooks.example.com/a?b=c', ['https://hooks.example.com/*'], true],
  ['https://HOOKS.example.com/a', ['https://hooks.Example.com/*'], true],
  ['https://hooks.example.com:443/a', ['https://hooks.example.com/*'], true],
  ['https://hooks.example.com:8443/a', ['https://hooks.example.com/*'], false],
  ['http://hooks.example.com/a', ['https://hooks.example.com/*'], false],
  ['https://hooks.example.com.evil.example/a', ['https://hooks.example.com/*'], false],
  ['https://hooks.example.com@evil.example/a', ['https://hooks.example.com/*'], false],
  ['https://evil.example/hooks.example.com/a', ['https://*example.com/*'], false],
  ['https://a.b.example.com/a', ['https://*.example.com/*'], true],
  ['https://example.com/a', ['https://*.example.com/*'], false],
  ['http://localhost:7777/hook', ['http://localhost:*'], true],
  ['http://localhost:7777/hook', ['http://localhost:7777'], false],
  ['http://localhost:7777/hook', ['http://localhost:7777/hook'], true],
  ['http://localhost:7777/hook/x', ['http://localhost:7777/hook'], false],
  ['http://x.example/(a+)+', ['http://x.example/(a+)+'], true],
  ['http://x.example/', ['nonsense', '*'], true],
  ['http://x.example/', ['nonsense'], false],
  ['http://x.example/', [], false],
])('%s on the list %j: %j', (url, patterns, yes) => {
  expect(isListedAddress(url, patterns)).toBe(yes);
});

const http = (url: string, more: object = {}) => ({
  hooks: { Stop: [{ hooks: [{ type: 'http', url, ...more }] }] },
});

test('lists of all files that count are joined and reach every hook over HTTP', () => {
  const hooks = layersOf(
    { managed: http('https://a.example/x'), userSettings: http('https://b.example/x') },
    { projectSettings: { allowedHttpHookUrls: ['https://a.example/*'] } },
    { localSettings: { allowedHttpHookUrls: ['https://c.example/*'] } },
  );
  expect(hooks.map(({ run, off }) => [run, off])).toEqual([
    ['https://a.example/x', null],
    ['https://b.example/x', 'allowedHttpHookUrls does not have it'],
  ]);
});

test('a list that cannot be read lets nothing through', () => {
  const [hook] = layersOf({
    userSettings: { ...http('https://a.example/x'), allowedHttpHookUrls: 'https://a.example/*' },
  });
  expect(hook?.off).toBe('allowedHttpHookUrls does not have it');
});

test('variables for headers are those that the hook and the list name', () => {
  const [hook] = layersOf({
    userSettings: {
      ...http('https://a.example/x', { allowedEnvVars: ['TOWN', 'SECRET'] }),
      httpHookAllowedEnvVars: ['TOWN', 'RIVER'],
    },
  });
  expect(hook).toMatchObject({ off: null, allowedEnvVars: ['TOWN'] });
});
