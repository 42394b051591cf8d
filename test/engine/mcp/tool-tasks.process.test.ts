import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Elicitation } from '../../../src/main/engine/mcp/elicitation';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { npmServer } from './npm-servers';

let folder = '';
let open: TestSession | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-mcp-tasks-'));
});
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
  await rm(folder, { recursive: true, force: true });
});

const research = (input: object) =>
  reply([toolUse('mcp__everything__simulate-research-query', { ...input })]);
const settled = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'call_settled' ? [event] : []));

/** A session with the reference server, through a shell that writes what it is sent to a file. */
async function openWith(
  script: Parameters<typeof openTestSession>[0],
  options: TestSessionOptions = {},
) {
  const sent = join(folder, 'sent');
  const args = [sent, process.execPath, npmServer('everything')];
  open = await openTestSession(script, {
    ...options,
    settings: {
      mcpServers: [
        {
          ...{ name: 'everything', command: 'bash', env: {}, alwaysLoad: true, file: '.mcp.json' },
          args: ['--norc', '-c', 'tee "$1" | "$2" "$3" stdio; true', 'bash', ...args],
        },
      ],
      rules: [{ behavior: 'allow', text: 'mcp__everything', source: 'userSettings' }],
    },
  });
  const t = open;
  await expect.poll(() => t.session.toolServers()[0]?.tools).toContain('simulate-research-query');
  return { t, sent: () => readFile(sent, 'utf8') };
}

it('a tool that works only as a task is called so, and its task is cancelled with the call', async () => {
  const { t, sent } = await openWith([
    ...[research({ topic: 'tides' }), reply('done')],
    ...[research({ topic: 'waves' }), reply('stopped')],
  ]);
  const [call] = settled(await t.run('look it up'));
  expect(call?.status).toBe('done');
  expect(JSON.stringify(call?.content)).toContain('Research Report: tides');
  expect(await sent()).not.toContain('tasks/cancel');
  const query = t.run('once more');
  const waiting = async () => (await sent()).split('"tasks/result"').length - 1;
  await expect.poll(waiting).toBe(2);
  const [callId] = t.session.log
    .transcript()
    .active.flatMap((item) => (item.kind === 'call' ? [item.id] : []));
  expect(t.session.cancelCall(callId ?? '')).toBe(true);
  await expect.poll(sent).toContain('tasks/cancel');
  expect(settled(await query).map(({ status }) => status)).toEqual(['cancelled']);
});

it('a task may ask the user while it works', async () => {
  const asked: Elicitation[] = [];
  const { t } = await openWith([research({ topic: 'tides', ambiguous: true }), reply('done')], {
    host: (plain) => ({
      ...plain,
      program: {
        runHook: async () => ({ kind: 'failed', message: '' }),
        connectServer: () => ({ send: async () => ({ ok: false, error: '' }), end: () => {} }),
        elicit: async (elicitation) => {
          asked.push(elicitation);
          return { action: 'accept', content: { interpretation: 'technical' } };
        },
      },
    }),
  });
  const [call] = settled(await t.run('look it up'));
  expect(asked).toMatchObject([{ server: 'everything' }]);
  expect(JSON.stringify(call?.content)).toContain('tides (technical)');
});
