import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { forkLog } from '../../../src/main/engine/sessions/open-log';
import { sessionPaths, subAgentFile } from '../../../src/main/engine/sessions/paths';
import { reply, toolUse } from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { until } from '../tasks/set-up';
import { agentCall, echo, openWithAgents } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const filesOf = (t: TestSession) => {
  const paths = sessionPaths(t.latheHome, t.project, t.session.log.sessionId);
  const agentId = t.session.log.transcript().agents[0]?.id ?? '';
  return { ...paths, agentId, agentFile: subAgentFile(paths.folder, agentId) };
};

/** Leaves of a log what a kill does: all before the line with `first`, without those with `lost`, and a torn line. */
async function cutBefore(t: TestSession, file: string, first: string, lost?: string) {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const at = lines.findIndex((line) => line.includes(first));
  if (at < 0) throw new Error('The log has no such line.');
  const kept = lines.slice(0, at).filter((line) => lost === undefined || !line.includes(lost));
  await t.services.files.write(file, `${[...kept, lines[at]?.slice(0, 20)].join('\n')}`);
}

/** Runs a query whose sub-agent makes a call, and leaves it as a kill -9 in the middle of that call does. */
async function killedInCall(
  answers: Parameters<typeof openWithAgents>[1],
  during: (opened: Awaited<ReturnType<typeof openWithAgents>>) => Promise<void> = async () => {},
) {
  const opened = await openWithAgents(
    [
      reply([agentCall('general-purpose', 'a1')]),
      reply('ok'),
      reply('after the restart'),
      reply('and again'),
    ],
    answers,
  );
  const { t } = opened;
  open = t;
  await Promise.all([t.run('go'), during(opened)]);
  const before = t.session.log.transcript();
  const files = filesOf(t);
  await t.session.close({ keepTasks: true });
  await cutBefore(t, files.file, '"agent_settled"');
  // The call began while its answer was still on its way: its result may stand before the end of that.
  await cutBefore(t, files.agentFile, '"report"', '"call_settled"');
  await t.reopen();
  return { t, before, ...files };
}

describe('sub-agents that a crash cut', () => {
  it('are told of truthfully, with what they and the query had spent', async () => {
    const { t, before, agentId } = await killedInCall([reply([echo('a', 'e1')]), reply('report')]);
    const { agents, costs, running, committed, query } = t.session.log.transcript();
    expect(agents).toMatchObject([{ title: 'Watch', status: 'cancelled', transcript: null }]);
    expect(running).toBeNull();
    // Of the sub-agent's two requests and the main agent's two, one each was answered before the kill.
    expect(costs.total.requests).toBe(2);
    expect(costs.byAgent[agentId]).not.toEqual(before.costs.byAgent[agentId]);
    expect(query?.spend.costUsd).toBeCloseTo(costs.total.costUsd, 12);
    const lines = (await readFile(filesOf(t).file, 'utf8')).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line).event);
    const end = events.findLast(({ type }) => type === 'query_finished');
    // Behind it, the user is told of the torn line.
    expect(events.at(-1)).toMatchObject({ type: 'notice' });
    expect(end).toMatchObject({ type: 'query_finished', turns: 1 });
    expect(end.costUsd).toBeCloseTo(costs.total.costUsd, 12);
    expect(end.usage).toEqual(costs.total.usage);
    // The card of its call opens its conversation.
    expect(committed.find((item) => item.kind === 'call')).toMatchObject({
      status: 'cancelled',
      title: { verb: 'general-purpose', target: 'Watch' },
      view: { kind: 'agent', agentId, title: 'Watch', calls: 0 },
    });
    await t.run('go on');
    expect(t.api.refusals).toEqual([]);
  });

  it('have a conversation that has ended, on disk too', async () => {
    const { t, agentId, agentFile } = await killedInCall([
      reply([echo('a', 'e1')]),
      reply('report'),
    ]);
    const kept = await t.session.agentTranscript(agentId);
    if (!kept.ok) throw new Error(kept.error.message);
    const { running, active, committed } = kept.value;
    expect([running, active]).toEqual([null, []]);
    expect(committed.find((item) => item.kind === 'call')).toMatchObject({ status: 'cancelled' });
    const whole = await readFile(agentFile, 'utf8');
    await t.reopen();
    expect(await readFile(agentFile, 'utf8')).toBe(whole);
  });

  it('leave a command that still runs to the main agent', async () => {
    const { t } = await killedInCall(
      [reply([toolUse('Bash', { command: 'make' }, 'b1')]), reply('report')],
      async ({ terminals }) => {
        await until(() => terminals.spawned.length > 0);
        terminals.exit(terminals.spawned[0]?.id ?? '', { exitCode: 3 });
      },
    );
    expect(t.session.tasks.list()).toMatchObject([{ command: 'make', agentId: 'main' }]);
    // It costs no turn of its own: the next prompt tells it.
    expect(t.session.hasNews()).toBe(false);
    const told = async (prompt: string) => {
      await t.run(prompt);
      const said = JSON.stringify(t.api.requests.at(-1)?.body.messages);
      return said.match(/<task-notification>.*?failed with exit code 3/g)?.length;
    };
    expect(await told('go on')).toBe(1);
    // A further restart takes up nothing twice.
    await t.reopen();
    expect(await told('and on')).toBe(1);
  });

  it('are in a copy of the session too, and so are those that ended well', async () => {
    const { t } = await openWithAgents(
      [reply([agentCall(), agentCall()]), reply('ok')],
      [reply('report one'), reply('report two')],
    );
    open = t;
    await t.run('go');
    const { file } = filesOf(t);
    const agents = t.session.log.transcript().agents;
    await t.session.log.flush();
    await cutBefore(t, file, '"agent_settled"');
    const source = { file, sessionId: t.session.log.sessionId, project: t.project };
    const copy = await forkLog(t.services, source, t.services.ids.uuid());
    if (!copy.ok) throw new Error(copy.error.message);
    const { folder } = copy.value.paths;
    const { costs } = copy.value.log.transcript();
    await copy.value.log.close();
    await copy.value.release();
    expect(agents).toHaveLength(2);
    for (const { id } of agents) {
      expect(costs.byAgent[id]).toEqual(t.session.log.transcript().costs.byAgent[id]);
      const log = await readFile(subAgentFile(folder, id), 'utf8');
      expect(log).toContain('report');
    }
  });
});
