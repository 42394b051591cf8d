import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { readGivenAgents } from '../../../src/main/engine/agents/read-agents';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createTodoWriteTool } from '../../../src/main/engine/tools/builtin/todo-write/todo-write';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { createEchoTool } from '../../support/echo-tool';
import type { Script } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { agentCall, echo, openWithAgents } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** Opens a session in a project that holds files. */
async function start(
  files: Readonly<Record<string, string>>,
  script: Script,
  options: TestSessionOptions = {},
): Promise<TestSession> {
  open = await openTestSession(script, {
    tools: [createAgentTool(BUILT_IN_AGENTS), createTodoWriteTool(), createEchoTool()],
    files,
    ...options,
  });
  return open;
}

/** Runs one query as a host does, and gives its events. */
async function run({ session }: TestSession, prompt: string): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const { event } of session.submit(prompt)) events.push(event);
  return events;
}

const put = async ({ project }: TestSession, name: string, text: string) => {
  const file = join(project, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};

const bodies = (t: TestSession) =>
  t.api.requests.map(({ body }) => ({
    model: body.model,
    system: JSON.stringify(body.system),
    tools: (body.tools ?? []).map((tool) => ('name' in tool ? tool.name : '')),
    messages: JSON.stringify(body.messages),
  }));

const notices = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));

const REVIEWER = `---
name: reviewer
description: Looks at changes
tools: TodoWrite
model: claude-haiku-5
permissionMode: plan
effort: low
maxTurns: 3
---
You review strictly.`;

const startReviewer = reply([
  toolUse('Agent', { description: 'Look', prompt: 'task', subagent_type: 'reviewer' }),
]);

it('an agent of a file is listed, started with what its file says, and told when it goes', async () => {
  const t = await start({ '.claude/agents/team/reviewer.md': REVIEWER }, [
    startReviewer,
    reply('it is fine'),
    reply('done'),
    reply('ok'),
    reply('ok'),
  ]);
  const events = await run(t, 'review it');
  const [first, sub] = bodies(t);
  expect(first?.messages).toContain(
    'Further kinds for the Agent tool:\\n- reviewer: Looks at changes',
  );
  expect(sub).toMatchObject({ model: 'claude-haiku-5', tools: ['TodoWrite'] });
  expect(sub?.system).toContain('You review strictly.');
  const { agents } = t.session.log.transcript();
  expect(agents.map(({ type, status }) => [type, status])).toEqual([['reviewer', 'completed']]);
  expect(agents[0]?.transcript).toMatchObject({ mode: 'plan', effort: 'low' });
  expect(notices(events)).toEqual([]);
  // Told once; what comes and goes later is told alone.
  await put(t, '.claude/agents/writer.md', '---\nname: writer\ndescription: Writes\n---\nWrite.');
  await rm(join(t.project, '.claude/agents/team/reviewer.md'));
  await run(t, 'and now?');
  const last = bodies(t).at(-1)?.messages ?? '';
  expect(last.split('- reviewer: Looks').length).toBe(2);
  expect(last).toContain('More kinds for the Agent tool:\\n- writer: Writes');
  expect(last).toContain('Kinds that are no longer there: reviewer.');
});

it('an agent whose model settings do not make available works with that of its parent', async () => {
  const t = await start(
    { '.claude/agents/reviewer.md': REVIEWER },
    [startReviewer, reply('it is fine'), reply('done')],
    { settings: { availableModels: [{ file: 's.json', entries: ['opus', 'sonnet'] }] } },
  );
  const events = await run(t, 'review it');
  const [first, sub] = bodies(t);
  expect(sub).toMatchObject({ model: first?.model, tools: ['TodoWrite'] });
  expect(notices(events)).toEqual([]);
});

it('one model for all sub-agents goes before what their files and calls say, but not for forks', async () => {
  const agent = (subagent_type: string, rest = {}) =>
    toolUse('Agent', { description: 'd', prompt: 'p', subagent_type, ...rest });
  const t = await start(
    { '.claude/agents/reviewer.md': REVIEWER },
    [
      reply([agent('reviewer')]),
      reply('a'),
      reply([agent('general-purpose', { model: 'haiku' })]),
      reply('b'),
      reply([agent('fork')]),
      reply('c'),
      reply('done'),
    ],
    { settings: { subAgentModel: 'claude-sonnet-5' } },
  );
  await run(t, 'go');
  const main = bodies(t)[0]?.model;
  expect(bodies(t).map(({ model }) => model)).toEqual([
    ...[main, 'claude-sonnet-5', main, 'claude-sonnet-5', main, main, main],
  ]);
  expect(main).not.toBe('claude-sonnet-5');
});

it('a folder that nobody trusts defines none, which is told once and of the folder alone', async () => {
  const t = await start(
    { '.claude/agents/reviewer.md': REVIEWER, '.claude/agents/bad.md': '---\nname: [\n---\n' },
    [startReviewer, reply('done')],
    { settings: { trusted: false } },
  );
  const events = await run(t, 'review it');
  const [first, second] = bodies(t);
  expect(first?.messages).not.toContain('reviewer');
  expect(second?.messages).toContain('There is no sub-agent \\"reviewer\\"');
  const told = `${join(t.project, '.claude', 'agents')}: left out, because nobody trusts this folder.`;
  expect(notices(events)).toEqual([told]);
  expect(notices(await run(t, 'again'))).toEqual([]);
});

it('a bad file is told once with its place, and the others work', async () => {
  const bad = '---\nname: x\ndescription: y\ntools: 5\n---\n';
  const t = await start({ '.claude/agents/reviewer.md': REVIEWER, '.claude/agents/bad.md': bad }, [
    reply('a'),
    reply('b'),
  ]);
  const said = notices(await run(t, 'one'));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/bad\.md, line 4: tools: names of tools are expected/);
  expect(notices(await run(t, 'two'))).toEqual([]);
  expect(bodies(t)[0]?.messages).toContain('reviewer');
});

it('agents of a program are there at once, and the session works as one of them', async () => {
  const given = readGivenAgents({
    poet: { description: 'Writes verse', prompt: 'You are a poet.', tools: ['TodoWrite'] },
  });
  const t = await start({}, [reply('a')], {
    prompts: { agent: 'poet' },
    host: (plain) => ({ ...plain, givenAgents: given }),
  });
  await run(t, 'one');
  const [first] = bodies(t);
  expect(first?.system).toContain('You are a poet.');
  expect(first?.tools).toEqual(['TodoWrite']);
  expect((await t.session.agentKinds()).map(({ name }) => name)).toContain('poet');
});

const WRITER = `---
name: writer
description: Writes
color: purple
model: claude-haiku-5
effort: low
permissionMode: plan
maxTurns: 1
memory: user
skills: style
initialPrompt: Read the plan first.
---
You write.`;

it('the session works as an agent of a file, with every field of it', async () => {
  const t = await start(
    {
      '.claude/agents/writer.md': WRITER,
      '.claude/skills/style/SKILL.md': '---\ndescription: Style\n---\nTwo spaces.',
    },
    [reply('a'), reply('b'), reply('c')],
    { prompts: { agent: 'writer' }, unchosen: true },
  );
  await run(t, 'one');
  const [first] = bodies(t);
  expect(first).toMatchObject({ model: 'claude-haiku-5' });
  expect(first?.system).toContain('You write.');
  expect(first?.system).toContain('Your notes');
  expect(first?.messages).toContain('Read the plan first.\\n\\none');
  expect(first?.messages).toContain('Two spaces.');
  const { mode, effort, limits } = t.session.log.transcript();
  expect([mode, effort, limits?.maxTurns]).toEqual(['plan', 'low', 1]);
  // What it begins with comes once.
  await run(t, 'two');
  expect(bodies(t).at(-1)?.messages.split('Read the plan first.')).toHaveLength(2);
});

it('a sub-agent has the colour of its definition', async () => {
  const t = await start({ '.claude/agents/writer.md': WRITER }, [
    reply([toolUse('Agent', { description: 'Look', prompt: 'task', subagent_type: 'writer' })]),
    reply('written'),
    reply('done'),
  ]);
  await run(t, 'go');
  expect(t.session.log.transcript().agents[0]).toMatchObject({ type: 'writer', color: 'purple' });
});

it('an agent begins with the text of its skills, whose commands do not run', async () => {
  const t = await start(
    {
      '.claude/agents/reviewer.md': REVIEWER.replace('effort: low', 'skills: style, none'),
      '.claude/skills/style/SKILL.md': '---\nallowed-tools: Bash\n---\nTwo spaces. !`touch x`',
    },
    [startReviewer, reply('it is fine'), reply('done')],
  );
  const events = await run(t, 'review it');
  expect(bodies(t)[1]?.messages).toContain('Two spaces. `touch x` (it was not run)');
  expect(t.session.permissions.now().rules).toEqual([]);
  expect(notices(events)[0]).toContain('without the skill none');
});

it('a session without definitions is sent no listing', async () => {
  const t = await start({}, [reply('a')]);
  await run(t, 'one');
  expect(bodies(t)[0]?.messages).not.toContain('kinds for the Agent tool');
});

it('an agent whose round trips are used up hands on what it wrote last', async () => {
  const { t } = await openWithAgents(
    [reply([agentCall('few')]), reply('ok')],
    [reply(['I found A.', echo('1')]), reply(['Then B.', echo('2')]), reply('never')],
    {
      files: { '.claude/agents/few.md': '---\nname: few\ndescription: x\nmaxTurns: 2\n---\nx' },
      settings: { trusted: true },
    },
  );
  open = t;
  await t.run('go');
  expect(t.api.requests).toHaveLength(4);
  expect(JSON.stringify(t.api.requests.at(-1)?.body.messages.at(-1))).toContain(
    'It took 2 turns, the limit for one query.\\n\\nIt wrote last:\\nThen B.',
  );
});
