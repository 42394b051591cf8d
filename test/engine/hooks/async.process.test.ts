import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, saidIn, sessionsOfFile } from '../query/support';
import { hook, ran, says } from './support';

const open = sessionsOfFile();
const GOES_ON = `echo '{"async":true}'; while [ ! -e go ]; do sleep 0.01; done`;

test('a command whose first line says so is waited for no longer, and heard when it ends', async () => {
  const late = says('PreToolUse', { additionalContext: 'From afar.', permissionDecision: 'deny' });
  const t = await open(
    ({ body }) =>
      body.messages.length === 1 ? reply([toolUse('Read', { file_path: 'a' })]) : reply('Fine.'),
    { settings: { hooks: [hook('PreToolUse', `${GOES_ON}; ${late}`, { timeoutMs: 1_000 })] } },
  );
  await t.touch('a');
  expect(endOf(await t.run('one')).terminal).toBe('completed');
  expect(t.session.log.transcript().hooks).toMatchObject([{ awaited: false }]);
  await t.clock.advance(60_000);
  const told = ran(t, 'PreToolUse');
  await t.touch('go');
  expect(await told).toMatchObject({
    outcome: 'failed',
    note: expect.stringContaining('It said no after it had asked not to be waited for'),
    stdout: expect.not.stringContaining('async'),
  });
  await t.run('two');
  expect(saidIn(t.api, -1)).toContain('From afar.');
});

test('it has the time that it asked for, and ends with the session', async () => {
  const line = `printf '{"async":true,"asyncTimeout":5000}'; sleep 300`;
  const t = await open(() => reply('Fine.'), {
    settings: {
      hooks: [
        hook('UserPromptSubmit', line),
        hook('Stop', `${GOES_ON}; touch "$CLAUDE_PROJECT_DIR/done"`),
      ],
    },
  });
  const told = ran(t, 'UserPromptSubmit');
  await t.run('one');
  await t.clock.advance(4_999);
  expect(t.session.log.transcript().hooks).toHaveLength(2);
  await t.clock.advance(1);
  const note = 'did not end within 5 s and was stopped';
  expect(await told).toMatchObject({ outcome: 'failed', note });
  const ended = ran(t, 'Stop');
  await t.session.close({ keepTasks: false });
  expect(await ended).toMatchObject({ outcome: 'cancelled' });
  await t.touch('go');
  await expect(access(join(t.project, 'done'))).rejects.toThrow();
  await t.reopen();
});
