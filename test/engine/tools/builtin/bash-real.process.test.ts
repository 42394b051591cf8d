import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskManager } from '../../../../src/main/engine/tasks/task-manager';
import { createBashTool } from '../../../../src/main/engine/tools/builtin/bash/bash';
import { shellArguments } from '../../../../src/main/engine/tools/builtin/bash/wrapper';
import { createTaskOutputTool } from '../../../../src/main/engine/tools/builtin/task-output/task-output';
import { createTaskStopTool } from '../../../../src/main/engine/tools/builtin/task-stop/task-stop';
import type { ToolContext, ToolEnvironment } from '../../../../src/main/engine/tools/environment';
import { createNodeClock, createNodeIds } from '../../../../src/main/node/system';
import { tempFolder } from '../../../node/temp-folder';
import { startTestTerminals, type TestTerminals } from '../../../support/terminal-client';
import { toolEnvironment, withTasks } from '../../../support/tool-environment';
import { runTool } from './run-tool';

const bash = createBashTool();

let host: TestTerminals;
beforeAll(async () => {
  host = await startTestTerminals();
});
afterAll(() => host.stop());

type Environment = ToolEnvironment & { readonly manager: TaskManager };

async function session(shell = '/bin/bash'): Promise<{
  env: Environment;
  project: string;
  sh: (command: string, call?: Partial<ToolContext>) => ReturnType<typeof runTool>;
}> {
  const project = await realpath(await tempFolder());
  const base = toolEnvironment({
    project,
    shell,
    clock: createNodeClock(),
    ids: createNodeIds(),
    terminals: host.client,
    shellEnv: async () => ({ PATH: process.env['PATH'] ?? '', HOME: project, LANG: 'C.UTF-8' }),
  });
  const env = withTasks(base);
  return { env, project, sh: (command, call) => runTool(bash, { command }, env, call) };
}

const shells = ['/bin/bash', '/bin/sh', '/bin/zsh'].filter((shell) => existsSync(shell));

describe.each(shells)('in %s', (shell) => {
  it('evaluates the very bytes it was given', async () => {
    const { sh } = await session(shell);
    const call = await sh(`printf '%s|' "a'b" 'c"d' "\\$x" "✓ 漢"; printf '%s' "[$#][$1]"`);
    expect(call.text).toBe(`a'b|c"d|$x|✓ 漢|[0][]`);
  });

  it('runs lines, here-documents and pipes', async () => {
    const { sh } = await session(shell);
    expect((await sh('cat <<"EOF" | tr a-z A-Z\none $x\ntwo\nEOF\necho end')).text).toBe(
      'ONE $X\nTWO\nend',
    );
  });

  it('gives exit codes and both outputs', async () => {
    const { sh } = await session(shell);
    const call = await sh('echo out; echo err >&2; exit 3');
    expect(call).toMatchObject({ ok: false, text: 'out\nerr\n\nExit code 3' });
    expect(call.view).toMatchObject({ kind: 'shell', exitCode: 3 });
    expect((await sh('definitely-not-here')).text).toContain(
      'Exit code 127: a command was not found',
    );
    expect((await sh('if')).ok).toBe(false);
  });

  it.runIf(shell.endsWith('/bash'))(
    'names the line of the command where it went wrong',
    async () => {
      const { sh } = await session(shell);
      expect((await sh('true\ndefinitely-not-here')).text).toContain('bash: line 2: ');
      expect((await sh('definitely-not-here')).text).toContain('bash: line 1: ');
    },
  );

  it.each([
    ['plainly', 'cd sub'],
    ['before an exit', 'cd sub; exit 0'],
    ['under set -e', 'set -e; cd sub; false'],
    ['with a trap of its own', "trap 'true' EXIT; cd sub; true"],
    ['unless only in a subshell', '(cd /); cd sub'],
  ])('keeps the working directory: %s', async (name, command) => {
    const { env, project, sh } = await session(shell);
    await mkdir(join(project, 'sub'));
    await sh(command);
    const trapped = name === 'with a trap of its own';
    expect(env.agent.cwd.get()).toBe(trapped ? project : join(project, 'sub'));
    expect((await sh('pwd')).text).toBe(env.agent.cwd.get());
  });

  it.each([
    ['true', false],
    ['cd sub', true],
    ['cd sub; exit 0', true],
    ['cd sub; cd ..', false],
    ['cd sub; unset PWD', true],
  ])('writes its last folder down only when it is another one: %s', async (command, written) => {
    const project = await tempFolder();
    await mkdir(join(project, 'sub'));
    const file = join(project, 'folder');
    const [program = '', ...args] = shellArguments(shell, command, file);
    execFileSync(program, args, {
      cwd: project,
      env: { PATH: process.env['PATH'], PWD: project, HOME: project },
    });
    expect(existsSync(file)).toBe(written);
  });

  it('does not leave the working directories', async () => {
    const { env, project, sh } = await session(shell);
    expect((await sh('cd /')).text).toContain('outside');
    expect(env.agent.cwd.get()).toBe(project);
  });
});

describe('a real command', () => {
  it('has a terminal as its input and output', async () => {
    const { sh } = await session();
    expect((await sh('[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal')).text).toBe('terminal');
  });

  it('finds nothing of ours in its environment', async () => {
    const { sh } = await session();
    expect((await sh('env | grep -i __lathe')).text).toContain('no match');
  });

  it('prints a lot: the ends go to the model, all of it to the file', async () => {
    const { env, sh } = await session();
    const call = await sh('seq 1 200000');
    expect(call.text.startsWith('1\n2\n3\n')).toBe(true);
    expect(call.text.endsWith('\n199999\n200000')).toBe(true);
    expect(call.text.length).toBeLessThan(31_000);
    const file = /all of it is in (\S+\.output)/.exec(call.text)?.[1] ?? '';
    const size = await env.services.files.stat(file);
    expect(size.ok && size.value.size).toBe(1_288_895 + 200_000 + 0);
  });

  it('is ended with all it started when its time is over', async () => {
    const { env, project } = await session();
    const call = await runTool(
      bash,
      { command: 'echo begun; (setsid sleep 300 & echo $! > pid); sleep 300', timeout: 5_000 },
      env,
    );
    expect(call).toMatchObject({ ok: false });
    expect(call.text).toContain('begun');
    expect(call.text).toContain('time limit of 5 s');
    expect(call.text).not.toContain('would not end');
    const pid = await env.services.files.read(join(project, 'pid'), 100);
    if (!pid.ok) throw new Error(pid.error.message);
    expect(await isRunning(new TextDecoder().decode(pid.value).trim(), env)).toBe(false);
  });

  it('is ended when interrupted', async () => {
    const { env, sh } = await session();
    const controller = new AbortController();
    const running = sh('echo begun; sleep 300', { signal: controller.signal });
    await firstOutput(env);
    controller.abort();
    const call = await running;
    expect(call).toMatchObject({ ok: false });
    expect(call.text).toContain('begun');
    expect(call.text).toContain('Interrupted');
  });
});

describe('a real background task', () => {
  it('goes on, is read and ends, which the call that stops it tells', async () => {
    const { env } = await session();
    const command = 'echo one; read line; echo two';
    const begun = await runTool(bash, { command, run_in_background: true }, env);
    const task = env.agent.tasks.list()[0];
    if (task === undefined) throw new Error('no task');
    await firstOutput(env);
    const read = await runTool(createTaskOutputTool(), { task_id: task.id, block: false }, env);
    // A quick shell has said it before the call was over.
    expect(begun.text + read.text).toMatch(/^one$/m);
    const stopped = await runTool(createTaskStopTool(), { task_id: task.id }, env);
    expect(stopped.ok).toBe(true);
    expect(env.agent.tasks.get(task.id)?.status).toBe('killed');
    expect(env.agent.tasks.notices()).toEqual([]);
  });

  it('may be a command that was moved while it ran, with all its output', async () => {
    const { env, project, sh } = await session();
    const moved = Promise.withResolvers<void>();
    const running = sh('echo before; while [ ! -e go ]; do sleep 0.02; done; echo after', {
      backgroundRequested: moved.promise,
    });
    await firstOutput(env);
    moved.resolve();
    const call = await running;
    expect(call.text).toContain('before');
    await env.services.files.write(join(project, 'go'), '');
    const [task] = env.agent.tasks.list();
    const rest = await runTool(createTaskOutputTool(), { task_id: task?.id }, env);
    expect(rest.text).toBe(`Task ${task?.id} is completed, exit code 0\n\nafter`);
  });

  it('stopAll leaves nothing behind', async () => {
    const { env } = await session();
    for (const seconds of [301, 302]) {
      await runTool(bash, { command: `sleep ${seconds}`, run_in_background: true }, env);
    }
    const report = await env.manager.stopAll(500, 'Over.');
    expect(report.survivors).toEqual([]);
    expect(env.agent.tasks.list().map((task) => task.status)).toEqual(['killed', 'killed']);
  });
});

/** Returns true when a process does anything still; one that only waits to be buried does not. */
async function isRunning(pid: string, { services: { files } }: Environment): Promise<boolean> {
  const status = await files.read(`/proc/${pid}/status`, 100_000);
  return status.ok && !/^State:\s+[ZX]/m.test(new TextDecoder().decode(status.value));
}

/** Resolves when the only command of this session has printed something. */
async function firstOutput(env: Environment): Promise<void> {
  const folder = join(env.session.folder, 'tasks');
  for (;;) {
    const listed = await env.services.files.list(folder);
    const name = listed.ok ? listed.value.find((e) => e.name.endsWith('.output'))?.name : undefined;
    const found = name === undefined ? null : await env.services.files.stat(join(folder, name));
    if (found?.ok && found.value.size > 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
