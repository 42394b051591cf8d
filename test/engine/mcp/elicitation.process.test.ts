import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Elicitation } from '../../../src/main/engine/mcp/elicitation';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

it('the reference server asks its form, and hears what was answered', async () => {
  const asked: Elicitation[] = [];
  open = await openTestSession(
    [reply([toolUse('mcp__all__trigger-elicitation-request', {})]), reply(['Thanks.'])],
    {
      settings: {
        mcpServers: [
          {
            name: 'all',
            command: process.execPath,
            args: [EVERYTHING, 'stdio'],
            env: {},
            alwaysLoad: true,
            file: '.mcp.json',
          },
        ],
        rules: [{ behavior: 'allow', text: 'mcp__all', source: 'userSettings' }],
      },
      host: (plain) => ({
        ...plain,
        program: {
          runHook: async () => ({ kind: 'failed', message: '' }),
          connectServer: () => ({ send: async () => ({ ok: false, error: '' }), end: () => {} }),
          elicit: async (elicitation) => {
            asked.push(elicitation);
            return { action: 'accept', content: { name: 'Ann of Cleves', integer: 7 } };
          },
        },
      }),
    },
  );
  const t = open;
  await expect.poll(() => t.session.toolServers()[0]?.status).toBe('connected');
  await t.run('ask me');
  expect(asked).toMatchObject([{ server: 'all', params: { message: expect.any(String) } }]);
  const told = JSON.stringify(t.api.requests[1]?.body.messages);
  expect(told).toContain('Ann of Cleves');
});
