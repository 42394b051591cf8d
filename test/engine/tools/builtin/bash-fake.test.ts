import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { touchesIn } from '../../../../src/main/engine/permissions/shell-paths';
import { COMMAND_LIMITS } from '../../../../src/main/engine/settings/environment';
import { createBashTool } from '../../../../src/main/engine/tools/builtin/bash/bash';
import { taskStatusLine } from '../../../../src/main/engine/tools/builtin/support/task-view';
import { tempFolder } from '../../../node/temp-folder';
import { memoryClock } from '../../../support/memory-clock';
import {
  changedEnvironment,
  shellParser,
  toolEnvironment,
  withTasks,
} from '../../../support/tool-environment';
import { fakeTerminals } from '../../tasks/fake-terminals';
import { needsIn, runTool } from './run-tool';

const bash = createBashTool();

async function setUp() {
  const project = await tempFolder();
  const clock = memoryClock();
  const terminals = fakeTerminals();
  const base = toolEnvironment({
    project,
    clock,
    terminals,
    shellEnv: async () => ({ PATH: '/bin', PAGER: 'less' }),
  });
  const env = withTasks(base);
  /** Waits until the command runs. */
  const started = async () => {
    while (
      terminals.spawned.length === 0 ||
      terminals.listeners(terminals.spawned[0]?.id ?? '') === 0
    ) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const spec = terminals.spawned[0];
    if (spec?.outputFile === undefined) throw new Error('no output file');
    return { ...spec, outputFile: spec.outputFile };
  };
  return { project, clock, terminals, env, started };
}

describe('a command whose time is over, where it may go on in the background', () => {
  const limits = { ...COMMAND_LIMITS, autoBackground: true };
  const patient = createBashTool(limits);

  async function atLimit(command: string, print = '', more: { readonly typed?: true } = {}) {
    const { clock, terminals, env, started } = await setUp();
    const running = runTool(patient, { command, timeout: 10_000 }, env);
    const spec = await started();
    await writeFile(spec.outputFile, print);
    terminals.progress(spec.id, { bytes: print.length, lines: 1, tail: print, ...more });
    await clock.advance(1000);
    await clock.advance(9000);
    const call = await running;
    return { call, spec, env, clock, terminals };
  }

  it('goes on as a task, and the model is told where', async () => {
    const { call, spec, env, terminals } = await atLimit('make all', 'compiling\r\n');
    expect(call.ok).toBe(true);
    expect(call.text).toContain('compiling');
    expect(call.text).toContain(
      `It reached its time limit of 10 s and goes on in the background as task ${spec.taskId}.`,
    );
    expect(call.view).toMatchObject({ background: true, taskId: spec.taskId, readTo: 11 });
    expect(call.progress.at(-1)).toMatchObject({ movesAtLimit: true, timeoutMs: 10_000 });
    expect(env.agent.tasks.list()).toMatchObject([{ id: spec.taskId, status: 'running' }]);
    expect(terminals.killed).toEqual([]);
    terminals.exit(spec.id, {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(env.agent.tasks.notices()).toHaveLength(1);
  });

  it.each([
    ['that asks something', 'apt install x', 'Continue? [y/N] '],
    ['that only waits', 'sleep 600', ''],
    ['that is made for a user', 'vim a.txt', ''],
  ])('is ended when it is one %s', async (_, command, print) => {
    const { call, env, terminals, spec } = await atLimit(command, print);
    expect(call.ok).toBe(false);
    expect(call.text).toContain('Ended after its time limit of 10 s.');
    expect(terminals.killed).toEqual([{ id: spec.id, graceMs: 2000 }]);
    expect(env.agent.tasks.list()).toEqual([]);
  });

  it('goes on when the user answers what it asks, and the model is told that they typed', async () => {
    const { call, env, terminals, spec } = await atLimit('apt install x', 'Continue? [y/N] ', {
      typed: true,
    });
    expect(call.ok).toBe(true);
    expect(terminals.killed).toEqual([]);
    const task = env.agent.tasks.get(spec.taskId ?? '');
    expect(task).toMatchObject({ status: 'running', userTyped: true });
    expect(task && taskStatusLine(task)).toContain('The user typed into its terminal');
    terminals.exit(spec.id, {});
  });

  it('says so in what the model reads of the tool, and only there', () => {
    expect(patient.description).toContain('goes on in the background, as with run_in_background');
    expect(bash.description).toContain('- A command is ended after timeout (2 minutes');
  });
});

describe('Bash over its terminal', () => {
  it('passes the command as one argument, untouched', async () => {
    const { project, terminals, env, started } = await setUp();
    const command = `echo "$HOME" '\\n' \`x\` $(y) \n# ✓ 'unfinished`;
    const running = runTool(bash, { command, description: 'Say things' }, env);
    const spec = await started();
    expect(spec.argv.slice(0, 2)).toEqual(['/bin/bash', '-c']);
    expect(spec.argv[4]).toBe(command);
    expect(spec.argv[2]).not.toContain('HOME');
    expect(spec).toMatchObject({
      kind: 'command',
      title: 'Say things',
      command,
      cwd: project,
      callId: 'toolu_1',
    });
    expect(spec.env).toMatchObject({ PATH: '/bin', PAGER: 'cat', TERM: 'xterm-256color' });
    terminals.exit(spec.id, {});
    expect((await running).text).toBe('(no output)');
  });

  it('shows the last lines while it runs', async () => {
    const { terminals, env, started } = await setUp();
    const running = runTool(bash, { command: 'npm test' }, env);
    const spec = await started();
    terminals.progress(spec.id, { bytes: 10, lines: 3, tail: '\x1b[32mok 1\x1b[0m\r\nok 2\r\n' });
    await new Promise((resolve) => setImmediate(resolve));
    terminals.exit(spec.id, {});
    const { progress } = await running;
    expect(progress).toEqual([
      {
        kind: 'shell',
        command: 'npm test',
        tail: 'ok 1\nok 2',
        totalLines: 3,
        totalBytes: 10,
        exitCode: null,
        taskId: spec.taskId,
        terminalId: spec.id,
        background: false,
        timeoutMs: 120_000,
      },
    ]);
    expect(terminals.listeners(spec.id)).toBe(0);
  });

  it('shows a silent command after a second, so that its limit is seen and it can be moved', async () => {
    const { clock, terminals, env, started } = await setUp();
    const running = runTool(bash, { command: 'sleep 100', timeout: 60_000 }, env);
    const spec = await started();
    await clock.advance(1000);
    terminals.exit(spec.id, {});
    expect((await running).progress).toMatchObject([
      { tail: '', totalBytes: 0, timeoutMs: 60_000, taskId: spec.taskId, background: false },
    ]);
    expect(clock.sleepers()).toBe(0);
  });

  it('is no task on the list while its call waits, and leaves none behind', async () => {
    const { terminals, env, started } = await setUp();
    const running = runTool(bash, { command: 'true' }, env);
    const spec = await started();
    expect(env.agent.tasks.get(spec.taskId ?? '')).toMatchObject({
      status: 'running',
      isBackgrounded: false,
    });
    expect(env.agent.tasks.list()).toEqual([]);
    terminals.exit(spec.id, {});
    await running;
    expect(env.agent.tasks.get(spec.taskId ?? '')).toBeNull();
    expect(env.agent.tasks.notices()).toEqual([]);
  });

  it('reports its end when it ends at the moment it is moved', async () => {
    const { terminals, env, started } = await setUp();
    const moved = Promise.withResolvers<void>();
    const running = runTool(bash, { command: 'make' }, env, { backgroundRequested: moved.promise });
    const spec = await started();
    moved.resolve();
    terminals.exit(spec.id, { exitCode: 2 });
    expect(await running).toMatchObject({
      ok: false,
      text: expect.stringContaining('Exit code 2'),
    });
    expect(env.agent.tasks.notices()).toEqual([]);
  });

  it('ends the whole tree when the time is over, and gives what there was', async () => {
    const { clock, terminals, env, started } = await setUp();
    const running = runTool(bash, { command: 'sleep 100' }, env);
    const spec = await started();
    await writeFile(spec.outputFile, 'half\r\n');
    await clock.advance(119_999);
    expect(terminals.killed).toEqual([]);
    await clock.advance(1);
    const call = await running;
    expect(terminals.killed).toEqual([{ id: spec.id, graceMs: 2000 }]);
    expect(call).toMatchObject({
      ok: false,
      text: 'half\n\nEnded after its time limit of 2 minutes.',
    });
    expect(clock.sleepers()).toBe(0);
  });

  it('says when it looks as if the command waited for an answer', async () => {
    const { clock, env, started } = await setUp();
    const running = runTool(bash, { command: 'x', timeout: 500 }, env);
    await writeFile((await started()).outputFile, 'Installing\r\nContinue? [y/N] ');
    await clock.advance(500);
    expect((await running).text).toContain(
      'Its last line looks like a question ("Continue? [y/N]"), and nobody answers here',
    );
  });

  it('tells the truth about processes that would not end', async () => {
    const { clock, terminals, env, started } = await setUp();
    terminals.survivors = [99];
    const running = runTool(bash, { command: 'x', timeout: 500 }, env);
    await started();
    await clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(5000);
    expect((await running).text).toContain('would not end: 99');
  });

  it('ends the whole tree when interrupted', async () => {
    const { clock, terminals, env, started } = await setUp();
    const controller = new AbortController();
    const running = runTool(bash, { command: 'x' }, env, { signal: controller.signal });
    await started();
    controller.abort();
    expect(await running).toMatchObject({
      ok: false,
      text: expect.stringContaining('Interrupted'),
    });
    expect(terminals.killed).toHaveLength(1);
    expect(clock.sleepers()).toBe(0);
  });

  it('shows what an interrupted command printed where the disk took none of it', async () => {
    const { terminals, env, started } = await setUp();
    const controller = new AbortController();
    const running = runTool(bash, { command: 'x' }, env, { signal: controller.signal });
    const { id } = await started();
    terminals.exit(id, { exitCode: 1, output: 'until here\n' });
    controller.abort();
    expect((await running).text).toContain('until here');
  });

  it('starts in the background and gives the task at once', async () => {
    const { terminals, env } = await setUp();
    const call = await runTool(bash, { command: 'npm run dev', run_in_background: true }, env);
    const [task] = env.agent.tasks.list();
    expect(task).toMatchObject({
      status: 'running',
      command: 'npm run dev',
      terminalId: terminals.spawned[0]?.id,
    });
    expect(call.text).toContain(task?.id);
    expect(call.text).toContain(terminals.spawned[0]?.outputFile);
    expect(call.view).toMatchObject({ background: true, taskId: task?.id });
    expect(terminals.killed).toEqual([]);
  });

  it('moves to the background without a restart', async () => {
    const { clock, terminals, env, started } = await setUp();
    const moved = Promise.withResolvers<void>();
    const running = runTool(bash, { command: 'make' }, env, { backgroundRequested: moved.promise });
    const spec = await started();
    await writeFile(spec.outputFile, 'so far\r\n');
    moved.resolve();
    const call = await running;
    expect(call.ok).toBe(true);
    expect(call.text).toContain('so far');
    expect(terminals.spawned).toHaveLength(1);
    expect(terminals.killed).toEqual([]);
    expect(clock.sleepers()).toBe(0);
    const [task] = env.agent.tasks.list();
    expect(task).toMatchObject({ id: spec.taskId, terminalId: spec.id, status: 'running' });
    expect((await env.agent.tasks.readNewOutput(spec.taskId ?? '')).text).toBe('');
  });

  it('says when the terminal host was lost, and when it refuses', async () => {
    const { terminals, env, started } = await setUp();
    const running = runTool(bash, { command: 'x' }, env);
    terminals.exit((await started()).id, { exitCode: null, lost: 'the process died' });
    expect(await running).toMatchObject({
      ok: false,
      text: expect.stringContaining('the process died'),
    });
    terminals.refuse = 'no more ptys';
    expect((await runTool(bash, { command: 'x' }, env)).text).toContain('no more ptys');
  });

  it('does not run in another folder when its own is gone', async () => {
    const { project, terminals, env } = await setUp();
    env.agent.cwd.set(join(project, 'gone'));
    const call = await runTool(bash, { command: 'rm -rf *' }, env);
    expect(call.ok).toBe(false);
    expect(call.text).toContain('nothing ran');
    expect(terminals.spawned).toEqual([]);
    expect(env.agent.cwd.get()).toBe(project);
  });

  it.each([
    ['sub', 'sub', 'The working directory is now'],
    ['..', '.', 'is outside the working directories'],
    ['gone', '.', 'no longer exists'],
    ['.', '.', null],
  ])('ended in %s: goes on in %s', async (ended, then, note) => {
    const { project, terminals, env, started } = await setUp();
    await mkdir(join(project, 'sub'));
    const running = runTool(bash, { command: `cd ${ended}` }, env);
    const spec = await started();
    const folderFile = spec.argv[5] ?? '';
    await writeFile(folderFile, `${join(project, ended)}\n`);
    terminals.exit(spec.id, {});
    const { text } = await running;
    expect(env.agent.cwd.get()).toBe(join(project, then));
    if (note === null) expect(text).toBe('(no output)');
    else expect(text).toContain(note);
    expect(existsSync(folderFile)).toBe(false);
  });

  it('stays in its worktree, and goes back there when its folder is gone', async () => {
    const { project, terminals, env: plain, started } = await setUp();
    const worktree = join(project, 'tree');
    const env = changedEnvironment(plain, {
      worktree: { get: () => worktree, set: () => {} },
    });
    await mkdir(worktree);
    env.agent.cwd.set(join(worktree, 'gone'));
    expect((await runTool(bash, { command: 'ls' }, env)).text).toContain(`set back to ${worktree}`);
    const running = runTool(bash, { command: 'cd ..' }, env);
    const spec = await started();
    await writeFile(spec.argv[5] ?? '', `${project}\n`);
    terminals.exit(spec.id, {});
    expect((await running).text).toContain('is outside the worktree');
    expect(env.agent.cwd.get()).toBe(worktree);
  });

  it('asks for exactly what it runs', async () => {
    const { project, env } = await setUp();
    const command = 'git status && rm x';
    const analysis = await shellParser.analyze(command);
    expect(await needsIn(bash, { command }, env)).toEqual([
      {
        kind: 'shell',
        tool: 'Bash',
        command,
        cwd: project,
        analysis,
        touches: touchesIn(analysis, { cwd: project, home: env.services.home }),
        realPaths: { [join(project, 'x')]: [join(project, 'x')] },
      },
    ]);
    expect(await bash.subject({ command, run_in_background: true }, env)).toEqual({
      kind: 'command',
      command,
      cwd: project,
      background: true,
      asks: [],
    });
    expect(bash.title({ command: '\n first line\nsecond' })).toEqual({
      verb: 'Bash',
      target: 'first line',
    });
  });
});
