import { describe, expect, it } from 'vitest';
import { schemaForModel } from '../../../src/main/engine/mcp/input-schema';
import { leftOutText, readTools } from '../../../src/main/engine/mcp/listed-tools';

const object = (more: object = {}) => ({ type: 'object', ...more });
const deep = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>((p) => object({ properties: { p } }), object());

describe('the input schema of a tool', () => {
  it('that the API takes goes to it as it is', () => {
    const schema = object({
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { 'a.b-c': { $ref: '#/$defs/n' }, anyOf: { anyOf: [true, { type: 'null' }] } },
      $defs: { n: object({ properties: { next: { $ref: '#/$defs/n' } } }) },
      required: ['a.b-c'],
      'x-own': [1],
    });
    expect(schemaForModel(schema)).toEqual({ ok: true, value: schema });
  });

  it('has its choices at the top as properties, because the API takes none there', () => {
    const branch = (name: string, type: string) => ({ properties: { [name]: { type } } });
    const schema = object({
      properties: { a: { type: 'string' } },
      anyOf: [branch('a', 'number'), branch('b', 'number')],
      allOf: [{ required: ['a'] }, true],
    });
    expect(schemaForModel(schema)).toEqual({
      ok: true,
      value: object({ properties: { a: { type: 'string' }, b: { type: 'number' } } }),
    });
  });

  it('is without what may be left away and has a name that the API does not take', () => {
    const properties = { ok: {}, 'StartTime<': {}, ['k'.repeat(65)]: {} };
    expect(schemaForModel(object({ properties }))).toEqual({
      ok: true,
      value: object({ properties: { ok: {} } }),
    });
    expect(schemaForModel(object({ properties, required: ['StartTime<'] }))).toEqual({
      ok: false,
      error: 'it needs an input whose name the model cannot be given: "StartTime<"',
    });
  });

  it.each([
    [undefined, 'no valid JSON Schema'],
    [null, 'no valid JSON Schema'],
    [[], 'no valid JSON Schema'],
    [{ type: 'string' }, '(type)'],
    [{ properties: {} }, '(type)'],
    [object({ properties: { a: { type: 'strnig' } } }), '(properties.a)'],
    [object({ required: 'a' }), '(required)'],
    [object({ properties: { a: { items: [{ type: 'string' }] } } }), '(properties.a)'],
    [object({ properties: { a: { exclusiveMinimum: true } } }), '(properties.a)'],
    [deep(100), 'nested too deeply'],
    [deep(20_000), 'nested too deeply'],
    [object({ description: 'x'.repeat(100_000) }), 'longer than 100000 characters'],
  ])('that the API would refuse goes to nobody: %#', (schema, why) => {
    expect(schemaForModel(schema)).toEqual({ ok: false, error: expect.stringContaining(why) });
  });
});

describe('the list of a server', () => {
  const item = (name: unknown, more: object = {}) => ({ name, inputSchema: object(), ...more });
  const names = (items: readonly unknown[]) => readTools('s', items).tools.map(({ name }) => name);

  it('loses what is wrong, and nothing else', () => {
    const list = [
      item('good', { outputSchema: { no: 'type' }, annotations: { readOnlyHint: 'yes' } }),
      item('bare', { inputSchema: undefined }),
      item('a b'),
      item('a_b'),
      item('good'),
      item('n'.repeat(200)),
      item(''),
      5,
    ];
    expect(names(list)).toEqual(['good', 'a b']);
    expect(readTools('s', list).leftOut).toEqual([
      '"bare": its input schema is no valid JSON Schema of an object',
      '"a_b": rules could not tell it from "a b"',
      '"good": another one has the same name',
      `"${'n'.repeat(80)}": with its server its name is longer than 128 characters`,
      'number 7: it has no name',
      'number 8: it has no name',
    ]);
  });

  it('has at most 1000 tools, and says so', () => {
    const list = Array.from({ length: 3000 }, (_, n) => item(`t${n}`));
    expect(names(list)).toHaveLength(1000);
    expect(readTools('s', list).leftOut).toEqual(['all behind the first 1000']);
  });

  it('hides nothing in what the model reads of a tool', () => {
    const description = 'Adds.\r\n\tFast\u001b[2J \u202eno\u200b\u{e0041}';
    expect(readTools('s', [item('t', { description })]).tools[0]?.description).toBe(
      'Adds.\n\tFast\uFFFD[2J \uFFFDno\uFFFD\uFFFD',
    );
  });

  it.each([
    ['bidi', '\u202e'],
    ['zero-width', '\u200b'],
    ['a tag', '\u{e0041}'],
    ['a selector without a base', '\u{e0101}'],
    ['a filler that is drawn as nothing', '\u3164'],
  ])('hides nothing in an input schema: %s', (_, hidden) => {
    const [tool] = readTools('s', [
      item('t', {
        description: `d${hidden}`,
        inputSchema: object({
          description: `top${hidden}`,
          properties: {
            a: { type: 'string', title: `t${hidden}`, enum: [`e${hidden}`], default: `v${hidden}` },
            b: object({ properties: { [`n${hidden}`]: {} }, required: [`n${hidden}`] }),
          },
        }),
      }),
    ]).tools;
    expect([tool?.description, tool?.inputSchema]).toEqual([
      'd\uFFFD',
      object({
        description: 'top\uFFFD',
        properties: {
          a: { type: 'string', title: 't\uFFFD', enum: ['e\uFFFD'], default: 'v\uFFFD' },
          b: object({ properties: { 'n\uFFFD': {} }, required: ['n\uFFFD'] }),
        },
      }),
    ]);
  });

  it('keeps emoji and other scripts in what the model reads of a tool', () => {
    const description = '👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 日本 مرحبا é';
    const inputSchema = object({ properties: { a: { enum: [description] } } });
    const [tool] = readTools('s', [item('t', { description, inputSchema })]).tools;
    expect([tool?.description, tool?.inputSchema]).toEqual([description, inputSchema]);
  });

  it('is told by its first ten faults', () => {
    expect(leftOutText('s', [])).toBe('');
    expect(leftOutText('s', ['"a": x'])).toBe('Tools of the server "s" are left out: "a": x.');
    expect(leftOutText('s', Array<string>(13).fill('b'))).toMatch(/b; and 3 more\.$/);
  });
});
