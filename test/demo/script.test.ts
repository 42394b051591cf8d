import { describe, expect, test } from 'vitest';
import { END_OF_TOUR } from '../../src/main/demo/scene';
import { nextStep } from '../../src/main/demo/script';
import { ALL_TOOLS, Conversation, CWD } from './conversation';
import {
  CRASHED,
  CUT_SHORT,
  DENIED,
  deniedSaying,
  goodProject,
  INTERRUPTED,
  type Overrides,
  STALE,
} from './projects';

const namesOf = (c: Conversation): string[] =>
  c.replies.map((reply) => reply.flatMap((b) => (b.type === 'call' ? [b.name] : [])).join(' '));

describe('the tour', () => {
  test('goes its way when everything is allowed', () => {
    const talk = new Conversation(goodProject()).ask('write me a poem');
    expect(namesOf(talk)).toEqual([
      'TodoWrite Read Read Grep',
      'TodoWrite Read Bash',
      'TaskOutput',
      'TaskOutput',
      'TodoWrite Edit',
      'TodoWrite Bash',
      'TodoWrite',
      '',
    ]);
    expect(talk.lastWords).toContain('| before | 20 | 1 |');
    expect(talk.lastWords).toContain('| after | 21 | 0 |');
    expect(talk.lastWords).toContain(END_OF_TOUR);
  });

  test('says first what it is, and never that it is a model', () => {
    const talk = new Conversation(goodProject()).ask('hi');
    const first = talk.replies[0]?.[0];
    expect(first?.type === 'text' && first.text).toMatch(
      /^\*\*This is the offline demo: a script, not an AI model/,
    );
    expect(JSON.stringify(talk.replies)).not.toMatch(/claude|anthropic/i);
  });

  test('names files by absolute paths in the folder of the request', () => {
    const talk = new Conversation(goodProject()).ask('go');
    expect(talk.calls('Read').map((c) => c.input['file_path'])).toEqual([
      `${CWD}/src/departures.js`,
      `${CWD}/test/departures.test.js`,
      `${CWD}/src/clock.js`,
    ]);
  });

  test('thinks before it explains, and ends with the list ticked off', () => {
    const talk = new Conversation(goodProject()).ask('go');
    expect(talk.replies[4]?.[0]?.type).toBe('thinking');
    const list = JSON.stringify(talk.calls('TodoWrite').at(-1)?.input);
    expect(list.match(/"completed"/g)).toHaveLength(4);
  });

  test('gives the same answer to the same request', () => {
    const talk = new Conversation(goodProject()).ask('go');
    const body = talk.request();
    expect(nextStep(body)).toEqual(nextStep(structuredClone(body)));
  });
});

const GOOD_START = { text: 'It runs in the background as task b_x7.' };

/** What people and machines do to it: what happens, the answers, calls of Bash and Edit, what the end says. */
const TURNS: readonly (readonly [string, Overrides, number, number, RegExp])[] = [
  [
    'a plain no to the edit',
    { Edit: () => DENIED },
    1,
    1,
    /```diff[\s\S]*\(time - now \+ DAY\) % DAY/,
  ],
  [
    'a no with a reason, then a plain no',
    { Edit: [deniedSaying('too long'), DENIED] },
    1,
    2,
    /Nothing was changed/,
  ],
  ['no command at all', { Bash: () => DENIED }, 2, 1, /tests were not run again/],
  ['a file that changed under it', { Edit: [STALE] }, 2, 2, /21 \| 0/],
  ['an edit that never works', { Edit: () => STALE }, 1, 3, /stop rather than try for ever/],
  ['an interrupted edit', { Edit: [INTERRUPTED] }, 2, 2, /21 \| 0/],
  ['a second run that is stopped', { Bash: [GOOD_START, CUT_SHORT] }, 3, 1, /21 \| 0/],
  ['a crash in the middle of the edit', { Edit: [CRASHED] }, 2, 2, /21 \| 0/],
  ['an interrupted command', { Bash: [INTERRUPTED] }, 3, 1, /after/],
  [
    'tests that still fail',
    {
      Bash: ({ input }) =>
        input['run_in_background']
          ? { text: 'task b_1' }
          : { text: 'ℹ pass 19\nℹ fail 2\n', isError: true },
    },
    2,
    1,
    /19 passed, \*\*2 failed/,
  ],
  [
    'tests that never end',
    { TaskOutput: () => ({ text: 'still running' }) },
    2,
    1,
    /not seen \| not seen/,
  ],
  [
    'a task that is gone',
    { TaskOutput: () => ({ text: 'no task b_x7', isError: true }) },
    2,
    1,
    /not seen/,
  ],
  [
    'a task that ended without a result',
    { TaskOutput: () => ({ text: 'Task b_x7 is failed, exit code 127\n\nsh: npm: not found' }) },
    2,
    1,
    /not seen/,
  ],
  [
    'a run without a result',
    { Bash: () => ({ text: 'npm: command not found', isError: true }) },
    2,
    1,
    /showed no result/,
  ],
  [
    'another folder',
    { Read: () => ({ text: 'no such file', isError: true }) },
    0,
    0,
    /does not seem to be the sample project/,
  ],
  [
    'a file changed by hand',
    {
      Read: ({ input }) => ({
        text: String(input['file_path']).endsWith('clock.js') ? 'return 42;' : 'x',
      }),
    },
    1,
    0,
    /cannot think of another repair/,
  ],
  [
    'a repaired project',
    {
      Read: () => ({ text: 'return (time - now + DAY) % DAY;' }),
      TaskOutput: () => ({ text: 'ℹ pass 21\nℹ fail 0\n' }),
    },
    1,
    0,
    /nothing left to repair/,
  ],
];

describe('it reacts', () => {
  test.each(TURNS)('to %s', (_what, overrides, bashes, edits, ending) => {
    const talk = new Conversation(goodProject(overrides)).ask('go');
    if (!talk.lastWords.includes(END_OF_TOUR)) talk.ask('go on, please');
    expect(talk.lastWords).toMatch(ending);
    expect(talk.lastWords).toContain(END_OF_TOUR);
    expect([talk.calls('Bash').length, talk.calls('Edit').length]).toEqual([bashes, edits]);
  });

  test('to a reason: quotes it and offers the smaller repair', () => {
    const answers = goodProject();
    const talk = new Conversation((c) =>
      c.name === 'Edit' && String(c.input['new_string']).includes('tomorrow')
        ? deniedSaying('too *long*')
        : answers(c),
    ).ask('go');
    const words = JSON.stringify(talk.replies);
    expect(words).toContain('You said: “too long”');
    expect(talk.lastWords).toContain('return (time - now + DAY) % DAY;');
    expect(talk.lastWords).toContain('| after | 21 | 0 |');
  });

  test('to a foreground run that was moved to the background', () => {
    const answers = goodProject();
    const talk = new Conversation((c) =>
      c.name === 'Bash' && !c.input['run_in_background']
        ? { text: 'Moved to the background as task b_y8.' }
        : answers(c),
    ).ask('go');
    expect(talk.calls('TaskOutput').at(-1)?.input['task_id']).toBe('b_y8');
    expect(talk.lastWords).toContain('| after | 21 | 0 |');
  });

  test('to words in the middle: says it cannot act on them, once, and goes on', () => {
    const talk = new Conversation(goodProject());
    expect(() => talk.ask('go')).not.toThrow();
    const other = new Conversation(goodProject());
    other.start('go').step('use tabs, please');
    other.step();
    other.step();
    const mentions = other.replies.filter((r) => JSON.stringify(r).includes('use tabs, please'));
    expect(mentions).toHaveLength(1);
    expect(other.replies[1]?.[0]).toMatchObject({
      type: 'text',
      text: expect.stringContaining('a script'),
    });
    expect(namesOf(other)[1]).toBe('TodoWrite Read Bash');
  });

  test.each([
    ['no TodoWrite', ['TodoWrite'], /21 \| 0/],
    ['no Grep', ['Grep'], /21 \| 0/],
    ['no TaskOutput', ['TaskOutput'], /not seen/],
    ['no Bash', ['Bash'], /no shell/],
    ['no Edit', ['Edit'], /```diff/],
    ['no Read', ['Read'], /could not read the files/],
  ])('to %s', (_what, missing, ending) => {
    const tools = ALL_TOOLS.filter((t) => !missing.includes(t));
    const talk = new Conversation(goodProject(), tools).ask('go');
    expect(talk.lastWords).toMatch(ending);
    expect(missing.flatMap((name) => talk.calls(name))).toEqual([]);
  });
});

describe('when a task ends while it is the user’s turn', () => {
  const news =
    '<system-reminder><task-notification>Task b_x7 ended.</task-notification></system-reminder>';

  test('it does not go on by itself after it was stopped', () => {
    const talk = new Conversation(goodProject({ Edit: [INTERRUPTED] })).ask('go').ask(news);
    expect(talk.lastWords).toContain('The script waits for you');
    expect(talk.calls('Edit')).toHaveLength(1);
    expect(talk.ask('continue').lastWords).toContain('21 | 0');
  });

  test('it does not sum up twice', () => {
    const talk = new Conversation(goodProject()).ask('go').ask(news);
    expect(talk.lastWords).toContain('The script waits for you');
    expect(talk.ask('again').lastWords).toContain('nothing left to repair');
  });
});

describe('after the tour', () => {
  test('it says honestly what it can do', () => {
    const talk = new Conversation(goodProject()).ask('go').ask('add a dark theme');
    expect(talk.lastWords).toContain('You wrote: “add a dark theme”');
    expect(talk.lastWords).toContain('cannot answer');
    expect(talk.ask('and now?').lastWords).toContain('“and now?”');
  });

  test('“again” starts over and finds the repaired project', () => {
    const talk = new Conversation(goodProject()).ask('go').ask('thanks').ask('again, please');
    expect(talk.lastWords).toContain('nothing left to repair');
    expect(JSON.stringify(talk.replies).match(/This is the offline demo/g)).toHaveLength(2);
  });
});
