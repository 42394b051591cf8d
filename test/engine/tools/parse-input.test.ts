import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import { findTool, fixedSource } from '../../../src/main/engine/tools/catalogue';
import { parseToolInput } from '../../../src/main/engine/tools/parse-input';
import type { AnyTool } from '../../../src/main/engine/tools/tool';

const LONG = `${'a/'.repeat(50_000)}b`;
const tools = createBuiltinTools();
const builtin = [fixedSource('built in', tools)];

const tool = (name: string): AnyTool => {
  const found = findTool(builtin, name);
  if (found === null) throw new Error(`no ${name}`);
  return found;
};

describe('the built-in tools', () => {
  it('have names of their own', () => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'bash', ''])(
    'does not know %j',
    (name) => {
      expect(findTool(builtin, name)).toBeNull();
    },
  );

  it.each([
    ['Read', { file_path: LONG }],
    ['Write', { file_path: LONG, content: '' }],
    ['Edit', { file_path: LONG, old_string: 'a', new_string: 'b' }],
    ['Glob', { pattern: '*', path: LONG }],
    ['Grep', { pattern: 'x', path: LONG }],
  ])('%s refuses a path of 100 kB with the limit', (name, input) => {
    const parsed = parseToolInput(tool(name), input);
    expect(parsed.ok ? '' : parsed.error).toContain('path`: a path has at most 4096 bytes');
  });

  it('every tool has a schema the API takes, an object that allows nothing else', () => {
    for (const { name, input } of tools) {
      const schema = z.toJSONSchema(input, { io: 'input' });
      expect({ name, type: schema.type, more: schema.additionalProperties }).toEqual({
        name,
        type: 'object',
        more: false,
      });
    }
  });

  it('every tool can be shown while its input is still on the way', () => {
    for (const each of tools) expect(each.title({}).verb).not.toBe('');
  });
});

describe('inputs', () => {
  it('pass when they fit', () => {
    expect(parseToolInput(tool('Read'), { file_path: 'a', limit: 3 })).toEqual({
      ok: true,
      value: { file_path: 'a', limit: 3 },
    });
  });

  it.each<[string, unknown, string]>([
    ['Read', {}, '`file_path` is missing (expected string)'],
    ['Read', { file_path: 5 }, '`file_path` must be string, not number'],
    ['Read', { file_path: null }, '`file_path` must be string, not null'],
    ['Read', { file_path: 'a', limit: '5' }, '`limit` must be number, not string'],
    ['Read', { file_path: 'a', filepath: 'b' }, 'unknown field: `filepath`'],
    ['Read', 'a', 'the input must be object, not string'],
    ['Read', ['a'], 'the input must be object, not array'],
    [
      'Read',
      JSON.parse('{"file_path":"a","__proto__":{"limit":1},"constructor":1}'),
      'unknown field',
    ],
    ['Read', { file_path: '' }, '`file_path` must not be empty'],
    ['Read', { file_path: 'a', limit: 0 }, '`limit` must be at least 1, not 0'],
    ['Read', { file_path: 'a', offset: 1.5 }, '`offset` must be a whole number, not 1.5'],
    ['Bash', { command: 'x', timeout: 600_001 }, '`timeout` must be at most 600000, not 600001'],
    ['WebSearch', { query: 'x' }, '`query` must have at least 2 characters, not 1'],
    ['AskUserQuestion', { questions: [] }, '`questions` must have at least 1 item, not 0'],
    [
      'Bash',
      { command: 'x', dangerouslySkipPermissions: true },
      'unknown field: `dangerouslySkipPermissions`',
    ],
    ['Grep', { pattern: 'x', output_mode: 'lines' }, '`output_mode` must be one of'],
    [
      'TodoWrite',
      { todos: [{ content: 'x', status: 'pending' }] },
      '`todos.0.activeForm` is missing',
    ],
  ])('%s %j', (name, input, words) => {
    const parsed = parseToolInput(tool(name), input);
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.error).toContain(words);
    expect(!parsed.ok && parsed.error.startsWith(`${name} was not run`)).toBe(true);
  });

  it('names at most eight of many faults', () => {
    const parsed = parseToolInput(tool('TodoWrite'), {
      todos: Array.from({ length: 30 }, () => 1),
    });
    expect(!parsed.ok && parsed.error.split('\n')).toHaveLength(10);
  });
});
