import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localBash } from '../../src/main/engine/tasks/runners/local-bash';
import { monitor } from '../../src/main/engine/tasks/runners/monitor';
import { createTaskManager } from '../../src/main/engine/tasks/task-manager';
import { createNodeFiles } from '../../src/main/node/files';
import { countingIds, memoryClock } from '../support/memory-clock';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, until } from './support';

let terminals: TestTerminals;
beforeEach(async () => {
  terminals = await startTestTerminals();
  await mkdir(join(terminals.folder, 'tasks'), { recursive: true });
  for (const id of ['b_1', 'm_1'])
    await symlink('/dev/full', join(terminals.folder, 'tasks', `${id}.output`));
});
afterEach(() => terminals.stop());

/** Returns the tasks of a session whose disk is full, and a command for them. */
function onFullDisk(command: string) {
  const manager = createTaskManager({
    terminals: terminals.client,
    clock: memoryClock(),
    ids: countingIds(),
    files: createNodeFiles(),
    sessionId: 'ses',
    sessionFolder: terminals.folder,
    runners: [],
    emit: () => undefined,
  });
  const { id, argv, cwd, env } = bash(terminals, command);
  const spec = { terminalId: id, project: cwd, command, argv, cwd, env };
  const about = { callId: 'toolu', title: 'count', command, background: true };
  const go = (name: string) => writeFile(join(terminals.folder, name), '');
  return { tasks: manager.forAgent('main'), spec, about, go };
}

describe.runIf(process.platform === 'linux')('a background command on a full disk', () => {
  test('is read from memory, each part once, and says that it is not saved', async () => {
    const wait = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
    const { tasks, spec, about, go } = onFullDisk(
      `echo first; printf half; ${wait('more')}; echo ' a line'; seq 1 20000; ${wait('end')}; echo last`,
    );
    await tasks.start(localBash, spec, about).running;
    await until(
      () => tasks.get('b_1')?.note !== undefined && tasks.get('b_1')?.lastLine === 'half',
    );
    expect(tasks.get('b_1')?.note).toBe('Its output is not saved: the disk is full.');
    expect(await tasks.readNewOutput('b_1')).toMatchObject({
      ...{ text: 'first\nhalf', skippedBytes: 0, unsaved: 'the disk is full' },
    });
    expect((await tasks.readNewOutput('b_1')).text).toBe('');

    await go('more');
    await until(() => tasks.get('b_1')?.lastLine === '20000');
    const { text } = await tasks.readNewOutput('b_1');
    expect(text).toMatch(/^\[\d+ bytes of output are gone: the disk is full\]\n\d+\n.*20000\n$/s);

    await go('end');
    await tasks.settled('b_1', 0, AbortSignal.timeout(20_000));
    await until(() => tasks.get('b_1')?.status === 'completed');
    expect((await tasks.readNewOutput('b_1')).text).toBe('last\n');
    expect(tasks.get('b_1')?.note).toBe('Part of the output was not saved: the disk is full.');
  });

  test('tells the lines of a monitor all the same', async () => {
    const { tasks, spec, about } = onFullDisk('echo ready; echo steady');
    await tasks.start(monitor, { ...spec, pattern: null, timeoutMs: null }, about).running;
    await until(() => tasks.notices().length > 1);
    expect(tasks.notices()[0]?.text).toContain('<lines>\nready\nsteady\n</lines>');
  });
});
