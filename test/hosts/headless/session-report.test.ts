import { expect, it } from 'vitest';
import { conversationText } from '../../../src/main/app/conversation-text';
import { createControls } from '../../../src/main/hosts/headless/control';
import type { ToolServerView } from '../../../src/shared/tool-server';
import type { Item } from '../../../src/shared/transcript';
import { IDLE_SESSION } from '../../support/headless-session';

const ITEMS: readonly Item[] = [
  { kind: 'prompt', id: 'p', text: 'Count the\nducks, please!', at: Date.UTC(2026, 10, 27) },
  { kind: 'thinking', id: 't', text: 'Hm.', done: true },
  { kind: 'text', id: 'x', text: 'I look.', done: true },
  {
    ...{ kind: 'call', id: 'c', tool: 'Read', title: { verb: 'Read', target: 'a.txt' } },
    ...{ status: 'failed', view: null, error: 'It is gone.' },
  },
  {
    kind: 'text',
    id: 'y',
    text: 'The key is sk-ant-api03-0123456789abcdef0123456789abcdef.',
    done: true,
  },
];
const SERVERS: readonly ToolServerView[] = [
  {
    ...{ name: 'go:gopls', state: 'idle', transport: 'stdio', target: 'gopls', file: '/p' },
    ...{ program: '', problem: null, languages: ['.go'], tools: 0, prompts: 0, resources: null },
    ...{ signIn: null, offering: 0, revision: 0 },
  },
];
const ask = (subtype: string, items = ITEMS) => {
  const session = { ...IDLE_SESSION, conversation: () => items, languageServers: () => SERVERS };
  const nothing = { ids: () => [], cancel: () => false };
  return createControls(session, '1.2.3', () => {}, nothing)({ subtype });
};

it('a conversation is exported as text, with a name for its file and keys hidden', async () => {
  const answer = await ask('export_conversation');
  const begin =
    '> Count the\n  ducks, please!\n\n● I look.\n\n● Read(a.txt)\n  ⎿ It is gone.\n\n● The key is ';
  expect(answer).toMatchObject({
    value: {
      text: expect.stringContaining(begin),
      default_filename: '2026-11-27-count-the-ducks-please.txt',
    },
  });
  expect(JSON.stringify(answer)).not.toContain('0123456789abcdef');
});

it('an empty conversation is an empty text, and a long one keeps its end', async () => {
  const empty = await ask('export_conversation', []);
  expect(empty).toMatchObject({ value: { text: '', default_filename: 'conversation.txt' } });
  const long = (id: string): Item => ({
    kind: 'text',
    id,
    text: `${id} ${'x'.repeat(3e6)}`,
    done: true,
  });
  const text = conversationText([long('first'), long('second')]);
  expect(text).toMatch(/^\(What was said before is left out\.\)\n\n● second/);
});

it('the status of a session is told in sections of rows', async () => {
  const answer = await ask('get_status');
  expect(answer).toMatchObject({
    value: {
      sections: [
        {
          title: 'Session',
          properties: expect.arrayContaining([
            { label: 'Version', value: '2.1.330 (Lathe 1.2.3)' },
            { label: 'Session ID', value: 'ses' },
            { label: 'Folder', value: '/p' },
          ]),
        },
        { title: 'Model', properties: expect.arrayContaining([{ label: 'Model', value: 'opus' }]) },
        { title: 'Language servers', properties: [{ label: 'go:gopls', value: 'idle' }] },
        { title: 'Settings', properties: [{ label: 'Files', value: 'none' }] },
      ],
    },
  });
});
