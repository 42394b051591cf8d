import { afterEach, expect, it } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { reply } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let t: TestSession | null = null;
afterEach(() => t?.close());

const noHooks = { runHook: () => Promise.reject(new Error('This program has no hooks.')) };

/** Sends two prompts, the second one behind a command, in a session that a program drives. */
async function clearedBy(command: string, files: Readonly<Record<string, string>> = {}) {
  t = await openTestSession(() => reply('Quack.'), {
    host: (plain) => ({ ...plain, program: noHooks }),
    decide,
    files,
  });
  const events: AgentEvent[] = [];
  for (const prompt of ['count the geese', command, 'count the ducks'])
    for await (const { event } of t.session.submit(prompt)) events.push(event);
  return {
    isCleared: events.some(({ type }) => type === 'conversation_cleared'),
    last: JSON.stringify(t.api.requests.at(-1)?.body.messages),
  };
}

it.each(['/clear', '/new', '/Reset'])('%s begins the conversation anew', async (command) => {
  const { isCleared, last } = await clearedBy(command);
  expect(isCleared).toBe(true);
  expect(last).not.toContain('geese');
  expect(t?.session.commands).toContainEqual({
    ...{ name: 'clear', aliases: ['reset', 'new'], builtin: true, argumentHint: '' },
    description: expect.any(String),
  });
});

it("a command of a user's own goes before the other name of one", async () => {
  const { isCleared, last } = await clearedBy('/new', {
    '.claude/commands/new.md': 'Write a new poem about swans.',
  });
  expect(isCleared).toBe(false);
  expect(last).toContain('geese');
  expect(last).toContain('poem about swans');
});
