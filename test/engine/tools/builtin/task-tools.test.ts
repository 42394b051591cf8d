import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { localBash } from '../../../../src/main/engine/tasks/runners/local-bash';
import { createTaskOutputTool } from '../../../../src/main/engine/tools/builtin/task-output/task-output';
import { createTaskStopTool } from '../../../../src/main/engine/tools/builtin/task-stop/task-stop';
import { createTodoWriteTool } from '../../../../src/main/engine/tools/builtin/todo-write/todo-write';
import { tempFolder } from '../../../node/temp-folder';
import { memoryClock } from '../../../support/memory-clock';
import { changedEnvironment, toolEnvironment, withTasks } from '../../../support/tool-environment';
import { fakeTerminals } from '../../tasks/fake-terminals';
import { runTool } from './run-tool';

const taskOutput = createTaskOutputTool();
const taskStop = createTaskStopTool();

async function runningTask() {
  const project = await tempFolder();
  const clock = memoryClock();
  const terminals = fakeTerminals();
  const env = withTasks(toolEnvironment({ project, clock, terminals }));
  const spec = {
    ...{ terminalId: 'trm_1', project, command: 'npm run dev' },
    ...{ argv: ['sh'], cwd: project, env: {} },
  };
  const about = { callId: 'toolu_0', title: 'dev server', command: 'npm run dev' };
  const started = env.agent.tasks.start(localBash, spec, { ...about, background: true });
  await started.running;
  return {
    env,
    clock,
    terminals,
    print: (text: string) => writeFile(started.outputFile, text),
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the lines of calls', () => {
  it('name a task by its title, and by its id while that is all there is', async () => {
    const { env } = await runningTask();
    expect(taskOutput.title({ task_id: 'b_1' }, env).target).toBe('dev server');
    expect(taskStop.title({ task_id: 'b_1' }, env).target).toBe('dev server');
    expect(taskOutput.title({ task_id: 'b_2' }, env).target).toBe('b_2');
    expect(taskStop.title({ task_id: 'b_1' }).target).toBe('b_1');
  });
});

describe('TaskOutput', () => {
  it('gives what is new, and whether it runs', async () => {
    const { env, print } = await runningTask();
    await print('ready\r\n');
    const first = await runTool(taskOutput, { task_id: 'b_1', block: false }, env);
    expect(first.text).toBe('Task b_1 is running\n\nready');
    expect(first.view).toMatchObject({
      kind: 'shell',
      command: 'npm run dev',
      tail: 'ready',
      taskId: 'b_1',
    });
    const second = await runTool(taskOutput, { task_id: 'b_1', block: false }, env);
    expect(second.text).toContain('(no new output)');
  });

  it('waits for the end unless told not to', async () => {
    const { env, terminals, print } = await runningTask();
    const waiting = runTool(taskOutput, { task_id: 'b_1' }, env);
    await settle();
    await print('all done\r\n');
    terminals.exit('trm_1', { exitCode: 2 });
    expect((await waiting).text).toBe('Task b_1 is failed, exit code 2\n\nall done');
  });

  it('waits no longer than its time, and stops when interrupted while the task goes on', async () => {
    const { env, clock } = await runningTask();
    const waiting = runTool(taskOutput, { task_id: 'b_1', timeout: 500 }, env);
    await settle();
    await clock.advance(500);
    expect((await waiting).text).toContain('is running');
    const controller = new AbortController();
    const interrupted = runTool(taskOutput, { task_id: 'b_1' }, env, { signal: controller.signal });
    await settle();
    controller.abort();
    expect(await interrupted).toMatchObject({ ok: false });
    expect(env.agent.tasks.get('b_1')?.status).toBe('running');
  });

  it('tells the end, which is then no notice any more', async () => {
    const { env, terminals } = await runningTask();
    terminals.exit('trm_1', { exitCode: 2 });
    await settle();
    expect(env.agent.tasks.notices()).toHaveLength(1);
    const call = await runTool(taskOutput, { task_id: 'b_1' }, env);
    expect(call.view).toMatchObject({ taskStatus: 'failed', exitCode: 2, readTo: 0 });
    expect(env.agent.tasks.notices()).toEqual([]);
    expect(env.agent.tasks.get('b_1')?.endTold).toBe(true);
  });

  it('leaves the notice when another agent looks, or the call is interrupted', async () => {
    const { env, terminals } = await runningTask();
    const controller = new AbortController();
    const waiting = runTool(taskOutput, { task_id: 'b_1' }, env, { signal: controller.signal });
    await settle();
    controller.abort();
    terminals.exit('trm_1', { exitCode: 2 });
    expect((await waiting).ok).toBe(false);
    await settle();
    const other = changedEnvironment(env, { tasks: env.manager.forAgent('agt_1') });
    expect((await runTool(taskOutput, { task_id: 'b_1' }, other)).text).toContain('is failed');
    expect(env.agent.tasks.notices()).toHaveLength(1);
  });

  it('says how much was left out', async () => {
    const { env, print } = await runningTask();
    await print('line\n'.repeat(100_000));
    const call = await runTool(taskOutput, { task_id: 'b_1', block: false }, env);
    expect(call.text).toMatch(/\d+ bytes of older output left out/);
    expect(call.text.length).toBeLessThan(taskOutput.maxResultChars);
  });

  it('names the known tasks when asked for another', async () => {
    const { env } = await runningTask();
    const call = await runTool(taskOutput, { task_id: 'constructor' }, env);
    expect(call).toMatchObject({ ok: false });
    expect(call.text).toContain('b_1 (running)');
  });
});

describe('TaskStop', () => {
  it('ends the tree and says so', async () => {
    const { env, terminals } = await runningTask();
    const call = await runTool(taskStop, { task_id: 'b_1' }, env);
    expect(call).toMatchObject({ ok: true, text: 'Task b_1 was stopped.' });
    expect(terminals.killed).toHaveLength(1);
    expect(env.agent.tasks.get('b_1')).toMatchObject({
      status: 'killed',
      note: 'Stopped by the model.',
      result: { interrupted: true },
    });
    expect(env.agent.tasks.notices()).toEqual([]);
    expect(await runTool(taskStop, { task_id: 'b_1' }, env)).toMatchObject({ ok: false });
  });
});

describe('TodoWrite', () => {
  it('replaces the list and shows it', async () => {
    const todos = [
      { content: 'Read', activeForm: 'Reading', status: 'completed' },
      { content: 'Fix', activeForm: 'Fixing', status: 'in_progress' },
    ];
    const call = await runTool(createTodoWriteTool(), { todos }, toolEnvironment());
    expect(call.text).toContain('1 of 2 done');
    expect(call.view).toEqual({ kind: 'todo', items: todos });
  });

  it('says which item is wrong', async () => {
    const call = await runTool(
      createTodoWriteTool(),
      { todos: [{ content: 'x', activeForm: 'x', status: 'done' }] },
      toolEnvironment(),
    );
    expect(call.text).toContain(
      '`todos.0.status` must be one of "pending", "in_progress", "completed"',
    );
  });
});
