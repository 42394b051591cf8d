import { afterEach, expect, it } from 'vitest';
import { createToolSearchTool } from '../../../../src/main/engine/tools/builtin/tool-search/tool-search';
import { reply, toolUse } from '../../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** A conversation about ships that was summarised. `turns` come after it. */
async function summarised(turns: readonly ReturnType<typeof reply>[]) {
  const script = [
    reply(`The ferry *Élan* was built in 1931. ${'x'.repeat(600)} The captain is Ada.`),
    reply('<summary>Ships were spoken of.</summary>'),
    ...turns,
  ];
  open = await openTestSession(script, { tools: [createToolSearchTool()] });
  await open.run('Tell me about the ferry');
  for await (const _ of open.session.main.engine.compact()) {
    // The log has it.
  }
  return open;
}

const search = (input: object) => reply([toolUse('SearchConversation', input)]);
const offeredTo = (t: TestSession, request: number) =>
  t.api.requests[request]?.body.tools?.map(({ name }) => name);

it('is there once a summary left something out, found by ToolSearch, and reads what was left out', async () => {
  const t = await summarised([
    reply([toolUse('ToolSearch', { query: 'search conversation' })]),
    search({ query: 'elan CAPTAIN' }),
    search({ query: 'zeppelin' }),
    reply('Ada.'),
  ]);
  expect(offeredTo(t, 0)).toBeUndefined();
  await t.run('Who was the captain?');
  expect(offeredTo(t, 2)).toEqual(['ToolSearch']);
  expect(offeredTo(t, 3)).toEqual(['ToolSearch', 'SearchConversation']);
  const told = JSON.stringify(t.api.requests[4]?.body.messages.at(-1));
  expect(told).toContain('built in 1931');
  expect(told).toContain('The captain is Ada.');
  expect(JSON.stringify(t.api.requests[5]?.body.messages.at(-1))).toContain('No message has all');
  expect(t.api.refusals).toEqual([]);
});

it('gives one message whole, and says when there is none of that id', async () => {
  const t = await summarised([
    reply([toolUse('ToolSearch', { query: 'select:SearchConversation' })]),
    search({ query: 'ferry' }),
    search({ query: 'ferry', message: 'nothing' }),
    reply('So.'),
  ]);
  await t.run('What did I ask?');
  const several = JSON.stringify(t.api.requests[4]?.body.messages.at(-1));
  expect(several).toContain('user');
  expect(several).toContain('Tell me about the ferry');
  expect(several).toContain('characters)');
  const none = JSON.stringify(t.api.requests[5]?.body.messages.at(-1));
  expect(none).toContain('has no message nothing');
});
