import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Collector, startCollector, treeOf } from '../../support/collector';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, reply, text, toolUse } from '../../support/scripted-api-replies';
import { type Finished, lathe, makeWorkspace, processesOf, type Workspace } from './lathe';
import { contentOf } from './task-runs';
import { openWindow } from './window';

const KEY = 'sk-test-0123456789';

let workspace: Workspace;
let api: ScriptedApi;
let collector: Collector;

beforeEach(async () => {
  workspace = await makeWorkspace();
  collector = await startCollector();
});
afterEach(async () => {
  await api.close();
  await collector.close();
  expect(api.refusals).toEqual([]);
  await expect.poll(() => processesOf(workspace)).toEqual([]);
  await workspace.remove();
});

async function run(
  env: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<Finished> {
  const words = ['-p', 'the secret prompt', '--permission-mode', 'bypassPermissions', ...more];
  const started = lathe(workspace, words, {
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY },
    // Long enough for a busy machine.
    OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    ...env,
  });
  started.child.stdin.end();
  return started.finished;
}

const isMain = (body: { readonly tools?: unknown }) =>
  JSON.stringify(body.tools ?? []).includes('"Agent"');

test('a run is one trace: turns, requests, calls, a hook, a command, a sub-agent below its call', async () => {
  await mkdir(join(workspace.home, '.claude'));
  await writeFile(
    join(workspace.home, '.claude', 'settings.json'),
    JSON.stringify({
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] },
    }),
  );
  const servers = { mcpServers: { gone: { command: 'false' } } };
  const task = { description: 'Look', prompt: 'the task', subagent_type: 'general-purpose' };
  const main = [
    error(529, 'busy', { 'request-id': 'req_busy' }),
    reply([toolUse('Bash', { command: 'echo secret output' }, 'b1')], {
      headers: { 'request-id': 'req_one' },
      usage: { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 7 },
    }),
    reply([toolUse('Agent', task, 'a1')]),
    reply([text('All done.')]),
  ];
  api = await startScriptedApi(({ body }) =>
    isMain(body) ? (main.shift() ?? reply('fine')) : reply('Looked.'),
  );
  const { code, stdout } = await run(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
      OTEL_SERVICE_NAME: 'my-lathe',
    },
    ...['--trust', '--mcp-config', JSON.stringify(servers)],
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'All done.\n' });

  const { spans } = collector;
  // A server is reached beside the work, wherever that stands.
  expect(treeOf(spans).filter((line) => !line.includes('connect gone'))).toEqual([
    'invoke_agent main',
    '  attachments',
    '  turn',
    '    context',
    '      prompt',
    `    ${spans.find(({ name }) => name.startsWith('chat'))?.name}`,
    '    execute_tool Bash',
    '      hook PreToolUse',
    '      task local_bash',
    '    attachments',
    '  turn',
    '    context',
    '      prompt',
    expect.stringMatching(/^ {4}chat /),
    '    execute_tool Agent',
    '      invoke_agent general-purpose',
    '        attachments',
    '        turn',
    '          context',
    '            prompt',
    expect.stringMatching(/^ {10}chat /),
    '    attachments',
    '  turn',
    '    context',
    '      prompt',
    expect.stringMatching(/^ {4}chat /),
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  for (const span of spans) {
    expect(span.endTimeUnixNano).toBeGreaterThanOrEqual(span.startTimeUnixNano);
    expect(span.attributes['gen_ai.conversation.id']).toMatch(/^[0-9a-f-]{36}$/);
  }
  const named = (name: RegExp) => spans.filter((span) => name.test(span.name));
  expect(named(/^chat/)[0]).toMatchObject({
    kind: 3,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 25,
      'gen_ai.usage.cache_read.input_tokens': 20,
      'gen_ai.usage.output_tokens': 7,
      'lathe.request.attempts': 2,
      'lathe.request.source': 'conversation',
      'lathe.cost.usd': expect.any(Number),
    },
    events: [{ name: 'retry', attributes: { 'http.response.status_code': 529 } }],
  });
  expect(named(/^chat/)[0]?.attributes['lathe.request.ids']).toMatch(/req_busy.*req_one/);
  expect(named(/^execute_tool Bash/)[0]?.attributes).toMatchObject({
    'gen_ai.tool.name': 'Bash',
    'gen_ai.tool.call.id': 'b1',
    'lathe.call.status': 'done',
  });
  expect(named(/^connect gone/)).toMatchObject([
    {
      kind: 3,
      status: { code: 2 },
      attributes: { 'lathe.mcp.server': 'gone', 'lathe.mcp.transport': 'stdio' },
    },
  ]);
  expect(named(/^task/)[0]?.attributes).toMatchObject({ 'lathe.task.background': false });
  expect(named(/^invoke_agent main/)[0]?.attributes).toMatchObject({
    'lathe.query.end': 'completed',
    'lathe.query.turns': 3,
    'process.memory.usage': expect.any(Number),
  });
  expect(collector.resources[0]).toMatchObject({ 'service.name': 'my-lathe' });
  expect(collector.headers[0]).toMatchObject({ 'x-key': 'a b' });
  // No word of the conversation, and no key.
  expect(collector.bodies.join('')).not.toMatch(/secret|the task|Looked|All done|sk-test/);
});

test('in a window the wait for a permission is a span, and a served Lathe sends the last ones when it ends', async () => {
  const command = { command: 'touch made' };
  const answers = [reply([toolUse('Bash', command, 'b1')]), reply([text('All done.')])];
  api = await startScriptedApi(() => answers.shift() ?? reply('fine'));
  const served = lathe(workspace, ['serve'], {
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY },
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
  });
  const window = await openWindow(served);
  contentOf(await window.client.projects.open({ path: workspace.project }));
  const { id } = contentOf(await window.client.sessions.create({ project: workspace.project }));
  await window.allow(id, 'make it', async () => {});
  window.close();
  served.child.kill('SIGTERM');
  await served.finished;
  const { spans } = collector;
  const query = spans.find(({ name }) => name === 'invoke_agent main');
  const tree = treeOf(spans.filter(({ traceId }) => traceId === query?.traceId));
  expect(tree.join('\n')).toMatch(/ {4}execute_tool Bash\n {6}permission\n {6}task local_bash/);
  expect(spans.find(({ name }) => name === 'permission')?.attributes).toMatchObject({
    'gen_ai.tool.call.id': 'b1',
    'lathe.permission.answer': 'allow',
  });
});

test('texts go along only where a user asked for them, without keys', async () => {
  const answers = [
    reply([toolUse('Bash', { command: `echo ${KEY}` }, 'b1')]),
    reply([text('All done.')]),
  ];
  api = await startScriptedApi(() => answers.shift() ?? reply('fine'));
  await run({
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  });
  const sent = collector.bodies.join('');
  expect(sent).toMatch(/the secret prompt/);
  expect(sent).toMatch(/All done/);
  expect(sent).toMatch(/echo \{\{secret\}\}/);
  expect(sent).not.toContain(KEY);
});

test('nothing is sent unless the environment says so: not by a project, trusted or not, and not with none', async () => {
  await mkdir(join(workspace.project, '.claude'));
  const env = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  await writeFile(
    join(workspace.project, '.claude', 'settings.json'),
    JSON.stringify({ env, hooks: {} }),
  );
  api = await startScriptedApi(() => reply('fine'));
  expect((await run({})).code).toBe(0);
  expect((await run({ ...env, OTEL_TRACES_EXPORTER: 'none' })).code).toBe(0);
  const trusted = lathe(workspace, ['-p', 'go', '--trust'], {
    ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY },
  });
  trusted.child.stdin.end();
  expect((await trusted.finished).code).toBe(0);
  expect(collector.bodies).toEqual([]);
});

test('a collector that is not there, or never answers, changes nothing about a run', async () => {
  api = await startScriptedApi(() => reply('fine'));
  const silent = await startCollector({ answers: false });
  // At the first of them nobody listens.
  for (const url of ['http://127.77.13.5:4318', silent.url]) {
    const { code, stdout, stderr } = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'fine\n' });
    expect(stderr).not.toMatch(/OTEL|span|collector/i);
  }
  await silent.close();
});
