import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { textTokens } from '../../../src/main/engine/context/tokens';
import {
  buildSystemPrompt,
  fitSections,
  STATIC_SECTIONS,
} from '../../../src/main/engine/prompt/build';
import {
  createSectionRegistry,
  cutText,
  type Section,
} from '../../../src/main/engine/prompt/section';
import {
  modelGuidance,
  type SessionFacts,
  sessionSections,
} from '../../../src/main/engine/prompt/session-sections';
import { createToolSchemas, inputSchemaOf } from '../../../src/main/engine/prompt/tool-schema';

const signal = new AbortController().signal;
const model = 'claude-opus-5-5';
const facts = (rest: Partial<SessionFacts> = {}): SessionFacts => ({
  cwd: '/code/a',
  addedDirectories: () => [],
  platform: 'linux',
  shell: '/bin/bash',
  appVersion: '0.1.0',
  unattended: false,
  gitSnapshot: async () => null,
  ...rest,
});
const build = (rest: object = {}, session: Partial<SessionFacts> = {}) =>
  buildSystemPrompt(
    { registry: createSectionRegistry(sessionSections(facts(session))), model, ...rest },
    signal,
  );
const texts = async (rest: object = {}, session: Partial<SessionFacts> = {}) =>
  (await build(rest, session)).texts;

describe('the system prompt', () => {
  it('has a static part of the same bytes in every session, then the boundary', async () => {
    const here = await texts();
    const there = await texts(
      {},
      {
        cwd: '/elsewhere',
        platform: 'darwin',
        language: 'Deutsch',
        unattended: true,
      },
    );
    expect(here).toHaveLength(2);
    expect(here[0]).toEqual(there[0]);
    expect(here[1]).not.toEqual(there[1]);
    expect(there[1]?.text).toMatch(/Unattended[\s\S]*Deutsch[\s\S]*claude-opus[\s\S]*\/elsewhere/);
  });

  it.each([
    [{}, null],
    [{ commit: ' ', pr: '' }, null],
    [
      { commit: 'Helped-by: Lathe' },
      /# Attribution\nEnd the message of each commit.*:\nHelped-by: Lathe$/m,
    ],
    [
      { commit: 'A', pr: 'B' },
      /commit[^\n]*:\nA\nEnd the description of each pull request[^\n]*:\nB$/m,
    ],
  ])('says how commits and pull requests end: %j', async (attribution, expected) => {
    const text = (await texts({}, { attribution }))[1]?.text ?? '';
    if (expected === null) expect(text).not.toContain('Attribution');
    else expect(text).toMatch(expected);
  });

  it('stays small: the static part is far below 6 000 tokens', () => {
    const characters = STATIC_SECTIONS.reduce((n, s) => n + s.text.length, 0);
    expect(characters / 4).toBeLessThan(2000);
  });

  it('holds no date (it would break the cache every midnight)', async () => {
    expect(JSON.stringify(await build())).not.toMatch(/\b20\d\d-\d\d/);
  });

  it.each([
    [{ override: 'O', coordinator: 'K', agent: 'A', custom: 'C', append: 'Z' }, /^O$/, /^Z$/],
    [{ coordinator: 'K', agent: 'A', custom: 'C', append: 'Z' }, /^K$/, /Environment[\s\S]*\n\nZ$/],
    [{ agent: 'A', custom: 'C' }, /^A$/, /Environment/],
    [{ custom: 'C', append: 'Z' }, /^C$/, /Z$/],
    [{ append: 'Z' }, /^You are Lathe/, /Z$/],
    [{ simple: true }, /^You are Lathe.{0,300}$/, /Environment/],
  ])('precedence %#', async (input, first, second) => {
    const [fixed, dynamic] = await texts(input);
    expect(fixed?.text).toMatch(first);
    expect(dynamic?.text).toMatch(second);
  });

  it('leaves the coding instructions out for a style that has its own, and only them', async () => {
    const whole = await build();
    const styled = await build({ withoutCoding: true }, { outputStyle: async () => 'Say arr.' });
    const gone = whole.sections.filter((s) => !styled.sections.some((t) => t.name === s.name));
    expect(gone.map((section) => section.name)).toEqual(['tasks', 'brevity']);
    expect(styled.texts[1]?.text).toContain('# Output style\nSay arr.');
  });

  it('tells of the scratch folder and of servers only where there are any, in one order', async () => {
    const names = async (session: Partial<SessionFacts>) =>
      (await build({}, session)).sections.map((section) => section.name);
    expect(await names({ scratchpad: async () => null, serverInstructions: () => [] })).not.toEqual(
      expect.arrayContaining(['scratchpad']),
    );
    const [, both] = await texts(
      {},
      {
        scratchpad: async () => '/s/scratch',
        serverInstructions: () => [
          { server: 'zeta', text: 'last' },
          { server: 'quiet', text: ' ' },
          { server: 'alpha', text: 'first' },
        ],
      },
    );
    expect(both?.text).toMatch(/## alpha\nfirst\n\n## zeta\nlast[\s\S]*\/s\/scratch/);
    expect(both?.text).not.toContain('quiet');
  });

  it('names what it was joined from, in the order of the text', async () => {
    const { texts: sent, sections } = await build({ append: 'Z' });
    expect(sections.map((section) => section.name)).toEqual([
      ...STATIC_SECTIONS.map((section) => section.name),
      'model',
      'guidance',
      'environment',
      'append',
    ]);
    expect(sent.map((part) => part.text).join('\n\n')).toBe(
      sections.map((section) => section.text).join('\n\n'),
    );
  });

  it('is only the few lines asked for when it is overridden, and can be empty', async () => {
    expect(await texts({ override: 'O' })).toEqual([{ type: 'text', text: 'O' }]);
    expect(await texts({ override: ' ' })).toEqual([]);
  });

  it('follows the model, and keeps the rest', async () => {
    let snapshots = 0;
    const gitSnapshot = async () => `snapshot ${++snapshots}`;
    const registry = createSectionRegistry(sessionSections(facts({ gitSnapshot })));
    const before = await buildSystemPrompt({ registry, model }, signal);
    expect(await buildSystemPrompt({ registry, model }, signal)).toEqual(before);
    const other = { registry, model: 'claude-haiku-5-5' };
    const switched = await buildSystemPrompt(other, signal);
    const changed = switched.sections.filter((s, i) => s.text !== before.sections[i]?.text);
    expect(changed.map((section) => section.name)).toEqual(['model']);
    expect(snapshots).toBe(1);
  });

  it.each([
    ['claude-opus-5-5', /claude-opus-5-5\.\nStay within/],
    ['eu.anthropic.claude-haiku-5-5-20260901-v1:0', /one step at a time/],
    ['claude-sonnet-5-5', /^# Model\nYou run on the model claude-sonnet-5-5\.$/],
  ])('adapts to %s', (model, expected) => {
    expect(modelGuidance(model)).toMatch(expected);
  });
});

describe('sections', () => {
  const section = (name: string, compute: Section['compute']): Section => ({
    name,
    cache: 'session',
    compute,
  });

  it('run in parallel, keep their order, and one that fails is only missing', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    let broken = true;
    const registry = createSectionRegistry([
      section('slow', async () => {
        await gate.promise;
        order.push('slow');
        return 'slow';
      }),
      section('broken', () => {
        if (broken) throw new Error('x');
        return 'mended';
      }),
      section('fast', () => {
        order.push('fast');
        gate.resolve();
        return 'fast';
      }),
      section('silent', () => null),
    ]);
    const names = async () => (await registry.compute(model, signal)).map((s) => s.name);
    expect(await names()).toEqual(['slow', 'fast']);
    expect(order).toEqual(['fast', 'slow']);
    broken = false;
    expect(await names()).toEqual(['slow', 'broken', 'fast']);
    expect(order).toHaveLength(2);
  });

  it('are computed anew when forgotten, each or all', async () => {
    let count = 0;
    const registry = createSectionRegistry([
      section('a', () => `a${++count}`),
      section('b', () => `b${++count}`),
    ]);
    const now = async () => (await registry.compute(model, signal)).map((s) => s.text);
    expect(await now()).toEqual(['a1', 'b2']);
    registry.forget('a');
    expect(await now()).toEqual(['a3', 'b2']);
    registry.forget();
    expect(await now()).toEqual(['a4', 'b5']);
  });

  it('do not keep a text that was computed before they were forgotten, or cut off', async () => {
    const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    let asked = 0;
    const registry = createSectionRegistry([
      section('a', () => gates[asked++]?.promise ?? 'fresh'),
    ]);
    const old = registry.compute(model, signal);
    registry.forget();
    gates[0]?.resolve('old');
    expect(await old).toEqual([{ name: 'a', text: 'old' }]);
    const abort = new AbortController();
    const cut = registry.compute(model, abort.signal);
    abort.abort();
    gates[1]?.resolve('half');
    await cut;
    expect(await registry.compute(model, signal)).toEqual([{ name: 'a', text: 'fresh' }]);
  });

  it('that are never cached say why, and no two have one name', () => {
    const never: Section = { name: 'n', cache: 'never', why: ' ', compute: () => 'x' };
    expect(() => createSectionRegistry([never])).toThrow(/why/);
    expect(() => createSectionRegistry([section('a', () => ''), section('a', () => '')])).toThrow(
      /same name/,
    );
    for (const s of sessionSections(facts())) if (s.cache === 'never') expect(s.why).not.toBe('');
  });
});

describe('tool definitions', () => {
  const tool = (name: string, input: z.ZodType) => ({ name, description: `${name}!`, input });
  const read = z.object({
    file_path: z.string().describe('Absolute path.'),
    limit: z.number().int().positive().optional(),
    mode: z.enum(['a', 'b']).default('a'),
  });

  it('keep their order and are byte-identical', () => {
    const schemas = createToolSchemas();
    const tools = [tool('b', read), tool('B', read), tool('a', read)];
    const one = schemas.definitions(tools);
    expect(one.map((t) => t.name)).toEqual(['b', 'B', 'a']);
    expect(JSON.stringify(createToolSchemas().definitions(tools))).toBe(JSON.stringify(one));
    expect(schemas.definitions(tools)[0]?.input_schema).toBe(one[0]?.input_schema);
  });

  it('hold the input side of the schema and nothing superfluous', () => {
    expect(inputSchemaOf(read)).toEqual({
      type: 'object',
      properties: {
        file_path: { type: 'string', description: 'Absolute path.' },
        limit: { type: 'integer', exclusiveMinimum: 0 },
        mode: { default: 'a', type: 'string', enum: ['a', 'b'] },
      },
      required: ['file_path'],
    });
  });

  it('pass an own schema through, and refuse what is no object', () => {
    const inputSchema = { type: 'object', properties: { x: {} } };
    const mcp = { ...tool('m', z.unknown()), inputSchema };
    expect(createToolSchemas().definitions([mcp])[0]?.input_schema).toBe(inputSchema);
    expect(() => inputSchemaOf(z.union([z.string(), z.number()]))).toThrow(/object/);
  });
});

describe('the budget of the prompt', () => {
  const section = (name: string, lines: number) => ({
    name,
    text: Array.from({ length: lines }, (_, at) => `${name} ${at}`.padEnd(39, '.')).join('\n'),
  });

  it('leaves everything as it is while there is room', () => {
    const sections = [section('model', 10), section('directory', 10)];
    expect(fitSections(sections, 1000)).toBe(sections);
  });

  it('cuts servers before the directory, the directory before git, and nothing else', () => {
    const sections = ['model', 'servers', 'git', 'directory'].map((name) => section(name, 100));
    const lines = (room: number) =>
      fitSections(sections, room).map(({ text }) => {
        if (text.startsWith('(')) return 'gone';
        return text.split('\n').length > 99 ? 'whole' : 'cut';
      });
    expect(lines(3600)).toEqual(['whole', 'cut', 'whole', 'whole']);
    expect(lines(2500)).toEqual(['whole', 'gone', 'whole', 'cut']);
    expect(lines(1500)).toEqual(['whole', 'gone', 'cut', 'gone']);
    expect(lines(0)).toEqual(['whole', 'gone', 'gone', 'gone']);
  });

  it('says where it cut, and what it left out', () => {
    const [directory] = fitSections([section('directory', 100)], 500);
    expect(directory?.text).toMatch(/^directory 0.*\(cut: the prompt has no more room\)$/s);
    const [gone] = fitSections([section('directory', 100)], 0);
    expect(gone?.text).toBe('(directory left out: the prompt has no more room)');
  });

  it('cuts a text of one line in its middle, whatever its characters take', () => {
    for (const text of ['x'.repeat(9_000), '漢'.repeat(9_000), `a\n${'🌍'.repeat(9_000)}`]) {
      const cut = cutText(text, 1_000) ?? '';
      expect(textTokens(cut)).toBeGreaterThan(800);
      expect(textTokens(cut)).toBeLessThan(1_020);
    }
  });

  it('gives memory what the firm sections leave, before git and what is less than it', async () => {
    const rooms: number[] = [];
    const opening = async (room: number) => {
      rooms.push(room);
      return room;
    };
    const gitSnapshot = async () => 'changed '.repeat(100);
    const { sections, cut } = await build({ opening }, { gitSnapshot });
    expect(cut).toEqual(['git']);
    expect(sections.find(({ name }) => name === 'git')?.text).toMatch(/^\(git left out/);
    await build({ opening, append: 'x'.repeat(40_000) }, { gitSnapshot });
    expect((rooms[0] ?? 0) - (rooms[1] ?? 0)).toBeCloseTo(10_000, -2);
    await build({ opening, custom: 'x'.repeat(400_000) });
    expect(rooms[2]).toBe(0);
  });
});

describe('session guidance', () => {
  const guidance = async (tools: readonly string[], unattended = false) => {
    const { sections } = await build({}, { tools: () => tools, unattended });
    return sections.find(({ name }) => name === 'guidance')?.text ?? '';
  };

  it('speaks only of tools that are offered', async () => {
    expect(await guidance(['Glob', 'Grep', 'Agent'])).toContain('Explore agent');
    expect(await guidance(['Glob', 'Grep'])).not.toContain('Explore');
    expect(await guidance(['AskUserQuestion'])).toContain('why a call was denied, ask');
    expect(await guidance([])).not.toMatch(/Glob|denied/);
  });

  it('asks nobody where nobody is there', async () => {
    expect(await guidance(['AskUserQuestion'], true)).not.toMatch(/denied, ask|begins with !/);
  });
});

it('the environment names system, architecture and runtime, and the model when its knowledge ends', async () => {
  const [, rest] = await texts(
    {},
    { system: '6.1.0, x64', runtime: 'Node 24.21.0', knowledgeUntil: () => '2026-06' },
  );
  expect(rest?.text).toMatch(/Platform: linux 6\.1\.0, x64/);
  expect(rest?.text).toContain('on Node 24.21.0');
  expect(rest?.text).toContain('Your knowledge ends about 2026-06');
});
