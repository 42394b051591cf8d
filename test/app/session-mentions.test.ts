import { expect, it } from 'vitest';
import { sessionMentions } from '../../src/main/app/session-mentions';
import type { ServerResources } from '../../src/main/engine/mcp/resource-tools';

it('kinds of sub-agents can be mentioned while a server has not answered', async () => {
  const found = await sessionMentions(
    {
      settled: async () => {},
      agentKinds: async () => [{ name: 'reviewer', description: 'Looks at changes' }],
      resources: {
        servers: () => ['slow'],
        list: () => new Promise(() => {}),
        templates: async () => ({ ok: false, error: 'not asked' }),
        read: async () => ({ ok: false, error: 'not asked' }),
      },
    },
    'agents',
  );
  expect(found).toEqual([{ path: 'agent:reviewer', detail: 'Looks at changes' }]);
});

it('resources of servers can be mentioned; a server that fails has none', async () => {
  const order: string[] = [];
  const resources: ServerResources = {
    servers: () => ['docs', 'broken'],
    templates: async () => ({ ok: false, error: 'not asked' }),
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
  const found = await sessionMentions(
    {
      settled: async () => void order.push('settled'),
      agentKinds: async () => [],
      resources: {
        ...resources,
        servers: () => {
          order.push('servers');
          return resources.servers();
        },
      },
    },
    'resources',
  );
  expect(order).toEqual(['settled', 'servers']);
  expect(found.slice(0, 2)).toEqual([
    { path: 'docs:memo://a', detail: 'x'.repeat(200) },
    { path: 'docs:memo://b', detail: 'b' },
  ]);
  expect(found).toHaveLength(500);
});
