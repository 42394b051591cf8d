import type { CallToolResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { filledIn } from '../../../src/main/engine/mcp/filled-in';
import { readTools } from '../../../src/main/engine/mcp/listed-tools';
import { contentOf, createMcpTool, maxResultChars } from '../../../src/main/engine/mcp/mcp-tool';
import { createToolContents } from '../../../src/main/engine/mcp/tool-contents';
import { plainName } from '../../../src/main/engine/permissions/server-names';
import { err, ok } from '../../../src/shared/result';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

describe('the answer of a tool server', () => {
  const text = (value: string) => ({ type: 'text', text: value });
  it.each<[string, CallToolResult, unknown]>([
    ['texts', { content: [{ type: 'text', text: 'a' }] }, [text('a')]],
    [
      'an image',
      { content: [{ type: 'image', mimeType: 'image/png', data: PIXEL }] },
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }],
    ],
    [
      'a damaged image',
      { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
      [text('[image, image/png: it is damaged or cut short.]')],
    ],
    [
      'an image of a kind that the API does not take',
      { content: [{ type: 'image', mimeType: 'image/tiff', data: PIXEL }] },
      [text('[image, image/tiff: it is damaged or cut short.]')],
    ],
    [
      'a sound',
      { content: [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }] },
      [text('[audio, audio/wav: it cannot be shown]')],
    ],
    [
      'a link',
      { content: [{ type: 'resource_link', uri: 'x://1', name: 'one' }] },
      [text('one: x://1')],
    ],
    [
      'a resource',
      { content: [{ type: 'resource', resource: { uri: 'x://1', text: 'inside' } }] },
      [text('x://1:\ninside')],
    ],
    [
      'a binary resource',
      { content: [{ type: 'resource', resource: { uri: 'x://1', blob: 'AAAA' } }] },
      [text('[x://1, binary: it cannot be shown]')],
    ],
    ['only structure', { content: [], structuredContent: { a: 1 } }, [text('{"a":1}')]],
    ['nothing', { content: [] }, []],
  ])('becomes blocks: %s', (_, answer, expected) => {
    expect(contentOf(answer)).toEqual(expected);
  });
});

/** Returns the tool of a server that says something in the words of the ecosystem. */
function noted(alwaysLoad: boolean, _meta: object) {
  const { tools } = readTools('s', [{ name: 'n', inputSchema: { type: 'object' }, _meta }]);
  return createMcpTool(
    { name: 's', alwaysLoad },
    tools[0] ?? { name: 'n', inputSchema: { type: 'object' } },
    async () => err('not called'),
    createToolContents(),
    { maxChars: 1_000, onAllowed: () => {}, onLong: () => {} },
  );
}

describe('the tool of a server', () => {
  const call = async () => err('not called');
  const made = (server: string, name: string) =>
    createMcpTool(
      { name: server, alwaysLoad: false },
      { name, inputSchema: { type: 'object' }, description: 'd'.repeat(5000) },
      call,
      createToolContents(),
      { maxChars: 1_000, onAllowed: () => {}, onLong: () => {} },
    );

  it.each([
    ['git hub', 'list/all issues', 'mcp__git_hub__list_all_issues'],
    ['a__b', 'c__d', 'mcp__a_b__c__d'],
    ['ümläut', 'x', 'mcp___ml_ut__x'],
  ])('has a name that the API takes: %s, %s', (server, name, expected) => {
    expect(made(server, name)?.name).toBe(expected);
  });

  it('has no double underscore in its server, so that rules can tell the two apart', () => {
    for (const name of ['a__b', 'a____b', 'a _ b', '__'])
      expect(plainName(name)).not.toContain('__');
  });

  it('is looked for, and its description is cut', () => {
    expect(made('s', 'n')?.deferred).toBe(true);
    expect(made('s', 'n')?.description).toHaveLength(2048);
  });
});

describe('the length of a result', () => {
  it.each([
    [{}, 100_000],
    [{ MAX_MCP_OUTPUT_TOKENS: '500' }, 2_000],
    [{ MAX_MCP_OUTPUT_TOKENS: ' 60000 ' }, 240_000],
    [{ MAX_MCP_OUTPUT_TOKENS: '0' }, 100_000],
    [{ MAX_MCP_OUTPUT_TOKENS: '5k' }, 100_000],
    [{ MAX_MCP_OUTPUT_TOKENS: '-1' }, 100_000],
  ])('with %j is at most %d characters', (env, chars) => {
    expect(maxResultChars(env)).toBe(chars);
  });

  it.each([
    [false, {}, true],
    [true, {}, undefined],
    [false, { 'anthropic/alwaysLoad': true }, undefined],
    [true, { 'anthropic/alwaysLoad': false }, true],
  ])('of a server that is always loaded: %s, with %j, waits: %s', (alwaysLoad, _meta, waits) => {
    expect(noted(alwaysLoad, _meta).deferred).toBe(waits);
  });

  it('is searched for by what its server says, in one line', () => {
    const hint = `post\u202ecards\n${'x'.repeat(600)}`;
    const { searchHint = '' } = noted(false, { 'anthropic/searchHint': hint });
    expect(searchHint).toMatch(/^post\S*cards x+…?$/);
    expect(searchHint.length).toBeLessThanOrEqual(501);
    expect(searchHint).not.toContain('\u202e');
  });

  it.each([[{ 'anthropic/alwaysLoad': 'yes' }], ['odd'], [[]]])(
    'goes without a note that means nothing: %j',
    (_meta) => {
      const { tools } = readTools('s', [{ name: 'n', inputSchema: { type: 'object' }, _meta }]);
      expect(tools).toHaveLength(1);
      expect(Object(tools[0]?._meta)['anthropic/alwaysLoad']).toBeUndefined();
    },
  );

  it.each([
    [40_000, []],
    [44_000, ['s: n: its result takes about 11000 tokens of the context.']],
    [104_000, [expect.stringMatching(/^s: n: its result of about 26000 tokens went to a file/)]],
  ])('of %d characters is told so', async (chars, expected) => {
    const told: string[] = [];
    const contents = createToolContents();
    const listed = { name: 'n', inputSchema: { type: 'object' as const } };
    contents.take([listed]);
    const tool = createMcpTool(
      { name: 's', alwaysLoad: false },
      listed,
      async () => ok({ content: [{ type: 'text', text: 'x'.repeat(chars) }] }),
      contents,
      {
        maxChars: maxResultChars({}),
        onAllowed: () => {},
        onLong: (_, text) => told.push(text),
      },
    );
    const content = contents.now('n');
    const call = { signal: new AbortController().signal, decided: [{ kind: 'tool', content }] };
    const run = tool?.execute({}, call as unknown as Parameters<typeof tool.execute>[1]);
    let step = await run?.next();
    while (step && !step.done) step = await run?.next();
    expect(step?.value).toMatchObject({ ok: true });
    expect(told).toEqual(expected);
    expect(tool?.maxResultChars).toBe(100_000);
  });
});

describe('variables of a server', () => {
  const fill = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    filledIn({ command: 'run', args, env }, { HOME: '/home/x', EMPTY: '' });

  it.each([
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: as settings write variables
    ['${HOME}/a', '/home/x/a'],
    ['${HOME:-/b}', '/home/x'],
    ['${PORT:-80}', '80'],
    ['${PORT:-}', ''],
    ['${EMPTY}', ''],
    ['$HOME ${not a name}', '$HOME ${not a name}'],
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as settings write variables
  ])('%s', (written, filled) => {
    expect(fill([written])).toMatchObject({ ok: true, value: { argv: ['run', filled] } });
  });

  it('that are not set are named, all of them', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings write variables
    expect(fill(['${ONE}'], { KEY: '${TWO}' })).toEqual(
      err('These variables are not set for it: ONE, TWO.'),
    );
  });
});
