import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { McpSdkServerConfigWithInstance, Options } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import type { RecordedRequest } from '../../support/scripted-api';
import { hang, reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, all, calculator, createSdkMcpServer, lacks, said, tool } from './agent-sdk';

const { start, play, converse, home, project, requests, lastRequest, written } = agentSdk();

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);
const ADD = toolUse('mcp__calc__add', { a: 2, b: 40 });
const calculatorThatWaits = () =>
  calculator(tool('wait', 'Waits', {}, () => new Promise<never>(() => {})));
/** A server with a tool that is always sent, and one that is found by what the program says of it. */
const post = (): McpSdkServerConfigWithInstance => {
  const done = async () => ({ content: [{ type: 'text' as const, text: 'stamped' }] });
  return createSdkMcpServer({
    name: 'post',
    tools: [
      tool('send', 'Sends', {}, done, { alwaysLoad: true }),
      tool('stamp', 'Stamps', {}, done, { searchHint: 'postcards' }),
    ],
  });
};
const HELPER = { description: 'Helps', prompt: 'Be kind.' };
const delegates = (more: object = {}) =>
  reply([
    toolUse('Agent', { prompt: 'go', description: 'does it', subagent_type: 'helper', ...more }),
  ]);

/** What a sub-agent `helper` with further fields is sent first. */
async function firstOf(fields: object, options: Options = {}) {
  const script = [delegates(), reply('a report'), reply('done')];
  await play(script, { agents: { helper: { ...HELPER, ...fields } }, ...options });
  return JSON.stringify(requests()[1]?.body);
}

test('a server inside the program has the time for a call that the program gives it', async (t) => {
  t.skip(lacks('sdkMcpServerConfigs'));
  const calc = { ...calculatorThatWaits(), timeout: 1_000 };
  await play([reply([toolUse('mcp__calc__wait', {})]), reply('done')], {
    mcpServers: { calc },
    allowedTools: ['mcp__calc'],
  });
  expect(lastRequest()).toContain('did not answer within 1 s');
});

test('servers that a program names later replace those inside it, and stay when settings are read again', async (t) => {
  t.skip(lacks('setMcpServers'));
  const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
  async function* prompts() {
    yield said('first');
    await gates[0]?.promise;
    yield said('second');
    await gates[1]?.promise;
    yield said('third');
    // Versions before 0.3 hang up after their last prompt, also while it is answered.
    await gates[2]?.promise;
  }
  const write = toolUse('Write', { file_path: 'a.txt', content: 'hello' });
  const script = [
    ...[reply('one'), reply([write]), reply('two')],
    ...[reply([ADD]), reply('three')],
  ];
  const running = await start(
    script,
    {
      mcpServers: { old: calculator() },
      allowedTools: ['mcp__calc'],
      // Settings are read again when somebody is asked.
      canUseTool: async (_, updatedInput) => ({ behavior: 'allow', updatedInput }),
    },
    prompts(),
  );
  let results = 0;
  for await (const message of running) {
    if (message.type !== 'result') continue;
    results += 1;
    if (results === 1) {
      const set = await running.setMcpServers({ calc: calculator() });
      expect(set).toEqual({ added: ['calc'], removed: ['old'], errors: {} });
    }
    if (results < 3) {
      const names = (await running.mcpServerStatus()).map(({ name }) => name);
      expect(names).toEqual(['calc']);
    }
    gates[results - 1]?.resolve();
  }
  expect(await written('a.txt')).toBe('hello');
  expect(lastRequest()).toContain('the sum is 42');
});

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==';
const PICTURE = { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL };
/** Texts that are pasted behind prompts, with what stands in the request and what does not. */
const PASTES: readonly (readonly [string, unknown[], readonly (string | RegExp)[]])[] = [
  [
    'what was pasted goes along behind the words of a prompt',
    ['first paste', [{ type: 'text', text: 'second paste' }]],
    [/look at this.*first paste.*second paste/],
  ],
  [
    'pastes beyond the thousandth are told',
    Array.from({ length: 1_002 }, (_, at) => `paste ${at}`),
    ['paste 999', '2 more blocks'],
  ],
  [
    'a paste of no form is told',
    [['ok', { type: 7 }]],
    ['look at this', 'has no form that can be read'],
  ],
  [
    'a paste of another kind is told',
    [[{ type: 'video', url: 'x' }]],
    ['look at this', 'a block of type video: left out'],
  ],
  [
    'a picture that was pasted goes along as one',
    [[{ type: 'image', source: PICTURE }]],
    ['"type":"image"'],
  ],
];
let pasted: ReturnType<typeof converse> | null = null;
test.each(PASTES)('%s', async (name, _, there) => {
  pasted ??= converse(
    () => reply('done'),
    {},
    PASTES.map(([, all]) => ({ ...said('look at this'), pasted_content: all as string[] })),
  );
  const { last = '' } = (await pasted)[PASTES.findIndex(([other]) => other === name)] ?? {};
  for (const part of there) expect(last).toMatch(part);
  expect(last).not.toContain('paste 1000');
});

test('an agent of a program has no memory files, a reminder and servers where its fields say so', async () => {
  await mkdir(join(home(), '.claude'));
  await writeFile(join(home(), '.claude', 'CLAUDE.md'), 'Be kind to ducks.');
  const settingSources: Options['settingSources'] = ['user'];
  const plain = await firstOf({}, { settingSources });
  expect(plain).toContain('Be kind to ducks.');
  const reminded = await firstOf(
    { omitClaudeMd: true, criticalSystemReminder_EXPERIMENTAL: 'Never quack.' },
    { settingSources },
  );
  expect(reminded).toContain('Never quack.');
  expect(reminded).not.toContain('Be kind to ducks.');
  expect(JSON.stringify(requests()[2]?.body)).toContain('Be kind to ducks.');
  const every = { type: 'stdio', command: process.execPath, args: [EVERYTHING, 'stdio'] };
  const served = await firstOf({ mcpServers: [{ every: { ...every, alwaysLoad: true } }] });
  expect(served).toContain('mcp__every__echo');
  expect(JSON.stringify(requests()[0]?.body)).not.toContain('mcp__every__echo');
});

test('a program says which of its tools are always sent, and by what the others are found', async (t) => {
  t.skip(lacks('searchHint'));
  await play(
    [
      reply([toolUse('ToolSearch', { query: 'postcards' })]),
      reply([toolUse('mcp__post__stamp', {})]),
      reply('done'),
    ],
    { mcpServers: { post: post() }, allowedTools: ['mcp__post'] },
  );
  const offered = requests().map(({ body }) =>
    (body.tools ?? []).flatMap((one) => ('name' in one ? one.name : [])),
  );
  expect(offered[0]).toContain('mcp__post__send');
  expect(offered[0]).not.toContain('mcp__post__stamp');
  expect(lastRequest()).toContain('stamped');
});

test.skipIf(lacks('observerMessage')).each([
  ['a sub-agent', {}],
  ['the main agent', { agent: 'helper' }],
])(
  '%s of a program is observed, and what is reported is told before the run ends',
  async (_, as) => {
    const watcher = { description: 'Looks on', prompt: 'You are the watcher.' };
    const script = ({ body }: RecordedRequest) => {
      const texts = JSON.stringify(body.messages);
      if (JSON.stringify(body.system).includes('You are the watcher.'))
        return texts.includes('"is_error"') || texts.includes('It is told.')
          ? reply('nothing')
          : reply([toolUse('ObserverReport', { report: 'It never counted.' })]);
      if (texts.includes('It never counted.')) return reply('I count again.');
      if (JSON.stringify(body.system).includes('Be kind.')) return reply('Seven geese.');
      return texts.includes('Seven geese.') ? reply('Seven.') : delegates();
    };
    const observed = { ...HELPER, observer: 'watcher', observerMessage: 'Mind the swans.' };
    const messages = await play(script, { ...as, agents: { helper: observed, watcher } });
    expect(messages.findLast(({ type }) => type === 'result')).toMatchObject({
      result: 'I count again.',
    });
    const look = requests().find(({ body }) =>
      JSON.stringify(body.system).includes('You are the watcher.'),
    );
    expect(JSON.stringify(look?.body.messages)).toContain('Mind the swans.');
  },
);

test.skipIf(lacks('perTaskStopAffordance')).each([
  [false, 'ends'],
  [true, 'spares'],
])(
  'where a program can stop single tasks: %s, an interrupt %s the sub-agents behind it',
  async (perTaskStopAffordance, _) => {
    const over = Promise.withResolvers<void>();
    async function* prompts() {
      yield said('go');
      await over.promise;
    }
    const script = ({ body }: RecordedRequest) =>
      JSON.stringify(body.messages).includes('does it') ||
      JSON.stringify(body.system).includes(HELPER.prompt)
        ? hang()
        : delegates({ run_in_background: true });
    const agents = { helper: HELPER };
    const running = await start(script, { agents, perTaskStopAffordance }, prompts());
    let task = '';
    const ends: string[] = [];
    let results = 0;
    for await (const message of running) {
      if (message.type === 'system' && message.subtype === 'task_notification') {
        ends.push(message.status);
        if (results > 0) over.resolve();
      }
      if (message.type === 'system' && message.subtype === 'task_started') {
        task = message.task_id;
        await expect.poll(() => requests().length).toBe(3);
        await running.interrupt();
      }
      if (message.type !== 'result') continue;
      results += 1;
      if (perTaskStopAffordance) {
        expect(ends).toEqual([]);
        await running.stopTask(task);
      } else if (ends.length > 0) over.resolve();
    }
    expect(ends).toEqual(['stopped']);
  },
);

test.skipIf(lacks('updateSettings')).each([
  ['settings.local.json', '.claude/settings.local.json'],
  ['their/settings.local.json', '.claude'],
])(
  'local settings that a folder makes a link to %s are not written for a program',
  async (target, link) => {
    const path = join(home(), target);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '{}');
    await mkdir(dirname(join(project(), link)), { recursive: true });
    await symlink(link === '.claude' ? dirname(path) : path, join(project(), link));
    const asked = Promise.withResolvers<void>();
    async function* prompts() {
      await asked.promise;
      yield said('go');
    }
    const running = await start([reply('done')], {}, prompts());
    await expect(
      running.updateSettings('localSettings', { outputStyle: 'Concise' }),
    ).rejects.toThrow(/lie elsewhere/);
    asked.resolve();
    await all(running);
    expect(await readFile(path, 'utf8')).toBe('{}');
  },
);

test('what the configuration of another folder starts finds its own files, and none of the folder that is worked in', async (t) => {
  t.skip(lacks('projectConfigRoot'));
  const root = join(home(), 'checkout');
  const log = join(home(), 'started.txt');
  const says = (words: string) => `require('fs').appendFileSync('${log}', '${words} ');`;
  const command = { type: 'command', command: `'${process.execPath}' ./hook.cjs` };
  const settings = { hooks: { UserPromptSubmit: [{ hooks: [command] }] } };
  const mcpServers = { s: { command: process.execPath, args: ['./server.cjs'] } };
  const files = {
    [join(root, '.claude', 'settings.json')]: JSON.stringify(settings),
    [join(root, '.mcp.json')]: JSON.stringify({ mcpServers }),
    [join(root, 'hook.cjs')]: says('our-hook'),
    [join(root, 'server.cjs')]: says('our-server'),
    [join(project(), 'hook.cjs')]: says('their-hook'),
    [join(project(), 'server.cjs')]: says('their-server'),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const started = () => readFile(log, 'utf8').catch(() => '');
  async function* prompts() {
    await expect.poll(started).toContain('server');
    yield said('go');
  }
  await all(await start([reply('done')], { projectConfigRoot: root }, prompts()));
  expect((await started()).trim().split(' ').sort()).toEqual(['our-hook', 'our-server']);
});

test('the model is told in which form a preview of an option is to be', async (t) => {
  t.skip(lacks('toolConfig'));
  const options: Options = { canUseTool: async () => ({ behavior: 'deny', message: 'no' }) };
  await play([reply('done')], options);
  expect(JSON.stringify(requests()[0]?.body.tools)).toContain('shown in monospace');
  const toolConfig: Options['toolConfig'] = { askUserQuestion: { previewFormat: 'html' } };
  await play([reply('done')], { ...options, toolConfig });
  expect(JSON.stringify(requests()[0]?.body.tools)).toContain('a fragment of HTML');
});
