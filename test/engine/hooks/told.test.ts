import { access, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import type { HookReport, HookSetting } from '../../../src/shared/hooks';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { ofType, sessionsOfFile } from '../query/support';
import { hook, keeps } from './support';

const open = sessionsOfFile();
const withHooks = (...hooks: readonly HookSetting[]) => ({ settings: { hooks } });
const linesOf = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('PermissionDenied', () => {
  it('is told of a call that was denied; nobody waits for it', async () => {
    const t = await open(
      [reply([toolUse('Read', { file_path: '/nowhere/x' })]), reply('Then not.')],
      withHooks(
        hook('PreToolUse', 'exit 2', { matcher: 'Read' }),
        hook('PermissionDenied', keeps('denied.json'), { matcher: 'Read' }),
        hook('PermissionDenied', keeps('other.json'), { matcher: 'Bash' }),
      ),
    );
    const told = new Promise<void>((resolve) => {
      t.session.log.listen(({ event }) => {
        if (event.type === 'hook_settled' && event.report.event === 'PermissionDenied') resolve();
      });
    });
    await t.run('go');
    await told;
    const [input] = await linesOf(join(t.project, 'denied.json'));
    expect(input).toMatchObject({
      hook_event_name: 'PermissionDenied',
      tool_name: 'Read',
      tool_input: { file_path: '/nowhere/x' },
    });
    await expect(access(join(t.project, 'other.json'))).rejects.toThrow();
  });
});

describe('CwdChanged', () => {
  it('is told when a command moved to another folder, once', async () => {
    const read = createReadTool();
    const moving: typeof read = {
      ...read,
      execute: (input, context) => {
        for (const folder of ['inner', 'inner']) context.cwd.set(join(context.project, folder));
        return read.execute(input, context);
      },
    };
    const t = await open([reply([toolUse('Read', { file_path: '/nowhere/x' })]), reply('There.')], {
      tools: [moving],
      ...withHooks(hook('CwdChanged', 'cat >&2')),
    });
    await mkdir(join(t.project, 'inner'));
    const told = new Promise<HookReport>((resolve) => {
      t.session.log.listen(({ event }) => {
        if (event.type === 'hook_settled') resolve(event.report);
      });
    });
    const events = await t.run('go');
    expect(await told).toMatchObject({ event: 'CwdChanged', outcome: 'done' });
    expect(ofType(events, 'hook_settled').length).toBeLessThan(2);
  });
});
