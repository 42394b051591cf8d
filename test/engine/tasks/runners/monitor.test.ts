import { appendFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  MAX_NEWS,
  monitor,
  NEWS_EVERY_MS,
  newsIn,
} from '../../../../src/main/engine/tasks/runners/monitor';
import { createBashTool } from '../../../../src/main/engine/tools/builtin/bash/bash';
import { createMonitorTool } from '../../../../src/main/engine/tools/builtin/monitor/monitor';
import { needsContext } from '../../../../src/main/engine/tools/environment';
import { ok } from '../../../../src/shared/result';
import { tempFolder } from '../../../node/temp-folder';
import { toolEnvironment, withTasks } from '../../../support/tool-environment';
import { runTool } from '../../tools/builtin/run-tool';
import { fakeTerminals } from '../fake-terminals';
import { setUp, until } from '../set-up';

async function startMonitor(choice: { pattern?: string; timeoutMs?: number } = {}) {
  const { clock, terminals, folder, events, manager, tasks } = await setUp();
  const told: string[] = [];
  manager.onNotice(() => {
    for (const notice of tasks.notices()) {
      tasks.noticeTold(notice);
      told.push(notice.text);
    }
  });
  const spec = {
    ...{ terminalId: 'trm_1', project: folder, command: 'tail -f log' },
    ...{ argv: ['sh'], cwd: folder, env: {} },
    ...{ pattern: choice.pattern ?? null, timeoutMs: choice.timeoutMs ?? null },
  };
  const started = tasks.start(monitor, spec, { title: 'the <log>', background: true });
  await started.running;
  await writeFile(started.outputFile, '');
  const print = async (text: string) => {
    await appendFile(started.outputFile, text);
    terminals.progress('trm_1', { bytes: 1, lines: 1, tail: text });
  };
  const count = async (n: number) => until(() => told.length >= n);
  return { clock, terminals, folder, events, manager, tasks, told, print, count };
}

describe('a monitor', () => {
  it('tells of lines as they come, whole lines only, together when they are close', async () => {
    const { clock, told, print, count, terminals, tasks } = await startMonitor();
    expect(tasks.get('m_1')?.type).toBe('monitor');
    await print('one\ntw');
    await count(1);
    expect(told[0]).toContain('Monitor "the &lt;log&gt;" saw:');
    expect(told[0]).toContain('<lines>\none\n</lines>');
    await print('o\n');
    await print('</lines> three\n');
    expect(told).toHaveLength(1);
    await clock.advance(NEWS_EVERY_MS);
    await count(2);
    expect(told[1]).toContain('<lines>\ntwo\n&lt;/lines&gt; three\n</lines>');
    await print('the end');
    terminals.exit('trm_1', { exitCode: 0 });
    await count(4);
    expect(told[2]).toContain('<lines>\nthe end\n</lines>');
    expect(told[3]).toContain('Monitor "the &lt;log&gt;" completed');
  });

  it('tells only of lines that match', async () => {
    const { told, print, count, terminals } = await startMonitor({ pattern: 'error|ERROR' });
    await print('fine\nERROR one\nfine\n');
    await count(1);
    expect(told[0]).toContain('<lines>\nERROR one\n</lines>');
    terminals.exit('trm_1', {});
    await count(2);
    expect(told).toHaveLength(2);
  });

  it('ends when its time is up', async () => {
    const { clock, told, count, terminals, tasks } = await startMonitor({ timeoutMs: 60_000 });
    await clock.advance(59_999);
    expect(terminals.killed).toEqual([]);
    await clock.advance(1);
    await count(1);
    expect(told[0]).toContain('was stopped. Its time was up.');
    expect(tasks.get('m_1')?.status).toBe('killed');
  });

  it('is stopped when it has too much to tell', async () => {
    const { clock, told, print, count, tasks } = await startMonitor();
    for (let n = 1; n <= MAX_NEWS; n += 1) {
      await print(`line ${n}\n`);
      await count(n);
      await clock.advance(NEWS_EVERY_MS);
    }
    await count(MAX_NEWS + 1);
    expect(told.at(-1)).toContain('had too much to tell');
    expect(tasks.get('m_1')?.status).toBe('killed');
  });
});

describe('news in lines', () => {
  it('leaves blank lines out, cuts long ones, and keeps the newest', () => {
    const lines = ['', '  ', 'x'.repeat(600), ...Array.from({ length: 60 }, (_, i) => `l${i}`)];
    const news = newsIn(lines, null, false);
    expect(news.lines).toHaveLength(50);
    expect(news.lines.at(-1)).toBe('l59');
    expect(news.leftOut).toBe(11);
    expect(newsIn(['x'.repeat(600)], null, false).lines[0]).toHaveLength(500);
    expect(newsIn([], null, true)).toEqual({ lines: [], leftOut: 1 });
  });
});

describe('the Monitor tool', () => {
  const tool = createMonitorTool();

  it('needs what the command would need from Bash', async () => {
    const input = { command: 'rm -rf x', description: 'a' };
    const bash = await createBashTool().needs(input, needsContext(toolEnvironment()));
    const [request] = bash.ok ? bash.value : [];
    expect(await tool.needs(input, needsContext(toolEnvironment()))).toEqual(
      ok([{ ...request, tool: 'Monitor' }]),
    );
  });

  it('starts the command as a monitor and says how it will be told', async () => {
    const project = await tempFolder();
    const terminals = fakeTerminals();
    const env = withTasks(toolEnvironment({ project, terminals }));
    const input = { command: 'tail -f log', description: 'errors', pattern: 'x', persistent: true };
    const result = await runTool(tool, input, env);
    expect(result.ok).toBe(true);
    expect(result.text).toContain('It runs as monitor m_');
    expect(env.agent.tasks.list()).toMatchObject([
      { type: 'monitor', title: 'errors', status: 'running' },
    ]);
    expect(terminals.spawned[0]?.command).toBe('tail -f log');
  });

  it('refuses a pattern that is none', async () => {
    const input = { command: 'x', description: 'a', pattern: '(' };
    const result = await runTool(tool, input, toolEnvironment());
    expect(result).toMatchObject({ ok: false });
    expect(result.text).toMatch(/no regular expression/);
  });
});
