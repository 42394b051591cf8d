import { expect, it } from 'vitest';
import { sessionMentions } from '../../src/main/app/session-mentions';
import type { ServerResources } from '../../src/main/engine/mcp/resource-tools';

it('kinds of sub-agents and resources of servers can be mentioned; a server that fails has none', async () => {
  const order: string[] = [];
  const resources: ServerResources = {
    servers: () => ['docs', 'broken'],
    list: async (server) =>
      server === 'broken'
        ? { ok: false, error: 'gone' }
        : {
            ok: true,
            value: [
              { uri: 'memo://a', name: 'a', title: 'The memo', description: 'x'.repeat(1_000) },
              { uri: 'memo://b', name: 'b' },
              ...Array.from({ length: 2_000 }, (_, n) => ({ uri: `memo://${n}`, name: `${n}` })),
            ],
          },
    read: async () => ({ ok: false, error: 'not asked' }),
  };
  const found = await sessionMentions({
    settled: async () => void order.push('settled'),
    agentKinds: async () => {
      order.push('kinds');
      return [{ name: 'reviewer', description: 'Looks at changes' }];
    },
    resources,
  });
  expect(order).toEqual(['settled', 'kinds']);
  expect(found.slice(0, 3)).toEqual([
    { path: 'agent:reviewer', detail: 'Looks at changes' },
    { path: 'docs:memo://a', detail: 'x'.repeat(200) },
    { path: 'docs:memo://b', detail: 'b' },
  ]);
  expect(found).toHaveLength(1 + 500);
});
