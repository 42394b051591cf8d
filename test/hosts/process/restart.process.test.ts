import { afterEach, beforeEach, expect, test } from 'vitest';
import { allItems } from '../../../src/shared/transcript';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, hold, reply, text } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, type Run, type Workspace } from './lathe';
import { contentOf, finished, killMinusNine } from './task-runs';
import { openWindow, type Window } from './window';

let workspace: Workspace;
let api: ScriptedApi;
let server: Run;
let window: Window;

beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  window.close();
  server.child.kill('SIGTERM');
  await server.finished;
  await api.close();
  await workspace.remove();
});

async function serve(): Promise<Window['client']> {
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  server = lathe(workspace, ['serve'], env);
  window = await openWindow(server);
  contentOf(await window.client.projects.open({ path: workspace.project }));
  return window.client;
}

/** Follows a session until it waits for its next try. Returns until when. */
async function waitOf({ session }: Window['client'], sessionId: string): Promise<number> {
  for await (const told of await session.watch({ sessionId })) {
    if (told.type === 'snapshot' && told.transcript.waiting) return told.transcript.waiting.until;
    if (told.type !== 'event' || told.stamped.event.type !== 'retry_waiting') continue;
    return told.stamped.at + told.stamped.event.delayMs;
  }
  throw new Error('The session ended.');
}

test('a wait for the API survives kill -9: the next Lathe goes on with it unasked', async () => {
  api = await startScriptedApi([error(429, 'limited', { 'retry-after': '7200' }), reply('Done.')]);
  const first = await serve();
  const { id } = contentOf(await first.sessions.create({ project: workspace.project }));
  contentOf(await first.session.submit({ sessionId: id, text: 'count' }));
  const until = await waitOf(first, id);
  await killMinusNine(server);

  const client = await serve();
  const running = async () =>
    contentOf(await client.health.view()).sessions.map((one) => [one.id, one.running]);
  await expect.poll(running).toEqual([[id, true]]);
  // The log has the wait to the millisecond; the window worked it out of the length that was left.
  expect(Math.abs((await waitOf(client, id)) - until)).toBeLessThan(1_000);
  expect(api.requests).toHaveLength(1);

  const feed = await client.session.watch({ sessionId: id });
  contentOf(await client.session.retryNow({ sessionId: id }));
  for await (const told of feed) if (finished(told)) break;
  expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('Lathe ended while you');
  expect(api.refusals).toEqual([]);
});

test('a message that waits survives kill -9, waits again, and goes in once', async () => {
  const held = Promise.withResolvers<void>();
  api = await startScriptedApi([
    reply([text('One'), hold(held.promise)]),
    reply('Two.'),
    reply('Three.'),
  ]);
  const first = await serve();
  const { id: sessionId } = contentOf(await first.sessions.create({ project: workspace.project }));
  contentOf(await first.session.submit({ sessionId, text: 'count' }));
  await expect.poll(() => api.requests.length).toBe(1);
  const more = { sessionId, text: 'and the letters', promptId: 'msg-more' };
  contentOf(await first.session.submit(more));
  await killMinusNine(server);
  held.resolve();

  const { session } = await serve();
  const feed = await session.watch({ sessionId });
  for await (const told of feed) {
    if (told.type !== 'snapshot') continue;
    expect(told.transcript.queue).toMatchObject([{ id: 'msg-more', text: more.text }]);
    expect(allItems(told.transcript).at(-1)).toMatchObject({ code: 'prompts_kept' });
    break;
  }
  // A page that did not hear that it was taken sends it again.
  contentOf(await session.submit(more));
  const live = await session.watch({ sessionId });
  contentOf(await session.continueWork({ sessionId }));
  for await (const told of live) if (finished(told)) break;
  const bodies = api.requests.map(({ body }) => JSON.stringify(body.messages));
  expect(bodies.at(-1)?.split(more.text)).toHaveLength(2);
  expect(api.refusals).toEqual([]);
});
