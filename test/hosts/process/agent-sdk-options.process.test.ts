import { mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Options, Query, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { expect, test } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import {
  agentSdk,
  all,
  createSdkMcpServer,
  HOOK_EVENTS,
  lacks,
  resultOf,
  said,
  tool,
  z,
} from './agent-sdk';

const { start, play, home, project, requests, lastRequest, written } = agentSdk();

const put = async (path: string, text: string) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
};
const skill = (name: string) =>
  put(
    join(home(), '.claude', 'skills', name, 'SKILL.md'),
    `---\nname: ${name}\ndescription: Does ${name} well\n---\n${name}!\n`,
  );
const plugin = async () => {
  const folder = join(home(), 'plug');
  await put(join(folder, '.claude-plugin', 'plugin.json'), '{"name":"plug","version":"1.0.0"}');
  await put(join(folder, 'commands', 'hum.md'), '---\ndescription: Hums\n---\nhum');
  return folder;
};

/** Asks a session for something after its first answer; the second prompt is answered after that. */
async function between(use: (query: Query) => Promise<void>, options: Options = {}) {
  const asked = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('first');
    await asked.promise;
    yield said('second');
  }
  const running = await start([reply('one'), reply('two')], options, prompts());
  let isUsed = false;
  for await (const message of running) {
    if (message.type !== 'result' || isUsed) continue;
    isUsed = true;
    await use(running).finally(asked.resolve);
  }
}

const WRITE = { file_path: 'a.txt', content: 'from the model' };
const server = () =>
  createSdkMcpServer({
    name: 'gate',
    tools: [
      tool('shell', 'Runs', { command: z.string() }, async ({ command }) => ({
        content: [{ type: 'text', text: `elsewhere: ${command}` }],
      })),
    ],
  });

test('skills, plugins and output styles that came meanwhile count when they are loaded again', async (t) => {
  t.skip(lacks('reloadSkills'));
  const path = await plugin();
  await between(
    async (query) => {
      await skill('quack');
      await put(
        join(home(), '.claude', 'output-styles', 'duck.md'),
        '---\nname: Duck\n---\nQuack.',
      );
      await put(join(path, 'commands', 'sing.md'), '---\ndescription: Sings\n---\nsing');
      expect((await query.reloadSkills()).skills.map(({ name }) => name)).toContain('quack');
      const { available_output_styles: styles } = await query.reloadOutputStyles();
      expect(styles).toEqual(expect.arrayContaining(['default', 'Duck', 'Explanatory']));
      const { plugins, commands } = await query.reloadPlugins();
      expect(plugins).toMatchObject([{ name: 'plug', path, version: '1.0.0' }]);
      expect(commands.map(({ name }) => name)).toContain('plug:sing');
    },
    { plugins: [{ type: 'local', path }] },
  );
  expect(lastRequest()).toContain('Does quack well');
});

test('settings change in a run, and are saved where they may be', async (t) => {
  t.skip(lacks('updateSettings'));
  await between(async (query) => {
    await query.applyFlagSettings({ effortLevel: 'low', permissions: { deny: ['Bash'] } });
    await query.applyFlagSettings({ outputStyle: 'Concise', language: 'Danish' });
    await expect(query.applyFlagSettings({ agent: 'Plan' })).rejects.toThrow(/agent/);
    // Nobody trusted the folder, and the program wrote nothing that runs.
    await query.updateSettings('localSettings', { outputStyle: 'Explanatory' });
    await query.updateSettings('userSettings', { effortLevel: 'medium' });
    await expect(query.updateSettings('userSettings', { model: 'haiku' })).rejects.toThrow(/model/);
    expect(await query.setMcpPermissionModeOverride('none', 'default')).toHaveProperty('warning');
  });
  const [first, second] = requests().map(({ body }) => body);
  expect(JSON.stringify(first?.tools)).toContain('"Bash"');
  expect(JSON.stringify(second?.tools)).not.toContain('"Bash"');
  expect(second).toMatchObject({ output_config: { effort: 'low' } });
  expect(JSON.stringify(second?.system)).toBe(JSON.stringify(first?.system));
  expect(JSON.stringify(second?.messages)).toContain('# Output style');
  expect(JSON.stringify(second?.messages)).toContain('Answer in Danish.');
  const local = await written('.claude/settings.local.json');
  expect(JSON.parse(local ?? '')).toEqual({ outputStyle: 'Explanatory' });
  const saved = await readFile(join(home(), '.claude', 'settings.json'), 'utf8');
  expect(JSON.parse(saved)).toEqual({ effortLevel: 'medium' });
});

test('a file is read for the program as rules allow, and counts as read by the model when it says so', async (t) => {
  t.skip(lacks('readFile(path'));
  const path = join(project(), 'a.txt');
  await writeFile(path, 'hello');
  const { mtimeMs } = await stat(path);
  const edit = { file_path: path, old_string: 'hello', new_string: 'bye' };
  const ready = Promise.withResolvers<void>();
  async function* prompts() {
    await ready.promise;
    yield said('go');
  }
  const options: Options = { permissionMode: 'acceptEdits', disallowedTools: ['Read(b.txt)'] };
  const script = [reply([toolUse('Edit', edit)]), reply('done')];
  const query = await start(script, options, prompts());
  await writeFile(join(project(), 'b.txt'), 'secret');
  expect(await query.readFile('a.txt', { maxBytes: 3 })).toMatchObject({
    contents: 'hel',
    truncated: true,
  });
  expect(await query.readFile('b.txt')).toBeNull();
  await query.seedReadState(path, Math.ceil(mtimeMs));
  ready.resolve();
  await all(query);
  expect(await written('a.txt')).toBe('bye');
});

test('the model hears of the budget of a task, of the way to plan, and of the skills it may use', async (t) => {
  t.skip(lacks('planModeInstructions'));
  await skill('quack');
  await skill('honk');
  await play([reply('done')], {
    taskBudget: { total: 50_000 },
    permissionMode: 'plan',
    planModeInstructions: 'Plan like a duck.',
    skills: ['quack'],
  });
  expect(requests()[0]?.body).toMatchObject({
    output_config: { task_budget: { type: 'tokens', total: 50_000 } },
  });
  expect(lastRequest()).toContain('Plan like a duck.');
  expect(lastRequest()).toContain('Does quack well');
  expect(lastRequest()).not.toContain('Does honk well');
});

test('thinking comes as it is wished, and another way from then on when the program says so', async (t) => {
  t.skip(lacks('thinkingDisplay'));
  const shown = () => requests().map(({ body }) => body.thinking);
  await between(
    async (query) => {
      await query.setMaxThinkingTokens(null, 'summarized');
      const other = Reflect.apply(query.setMaxThinkingTokens, query, [null, 'whole']);
      await expect(other).rejects.toThrow(/summarized/);
    },
    { thinking: { type: 'adaptive', display: 'omitted' }, model: 'opus' },
  );
  expect(shown()).toMatchObject([{ display: 'omitted' }, { display: 'summarized' }]);
});

test('what is about the folder goes in front of the conversation where the prompt is to be the same for all', async (t) => {
  t.skip(lacks('excludeDynamicSections'));
  const systemPrompt: Options['systemPrompt'] = {
    type: 'preset',
    preset: 'claude_code',
    excludeDynamicSections: true,
  };
  await play([reply('done')], { systemPrompt });
  const { system, messages } = requests()[0]?.body ?? {};
  expect(JSON.stringify(system)).not.toContain(project());
  expect(JSON.stringify(messages)).toContain('# Environment');
  await play([reply('done')], { systemPrompt: 'You are a parrot.' });
  expect(JSON.stringify(requests()[0]?.body.system)).toContain('# Environment');
});

test('plugins come with the first request too, and what cannot be read of it ends the run', async () => {
  const path = await plugin();
  const plugins: Options['plugins'] = [{ type: 'local', path }];
  const [init] = await play([reply('done')], { plugins, pluginDelivery: 'initialize' });
  expect(init).toMatchObject({
    slash_commands: expect.arrayContaining(['plug:hum']),
    plugins: [{ name: 'plug', path }],
  });
});

test('settings of a program that manages the run restrict it, and allow nothing', async (t) => {
  t.skip(lacks('managedSettings'));
  const script = [reply([toolUse('Write', WRITE)]), reply('done')];
  const messages = await play(script, {
    managedSettings: { permissions: { deny: ['Bash'], allow: ['Write'] } },
    allowedTools: ['Bash'],
  });
  expect(messages[0]).toMatchObject({ tools: expect.not.arrayContaining(['Bash']) });
  expect(await written('a.txt')).toBeNull();
  expect(resultOf(messages)).toMatchObject({ permission_denials: [{ tool_name: 'Write' }] });
});

test('where nobody is to be asked, what would ask is denied at once', async (t) => {
  t.skip(lacks('permissionPrompts'));
  const script = [reply([toolUse('Write', WRITE)]), reply('done')];
  let asked = 0;
  await play(script, {
    permissionPrompts: 'none',
    canUseTool: async (_, input) => {
      asked += 1;
      return { behavior: 'allow', updatedInput: input };
    },
  });
  expect(asked).toBe(0);
  expect(await written('a.txt')).toBeNull();
});

test('a tool of a program answers to the name of another', async (t) => {
  t.skip(lacks('toolAliases'));
  const script = [reply([toolUse('Bash', { command: 'ls' })]), reply('done')];
  const gate = server();
  const options: Options = { toolAliases: { Bash: 'mcp__gate__shell' }, mcpServers: { gate } };
  await play(script, { ...options, allowedTools: ['mcp__gate__shell'] });
  expect(lastRequest()).toContain('elsewhere: ls');
});

test('a session goes on after the answer that is named, and forgets what came later', async () => {
  async function* prompts() {
    yield said('first prompt');
    yield said('count the geese');
  }
  const before = await play([reply('first'), reply('second')], {}, prompts());
  const answer = before.find(({ type }) => type === 'assistant') as { uuid: string };
  const resume = resultOf(before)?.session_id ?? '';
  await play([reply('third')], { resume, resumeSessionAt: answer.uuid }, 'three');
  expect(lastRequest()).toContain('first prompt');
  expect(lastRequest()).not.toContain('geese');
  const nobody = '00000000-0000-4000-8000-00000000abcd';
  await expect(play([reply('no')], { resume, resumeSessionAt: nobody })).rejects.toThrow();
  expect(requests()).toEqual([]);
});

test('a session goes on after an answer only where no more than the named turn is left out', async (t) => {
  t.skip(lacks('resumeDropsTurn'));
  const geese = '33333333-3333-4333-8333-333333333333';
  const ducks = '44444444-4444-4444-8444-444444444444';
  async function* prompts() {
    yield said('first prompt');
    yield { ...said('count the geese'), uuid: geese } as const;
    yield { ...said('and the ducks'), uuid: ducks } as const;
  }
  const before = await play([reply('first'), reply('second'), reply('third')], {}, prompts());
  const uuids = before.flatMap((one) => (one.type === 'assistant' ? one.uuid : []));
  const resume = resultOf(before)?.session_id ?? '';
  const at = (resumeSessionAt: string, resumeDropsTurn: string): Options => ({
    ...{ resume, resumeSessionAt, resumeDropsTurn },
  });
  await expect(play([reply('no')], at(uuids[0] ?? '', geese))).rejects.toThrow(
    /Resume rejected by --resume-drops-turn:/,
  );
  expect(requests()).toEqual([]);
  await play([reply('fourth')], at(uuids[1] ?? '', ducks), 'and the swans');
  expect(lastRequest()).toContain('count the geese');
  expect(lastRequest()).not.toContain('and the ducks');
});

test('a program is told whether the session works, waits for it, or is idle, and of its tasks', async (t) => {
  t.skip(lacks('background_tasks_changed'));
  const messages = await play([reply([toolUse('Write', WRITE)]), reply('done')], {
    canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
  });
  const states = (of: readonly SDKMessage[]) =>
    of.flatMap((one) =>
      one.type === 'system' && one.subtype === 'session_state_changed' ? one.state : [],
    );
  expect(states(messages)).toEqual(['running', 'requires_action', 'running', 'idle']);
  const command = { command: 'sleep 600', run_in_background: true };
  const later = await play([reply([toolUse('Bash', command)]), reply('done')], {
    allowedTools: ['Bash'],
  });
  expect(later).toContainEqual(
    expect.objectContaining({
      subtype: 'background_tasks_changed',
      tasks: [expect.objectContaining({ task_type: 'local_bash' })],
    }),
  );
});

test('a program reads what a command in the background printed', async (t) => {
  t.skip(lacks('get_task_output'));
  const command = { command: 'printf "the duck\n"; sleep 600', run_in_background: true };
  const asked = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('go');
    await asked.promise;
  }
  const script = [reply([toolUse('Bash', command)]), reply('done')];
  const running = await start(script, { allowedTools: ['Bash'] }, prompts());
  // The SDK has the method, and its public types leave it out.
  const query = running as Query & { getTaskOutput(id: string): Promise<unknown> };
  let id = '';
  for await (const message of running) {
    if (message.type === 'system' && message.subtype === 'task_started') id = message.task_id;
    if (message.type !== 'result') continue;
    await expect
      .poll(() => query.getTaskOutput(id))
      .toMatchObject({ output: expect.stringContaining('the duck'), truncated: false });
    await expect(query.getTaskOutput('none')).rejects.toThrow('no command "none"');
    asked.resolve();
  }
  expect(id).not.toBe('');
});

test('hooks at every event of the SDK are let in, also where a moment never comes', async () => {
  const deny = async () => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse' as const,
      permissionDecision: 'deny' as const,
      permissionDecisionReason: 'no writing here',
    },
  });
  const PreToolUse = [{ matcher: 'Write', hooks: [deny] }];
  const none = [{ hooks: [async () => ({})] }];
  const script = () => [reply([toolUse('Write', WRITE)]), reply('done')];
  const permissionMode = 'acceptEdits';
  const all = Object.fromEntries(HOOK_EVENTS.map((event) => [event, none]));
  await play(script(), { permissionMode, hooks: { ...all, PreToolUse } });
  expect(lastRequest()).toContain('no writing here');
  expect(await written('a.txt')).toBeNull();
});

test('what the user may say next is suggested behind each answer but the first', async (t) => {
  t.skip(lacks('promptSuggestions'));
  const seen: SDKMessage[] = [];
  const asked = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('first');
    await asked.promise;
    yield said('second');
  }
  const script = [reply('one'), reply('two'), reply('Run the tests')];
  const running = await start(script, { promptSuggestions: true }, prompts());
  for await (const message of running) {
    seen.push(message);
    if (message.type === 'result') asked.resolve();
  }
  const last = seen.filter(({ type }) => type === 'result' || type === 'prompt_suggestion');
  expect(last.map(({ type }) => type)).toEqual(['result', 'result', 'prompt_suggestion']);
  expect(last.at(-1)).toMatchObject({ suggestion: 'Run the tests' });
  const [, second, third] = requests().map(({ body }) => body);
  expect(JSON.stringify(third?.system)).toBe(JSON.stringify(second?.system));
  expect(JSON.stringify(third?.messages)).toContain('two');
});

test('the configuration of another folder counts in the place of the one that is worked in', async (t) => {
  t.skip(lacks('projectConfigRoot'));
  const root = join(home(), 'checkout');
  const log = join(home(), 'hooked.txt');
  const hook = (words: string) =>
    JSON.stringify({
      hooks: {
        UserPromptSubmit: [
          { hooks: [{ type: 'command', command: `echo ${words} $CLAUDE_PROJECT_DIR >> ${log}` }] },
        ],
      },
    });
  await put(join(root, '.claude', 'settings.json'), hook('trusted'));
  await put(join(root, '.claude', 'commands', 'ours.md'), 'ours');
  await put(join(project(), '.claude', 'settings.json'), hook('strange'));
  await put(join(project(), '.claude', 'commands', 'theirs.md'), 'theirs');
  await put(join(project(), 'CLAUDE.md'), 'words-of-a-stranger');
  const seen = await play([reply('done')], { projectConfigRoot: root });
  // Trust of the one is no trust of the other.
  expect(JSON.stringify(requests()[0]?.body)).not.toMatch(/words-of-a-stranger|theirs\.md/);
  expect(await readFile(log, 'utf8')).toBe(`trusted ${await realpath(root)}\n`);
  const init = seen.find((one) => one.type === 'system' && one.subtype === 'init');
  expect(init).toMatchObject({ cwd: await realpath(project()) });
  expect(JSON.stringify(init)).toContain('"ours"');
  expect(JSON.stringify(init)).not.toContain('"theirs"');
});
