import type { HookCallback } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, lacks, said } from './agent-sdk';

const { play, lastRequest, requests } = agentSdk();

const step = (content: string, status: string) => ({ content, status, activeForm: content });
const todos = (...list: readonly object[]) => reply([toolUse('TodoWrite', { todos: list })]);

/** Hears of one kind of event; `block` says of which steps it must not be. */
const hearing = (heard: object[], block: (subject: string) => boolean = () => false) => {
  const hook: HookCallback = async (input) => {
    const { hook_event_name: event, task_subject, trigger, task_id } = Object(input);
    heard.push({ event, about: task_subject ?? trigger, ...(task_id ? { id: task_id } : {}) });
    return block(String(task_subject)) ? { decision: 'block', reason: 'The tests fail.' } : {};
  };
  return [{ hooks: [hook] }];
};

/** Hooks that end such a program when the work is done. */
const ending = (over: () => void) => {
  const hook: HookCallback = async () => {
    over();
    return {};
  };
  return [{ hooks: [hook] }];
};

/** A program that listens to the end: the SDK hangs up behind the last prompt. */
async function* until(over: Promise<void>) {
  yield said('go');
  await over;
}

test('hooks hear of the steps that the model makes and does, and may keep it from either', async (t) => {
  t.skip(lacks('TaskCreated'));
  const heard: { id?: string }[] = [];
  const over = Promise.withResolvers<void>();
  const Stop = ending(over.resolve);
  await play(
    [
      todos(step('Plan', 'in_progress'), step('Test', 'pending')),
      todos(step('Plan', 'completed'), step('Test', 'in_progress')),
      todos(step('Plan', 'completed'), step('Test', 'completed')),
      todos(step('Plan', 'completed'), step('Test', 'in_progress'), step('Drop', 'pending')),
      reply('Done.'),
    ],
    {
      hooks: {
        TaskCreated: hearing(heard, (subject) => subject === 'Drop'),
        TaskCompleted: hearing(heard, (subject) => subject === 'Test'),
        Stop,
      },
    },
    until(over.promise),
  );
  expect(heard).toMatchObject([
    { event: 'TaskCreated', about: 'Plan' },
    { event: 'TaskCreated', about: 'Test' },
    { event: 'TaskCompleted', about: 'Plan' },
    { event: 'TaskCompleted', about: 'Test' },
    { event: 'TaskCreated', about: 'Drop' },
  ]);
  expect(heard[2]?.id).toBe(heard[0]?.id);
  expect(heard[1]?.id).not.toBe(heard[0]?.id);
  expect(lastRequest()).toContain('“Test” be marked as done: The tests fail.');
  expect(lastRequest()).toContain('“Drop” be added: The tests fail.');
});

test('hooks hear that an agent with a name has nothing left to do, and may give it more', async (t) => {
  t.skip(lacks('TeammateIdleHookInput'));
  const heard: object[] = [];
  const over = Promise.withResolvers<void>();
  const TeammateIdle: HookCallback = async (input) => {
    if (input.hook_event_name !== 'TeammateIdle') return {};
    const { teammate_name: name, team_name: team } = input;
    heard.push({ name, team });
    return heard.length === 1 ? { decision: 'block', reason: 'Count the swans, too.' } : {};
  };
  await play(
    [
      reply([toolUse('Agent', { description: 'Count', prompt: 'Geese?', name: 'scout' })]),
      reply('Seven geese.'),
      reply('Two swans.'),
      reply('Done.'),
    ],
    { hooks: { TeammateIdle: [{ hooks: [TeammateIdle] }], Stop: ending(over.resolve) } },
    until(over.promise),
  );
  const scout = { name: 'scout', team: expect.stringMatching(/^session-[0-9a-f]{8}$/) };
  expect(heard).toEqual([scout, scout]);
  expect(JSON.stringify(requests().at(-2)?.body)).toContain('Count the swans, too.');
});

test.each(['init', 'maintenance'])('hooks hear that a run begins with --%s, once', async (flag) => {
  if (lacks('SetupHookInput')) return;
  const heard: object[] = [];
  const over = Promise.withResolvers<void>();
  const Stop = ending(over.resolve);
  const Setup: HookCallback = async () => ({
    hookSpecificOutput: { hookEventName: 'Setup', additionalContext: 'The geese are fed.' },
  });
  await play(
    [reply('Done.')],
    {
      extraArgs: { [flag]: null },
      hooks: {
        Setup: [{ hooks: [Setup] }, ...hearing(heard), { matcher: 'other', hooks: [Setup] }],
        Stop,
      },
    },
    until(over.promise),
  );
  expect(heard).toEqual([{ event: 'Setup', about: flag }]);
  expect(lastRequest().split('The geese are fed.')).toHaveLength(2);
  const unasked: object[] = [];
  await play([reply('Done.')], { hooks: { Setup: hearing(unasked) } });
  expect(unasked).toEqual([]);
});
