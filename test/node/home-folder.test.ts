import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { homeFolder, mendHome } from '../../src/main/node/home-folder';

const account = userInfo().homedir;

test.each<[NodeJS.ProcessEnv, string]>([
  [{ HOME: '/home/ann' }, '/home/ann'],
  [{ HOME: '/home/ann', USERPROFILE: '/users/ann' }, '/home/ann'],
  [{ USERPROFILE: '/users/ann' }, '/users/ann'],
  [{ HOME: '', USERPROFILE: '/users/ann' }, '/users/ann'],
  [{ HOME: '.', USERPROFILE: '' }, account],
  [{ HOME: 'ann' }, account],
  [{ HOME: '~' }, account],
  [{}, account],
])('with %j the home is %s', (env, home) => {
  expect(homeFolder(env)).toBe(home);
});

test.each<[NodeJS.ProcessEnv, string | undefined, RegExp | null]>([
  [{ HOME: '/home/ann' }, '/home/ann', null],
  [{}, undefined, null],
  [{ HOME: '' }, account, /^HOME is empty, not an absolute path: Lathe takes /],
  [{ HOME: './ann' }, account, /^HOME is "\.\/ann", not an absolute path: /],
])('%j becomes a home of %s', (env, home, told) => {
  const said = mendHome(env);
  expect(env['HOME']).toBe(home);
  if (told === null) expect(said).toBeNull();
  else expect(said).toMatch(told);
});
