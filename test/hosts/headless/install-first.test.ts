import { expect, test } from 'vitest';
import type { HeadlessOptions, InstallPlugins } from '../../../src/main/app/headless-session';
import { openInstalled } from '../../../src/main/hosts/headless/install-first';
import { ok } from '../../../src/shared/result';
import { IDLE_SESSION } from '../../support/headless-session';

const OPTIONS: HeadlessOptions = {
  ...{ folder: '/p', trust: false, fork: false },
  ...{ allowedTools: [], disallowedTools: [], addDirectories: [] },
};

/** Opens a session, and gives what was printed, complained about and opened in the order it happened. */
async function open(installs?: InstallPlugins, ending = new AbortController()) {
  const seen: unknown[] = [];
  const parts = {
    ...{ complain: (line: string) => void seen.push(line), uuid: () => 'u', ending: ending.signal },
    ...(installs === undefined ? {} : { installs }),
    open: async (options: HeadlessOptions) => {
      seen.push(options);
      return ok(IDLE_SESSION);
    },
  };
  const printer = {
    control: async (line: object) => {
      await Promise.resolve();
      seen.push(line);
    },
  };
  return { opened: await openInstalled(OPTIONS, undefined, parts, printer), seen };
}

const line = (status: string, more: object = {}) => ({
  ...{ type: 'system', subtype: 'plugin_install', status, ...more },
  ...{ uuid: 'u', session_id: 's' },
});

test('without a wish for it a session is opened as it is', async () => {
  expect((await open()).seen).toEqual([OPTIONS]);
});

test('what is installed is told in order ahead of the session, failures to a user too', async () => {
  const { seen } = await open(async (options, tell) => {
    tell({ status: 'started' }, 's');
    tell({ status: 'failed', name: 'a@b', error: 'no' }, 's');
    tell({ status: 'failed', name: 'c@d', error: 'no', isTold: true }, 's');
    tell({ status: 'installed', name: 'e@f' }, 's');
    tell({ status: 'completed' }, 's');
    return { ...options, sessionId: 's' };
  });
  expect(seen.filter((one) => typeof one === 'string')).toEqual([
    'Warning: a@b could not be installed: no',
  ]);
  expect(seen.filter((one) => typeof one !== 'string')).toEqual([
    line('started'),
    line('failed', { name: 'a@b', error: 'no' }),
    line('failed', { name: 'c@d', error: 'no' }),
    line('installed', { name: 'e@f' }),
    line('completed'),
    { ...OPTIONS, sessionId: 's' },
  ]);
});

test('a run that ends meanwhile opens no session and complains of nothing', async () => {
  const ending = new AbortController();
  const { opened, seen } = await open(async (options, tell) => {
    ending.abort(143);
    tell({ status: 'failed', name: 'a@b', error: 'ended' }, 's');
    return options;
  }, ending);
  expect(opened).toBeNull();
  expect(seen).toEqual([line('failed', { name: 'a@b', error: 'ended' })]);
});
