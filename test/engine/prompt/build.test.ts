import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildSystemPrompt } from '../../../src/main/engine/prompt/build';
import {
  computeSections,
  createSectionCache,
  type Section,
} from '../../../src/main/engine/prompt/section';
import {
  type SessionFacts,
  sessionSections,
} from '../../../src/main/engine/prompt/session-sections';
import { STATIC_SECTIONS } from '../../../src/main/engine/prompt/static-sections';
import { createToolSchemas, inputSchemaOf } from '../../../src/main/engine/prompt/tool-schema';
import type { PermissionMode } from '../../../src/shared/permission';

const signal = new AbortController().signal;
const facts = (rest: Partial<SessionFacts> = {}): SessionFacts => ({
  cwd: '/work/a',
  addedDirectories: [],
  platform: 'linux',
  shell: '/bin/bash',
  appVersion: '0.1.0',
  unattended: false,
  model: () => 'claude-opus-5-5',
  mode: () => 'default',
  gitSnapshot: async () => null,
  ...rest,
});
const build = (rest: object = {}, session: Partial<SessionFacts> = {}) =>
  buildSystemPrompt(
    { sections: sessionSections(facts(session)), cache: createSectionCache(), ...rest },
    signal,
  );

describe('the system prompt', () => {
  it('has a static part of the same bytes in every session, then the boundary', async () => {
    const here = await build();
    const there = await build(
      {},
      {
        cwd: '/elsewhere',
        platform: 'darwin',
        language: 'Deutsch',
        unattended: true,
        mode: () => 'plan',
      },
    );
    expect(here).toHaveLength(2);
    expect(here[0]).toEqual(there[0]);
    expect(here[1]).not.toEqual(there[1]);
    expect(there[1]?.text).toMatch(/\/elsewhere[\s\S]*Deutsch[\s\S]*Unattended[\s\S]*Plan mode/);
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
    const [fixed, dynamic] = await build(input);
    expect(fixed?.text).toMatch(first);
    expect(dynamic?.text).toMatch(second);
  });

  it('follows mode and model, and keeps the rest', async () => {
    let mode: PermissionMode = 'default';
    let snapshots = 0;
    const gitSnapshot = async () => `snapshot ${++snapshots}`;
    const sections = sessionSections(facts({ mode: () => mode, gitSnapshot }));
    const cache = createSectionCache();
    const before = await buildSystemPrompt({ sections, cache }, signal);
    mode = 'acceptEdits';
    expect(await buildSystemPrompt({ sections, cache }, signal)).toEqual(before);
    mode = 'plan';
    const planning = await buildSystemPrompt({ sections, cache }, signal);
    expect(planning[1]?.text).toContain('Plan mode');
    expect(snapshots).toBe(1);
  });
});

describe('sections', () => {
  it('run in parallel, keep their order, and one that fails is only missing', async () => {
    const order: string[] = [];
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const section = (name: string, compute: Section['compute']): Section => ({
      name,
      cache: 'session',
      compute,
    });
    const sections = [
      section('slow', async () => {
        await gate;
        order.push('slow');
        return 'slow';
      }),
      section('broken', () => {
        throw new Error('x');
      }),
      section('fast', () => {
        order.push('fast');
        release();
        return 'fast';
      }),
      section('silent', () => null),
    ];
    const cache = createSectionCache();
    expect(await computeSections(sections, cache, signal)).toEqual(['slow', 'fast']);
    expect(order).toEqual(['fast', 'slow']);
    expect(await computeSections(sections, cache, signal)).toEqual(['slow', 'fast']);
    expect(order).toHaveLength(2);
  });
});

describe('tool definitions', () => {
  const tool = (name: string, input: z.ZodType) => ({ name, description: `${name}!`, input });
  const read = z.object({
    file_path: z.string().describe('Absolute path.'),
    limit: z.number().int().positive().optional(),
    mode: z.enum(['a', 'b']).default('a'),
  });

  it('are sorted, whatever order they came in, and byte-identical', () => {
    const schemas = createToolSchemas();
    const tools = [tool('b', read), tool('B', read), tool('a', read)];
    const one = schemas.definitions(tools);
    expect(one.map((t) => t.name)).toEqual(['B', 'a', 'b']);
    expect(JSON.stringify(schemas.definitions([...tools].reverse()))).toBe(JSON.stringify(one));
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
