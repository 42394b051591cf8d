import { expect, it } from 'vitest';
import type { SandboxPolicy } from '../../../src/main/engine/ports-sandbox';
import { createSessionSandbox } from '../../../src/main/engine/session/sandbox';
import { createNodeFiles } from '../../../src/main/node/files';
import type { AgentEvent } from '../../../src/shared/agent-event';

it('starts a command without the keys that it does not get, and tells once what cannot be masked', async () => {
  const policies: SandboxPolicy[] = [];
  const told: AgentEvent[] = [];
  const enter = async ({ policy }: { readonly policy: SandboxPolicy }) => {
    policies.push(policy);
    return { ok: true, value: { argv: ['x'], unmasked: ['MASKED'], ended: async () => [] } };
  };
  const lists = {
    denyRead: [],
    credentialFiles: [],
    maskedFiles: [],
    denyWrite: [],
    allowWrite: [],
  };
  const masked = (name: string) => ({ name, hosts: ['a.example'] });
  const { forAgent } = createSessionSandbox({
    sandbox: { open: () => ({ enter, close: async () => {} }) },
    files: createNodeFiles(),
    project: '/nowhere',
    settings: () => ({
      ...{ enabled: true, ...lists, credentialVariables: ['DENIED'], tlsTerminate: {} },
      maskedVariables: [masked('MASKED'), masked('ABSENT'), masked('EMPTY')],
    }),
    workingDirectories: () => [],
    denied: () => ({ read: [], write: [] }),
    questions: { enter: () => () => {}, ask: async () => ({ allow: false, reason: '' }) },
    record: (event: AgentEvent) => told.push(event),
  } as unknown as Parameters<typeof createSessionSandbox>[0]);
  const env = { DENIED: 'one', MASKED: 'two', EMPTY: '', KEPT: 'three' };
  const command = { callId: 'c', argv: () => ['ls'], text: 'ls', env };
  const { signal } = new AbortController();
  const inside = forAgent('main', () => []);
  const entered = await inside.enter(command, signal);
  await inside.enter(command, signal);
  expect(entered.ok && entered.value.env).toEqual({ KEPT: 'three' });
  expect(policies[0]).toMatchObject({
    withheldVariables: ['DENIED', 'MASKED', 'ABSENT', 'EMPTY'],
    masked: [{ name: 'MASKED', value: 'two', hosts: ['a.example'] }],
    tlsTerminate: {},
  });
  const notice = { type: 'notice', code: 'not_masked', level: 'warning' };
  expect(told).toEqual([expect.objectContaining(notice)]);
  expect(JSON.stringify(told)).not.toContain('two');
});
