// biome-ignore-all lint/suspicious/noTemplateCurlyInString: skills write variables so
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { createEchoTool } from '../../support/echo-tool';
import type { Script } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function start(
  files: Readonly<Record<string, string>>,
  script: Script,
  options: TestSessionOptions = {},
): Promise<TestSession> {
  open = await openTestSession(script, {
    tools: [createAgentTool(BUILT_IN_AGENTS), createReadTool(), createEchoTool()],
    files,
    decide,
    ...options,
  });
  return open;
}

async function run({ session }: TestSession, prompt: string): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const { event } of session.submit(prompt)) events.push(event);
  return events;
}

const bodyOf = (t: TestSession, at: number) => {
  const body = t.api.requests.at(at)?.body;
  return {
    tools: (body?.tools ?? []).map((tool) => ('name' in tool ? tool.name : '')),
    messages: JSON.stringify(body?.messages),
    model: body?.model,
  };
};
const notices = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
const results = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'call_settled'
      ? [[event.tool, event.status, JSON.stringify(event.content)]]
      : [],
  );

const skill = (fields: string, body = 'Do it well.') => `---\n${fields}\n---\n${body}\n`;
const SKILLS = '.claude/skills';

describe('skills', () => {
  it('of a subfolder are told of once something in it was read, and allow nothing', async () => {
    const inApi = `api/${SKILLS}/deploy/SKILL.md`;
    const t = await start(
      {
        [inApi]: skill('description: Deploys the api\nallowed-tools: Read(//etc/**)', 'Deploy it.'),
        [`web/${SKILLS}/style/SKILL.md`]: skill('description: Styles the web'),
        'api/a.txt': 'a',
      },
      [
        reply([toolUse('Read', { file_path: 'api/a.txt' })]),
        reply([toolUse('Skill', { skill: 'deploy' })]),
        reply([toolUse('Read', { file_path: '/etc/passwd' })]),
        reply('done'),
      ],
    );
    const events = await run(t, 'go');
    expect(bodyOf(t, 0).messages).not.toContain('Deploys the api');
    expect(bodyOf(t, 0).tools).not.toContain('Skill');
    expect(bodyOf(t, 1).messages).toContain('Deploys the api');
    expect(bodyOf(t, 1).messages).not.toContain('Styles the web');
    expect(results(events).map(([tool, status]) => [tool, status])).toEqual([
      ['Read', 'done'],
      ['Skill', 'done'],
      ['Read', 'denied'],
    ]);
  });

  it('of the folders up to the root of the repository are known, and allow nothing', async () => {
    const t = await start({}, [reply([toolUse('Skill', { skill: 'ship' })]), reply('done')]);
    const folder = (...names: string[]) => join(t.project, ...names);
    await Promise.all(
      [folder('..', '.git'), folder('..', SKILLS, 'ship'), folder('..', SKILLS, 'near')].map(
        (one) => mkdir(one, { recursive: true }),
      ),
    );
    await mkdir(folder(SKILLS, 'near'), { recursive: true });
    const fields = 'description: From above\nallowed-tools: Write';
    await writeFile(folder('..', SKILLS, 'ship', 'SKILL.md'), skill(fields, 'Ship it.'));
    await writeFile(folder('..', SKILLS, 'near', 'SKILL.md'), skill('description: Farther'));
    await writeFile(folder(SKILLS, 'near', 'SKILL.md'), skill('description: Nearer'));
    await t.session.refresh();
    // Using it asks nobody, since it allows nothing.
    expect(results(await run(t, 'go'))[0]?.[1]).toBe('done');
    expect(bodyOf(t, 0).messages).toContain('From above');
    expect(bodyOf(t, 0).messages).toContain('Nearer');
    expect(bodyOf(t, 0).messages).not.toContain('Farther');
    expect(bodyOf(t, 1).messages).toContain('Ship it.');
  });

  it('are listed by name and description; the text comes only when one is used', async () => {
    const t = await start(
      {
        [`${SKILLS}/tidy/SKILL.md`]: skill(
          'description: Tidies code\nwhen_to_use: After a change.',
          'Sort $ARGUMENTS. See @notes.txt and ${CLAUDE_SKILL_DIR}/list.md',
        ),
        [`${SKILLS}/mine/SKILL.md`]: skill('description: M\ndisable-model-invocation: true'),
        'notes.txt': 'the notes',
      },
      [reply([toolUse('Skill', { skill: 'tidy', args: 'imports' })]), reply('sorted')],
    );
    const events = await run(t, 'tidy up');
    expect(bodyOf(t, 0).tools).toContain('Skill');
    expect(bodyOf(t, 0).messages).toContain('- tidy: Tidies code After a change.');
    expect(bodyOf(t, 0).messages).not.toContain('mine');
    expect(bodyOf(t, 0).messages).not.toContain('Sort');
    expect(results(events)).toEqual([['Skill', 'done', expect.stringContaining('tidy is in use')]]);
    const { messages } = bodyOf(t, 1);
    expect(messages).toContain('Sort imports.');
    expect(messages).toContain('the notes');
    expect(messages).toContain(join(t.project, SKILLS, 'tidy', 'list.md'));
    expect(t.session.commands.map(({ name }) => name)).toContain('mine');
  });

  it('of the user alone are used by typing their name, and by nobody else', async () => {
    const t = await start(
      { [`${SKILLS}/mine/SKILL.md`]: skill('description: M\ndisable-model-invocation: true') },
      [reply('done'), reply([toolUse('Skill', { skill: 'mine' })]), reply('ok')],
    );
    const events = await run(t, '/mine the tests');
    expect(results(events)).toEqual([['Skill', 'done', expect.any(String)]]);
    expect(bodyOf(t, 0).messages).toContain('Do it well.\\n\\nARGUMENTS: the tests');
    expect(t.session.log.transcript().committed[0]).toMatchObject({ text: '/mine the tests' });
    const refused = await run(t, 'again');
    expect(results(refused)[0]?.[2]).toContain('Only the user can use');
  });

  it('allow tools only while they are in use, and give the model back', async () => {
    const echo = reply([toolUse('Echo', { text: 'x' })]);
    const t = await start(
      {
        [`${SKILLS}/loud/SKILL.md`]: skill(
          'description: L\nallowed-tools: Bash(ls *), Echo\nmodel: claude-opus-5-5\neffort: low',
        ),
      },
      [echo, reply('done'), echo, reply('ok')],
      {
        mode: 'dontAsk',
        settings: { rules: [{ behavior: 'ask', text: 'Glob', source: 'userSettings' }] },
      },
    );
    const rules = () => t.session.permissions.now().rules.map(({ text }) => text);
    let during: readonly string[] = [];
    t.session.log.listen(({ event }) => {
      if (event.type === 'call_settled' && event.tool === 'Echo' && during.length === 0)
        during = rules();
    });
    await run(t, '/loud');
    expect(during).toEqual(['Bash(ls *)', 'Echo', 'Glob']);
    expect(bodyOf(t, 0).model).toBe('claude-opus-5-5');
    expect(rules()).toEqual(['Glob']);
    await run(t, 'again');
    expect(bodyOf(t, 2).model).toBe('claude-sonnet-5-5');
    expect(t.session.main.state.config().effort).toBe('high');
  });

  it('that allow something ask before the model may use them', async () => {
    const t = await start(
      { [`${SKILLS}/loud/SKILL.md`]: skill('description: L\nallowed-tools: Bash') },
      [reply([toolUse('Skill', { skill: 'loud' })]), reply('ok')],
    );
    expect(results(await run(t, 'go'))[0]?.[1]).toBe('denied');
    expect(t.session.permissions.now().rules).toEqual([]);
  });

  it('are carried out by a sub-agent where they say so', async () => {
    const t = await start(
      {
        [`${SKILLS}/look/SKILL.md`]: skill(
          'description: L\ncontext: fork\nagent: Explore',
          'Look at $0.',
        ),
      },
      [reply('found it'), reply('done')],
    );
    const events = await run(t, '/look src');
    expect(bodyOf(t, 0).messages).toContain('Look at src.');
    expect(results(events).at(-1)).toEqual(['Skill', 'done', expect.stringContaining('found it')]);
    expect(t.session.log.transcript().agents.map(({ type }) => type)).toEqual(['Explore']);
  });

  describe('in use', () => {
    const loud = { [`${SKILLS}/loud/SKILL.md`]: skill('description: L\nallowed-tools: Write') };
    const write = (name: string) => reply([toolUse('Write', { file_path: name, content: 'x' })]);
    const tools = [createAgentTool(BUILT_IN_AGENTS), createWriteTool(), createEchoTool()];
    const task = (prompt: string) => toolUse('Agent', { description: prompt, prompt });
    const statuses = (events: readonly AgentEvent[]) =>
      results(events).flatMap(([tool, status]) => (tool === 'Write' ? [status] : []));

    it('hold for the agents that their agent starts', async () => {
      const answers = [reply([task('look')]), write('a'), reply('seen'), reply('done')];
      const t = await start(loud, [...answers, write('b'), reply('no')], {
        mode: 'dontAsk',
        tools,
      });
      expect(statuses(await run(t, '/loud'))).toEqual(['done']);
      expect(statuses(await run(t, 'again'))).toEqual(['denied']);
    });

    it('hold for no other agent', async () => {
      const inUse = Promise.withResolvers<void>();
      const otherTried = Promise.withResolvers<void>();
      const one = [reply([toolUse('Skill', { skill: 'loud' })]), write('one'), reply('one')];
      const other = [write('other'), reply('other')];
      const main = [reply([task('one'), task('other')]), reply('done')];
      const t = await start(
        loud,
        async ({ body }) => {
          const said = JSON.stringify(body.messages);
          if (said.includes('"go"')) return main.shift() ?? reply('');
          if (said.includes('"other"')) {
            await inUse.promise;
            if (other.length === 1) otherTried.resolve();
            return other.shift() ?? reply('');
          }
          if (one.length === 2) {
            inUse.resolve();
            await otherTried.promise;
          }
          return one.shift() ?? reply('');
        },
        {
          mode: 'dontAsk',
          tools,
          settings: { rules: [{ behavior: 'allow', text: 'Skill', source: 'userSettings' }] },
        },
      );
      expect(statuses(await run(t, 'go'))).toEqual(['denied', 'done']);
    });

    it('bind the sub-agent that carries one out, with what it denies and how it thinks', async () => {
      const fields = 'description: L\ncontext: fork\neffort: low\ndisallowed-tools: Echo';
      const t = await start({ [`${SKILLS}/quiet/SKILL.md`]: skill(fields) }, [
        reply('seen'),
        reply('done'),
      ]);
      await run(t, '/quiet');
      expect(bodyOf(t, 0).tools).not.toContain('Echo');
      expect(t.api.requests[0]?.body.output_config).toMatchObject({ effort: 'low' });
      expect(bodyOf(t, 1).tools).toContain('Echo');
    });

    it('go on in the background where they say so', async () => {
      const seen = Promise.withResolvers<void>();
      const t = await start(
        { [`${SKILLS}/slow/SKILL.md`]: skill('description: L\ncontext: fork\nbackground: true') },
        async ({ body }) => {
          if (!JSON.stringify(body.messages).includes('tool_result')) {
            await seen.promise;
            return reply('found');
          }
          seen.resolve();
          return reply('done');
        },
      );
      const events = await run(t, '/slow');
      expect(results(events)[0]?.[2]).toContain('works in the background');
    });
  });

  it('with paths wait for one of the files', async () => {
    const t = await start(
      {
        [`${SKILLS}/styles/SKILL.md`]: skill('description: For styles\npaths: "src/**/*.css"'),
        'src/a/b.css': 'a {}',
      },
      [reply('a'), reply([toolUse('Read', { file_path: 'src/a/b.css' })]), reply('b')],
      { decision: 'allow' },
    );
    await run(t, 'one');
    expect(bodyOf(t, 0).messages).not.toContain('For styles');
    await run(t, 'two');
    expect(bodyOf(t, 2).messages).toContain('Skills for the Skill tool:\\n- styles: For styles');
  });

  it('of an untrusted folder are none, and where none are nothing is sent', async () => {
    const t = await start({ [`${SKILLS}/tidy/SKILL.md`]: skill('description: T') }, [reply('a')], {
      settings: { trusted: false },
    });
    const [told] = (await run(t, '/tidy')).slice(-1);
    expect(told).toMatchObject({ text: expect.stringContaining('once you trust it') });
    await run(t, 'tidy up');
    expect(bodyOf(t, 0).tools).not.toContain('Skill');
    expect(bodyOf(t, 0).messages).not.toContain('Do it well');
  });
});

describe('bad skills', () => {
  it('are told with file and line, and the others load', async () => {
    const t = await start(
      {
        [`${SKILLS}/good/SKILL.md`]: skill('description: G'),
        // SKL-016
        [`${SKILLS}/proto/SKILL.md`]:
          '---\nname: a\ndescription: b\n__proto__:\n  polluted: true\n---\n',
        // SKL-019, in small
        [`${SKILLS}/large/SKILL.md`]: `---\nname: a\ndescription: b\n---\n${'x'.repeat(2_000_000)}`,
        [`${SKILLS}/rules/SKILL.md`]: skill('description: R\nallowed-tools: 5'),
        [`${SKILLS}/typo/SKILL.md`]: skill('description: R\nallowed-tool: Bash'),
        [`${SKILLS}/small/skill.md`]: skill('description: in small letters'),
        [`${SKILLS}/model/SKILL.md`]: skill('description: takes a name of Lathe'),
        '.claude/commands/good.md': 'A command of the same name.',
      },
      [reply('a')],
    );
    const said = notices(await run(t, 'one'));
    const about = (words: string) => said.filter((text) => text.includes(words));
    expect(about('proto/SKILL.md').join('\n')).toContain('__proto__: this is no name of a field');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(about('large/SKILL.md')[0]).toMatch(/size is 2\d+ bytes/);
    expect(about('rules/SKILL.md')[0]).toContain('line 3: allowed-tools: a list of texts');
    expect(about('typo/SKILL.md')[0]).toContain('did you mean "allowed-tools"?');
    expect(about('/model is a command of Lathe already')).toHaveLength(1);
    expect(about('commands/good.md')[0]).toContain('skills/good/SKILL.md already');
    expect(about('it is called proto, as its folder is, not "a"')).toHaveLength(1);
    expect(about('small/skill.md')[0]).toContain('its name has to be written SKILL.md');
    expect(said).toHaveLength(8);
    expect(bodyOf(t, 0).messages).toContain('- good: G');
  });
});

describe('commands', () => {
  it('are files in folders, listed with their arguments, and read again when they change', async () => {
    const t = await start(
      {
        '.claude/commands/git/fix.md': skill(
          'description: Fixes\nargument-hint: [issue] [how]',
          'Fix $0 ($1).',
        ),
        '.claude/commands/plain.md': '# Plain one\nGo.',
      },
      [reply('a'), reply('b')],
    );
    await run(t, '/git:fix 12 "with care"');
    expect(bodyOf(t, 0).messages).toContain('Fix 12 (with care).');
    const own = t.session.commands.filter(({ name }) => /fix|plain/.test(name));
    expect(own).toEqual([
      { name: 'git:fix', description: 'Fixes', argumentHint: '[issue] [how]' },
      { name: 'plain', description: 'Plain one', argumentHint: '' },
    ]);
    await writeFile(join(t.project, '.claude/commands/plain.md'), 'Stop.');
    await run(t, '/plain');
    expect(bodyOf(t, 1).messages).toContain('Stop.');
  });

  it('run no shell when they are listed, and ask before they do (CMD-001)', async () => {
    const t = await start(
      { '.claude/commands/pwn.md': '---\nallowed-tools: Bash(touch:*)\n---\n!`touch PWNED`\n' },
      [reply('a'), reply('b')],
    );
    await run(t, 'hello');
    const events = await run(t, '/pwn');
    expect(results(events)).toEqual([['Skill', 'denied', expect.stringContaining('ermission')]]);
    expect(await t.services.files.stat(join(t.project, 'PWNED'))).toMatchObject({ ok: false });
    expect(bodyOf(t, 1).messages).not.toContain('by the skill pwn');
  });
});
