import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import type { HookSetting } from '../../../src/shared/hooks';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, ofType, sessionsOfFile } from '../query/support';
import { hook, keeps, linesOf, prints, ran } from './support';

const open = sessionsOfFile();
const withHooks = (...hooks: readonly HookSetting[]) => ({ settings: { hooks } });

describe('CwdChanged', () => {
  it('is told when a command moved to another folder, once', async () => {
    const read = createReadTool();
    const moving: typeof read = {
      ...read,
      execute: (input, context) => {
        for (const folder of ['inner', 'inner'])
          context.agent.cwd.set(join(context.session.project, folder));
        return read.execute(input, context);
      },
    };
    const t = await open([reply([toolUse('Read', { file_path: '/nowhere/x' })]), reply('There.')], {
      tools: [moving],
      ...withHooks(hook('CwdChanged', 'cat >&2')),
    });
    await mkdir(join(t.project, 'inner'));
    const told = ran(t, 'CwdChanged');
    const events = await t.run('go');
    expect(await told).toMatchObject({ event: 'CwdChanged', outcome: 'done' });
    expect(ofType(events, 'hook_settled').length).toBeLessThan(2);
  });
});

describe('PostModelSwitch', () => {
  it('is told which model answers from now on, and who chose it', async () => {
    const t = await open([], withHooks(hook('PostModelSwitch', 'cat > told.json')));
    const told = ran(t, 'PostModelSwitch');
    expect(t.session.configure({ model: 'haiku', source: 'command' }).ok).toBe(true);
    await told;
    expect(JSON.parse(await readFile(join(t.project, 'told.json'), 'utf8'))).toMatchObject({
      hook_event_name: 'PostModelSwitch',
      to_model: 'haiku',
      requested_model: 'haiku',
      source: 'command',
      context_tokens: 0,
    });
  });
});

describe('ConfigChange', () => {
  const change = { source: 'project_settings', file: '/p/.claude/settings.json' } as const;

  it('is told which file changed, and may keep it from the session', async () => {
    const t = await open(
      () => reply('Fine.'),
      withHooks(
        hook('ConfigChange', `${keeps('in')}; exit 2`, { matcher: 'project_settings' }),
        hook('ConfigChange', prints({ decision: 'block' }), { matcher: 'user_settings' }),
      ),
    );
    expect(await t.session.configChanged([change])).toBe(false);
    await t.run('go');
    expect(await t.session.configChanged([change])).toBe(true);
    expect(await linesOf(t, 'in')).toMatchObject([
      { hook_event_name: 'ConfigChange', source: change.source, file_path: change.file },
    ]);
    expect(await t.session.configChanged([{ ...change, source: 'user_settings' }])).toBe(true);
    expect(await t.session.configChanged([{ ...change, source: 'local_settings' }])).toBe(false);
  });
});

describe('InstructionsLoaded', () => {
  it('is told of each file the model was given, and says nothing', async () => {
    const t = await open(
      [reply([toolUse('Read', { file_path: 'inner/a' })]), reply('Done.')],
      withHooks(
        hook('InstructionsLoaded', `${keeps('in')}; ${prints({ continue: false })}`, {
          matcher: 'session_start|nested_traversal|include',
        }),
      ),
    );
    for (const [name, text] of [
      ['CLAUDE.md', 'Be brief. @style.md'],
      ['style.md', 'Plain words.'],
      ['inner/CLAUDE.md', 'In here: tabs.'],
      ['inner/a', 'one'],
    ] as const) {
      await mkdir(join(t.project, 'inner'), { recursive: true });
      await writeFile(join(t.project, name), text);
    }
    expect(endOf(await t.run('go')).terminal).toBe('completed');
    await t.session.close({ keepTasks: false });
    const told = (await linesOf(t, 'in')).map((line) => [line.load_reason, line.file_path]);
    expect(told.toSorted()).toEqual([
      ['include', join(t.project, 'style.md')],
      ['nested_traversal', join(t.project, 'inner/CLAUDE.md')],
      ['session_start', join(t.project, 'CLAUDE.md')],
    ]);
    await t.reopen();
  });
});
