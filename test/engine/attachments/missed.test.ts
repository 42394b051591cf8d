import { expect, it } from 'vitest';
import { createSessionAttachments } from '../../../src/main/app/session-attachments';
import { COLLECTOR_LIMIT_MS } from '../../../src/main/engine/attachments/collect';
import { createNodeFiles } from '../../../src/main/node/files';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { memoryClock } from '../../support/memory-clock';
import { toolEnvironment } from '../../support/tool-environment';
import { prompt, signal } from './support';

it('a disk that hangs costs a second, is told once, and loses nothing else', async () => {
  const clock = memoryClock();
  const hang = () => new Promise<never>(() => {});
  const files = { ...createNodeFiles(), stat: hang };
  const environment = toolEnvironment({ clock, files });
  environment.reads.set('/nowhere/a', { mtimeMs: 1, size: 1, whole: true });
  const recorded: AgentEvent[] = [];
  const asked: AgentEvent = { type: 'user_message', id: 'u look at @a', content: [] };
  let news = ['task done'];
  const attachments = createSessionAttachments({
    environment,
    log: {
      listen: (listener) => {
        listener({ sessionId: 's', epoch: 'e', seq: 1, at: 0, event: asked });
        return () => {};
      },
    },
    limits: { maxTurns: null, maxBudgetUsd: null },
    mode: () => 'plan',
    windowTokens: () => 200_000,
    takeTaskNotifications: () => {
      const taken = news;
      news = [];
      return taken;
    },
    decide: () => ({ behavior: 'allow', reason: '', why: [], suggestions: [] }),
    folderMemory: async () => [],
    usedShell: false,
    record: (event) => recorded.push(event),
  });
  const collect = async () => {
    const collecting = attachments.collect([prompt('look at @a')], signal);
    await clock.advance(COLLECTOR_LIMIT_MS - 1);
    await clock.advance(1);
    return (await collecting).map((attachment) => attachment.kind);
  };
  expect(await collect()).toEqual(['task_notification', 'mode']);
  expect(await collect()).toEqual(['mode']);
  expect(recorded.map((event) => event.type === 'notice' && event.text)).toEqual([
    'Could not tell the model about mentioned files: it took longer than a second.',
    'Could not tell the model about changed files: it took longer than a second.',
  ]);
});
