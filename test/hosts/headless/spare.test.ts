import { expect, it } from 'vitest';
import type { HeadlessOptions } from '../../../src/main/app/headless-session';
import { claimOf } from '../../../src/main/hosts/headless/spare';

const OPTIONS: HeadlessOptions = {
  ...{ folder: '/parked', trust: false, fork: false },
  ...{ allowedTools: [], disallowedTools: [], addDirectories: ['/a'] },
};
const claim = (fields: object, options: Partial<HeadlessOptions> = {}) =>
  claimOf({ subtype: 'claim_session', ...fields }, { ...OPTIONS, ...options }, { title: 'Old' });

it('begins where the claim says, with what the run was started with', () => {
  expect(
    claim({
      ...{ cwd: '/p', permission_mode: 'plan', additional_directories: ['/b'], env: {} },
      ...{ append_system_prompt: 'Quack.', agents: { a: {} }, sdk_mcp_servers: [] },
    }),
  ).toEqual({
    ok: true,
    value: {
      options: { ...OPTIONS, folder: '/p', mode: 'plan', addDirectories: ['/a', '/b'] },
      initialize: { title: 'Old', appendSystemPrompt: 'Quack.', agents: { a: {} } },
    },
  });
  expect(claim({ cwd: '~/p', title: 'New' })).toMatchObject({
    value: {
      options: { folder: expect.stringMatching(/^\/.*\/p$/) },
      initialize: { title: 'New' },
    },
  });
});

it.each([
  [{}, {}, 'claim_failed', /^claim_failed: cwd: /],
  [{ cwd: ' ' }, {}, 'claim_failed', /^claim_failed: cwd: /],
  [{ cwd: '/p', env: { TOKEN: 'x' } }, {}, 'claim_failed', /env: TOKEN can only/],
  [{ cwd: '/p', permission_mode: 'odd' }, {}, 'permission_mode_not_claimable', /permission_mode: /],
  [{ cwd: '/p', permission_mode: 'bypassPermissions' }, {}, 'permission_mode_not_claimable', /not/],
  [
    { cwd: '/p', permission_mode: 'bypassPermissions' },
    { mode: 'plan' as const },
    'permission_mode_not_claimable',
    /not/,
  ],
])('%j is refused to a run with %j: %s', (fields, options, code, words) => {
  expect(claim(fields, options)).toMatchObject({
    error: { code, message: expect.stringMatching(words) },
  });
});

it('takes a mode without questions where the run was started for it', () => {
  const wish = { cwd: '/p', permission_mode: 'bypassPermissions' };
  expect(claim(wish, { allowsBypass: true }).ok).toBe(true);
  expect(claim(wish, { mode: 'bypassPermissions' }).ok).toBe(true);
});
