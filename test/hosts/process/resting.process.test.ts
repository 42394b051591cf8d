import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_IDLE } from '../../../src/main/app/session-registry';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace, type Run, type Workspace } from './lathe';
import { contentOf, finished } from './task-runs';
import { openWindow, type Window } from './window';

let workspace: Workspace;
let api: ScriptedApi;
let server: Run;
let window: Window;

beforeEach(async () => {
  workspace = await makeWorkspace();
  api = await startScriptedApi((_, number) => reply(`Answer ${number}.`));
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  server = lathe(workspace, ['serve'], env);
  window = await openWindow(server);
});
afterEach(async () => {
  window.close();
  server.child.kill('SIGTERM');
  await server.finished;
  await api.close();
  await workspace.remove();
});

/** Says something in a session and waits for the answer. */
async function say(sessionId: string, text: string): Promise<void> {
  const feed = await window.client.session.watch({ sessionId });
  await window.client.session.submit({ sessionId, text });
  for await (const told of feed) if (finished(told)) return;
}

/** The sessions in memory, by their titles; those that do not rest yet say so. */
const loaded = async (): Promise<readonly string[]> => {
  const { sessions } = contentOf(await window.client.health.view());
  return sessions.map(({ title, running, watchers, unwritten }) =>
    running || watchers + unwritten > 0 ? `${title}, awake` : title,
  );
};

test('of sessions that rest only those used last stay in memory, and the others go on where they were', async () => {
  const { path } = contentOf(await window.client.projects.open({ path: workspace.project }));
  const ids: string[] = [];
  const begin = async (title: string) => {
    const { id } = contentOf(await window.client.sessions.create({ project: path }));
    ids.push(id);
    await say(id, title);
    await expect.poll(loaded).toContain(title);
  };
  for (let n = 0; n < MAX_IDLE + 3; n += 1) await begin(`session ${n}`);
  // Each new one is let in while nothing was said in it yet: it is none of those that rest.
  const memory = await loaded();
  expect(memory).toHaveLength(MAX_IDLE + 1);
  expect(memory).not.toContain('session 0');
  expect(memory).toContain(`session ${MAX_IDLE + 2}`);

  const [first = ''] = ids;
  await say(first, 'and then?');
  expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('session 0');
  await expect.poll(loaded).toContain('session 0');
  expect(await loaded()).not.toContain('session 2');
});
