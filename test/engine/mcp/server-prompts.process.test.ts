import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);
const everything: McpServerSetting = {
  name: 'everything',
  command: process.execPath,
  args: [EVERYTHING, 'stdio'],
  env: {},
  alwaysLoad: false,
  file: '.mcp.json',
};

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function say(t: TestSession, text: string): Promise<string> {
  const events: unknown[] = [];
  for await (const { event } of t.session.submit(text)) events.push(event);
  return JSON.stringify(events);
}

it('a prompt of a server is a command: it waits for its server, and the model is told what it says', async () => {
  open = await openTestSession([reply(['It rains.']), reply(['Again.'])], {
    settings: { mcpServers: [everything] },
  });
  const t = open;
  // The very first words of the session: the server has only just been started.
  await say(t, '/mcp__everything__args-prompt "New York" NY');
  const sent = JSON.stringify(t.api.requests[0]?.body.messages);
  expect(sent).toContain("What's weather in New York, NY?");
  expect(sent).toContain('/mcp__everything__args-prompt');
  expect(t.session.commands).toContainEqual({
    name: 'mcp__everything__args-prompt',
    description: 'A prompt with two arguments, one required and one optional',
    argumentHint: '<city> [state]',
  });
  // It is told once.
  await say(t, 'and now?');
  expect(JSON.stringify(t.api.requests[1]?.body.messages).match(/What's weather/g)).toHaveLength(1);
});

it('a prompt without what it needs is no question to the model', async () => {
  open = await openTestSession([], { settings: { mcpServers: [everything] } });
  expect(await say(open, '/mcp__everything__args-prompt')).toContain('needs <city>');
  expect(open.api.requests).toEqual([]);
});
