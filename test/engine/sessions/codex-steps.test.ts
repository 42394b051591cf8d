import { describe, expect, it } from 'vitest';
import { historyOf } from '../../../src/main/engine/messages/history';
import { codexSteps } from '../../../src/main/engine/sessions/codex-steps';
import { eventsOf } from '../../../src/main/engine/sessions/other-events';
import { brief, normalize, refused, user } from '../messages/builders';
import { item, jsonl, placed } from './other-session';

const words = (role: string, text: string) =>
  item({ type: 'message', role, content: [{ type: 'input_text', text }] });
const LOG = [
  item({ cwd: '/home/you/boat' }, 'session_meta'),
  words('developer', 'You are a coding agent.'),
  words('user', '<environment_context>facts</environment_context>'),
  words('user', 'mend the keel'),
  words('assistant', 'I look at it.'),
  item({ type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' }),
  item({ type: 'function_call_output', call_id: 'c1', output: '{"output":"keel"}' }),
  item({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
  words('assistant', 'It is mended.'),
  words('user', 'and the mast'),
  item({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'c2' }),
];
const log = jsonl(LOG);
const place = (at: number) => placed(log)[at]?.offset ?? 0;
const request = (until: number | null) => {
  const events = eventsOf(codexSteps(placed(log), until), '/p', 'Copied.', 1);
  return normalize([...historyOf(events.map(({ event }) => event)).messages(), user('go on')]);
};

describe('the steps of a log of Codex', () => {
  it('are what was said and done, without what the program put in', () => {
    const sent = request(null);
    expect(brief(sent)).toEqual([
      'u: mend the keel',
      'a: I look at it. | c1',
      'u: c1',
      'a: It is mended.',
      'u: and the mast',
      'a: c2',
      'u: c2 | go on',
    ]);
    expect(refused(sent)).toBeNull();
    expect(codexSteps(placed(log), null).cwd).toBe('/home/you/boat');
  });

  it('have the words and images of a prompt that the program put facts in front of', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,aGk=' };
    const facts = '# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>row</INSTRUCTIONS>';
    const message = (...content: readonly unknown[]) =>
      item({ type: 'message', role: 'user', content });
    const talk = placed(
      jsonl([
        message({ type: 'input_text', text: facts }, { type: 'input_text', text: 'mend' }, image),
        message(image),
      ]),
    );
    const shown = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'aGk=' },
    };
    expect(codexSteps(talk, null).steps).toMatchObject([
      { kind: 'prompt', content: [{ type: 'text', text: 'mend' }, shown] },
      { kind: 'prompt', content: [shown] },
    ]);
  });

  it('stop before a prompt, and behind an answer with its result', () => {
    const { steps, prompt } = codexSteps(placed(log), place(9));
    expect(steps).toHaveLength(5);
    expect(prompt).toEqual([{ type: 'text', text: 'and the mast' }]);
    expect(brief(request(place(5)))).toEqual([
      ...['u: mend the keel', 'a: I look at it. | c1', 'u: c1 | go on'],
    ]);
  });
});
