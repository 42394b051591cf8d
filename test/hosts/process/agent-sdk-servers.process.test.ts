import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ElicitationRequest } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, all, lacks, resultOf, said } from './agent-sdk';

const { start, lastRequest } = agentSdk();

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

test('tool servers bring commands and resources, and ask the program', async (t) => {
  t.skip(lacks('readMcpResource'));
  const { promise: ready, resolve: begin } = Promise.withResolvers<void>();
  async function* prompts() {
    await ready;
    yield said('ask me');
  }
  const everything = {
    type: 'stdio' as const,
    command: process.execPath,
    args: [EVERYTHING, 'stdio'],
    alwaysLoad: true,
  };
  const questions: ElicitationRequest[] = [];
  const running = await start(
    [reply([toolUse('mcp__everything__trigger-elicitation-request', {})]), reply('Thanks.')],
    {
      mcpServers: { everything },
      allowedTools: ['mcp__everything'],
      onElicitation: async (question) => {
        questions.push(question);
        return { action: 'accept', content: { name: 'Ann of Cleves' } };
      },
    },
    prompts(),
  );
  await expect
    .poll(async () => (await running.supportedCommands()).map(({ name }) => name))
    .toContain('mcp__everything__args-prompt');
  const read = await running.readMcpResource(
    'everything',
    'demo://resource/static/document/architecture.md',
  );
  expect(read.contents[0]?.text).toContain('Everything Server');
  begin();
  const messages = await all(running);
  expect(questions).toMatchObject([{ serverName: 'everything', mode: 'form' }]);
  expect(lastRequest()).toContain('Ann of Cleves');
  expect(resultOf(messages)).toMatchObject({ subtype: 'success' });
});
