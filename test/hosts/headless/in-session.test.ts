import { expect, it } from 'vitest';
import type { HeadlessSession } from '../../../src/main/app/headless-session';
import { hearAgents } from '../../../src/main/hosts/headless/in-session';
import type { Printer } from '../../../src/main/hosts/headless/printer';
import { IDLE_SESSION } from '../../support/headless-session';

const SILENT: Printer = {
  opened: async () => {},
  event: async () => {},
  failed: async () => {},
  control: async () => {},
  replayed: async () => {},
  finished: async () => {},
};

it('what happened meanwhile is told before the answer to the news of it', async () => {
  const order: string[] = [];
  const session: HeadlessSession = {
    ...IDLE_SESSION,
    agentsAtWork: () => !order.includes('answered'),
    hasNews: () => true,
    submit: (...given) => {
      order.push('answered');
      return IDLE_SESSION.submit(...given);
    },
  };
  const toldSoFar = async () => {
    await Promise.resolve();
    order.push('told');
  };
  await hearAgents(session, SILENT, new AbortController().signal, true, toldSoFar);
  expect(order).toEqual(['told', 'answered']);
});
