import { expect, test } from 'vitest';
import { emptyLayer, readSettings } from '../../../src/main/engine/settings/read';
import { restricting } from '../../../src/main/engine/settings/restricting';

const given = (settings: object) =>
  readSettings(JSON.stringify(settings), 'commandLine', '--managed-settings');

test('of settings that bind like managed ones only what restricts is kept', () => {
  const layer = restricting(
    given({
      model: 'opus',
      env: { A: 'b' },
      permissions: {
        allow: ['Bash'],
        ask: ['Edit'],
        deny: ['WebFetch'],
        defaultMode: 'acceptEdits',
        additionalDirectories: ['/x'],
        disableBypassPermissionsMode: 'disable',
      },
      disableAllHooks: true,
      allowedHttpHookUrls: ['https://x'],
      httpHookAllowedEnvVars: [],
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
      maxTurns: 3,
      sandbox: {
        ...{ enabled: false, allowNestedUserNamespaces: true, bwrapPath: '/x/bwrap' },
        filesystem: { allowWrite: ['/x'], denyRead: ['/y'] },
        network: { allowedDomains: ['a.example'], allowManagedDomainsOnly: true },
        credentials: {
          envVars: [
            { name: 'TOKEN', mode: 'deny' },
            { name: 'MASKED', mode: 'mask', injectHosts: ['a.example'] },
          ],
        },
      },
    }),
    [],
  );
  expect(layer).toMatchObject({
    source: 'managed',
    env: {},
    hooks: [],
    additionalDirectories: [],
    permissions: { disableBypassPermissionsMode: 'disable' },
    fields: { allowManagedHooksOnly: true, httpHookAllowedEnvVars: [], maxTurns: 3 },
    sandbox: {
      ...{ denyRead: ['/y'], allowWrite: [], credentialVariables: ['TOKEN', 'MASKED'] },
      maskedVariables: [],
      ...{ allowManagedDomainsOnly: true, allowedDomains: ['a.example'] },
    },
  });
  expect(Object.keys(layer.fields).sort()).toEqual([
    'allowManagedHooksOnly',
    'httpHookAllowedEnvVars',
    'maxTurns',
  ]);
  expect(layer.rules.map(({ behavior, text, source }) => [behavior, text, source])).toEqual(
    expect.arrayContaining([
      ['ask', 'Edit', 'managed'],
      ['deny', 'WebFetch', 'managed'],
    ]),
  );
  expect(layer.rules).toHaveLength(2);
  for (const name of ['enabled', 'allowNestedUserNamespaces', 'bwrapPath'] as const)
    expect(layer.sandbox[name]).toBeUndefined();
});

test('nothing of them counts where the machine has managed settings, and that is told', () => {
  const machine = { ...emptyLayer('managed', '/etc/managed.json'), digest: 'x' };
  const layer = restricting(given({ permissions: { deny: ['Bash'] } }), [machine]);
  expect(layer.rules).toEqual([]);
  expect(layer.problems).toMatchObject([
    { message: expect.stringContaining('this machine has managed settings') },
  ]);
});
