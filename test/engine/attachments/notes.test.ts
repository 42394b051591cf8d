import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { EffectiveSettings } from '../../../src/main/engine/settings/effective';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import type { RecordedRequest, Script } from '../../support/scripted-api';
import { error, hang, type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const DAY = 86_400_000;
const TOLD = 'Notes that may fit';

const isChoice = ({ body }: RecordedRequest): boolean =>
  JSON.stringify(body.system).includes('You choose notes');

/** Answers the choice of notes; everything else reads on until notes came, at most `turns` times, and then ends. */
function script(choice: () => Reply, turns = 60): Script {
  let turn = 0;
  let known = 0;
  return (request) => {
    if (isChoice(request)) return choice();
    const told = JSON.stringify(request.body.messages).split(TOLD).length - 1;
    if (told > known || turn === turns) {
      turn = 0;
      known = told;
      return reply('done');
    }
    turn += 1;
    return reply([toolUse('Read', { file_path: 'a.txt', offset: turn })]);
  };
}

interface Opening {
  readonly choice?: () => Reply;
  readonly turns?: number;
  readonly notes?: Readonly<Record<string, string>>;
  readonly settings?: Partial<EffectiveSettings>;
  readonly attended?: boolean;
  readonly script?: Script;
}

const NOTES = { 'deploy.md': 'Ship with make.', 'parser.md': '# The parser\n\nIt is slow.' };

async function openWith({
  choice = () => reply('2'),
  turns,
  notes = NOTES,
  settings,
  attended = false,
  script: own,
}: Opening) {
  const t = await openTestSession(own ?? script(choice, turns), {
    host: (plain) => ({ ...plain, unattended: !attended }),
    tools: [createReadTool(), createWriteTool()],
    files: { 'a.txt': 'line\n'.repeat(100) },
    ...(settings === undefined ? {} : { settings }),
  });
  open = t;
  const folder = noteFolderOf(t);
  await mkdir(folder, { recursive: true });
  for (const [at, [name, text]] of Object.entries(notes).entries()) {
    await writeFile(join(folder, name), text);
    const saved = new Date(t.clock.now() - (at + 1) * DAY);
    await utimes(join(folder, name), saved, saved);
  }
  return t;
}

const noteFolderOf = ({ services, project }: TestSession): string =>
  join(services.configDir, 'projects', project.replace(/[^A-Za-z0-9]/g, '-'), 'memory');

const choices = (t: TestSession) => t.api.requests.filter(isChoice);
const mainBodies = (t: TestSession) =>
  t.api.requests.filter((one) => !isChoice(one)).map(({ body }) => JSON.stringify(body.messages));

it('brings the notes that a small model picks, with their age, behind the first request, once', async () => {
  const picks = ['2', '1'];
  const t = await openWith({ choice: () => reply(picks.shift() ?? '0') });
  const events = await t.run('why is the parser slow');
  expect(choices(t)).toHaveLength(1);
  const asked = JSON.stringify(choices(t)[0]?.body.messages);
  expect(asked).toContain('1. deploy (saved yesterday): Ship with make.');
  expect(asked).toContain('2. parser (saved 2 days ago): The parser');
  expect(mainBodies(t)[0]).not.toContain(TOLD);
  const told = events.filter((e) => e.type === 'attachment' && e.kind === 'relevant_notes');
  expect(told).toHaveLength(1);
  expect(mainBodies(t).at(-1)).toContain(`${TOLD}: parser (saved 2 days ago)`);
  expect(mainBodies(t).at(-1)).toContain('It is slow.');
  expect(events).toContainEqual(expect.objectContaining({ type: 'side_call', purpose: 'notes' }));
  const rows = t.session.log.transcript();
  expect(JSON.stringify([rows.committed, rows.active])).toContain(`${TOLD}: parser`);
  await t.run('and once more, please');
  // The note that the model has is no longer offered.
  expect(choices(t)).toHaveLength(2);
  expect(JSON.stringify(choices(t)[1]?.body.messages)).not.toContain('The parser');
  expect(mainBodies(t).at(-1)).toContain(`${TOLD}: deploy (saved yesterday)`);
});

it.each<[string, Opening, string]>([
  ['one word', {}, 'continue'],
  ['no notes', { notes: {} }, 'look at the parser'],
  ['only an index', { notes: { 'MEMORY.md': '- a' } }, 'look at the parser'],
  ['autoMemoryEnabled is false', { settings: { autoMemory: false } }, 'look at the parser'],
])('asks nobody about notes: %s', async (_, opening, prompt) => {
  const t = await openWith({ ...opening, turns: 3 });
  await t.run(prompt);
  expect(choices(t)).toHaveLength(0);
  expect(t.api.requests).toHaveLength(4);
});

it.each<[string, () => Reply]>([
  ['it picks none', () => reply('0')],
  ['it picks what is not there', () => reply('17 nothing')],
  ['it fails', () => error(400, 'no')],
])('goes on without notes when %s', async (_, choice) => {
  const t = await openWith({ choice, turns: 5 });
  const events = await t.run('look at the parser');
  expect(events.at(-1)).toMatchObject({ type: 'query_finished', terminal: 'completed' });
  expect(mainBodies(t).at(-1)).not.toContain(TOLD);
});

it('does not wait for a choice that hangs, and stops it with the query', async () => {
  const t = await openWith({ choice: hang, turns: 4 });
  const events = await t.run('look at the parser');
  expect(events.at(-1)).toMatchObject({ type: 'query_finished', terminal: 'completed' });
  expect(mainBodies(t)).toHaveLength(5);
});

it('takes at most five notes, 200 lines of each, and no more than 60 kB into the messages', async () => {
  const long = (name: string) => [`${name}.md`, `${name}\n${'words of a line\n'.repeat(300)}`];
  const wide = (name: string) => [`${name}.md`, `${name} ${'x'.repeat(40_000)}`];
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const t = await openWith({
    notes: Object.fromEntries([long('l'), ...names.map(wide)]),
    choice: () => reply('1 2 3 4 5 6 7'),
  });
  await t.run('tell me everything');
  const attached = () =>
    t.session.log
      .transcript()
      .committed.concat(t.session.log.transcript().active)
      .filter((item) => item.kind === 'divider' && item.code === 'notes').length;
  expect(attached()).toBe(1);
  const body = mainBodies(t).at(-1) ?? '';
  expect(body.split('words of a line')).toHaveLength(200);
  expect(body.match(/\(cut: Read [^)]*\)/g)).toHaveLength(5);
  expect(body).not.toContain('e.md, saved');
  await t.run('and the rest of it');
  const both = mainBodies(t).at(-1) ?? '';
  expect(both.length).toBeLessThan(80_000);
  const before = choices(t).length;
  await t.run('is there even more');
  expect(choices(t)).toHaveLength(before);
});

it('says where notes are kept once somebody wants something remembered, and lets them be read', async () => {
  const t = await openWith({ turns: 0, notes: {} });
  await t.run('please remember that we ship on Fridays');
  await t.run('remember that too');
  const last = mainBodies(t).at(-1);
  expect(last?.split('outlast this session')).toHaveLength(2);
  expect(last).toContain(noteFolderOf(t));
  expect(dirname(noteFolderOf(t))).toContain('projects');
});

it('lets the model take notes by itself from the second prompt on, unasked', async () => {
  let path = '';
  const t = await openWith({
    notes: {},
    attended: true,
    script: (_, at) =>
      at === 1 ? reply([toolUse('Write', { file_path: path, content: 'Fridays' })]) : reply('done'),
  });
  path = join(noteFolderOf(t), 'ship.md');
  await t.run('what is this');
  await t.run('and what is that');
  const [first, second] = mainBodies(t);
  expect(first).not.toContain('outlast this session');
  expect(second).toContain('Take such notes by yourself');
  expect(await readFile(path, 'utf8')).toBe('Fridays');
});

it.each<[string, Opening]>([
  ['nobody trusts the folder', { attended: true, settings: { trusted: false } }],
  ['nobody sits there', { attended: false }],
  ['autoMemoryEnabled is false', { attended: true, settings: { autoMemory: false } }],
])('takes none by itself where %s', async (_, opening) => {
  const t = await openWith({ ...opening, turns: 0, notes: {} });
  await t.run('what is this');
  await t.run('and what is that');
  expect(mainBodies(t).at(-1)).not.toContain('Take such notes by yourself');
});
