import { expect, test } from 'vitest';
import type { HookSetting } from '../../../src/shared/hooks';
import { reply } from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { sessionsOfFile } from '../query/support';
import { hook, keeps, linesOf } from './support';

const open = sessionsOfFile();
const start = (...hooks: readonly HookSetting[]) =>
  open([reply('Fine.')], {
    files: { '.claude/commands/greet.md': '---\ndescription: Greets\n---\nGreet $ARGUMENTS' },
    settings: { trusted: true, hooks },
  });
const submit = async (t: TestSession, text: string) => {
  for await (const _ of t.session.submit(text)) {
    // Only its end is waited for.
  }
};
const bodies = (t: TestSession) => JSON.stringify(t.api.requests.map(({ body }) => body.messages));

test('UserPromptExpansion hears of a command that is typed, and adds to it', async () => {
  const t = await start(
    hook('UserPromptExpansion', `${keeps('in.json')}; echo "It is Friday."`, { matcher: 'greet' }),
    hook('UserPromptExpansion', 'echo "never"', { matcher: 'other' }),
  );
  await submit(t, '/greet Bob');
  expect(bodies(t)).toContain('Greet Bob');
  expect(bodies(t)).toContain('It is Friday.');
  expect(bodies(t)).not.toContain('never');
  expect(await linesOf(t, 'in.json')).toMatchObject([
    {
      hook_event_name: 'UserPromptExpansion',
      expansion_type: 'slash_command',
      command_name: 'greet',
      command_args: 'Bob',
      command_source: 'project',
      prompt: '/greet Bob',
    },
  ]);
});

test('exit code 2 keeps the command and its text from the model; other prompts are not asked about', async () => {
  const t = await start(hook('UserPromptExpansion', 'echo "Not now." >&2; exit 2'));
  await submit(t, '/greet Bob');
  expect(t.api.requests).toHaveLength(0);
  await submit(t, 'hello');
  expect(t.api.requests).toHaveLength(1);
  expect(bodies(t)).not.toContain('Greet Bob');
});
