import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ofType, sessionsOfFile } from '../query/support';
import { hook, keeps, says } from './support';
import { result, rule, writes } from './writes';

const open = sessionsOfFile();
const answers = (...updatedPermissions: object[]) =>
  hook(
    'PermissionRequest',
    says('PermissionRequest', { decision: { behavior: 'allow', updatedPermissions } }),
  );
const add = (behavior: string, toolName: string, destination: string) => ({
  type: 'addRules',
  behavior,
  rules: [{ toolName }],
  destination,
});

it('writes rules where an answer says, and says so', async () => {
  const t = await writes(open, [
    answers(
      add('allow', 'Edit', 'localSettings'),
      add('ask', 'WebFetch', 'projectSettings'),
      add('deny', 'WebSearch', 'userSettings'),
      { type: 'addDirectories', directories: ['../other'], destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ),
  ]);
  const events = await t.run('go');
  expect(result(events).status).toBe('done');
  const written = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
  const own = join(t.project, '.claude');
  const user = join(t.project, '..', 'user', '.claude', 'settings.json');
  expect(await written(join(own, 'settings.local.json'))).toEqual({
    permissions: { allow: ['Edit'] },
  });
  expect(await written(join(own, 'settings.json'))).toEqual({ permissions: { ask: ['WebFetch'] } });
  expect(await written(user)).toEqual({ permissions: { deny: ['WebSearch'] } });
  expect(t.session.main.engine.config.mode).toBe('acceptEdits');
  expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
    'A hook set allow Edit. It was written to .claude/settings.local.json.',
    'A hook set ask WebFetch. It was written to .claude/settings.json.',
    expect.stringMatching(/^A hook set deny WebSearch\. It was written to .*settings\.json\.$/),
    'A hook set the folders ../other, for this session.',
    'A hook set the mode acceptEdits, for this session.',
  ]);
});

it('never takes back what the user forbade, nor chooses what only they may', async () => {
  const t = await writes(open, [
    answers(
      { ...add('deny', 'Write(x)', 'localSettings'), type: 'removeRules' },
      { type: 'setMode', mode: 'bypassPermissions', destination: 'userSettings' },
      { type: 'setMode', mode: 'no such mode', destination: 'session' },
      { ...add('allow', 'Edit', 'session') },
    ),
  ]);
  const events = await t.run('go');
  expect(ofType(events, 'notice').map(({ level, text }) => `${level}: ${text}`)).toEqual([
    'warning: A hook wanted to set no longer deny Write(x). That was not done: only you can take deny rules back.',
    'warning: A hook wanted to set the mode bypassPermissions. That was not done: only you can choose the mode bypassPermissions.',
    'info: A hook set allow Edit, for this session.',
  ]);
  // One that cannot be understood costs only itself, and is told.
  expect(ofType(events, 'hook_settled')[0]?.report.note).toContain('updatedPermissions[2].mode');
  expect(t.session.main.engine.config.mode).toBe('default');
});

it('changes nothing when the answer does not count', async () => {
  const t = await writes(open, [answers(add('allow', 'Edit', 'localSettings'))], {
    rules: [rule('ask', 'Edit')],
  });
  const events = await t.run('go');
  expect(result(events).status).toBe('denied');
  expect(ofType(events, 'notice')).toEqual([]);
  await expect(readFile(join(t.project, '.claude', 'settings.local.json'))).rejects.toThrow();
});

it('is told which rules the user would be offered', async () => {
  const t = await writes(open, [hook('PermissionRequest', keeps('in.json'))]);
  await t.run('go');
  const input = JSON.parse(await readFile(join(t.project, 'in.json'), 'utf8'));
  expect(input.permission_suggestions[0]).toMatchObject({
    type: 'addRules',
    behavior: 'allow',
    rules: [{ toolName: expect.any(String) }],
    destination: expect.any(String),
  });
});

it.each([
  ['PreToolUse', 'exit 3', 'exit code 3'],
  ['PreToolUse', says('PreToolUse', { permissionDecision: 'perhaps' }), 'permissionDecision'],
  ['PermissionRequest', 'exit 3', 'exit code 3'],
] as const)(
  'at %s "%s" blocks with onFailure, and stops nothing without',
  async (event, command, why) => {
    const allowed = {
      rules: event === 'PreToolUse' ? [rule('allow', 'Write')] : [],
      attended: false,
    };
    const failing = hook(event, command, { timeoutMs: 200 });
    const guarded = await writes(open, [{ ...failing, onFailure: 'block' }], allowed);
    const stopped = result(await guarded.run('go'));
    expect(stopped.status).not.toBe('done');
    expect(stopped.text).toContain('gave no usable answer');
    expect(stopped.text).toContain(why);
    const free = await writes(open, [failing], allowed);
    expect(result(await free.run('go')).text).not.toContain('gave no usable answer');
  },
);
