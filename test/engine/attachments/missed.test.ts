import { expect, it } from 'vitest';
import { createAgentState } from '../../../src/main/engine/agent-state';
import { COLLECTOR_LIMIT_MS } from '../../../src/main/engine/attachments/collect';
import { createEventLog } from '../../../src/main/engine/event-log';
import { createHistory } from '../../../src/main/engine/messages/history';
import { createAgentAttachments } from '../../../src/main/engine/session/attachments';
import { createDefinitions } from '../../../src/main/engine/session/definitions';
import { createNodeFiles } from '../../../src/main/node/files';
import { type AgentEvent, MAIN_AGENT } from '../../../src/shared/agent-event';
import { ok } from '../../../src/shared/result';
import { memoryClock } from '../../support/memory-clock';
import { noResources, toolEnvironment } from '../../support/tool-environment';
import { prompt, signal } from './support';

it('a disk that hangs costs a second, is told once, and loses nothing else', async () => {
  const clock = memoryClock();
  const hang = () => new Promise<never>(() => {});
  const files = { ...createNodeFiles(), stat: hang };
  let notices = [{ agentId: 'main', taskId: 'b_1', about: 'b_1 ended', text: 'task done' }];
  const base = toolEnvironment({ clock, files });
  const tasks = {
    ...base.agent.tasks,
    notices: () => notices,
    noticeTold: () => {
      notices = [];
    },
  };
  const services = { files, configDir: '/nowhere', managedMemory: null, resolveModel: ok };
  const environment = { ...base, agent: { ...base.agent, tasks } };
  environment.agent.reads.set('/nowhere/a', { mtimeMs: 1, size: 1, whole: true });
  const log = createEventLog({ sessionId: 's', epoch: 'e', clock });
  const config = { model: 'm', thinking: null, effort: '', mode: 'plan' as const };
  const state = createAgentState({
    modelInMode: (model) => model,
    id: MAIN_AGENT,
    log,
    history: createHistory(),
    config,
    cwd: '/nowhere',
  });
  const recorded: AgentEvent[] = [];
  log.listen(({ event }) => void recorded.push(event));
  state.record({ type: 'query_started', queryId: 'q' });
  const asked: AgentEvent = { type: 'user_message', id: 'u look at @a', content: [] };
  state.record(asked);
  const attachments = createAgentAttachments({
    environment,
    state,
    spentUsd: () => 0,
    limits: () => ({ maxTurns: null, maxBudgetUsd: null }),
    windowTokens: () => 200_000,
    decide: () => ({ behavior: 'allow', reason: '', why: [], suggestions: [] }),
    folderMemory: async () => [],
    rulesFor: async () => [],
    memoryRoots: new Set(),
    notes: async () => [],
    takesNotes: () => false,
    noteFolder: () => null,
    resources: noResources,
    serverPrompts: {
      list: () => [],
      find: () => null,
      fill: async () => ({ ok: false, error: '' }),
    },
    languages: { news: () => [], settled: () => null },
    catalogue: { deferred: () => [], names: () => [], pending: () => [] },
    definitions: createDefinitions(services, {
      project: '/nowhere',
      trusted: () => true,
      simple: true,
    }),
    usedShell: false,
    style: null,
    styleText: async () => '',
  });
  const collect = async () => {
    const collecting = attachments.collect([prompt('look at @a')], signal);
    await clock.advance(COLLECTOR_LIMIT_MS - 1);
    await clock.advance(1);
    return (await collecting).map((attachment) => attachment.kind);
  };
  expect(await collect()).toEqual(['task_notification', 'mode']);
  expect(await collect()).toEqual(['mode']);
  expect(recorded.flatMap((event) => (event.type === 'notice' ? [event.text] : []))).toEqual([
    'Could not tell the model about mentioned files: it took longer than a second.',
    'Could not tell the model about changed files: it took longer than a second.',
  ]);
});
