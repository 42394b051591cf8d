import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportSession } from '../../../src/main/engine/sessions/export';
import { sessionPaths, subAgentFile } from '../../../src/main/engine/sessions/paths';
import { createNodeFiles } from '../../../src/main/node/files';
import { type ExportFormat, exportName } from '../../../src/shared/session-export';
import { tempFolder } from '../../node/temp-folder';
import { answer, type Line, prompt, settled, started, textOf, titled } from '../../search/logs';

const ID = 'session-0001';
const never = new AbortController().signal;

async function written(lines: readonly Line[], text = textOf(lines)) {
  const home = await tempFolder();
  const { file, folder } = sessionPaths(home, '/project', ID);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  const pieces = async (format: ExportFormat, signal = never, sessionId = ID) => {
    const all = [];
    const request = { sessionId, format, secrets: ['my-own-key-77'], projects: ['/project'] };
    for await (const piece of exportSession(createNodeFiles(), home, request, signal))
      all.push(piece);
    return all;
  };
  return {
    pieces,
    whole: async (format: ExportFormat) =>
      (await pieces(format)).map((piece) => (piece.ok ? piece.value : 'FAILED')).join(''),
    file: () => readFile(file, 'utf8'),
    /** Writes the log of a sub-agent. */
    agent: async (agentId: string, own: readonly Line[]) => {
      await mkdir(join(folder, 'agents'), { recursive: true });
      await writeFile(subAgentFile(folder, agentId), textOf(own));
    },
  };
}

const image = (media_type: string, data: string) =>
  ({ type: 'image', source: { type: 'base64', media_type, data } }) as const;

/** A call whose result is shown as that of a sub-agent. */
function asked(at: number, agentId: string, title: string): Line {
  const event = settled(at, title, 'Done.').event;
  if (event.type !== 'call_settled') throw new Error('no call');
  const view = { kind: 'agent', agentId, type: 'x', title, lastLine: '', calls: 1, costUsd: 0 };
  return { at, event: { ...event, view: { ...view, kind: 'agent' } } };
}

const TALK = [
  started(),
  titled(5, 'A <b>talk</b> & more'),
  prompt(10, 'Say `hi` <script>alert(1)</script>'),
  answer(20, '# Hi\n\n*there* 漢字'),
  settled(30, 'a.md', 'text with ``` and ```` in it'),
];

it.each<[string, string, readonly string[]]>([
  [
    'lines that are no events',
    'x\n[]\n',
    ["2 lines of this session's file could not be read", 'line 6, 7'],
  ],
  ['a torn end', '{"at":1,"ev', ["The last line of this session's file is torn (11 bytes)."]],
  ['records of a later version', '{"at":1,"event":{"type":"hologram"}}\n', []],
  ['nothing', '', []],
])('what of its log cannot be read is told, and the rest written: %s', async (_, end, words) => {
  const home = await tempFolder();
  const { file } = sessionPaths(home, '/project', ID);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${textOf(TALK)}${end}`);
  const told: string[] = [];
  const tell = (line: string) => void told.push(line);
  const request = { sessionId: ID, format: 'json', secrets: [], projects: [], tell } as const;
  let text = '';
  for await (const piece of exportSession(createNodeFiles(), home, request, never))
    text += piece.ok ? piece.value : 'FAILED';
  expect(JSON.parse(text).items).toHaveLength(3);
  expect(told).toHaveLength(words.length === 0 ? 0 : 1);
  for (const one of words) expect(told[0]).toContain(one);
  if (words.length > 0) expect(told[0]).toContain(file);
});

it('of a folder in the place of a log nothing is written, and that is an error', async () => {
  const home = await tempFolder();
  await mkdir(sessionPaths(home, '/project', ID).file, { recursive: true });
  const request = { sessionId: ID, format: 'html', secrets: [], projects: ['/project'] } as const;
  const pieces = [];
  for await (const piece of exportSession(createNodeFiles(), home, request, never))
    pieces.push(piece);
  expect(pieces).toMatchObject([{ ok: false, error: { message: expect.stringContaining(ID) } }]);
});

describe('a session', () => {
  it('is written as Markdown in which nothing closes a fence', async () => {
    const text = await (await written(TALK)).whole('markdown');
    expect(text).toContain('# A <b>talk</b> & more\n');
    expect(text).toContain('## You\n\nSay `hi` <script>alert(1)</script>\n');
    expect(text).toContain('## Assistant\n\n# Hi\n\n*there* 漢字\n');
    expect(text).toContain('**Read a.md**\n\n`````text\ntext with ``` and ```` in it\n`````\n');
  });

  it('whose log lost its beginning is written with what is left', async () => {
    const text = await (await written(TALK, `{"at":1,"ev\n${textOf(TALK.slice(1))}`)).whole('json');
    const { session, items } = JSON.parse(text);
    expect(session).toMatchObject({ title: 'A <b>talk</b> & more', project: '/project' });
    expect(items).toHaveLength(3);
  });

  it('is written as one JSON document', async () => {
    const { session, items } = JSON.parse(await (await written(TALK)).whole('json'));
    expect(session).toMatchObject({ id: ID, title: 'A <b>talk</b> & more', project: '/project' });
    expect(items).toEqual([
      { at: '1970-01-01T00:00:00.010Z', who: 'user', text: 'Say `hi` <script>alert(1)</script>' },
      { at: '1970-01-01T00:00:00.020Z', who: 'assistant', text: '# Hi\n\n*there* 漢字' },
      {
        ...{ at: '1970-01-01T00:00:00.030Z', who: 'tool', title: 'Read a.md' },
        text: 'text with ``` and ```` in it',
      },
    ]);
  });

  it('is written as a page that runs and loads nothing', async () => {
    const page = await (await written(TALK)).whole('html');
    expect(page).toContain('<title>A &lt;b&gt;talk&lt;/b&gt; &amp; more</title>');
    expect(page).toContain('Say `hi` &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toMatch(/<script|src=|href=|url\(/);
    expect(page).toContain("default-src 'none'");
    expect(page.endsWith('</body></html>\n')).toBe(true);
  });

  it('brings its images along, and only names what is no image', async () => {
    const shown = image('image/png', 'iVBORw0KGgo=');
    const content = [
      { type: 'text', text: 'Look' } as const,
      shown,
      image('image/svg+xml', 'PHN2Zz4='),
      image('image/png', '"onerror="alert(1)'),
    ];
    const asking: Line = { at: 10, event: { type: 'user_message', id: 'p10', content } };
    const seen = settled(20, 'a.png', 'An image');
    const { event } = seen;
    if (event.type !== 'call_settled') throw new Error('no call');
    const session = await written([
      started(),
      asking,
      { ...seen, event: { ...event, content: [shown] } },
    ]);
    const link = 'data:image/png;base64,iVBORw0KGgo=';
    const page = await session.whole('html');
    expect(page.match(/<img [^>]*>/g)).toEqual(Array(2).fill(`<img alt="Image" src="${link}">`));
    expect((await session.whole('markdown')).split(`![Image](${link})`)).toHaveLength(3);
    const images = [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }];
    expect(JSON.parse(await session.whole('json')).items).toMatchObject([
      { text: 'Look\n\n[image]\n\n[image]\n\n[image]', images },
      { text: '[image]', images },
    ]);
  });

  it('has what its sub-agents did behind the calls that started them, each once', async () => {
    const session = await written([
      ...[started(), prompt(10, 'Go'), asked(20, 'agt_1', 'Count <b>')],
      ...[asked(30, 'agt_1', 'Count <b>'), asked(35, 'agt_gone', 'Gone')],
      ...[asked(40, '../../session-0002', 'Elsewhere'), answer(50, 'Ready')],
    ]);
    await session.agent('agt_1', [started(), prompt(11, 'Sub'), asked(12, 'agt_2', 'Deeper')]);
    await session.agent('agt_2', [prompt(13, 'Deep'), asked(14, 'agt_1', 'Round')]);
    const { items } = JSON.parse(await session.whole('json'));
    const told = items.map(({ agent, who, text }: Record<string, string>) => [agent, who, text]);
    expect(told).toEqual([
      [undefined, 'user', 'Go'],
      [undefined, 'tool', 'Done.'],
      ['Count <b>', 'user', 'Sub'],
      ['Count <b>', 'tool', 'Done.'],
      ['Deeper', 'user', 'Deep'],
      ['Deeper', 'tool', 'Done.'],
      ...Array(3).fill([undefined, 'tool', 'Done.']),
      [undefined, 'assistant', 'Ready'],
    ]);
    expect(await session.whole('html')).toContain('<h2>Count &lt;b&gt; · You</h2>');
    expect(await session.whole('markdown')).toContain('## Deeper · You\n\nDeep\n');
  });

  it.each(['markdown', 'json', 'html'] as const)('keeps its secrets (%s)', async (format) => {
    const key = 'sk-ant-abcdefghijklmnop1234';
    const text = await (
      await written([
        started(),
        titled(5, `Use ${key}`),
        prompt(10, `my key is ${key}`),
        answer(20, 'you use my-own-key-77'),
        settled(30, `.env ${key}`, `KEY=${key}`),
      ])
    ).whole(format);
    expect(text).not.toContain(key);
    expect(text).not.toContain('my-own-key-77');
    expect(text.match(/\{\{secret\}\}/g)?.length).toBeGreaterThanOrEqual(5);
  });

  it('comes in pieces when it is long, whole to its last line without an end', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) =>
      prompt(10 + i, `${i} ${'漢'.repeat(400)}`),
    );
    const text = textOf([started(), ...lines]).trimEnd();
    const session = await written([], text);
    const pieces = await session.pieces('json');
    expect(pieces.length).toBeGreaterThan(4);
    const { items } = JSON.parse(await session.whole('json'));
    expect(items.map((item: { text: string }) => item.text)).toEqual(
      lines.map((_, i) => `${i} ${'漢'.repeat(400)}`),
    );
  });

  it('passes over lines that are none', async () => {
    const session = await written(
      [],
      `${textOf([started()])}torn{\n${textOf([prompt(10, 'Go')])}{"at"`,
    );
    expect(JSON.parse(await session.whole('json')).items).toHaveLength(1);
  });

  it('is not written when there is none, and no further when it is cancelled', async () => {
    const session = await written(TALK);
    expect(await session.pieces('json', never, 'session-9999')).toMatchObject([
      { ok: false, error: { code: 'not_found' } },
    ]);
    expect(await session.pieces('json', AbortSignal.abort())).toHaveLength(1);
  });
});

it.each([
  ['Fix: the "login" / now', 'fix-the-login-now.md'],
  ['Größe 漢字', 'größe-漢字.md'],
  ['../..', 'session.md'],
  ['', 'session.md'],
  ['x'.repeat(200), `${'x'.repeat(80)}.md`],
])('the file of %j is %s', (title, name) => expect(exportName(title, 'markdown')).toBe(name));
