import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { RPCHandler } from '@orpc/server/message-port';
import { afterEach, expect, test } from 'vitest';
import { createRouter } from '../../src/main/hosts/handlers/router';
import type { AppInfo, contract } from '../../src/shared/contract';
import { ok } from '../../src/shared/result';
import { createFakeWorkbench } from '../support/fake-workbench';
import { soon } from '../support/soon';

const INFO: AppInfo = {
  version: '1.2.3',
  host: 'web',
  platform: 'linux',
  home: '/home/ann',
  nativeFolderDialog: false,
  demoFirst: false,
  keyStorage: 'nowhere',
};

const HOOK = { event: 'Stop', file: '/p/s.json', line: 3, run: 'true' } as const;

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

function connected() {
  const workbench = createFakeWorkbench();
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const pickFolder = async () => ok('/picked');
  new RPCHandler(
    createRouter({ workbench, info: INFO, window: workbench.openWindow(), quit() {}, pickFolder }),
  ).upgrade(port1);
  const client: ContractRouterClient<typeof contract> = createORPCClient(
    new RPCLink({ port: port2 }),
  );
  port1.start();
  port2.start();
  return { workbench, client };
}

const LIMITED = {
  thinking: { budgetTokens: 4000 },
  limits: { maxTurns: 20, maxBudgetUsd: null },
};

test.each([
  { thinking: 'always' },
  { thinking: { budgetTokens: 0 } },
  { limits: { maxTurns: 0, maxBudgetUsd: null } },
  { limits: { maxTurns: null, maxBudgetUsd: -1 } },
])('a page cannot set %j', async (change) => {
  const { workbench, client } = connected();
  const asked = { sessionId: 's', ...change } as Parameters<typeof client.session.configure>[0];
  await expect(client.session.configure(asked)).rejects.toThrow();
  expect(workbench.calls).toEqual([]);
});

test('every command reaches the workbench with its arguments in place', async () => {
  const { workbench, client } = connected();
  const answer = { behavior: 'deny', message: 'no' } as const;
  await client.app.setPreferences({ zoom: 1.5 });
  await client.folders.list({});
  await client.projects.open({ path: '/p' });
  await client.projects.trust({ path: '/p', trusted: true });
  await client.projects.openDemo();
  await client.projects.forget({ path: '/p' });
  await client.connection.check({ key: 'k', baseUrl: 'https://h' });
  await client.connection.set({ kind: 'apiKey', key: 'k' });
  await client.sessions.create({ project: '/p' });
  await client.sessions.rename({ sessionId: 's', title: 't' });
  await client.sessions.remove({ sessionId: 's' });
  await client.sessions.archive({ sessionId: 's', archived: true });
  await client.sessions.restore({ sessionId: 's' });
  await client.sessions.listTrash({ project: '/p' });
  await client.costs.view({ project: '/p' });
  for await (const found of await client.sessions.search({ text: 'lamp' })) {
    expect(found).toMatchObject({ ok: true, value: { hits: [] } });
  }
  for await (const piece of await client.sessions.export({ sessionId: 's', format: 'html' })) {
    expect(piece).toEqual(ok('# A session\n'));
  }
  await client.session.submit({
    sessionId: 's',
    text: 'héllo 🌍',
    priority: 'next',
    promptId: 'message-1',
  });
  await client.session.stop({ sessionId: 's' });
  await client.session.takeBack({ sessionId: 's', promptId: 'p' });
  await client.session.cancelCall({ sessionId: 's', callId: 'c' });
  await client.session.configure({ sessionId: 's', mode: 'plan' });
  await client.session.configure({ sessionId: 's', ...LIMITED });
  await client.session.answer({ sessionId: 's', approvalId: 'a', answer });
  await client.hooks.setDisabled({ project: '/p', disabled: true });
  await client.hooks.remove({ project: '/p', hook: HOOK });
  await client.tasks.stop({ sessionId: 's', taskId: 't' });
  await client.tasks.background({ sessionId: 's', callId: 'c' });
  await client.terminals.create({ project: '/p', cols: 80, rows: 24 });
  await client.terminals.kill({ terminalId: 't' });
  await client.terminals.dismiss({ terminalId: 't' });
  expect(workbench.calls).toEqual([
    ['setPreferences', { zoom: 1.5 }],
    ['listFolder', undefined],
    ['openProject', '/p'],
    ['trustProject', '/p', true],
    ['openDemoProject'],
    ['forgetProject', '/p'],
    ['checkConnection', { key: 'k', baseUrl: 'https://h' }],
    ['setConnection', { kind: 'apiKey', key: 'k' }],
    ['createSession', '/p'],
    ['renameSession', 's', 't'],
    ['removeSession', 's'],
    ['archiveSession', 's', true],
    ['restoreSession', 's'],
    ['listTrash', '/p'],
    ['costs', '/p'],
    ['searchSessions', 'lamp'],
    ['exportSession', 's', 'html'],
    ['submit', 's', 'héllo 🌍', 'next', undefined, 'message-1'],
    ['stop', 's'],
    ['takeBack', 's', 'p'],
    ['cancelCall', 's', 'c'],
    ['configure', 's', { mode: 'plan' }],
    ['configure', 's', LIMITED],
    ['answer', 's', 'a', answer],
    ['setDisabled', '/p', true],
    ['removeHook', '/p', HOOK],
    ['stopTask', 's', 't'],
    ['backgroundCall', 's', 'c'],
    ['createTerminal', '/p', 80, 24],
    ['killTerminal', 't'],
    ['dismissTerminal', 't'],
  ]);
});

test('host facts and the folder dialog come from the host', async () => {
  const { client } = connected();
  expect(await client.app.info()).toEqual(INFO);
  expect(await client.folders.pick()).toEqual(ok('/picked'));
  expect(await client.models.list({})).toEqual([]);
});

test('an expected failure arrives as a value', async () => {
  const { client } = connected();
  const listed = await client.folders.list({ path: '/nowhere' });
  expect(listed).toMatchObject({ ok: false, error: { code: 'not_found' } });
});

test.each([
  ['an empty prompt', { sessionId: 's', text: '' }],
  ['no session', { text: 'hi' }],
  ['a prompt of over a million characters', { sessionId: 's', text: 'x'.repeat(1_000_001) }],
  ['an unknown priority', { sessionId: 's', text: 'hi', priority: 'urgent' }],
  ['a text that is none', { sessionId: 's', text: { toString: 'hi' } }],
])('%s is refused before it reaches the workbench', async (_, input) => {
  const { workbench, client } = connected();
  const submit: (value: unknown) => Promise<unknown> = client.session.submit as never;
  await expect(submit(input)).rejects.toThrow(/validation/i);
  expect(workbench.calls).toEqual([]);
});

test('a stream gives the state first, then news, and lets go when the page leaves', async () => {
  const { workbench, client } = connected();
  const leaving = new AbortController();
  const stream = await client.app.watch(undefined, { signal: leaving.signal });
  expect((await stream.next()).value).toMatchObject({ type: 'state' });
  workbench.emitApp({ type: 'show', draft: 'later' });
  expect((await stream.next()).value).toEqual({ type: 'show', draft: 'later' });
  leaving.abort();
  await soon(() => expect(workbench.open.watches).toBe(0));
});

test('a session stream is resumed from where the page was', async () => {
  const { workbench, client } = connected();
  const since = { epoch: 'e', seq: 7 };
  const stream = await client.session.watch({ sessionId: 's', since });
  await stream.next();
  await stream.return?.();
  expect(workbench.calls).toContainEqual(['watchSession', 's', since]);
  await soon(() => expect(workbench.open.watches).toBe(0));
});
