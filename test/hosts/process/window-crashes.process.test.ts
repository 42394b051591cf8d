import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionPaths } from '../../../src/main/engine/sessions/paths';
import { allItems, type Transcript } from '../../../src/shared/transcript';
import {
  type RecordedRequest,
  type ScriptedApi,
  startScriptedApi,
} from '../../support/scripted-api';
import { type Reply, reply, text, toolUse } from '../../support/scripted-api-replies';
import { checkKept, KILLS, randomFrom, SEED } from './crash-checks';
import { lathe, makeWorkspace, nothingLeft, type Run, type Workspace } from './lathe';
import { contentOf, killMinusNine, prepare } from './task-runs';
import { openWindow, type Window } from './window';

vi.setConfig({ testTimeout: Math.max(180_000, KILLS * 15_000) });

let workspace: Workspace;
let api: ScriptedApi;
let served: { readonly run: Run; readonly window: Window }[] = [];
/** Called at each place where a kill may come: a request, a question, an answer to it. */
let onMoment: () => void = () => {};
const random = randomFrom(SEED);

beforeEach(async () => {
  workspace = await makeWorkspace();
  await prepare(workspace);
  writeFileSync(join(workspace.project, 'user.txt'), 'mine\n');
  api = await startScriptedApi((request, number) => {
    onMoment();
    return answerTo(request, number);
  });
});
afterEach(async () => {
  onMoment = () => {};
  for (const { run, window } of served) {
    window.close();
    run.child.kill('SIGTERM');
    await run.finished;
  }
  served = [];
  await api.close();
  expect(api.refusals, `seed ${SEED}`).toEqual([]);
  await nothingLeft(workspace);
  await workspace.remove();
});

/** Works as the main agent and as a sub-agent: a command, a sub-agent, a file that has to be allowed, an answer. */
function answerTo({ body }: RecordedRequest, number: number): Reply {
  const messages = body.messages.map((message) => JSON.stringify(message));
  if (/Put the summary between/.test(messages.at(-1) ?? ''))
    return reply('<summary>Numbers were counted.</summary>', { pieceChars: 6, paceMs: 4 });
  const start = messages.findLastIndex(
    (one, at) => body.messages[at]?.role === 'user' && /count the numbers|SUBWORK/.test(one),
  );
  const results = messages.slice(start).join('').split('"tool_result"').length - 1;
  const run = toolUse('Bash', { command: `echo run-${number} >> ran.txt` }, `toolu_c${number}`);
  const pace = { pieceChars: 6, paceMs: 4 };
  if (messages[start]?.includes('SUBWORK') === true)
    return results === 0 ? reply([text('Counting.'), run], pace) : reply('Three.', pace);
  if (results === 0) return reply([text('First this.'), run], pace);
  if (results === 1) {
    const input = { description: 'Count', prompt: 'SUBWORK', subagent_type: 'general-purpose' };
    return reply([toolUse('Agent', input, `toolu_c${number}`)], pace);
  }
  if (results > 2) return reply('All counted.', pace);
  const file_path = join(workspace.project, `note-${number}.txt`);
  const write = { file_path, content: `note ${number}\n`.repeat(200) };
  return reply([toolUse('Write', write, `toolu_c${number}`)], pace);
}

/** Serves Lathe and opens a window with the project open. */
async function serve(): Promise<{ readonly run: Run; readonly client: Window['client'] }> {
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
  const run = lathe(workspace, ['serve'], { ...env, SHELL: '/bin/bash' });
  const window = await openWindow(run);
  served = [{ run, window }];
  contentOf(await window.client.projects.open({ path: workspace.project }));
  return { run, client: window.client };
}

/** Follows a session and allows what is asked. Resolves at the end of a query; never when Lathe dies. */
async function untilEnd({ session }: Window['client'], sessionId: string): Promise<string> {
  for await (const told of await session.watch({ sessionId })) {
    if (told.type !== 'event') continue;
    const { event, agentId } = told.stamped;
    if (event.type === 'query_finished' && agentId === 'main') return event.text;
    if (event.type !== 'approval_requested') continue;
    onMoment();
    const { id, digest } = event.approval;
    await pause(random() * 20);
    await session.answer({ sessionId, approvalId: id, answer: { behavior: 'allow', digest } });
    onMoment();
  }
  throw new Error('Lathe has ended.');
}

async function transcriptOf({ session }: Window['client'], id: string): Promise<Transcript> {
  for await (const told of await session.watch({ sessionId: id }))
    if (told.type === 'snapshot') return told.transcript;
  throw new Error('The session ended.');
}

/** Goes back to before some prompt, with files or without, and does not wait for the end of it. */
async function goBack(client: Window['client'], sessionId: string): Promise<unknown> {
  const prompts = allItems(await transcriptOf(client, sessionId)).filter(
    ({ kind }) => kind === 'prompt',
  );
  const promptId = prompts[Math.floor(random() * prompts.length)]?.id;
  if (promptId === undefined) return null;
  const point = { kind: 'prompt', promptId } as const;
  const withFiles = random() < 0.7;
  const acting = [
    ...(withFiles ? [client.restore.files({ sessionId, point, overwrite: true })] : []),
    client.session.rewind({ sessionId, promptId }),
  ];
  return Promise.allSettled(acting);
}

/** Counts how often a prompt stands in the log of a session. */
const saidTimes = (sessionId: string, promptId: string): number =>
  readFileSync(sessionPaths(workspace.latheHome, workspace.project, sessionId).file, 'utf8').split(
    `"type":"user_message","id":"${promptId}"`,
  ).length - 1;

/** The files of the project with their texts. */
const filesNow = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(workspace.project, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(join(workspace.project, name), 'utf8')]),
  );

test(`a session in a window outlives kill -9 of its host wherever it comes (seed ${SEED})`, async () => {
  const before = filesNow();
  let sessionId = '';
  const isThere = () =>
    sessionId !== '' &&
    existsSync(sessionPaths(workspace.latheHome, workspace.project, sessionId).file);
  const done = { prompts: 0, summaries: 0, rewinds: 0, cut: 0, queued: 0 };
  /** The ids of prompts of which Lathe said that it has them. */
  const taken: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { run, client } = await serve();
    if (!isThere())
      ({ id: sessionId } = contentOf(await client.sessions.create({ project: workspace.project })));
    const kind = random();
    const died = run.finished;
    if (kind < 0.25 && isThere()) {
      done.rewinds += 1;
      const acting = goBack(client, sessionId).catch(() => {});
      await Promise.race([acting, pause(5 + random() * 60)]);
    } else {
      const summary = kind < 0.4 && isThere();
      done[summary ? 'summaries' : 'prompts'] += 1;
      let left = 1 + Math.floor(random() * 7);
      const after = Math.floor(random() * 60);
      const struck = new Promise<void>((resolve) => {
        onMoment = () => {
          left -= 1;
          if (left !== 0) return;
          done.cut += 1;
          void pause(after).then(resolve);
        };
      });
      const following = untilEnd(client, sessionId).catch(() => died);
      const sent = client.session
        .submit({ sessionId, text: summary ? '/compact' : 'count the numbers' })
        .then(contentOf);
      sent.catch(() => {});
      if (random() < 0.5) {
        done.queued += 1;
        const promptId = `msg-queued-${kill}`;
        const priority = random() < 0.5 ? 'next' : 'later';
        const queued = sent
          .then(() =>
            client.session.submit({ sessionId, text: `More ${kill}.`, promptId, priority }),
          )
          .then((answer) => contentOf(answer) ?? taken.push(promptId));
        queued.catch(() => {});
      }
      await Promise.race([struck, following]);
      onMoment = () => {};
    }
    await killMinusNine(run);
    checkKept(workspace, api, sessionId);
  }

  const { client } = await serve();
  const ended = untilEnd(client, sessionId);
  contentOf(await client.session.submit({ sessionId, text: 'count the numbers' }));
  expect(await ended, `seed ${SEED}`).toBe('All counted.');
  const rests = async () =>
    contentOf(await client.health.view()).sessions.map(({ running, queued }) => [running, queued]);
  await expect.poll(rests).toEqual([[false, 0]]);
  checkKept(workspace, api, sessionId);
  for (const id of taken) expect(saidTimes(sessionId, id), `seed ${SEED}: ${id}`).toBe(1);
  // Undo and redo of all of it, to the byte.
  const after = filesNow();
  const point = { kind: 'session' } as const;
  const undone = contentOf(await client.restore.files({ sessionId, point, overwrite: true }));
  expect(undone, `seed ${SEED}`).toMatchObject({ left: [], failed: [] });
  expect(filesNow(), `seed ${SEED}`).toEqual(before);
  const redo = { kind: 'restore', id: undone.id ?? '' } as const;
  contentOf(await client.restore.files({ sessionId, point: redo, overwrite: true }));
  expect(filesNow(), `seed ${SEED}`).toEqual(after);
  if (KILLS > 10) console.log(`seed ${SEED}: ${KILLS} kills, ${JSON.stringify(done)}`);
});
