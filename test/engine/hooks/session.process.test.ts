import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_STOP_BLOCKS } from '../../../src/main/engine/hooks/session-hooks';
import type { HookSetting } from '../../../src/shared/hooks';
import { hold, reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, ofType, reasonsOf, saidIn, sessionsOfFile } from '../query/support';
import { hook, keeps, prints, says } from './support';

const open = sessionsOfFile();
const withHooks = (...hooks: readonly HookSetting[]) => ({ settings: { hooks } });
const linesOf = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('UserPromptSubmit', () => {
  it.each([
    ['exit code 2', 'echo "It holds a key." >&2; exit 2'],
    ['a block', prints({ decision: 'block', reason: 'It holds a key.' })],
    ['the end', prints({ continue: false, stopReason: 'It holds a key.' })],
  ])('keeps a prompt from the model by %s; nothing is lost', async (_, run) => {
    const t = await open(
      [reply('Fine.')],
      withHooks(hook('UserPromptSubmit', run, { matcher: 'no' })),
    );
    const events = await t.run('my secret');
    expect(endOf(events)).toMatchObject({
      terminal: 'hook_stopped',
      text: 'A hook kept your message from the model: It holds a key.',
    });
    expect(t.api.requests).toHaveLength(0);
    expect(ofType(events, 'user_message')).toEqual([]);
    expect(ofType(events, 'hook_settled')[0]?.report.keptPrompt).toBe('my secret');
    await t.reopen();
    expect(JSON.stringify(t.session.main.engine)).not.toContain('my secret');
  });

  it('adds context behind the prompt, as JSON or as plain words', async () => {
    const t = await open(
      [reply('Fine.')],
      withHooks(
        hook('UserPromptSubmit', 'echo "It is Friday."'),
        hook(
          'UserPromptSubmit',
          `${keeps('in.json')}; ${says('UserPromptSubmit', { additionalContext: 'Be brief.' })}`,
        ),
      ),
    );
    expect(endOf(await t.run('hello')).terminal).toBe('completed');
    const said = saidIn(t.api, 0);
    expect(said.indexOf('hello')).toBeLessThan(said.indexOf('It is Friday.'));
    expect(said).toContain('Be brief.');
    const [input] = await linesOf(join(t.project, 'in.json'));
    expect(input).toMatchObject({ hook_event_name: 'UserPromptSubmit', prompt: 'hello' });
  });

  it('is asked about what was said meanwhile too', async () => {
    const gate = Promise.withResolvers<void>();
    const t = await open(
      [reply([hold(gate.promise), toolUse('Read', { file_path: '/nowhere/x' })]), reply('Done.')],
      withHooks(hook('UserPromptSubmit', 'grep -q "secret" && exit 2; exit 0')),
    );
    t.session.log.listen(({ event }) => {
      if (event.type !== 'message_started' || t.api.requests.length > 1) return;
      t.session.main.engine.enqueue('a secret', 'next');
      t.session.main.engine.enqueue('a wish', 'next');
      gate.resolve();
    });
    const events = await t.run('go');
    expect(saidIn(t.api, 1)).toContain('a wish');
    expect(saidIn(t.api, 1)).not.toContain('a secret');
    expect(endOf(events).terminal).toBe('completed');
  });

  it('has 30 seconds; then it is stopped and the prompt goes in', async () => {
    const t = await open(
      [reply('Fine.')],
      withHooks(hook('UserPromptSubmit', 'touch here; sleep 300')),
    );
    const running = t.run('hello');
    while (t.clock.sleepers() === 0) await new Promise((resolve) => setImmediate(resolve));
    await t.clock.advance(29_999);
    expect(t.api.requests).toHaveLength(0);
    await t.clock.advance(1);
    const events = await running;
    expect(endOf(events).terminal).toBe('completed');
    expect(ofType(events, 'hook_settled')[0]?.report).toMatchObject({
      outcome: 'failed',
      note: 'did not end within 30 s and was stopped',
      durationMs: 30_000,
    });
  });
});

describe('Stop', () => {
  it('sends the model back to work, told whether it did so before', async () => {
    const t = await open(
      [reply('Done.'), reply('Now it is.')],
      withHooks(
        hook(
          'Stop',
          `tee -a "$CLAUDE_PROJECT_DIR/in.json" | grep -q '"stop_hook_active":true' || { echo "The tests were not run." >&2; exit 2; }`,
        ),
      ),
    );
    const events = await t.run('go');
    expect(reasonsOf(events)).toEqual(['stop_hook_blocking']);
    expect(saidIn(t.api, 1)).toContain('The tests were not run.');
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Now it is.' });
    expect(await linesOf(join(t.project, 'in.json'))).toMatchObject([
      { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'Done.' },
      { stop_hook_active: true, last_assistant_message: 'Now it is.' },
    ]);
  });

  it('cannot send it back for ever', async () => {
    const t = await open(() => reply('Done.'), withHooks(hook('Stop', 'exit 2')));
    const events = await t.run('go');
    expect(reasonsOf(events)).toHaveLength(MAX_STOP_BLOCKS);
    expect(endOf(events).terminal).toBe('completed');
    expect(ofType(events, 'notice').at(-1)?.code).toBe('stop_hooks_ignored');
    expect(reasonsOf(await t.run('again'))).toHaveLength(MAX_STOP_BLOCKS);
  });

  it('ends the query with continue: false', async () => {
    const t = await open(
      [reply('Done.')],
      withHooks(hook('Stop', prints({ continue: false, stopReason: 'It is past six.' }))),
    );
    expect(endOf(await t.run('go'))).toMatchObject({
      terminal: 'stop_hook_prevented',
      text: 'It is past six.',
    });
  });
});

describe('a session', () => {
  it('tells its beginning once, with its source, and its end', async () => {
    const t = await open(
      () => reply('Fine.'),
      withHooks(
        hook('SessionStart', `${keeps('starts')}; echo "You are in Delft." >&1`, {
          matcher: 'startup',
        }),
        hook('SessionStart', keeps('resumes'), { matcher: 'resume' }),
        hook('SessionEnd', keeps('ends')),
      ),
    );
    await t.run('one');
    await t.run('two');
    expect(await linesOf(join(t.project, 'starts'))).toMatchObject([
      { hook_event_name: 'SessionStart', source: 'startup', model: 'claude-sonnet-5-5' },
    ]);
    expect(saidIn(t.api, 0)).toContain('You are in Delft.');
    await t.reopen();
    expect(await linesOf(join(t.project, 'ends'))).toMatchObject([
      { hook_event_name: 'SessionEnd', reason: 'other' },
    ]);
    await t.run('three');
    const [resumed] = await linesOf(join(t.project, 'resumes'));
    expect(resumed).toMatchObject({
      ...{ source: 'resume', prompt_cache_likely_expired: false },
      ...{ context_tokens: expect.any(Number), estimated_cache_write_usd: expect.any(Number) },
      seconds_since_last_response: expect.any(Number),
    });
  });

  it('begins with the words of a hook, which may have skills read again', async () => {
    const skill = '.claude/skills/quack';
    const t = await open(
      () => reply('Fine.'),
      withHooks(
        hook(
          'SessionStart',
          `mkdir -p ${skill}; printf -- '---\\ndescription: Quacks\\n---\\nQuack.' > ${skill}/SKILL.md; ${says(
            'SessionStart',
            { initialUserMessage: 'Mind the geese.', reloadSkills: true, sessionTitle: 'Geese' },
          )}`,
        ),
        hook('UserPromptSubmit', keeps('prompts')),
      ),
    );
    await t.run('one');
    await t.run('two');
    const [first] = t.api.requests[0]?.body.messages ?? [];
    expect(JSON.stringify(first?.content)).toMatch(/Mind the geese\..*one/);
    expect(saidIn(t.api, 1).split('Mind the geese.')).toHaveLength(2);
    expect(t.session.skillNames()).toEqual(['quack']);
    expect(await linesOf(join(t.project, 'prompts'))).toMatchObject([
      { prompt: 'one', source: 'sdk', session_title: 'Geese' },
      { prompt: 'two', source: 'sdk', session_title: 'Geese' },
    ]);
  });

  it('tells of the files that hooks asked to hear of: new, changed and gone', async () => {
    const t = await open(
      () => reply('Fine.'),
      withHooks(
        hook(
          'SessionStart',
          `printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["%s/new.env","%s/old.env"]}}' "$PWD" "$PWD"`,
        ),
        hook('FileChanged', keeps('changes')),
      ),
    );
    await writeFile(join(t.project, 'old.env'), 'A=1');
    await t.run('one');
    await writeFile(join(t.project, 'new.env'), 'B=1');
    await rm(join(t.project, 'old.env'));
    await t.run('two');
    await expect
      .poll(async () => (await linesOf(join(t.project, 'changes')).catch(() => [])).length)
      .toBe(2);
    await writeFile(join(t.project, 'new.env'), 'B=22');
    await t.run('three');
    await expect
      .poll(async () => {
        const lines = await linesOf(join(t.project, 'changes'));
        return lines.map(({ file_path, event }) => `${basename(file_path)} ${event}`).sort();
      })
      .toEqual(['new.env add', 'new.env change', 'old.env unlink']);
  });

  it('that was only looked at starts nothing', async () => {
    const t = await open(
      [],
      withHooks(hook('SessionStart', 'touch a'), hook('SessionEnd', 'touch b')),
    );
    await t.session.close({ keepTasks: false });
    for (const name of ['a', 'b']) await expect(access(join(t.project, name))).rejects.toThrow();
    await t.reopen();
  });

  it('gives shell commands what SessionStart hooks wrote to their file', async () => {
    const t = await open(
      [reply('Fine.')],
      withHooks(
        hook('SessionStart', `echo 'export TOWN="Delft is $((1+1))"' >> "$CLAUDE_ENV_FILE"`),
        hook('Stop', 'printf %s "$TOWN" > town'),
      ),
    );
    await t.run('go');
    expect(await readFile(join(t.project, 'town'), 'utf8')).toBe('Delft is 2');
  });

  it('waits for no hook that is async, hears it later, and ends it with itself', async () => {
    const t = await open(
      () => reply('Fine.'),
      withHooks(
        hook('UserPromptSubmit', 'while [ ! -e go ]; do sleep 0.01; done; echo "From afar."', {
          async: true,
        }),
        hook('Stop', 'echo no >&2; sleep 300; exit 2', { async: true }),
      ),
    );
    const heard = new Promise<void>((resolve) => {
      t.session.log.listen(({ event }) => {
        if (event.type === 'attachment' && event.text.includes('From afar.')) resolve();
      });
    });
    expect(endOf(await t.run('one')).terminal).toBe('completed');
    await writeFile(join(t.project, 'go'), '');
    await heard;
    await t.run('two');
    expect(saidIn(t.api, 1)).toContain('From afar.');
    const { log } = t.session;
    const running = log.transcript().hooks.map(({ event }) => event);
    expect(running).toContain('Stop');
  });
});

describe('PreCompact', () => {
  it('may refuse as often as it likes: that is no failure, and summaries are made when it lets them', async () => {
    const usage = { input_tokens: 985_000, output_tokens: 100 };
    let read = 0;
    const t = await open(
      (request) =>
        JSON.stringify(request.body.tools ?? []).includes('"Read"') && read < 6
          ? reply([toolUse('Read', { file_path: `/nowhere/${read++}` })], { usage })
          : reply('Done.'),
      withHooks(hook('PreCompact', 'echo >> "$CLAUDE_PROJECT_DIR/asked"; exit 2')),
    );
    const events = await t.run('go');
    expect(endOf(events).terminal).toBe('completed');
    expect((await readFile(join(t.project, 'asked'), 'utf8')).length).toBeGreaterThan(3);
    expect(ofType(events, 'notice').map(({ code }) => code)).not.toContain('autocompact_off');
  });

  it('blocks a summary, which says so, and is told its trigger', async () => {
    const t = await open(
      () => reply('Fine.'),
      withHooks(
        hook('PreCompact', `${keeps('in.json')}; echo "Not now." >&2; exit 2`, {
          matcher: 'manual',
        }),
      ),
    );
    await t.run('one');
    await t.run('two');
    const before = t.api.requests.length;
    const events = [];
    for await (const { event } of t.session.main.engine.compact('the tests')) events.push(event);
    expect(endOf(events).text).toContain('Not now.');
    expect(t.api.requests).toHaveLength(before);
    expect(await linesOf(join(t.project, 'in.json'))).toMatchObject([
      { hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: 'the tests' },
    ]);
  });

  it('lets it be made; PostCompact and SessionStart hear of it', async () => {
    const t = await open(
      () => reply('<summary>All of it.</summary>'),
      withHooks(
        hook('PreCompact', 'exit 2', { matcher: 'auto' }),
        hook('PostCompact', keeps('post')),
        hook('SessionStart', 'echo "Read the plan again."', { matcher: 'compact' }),
      ),
    );
    await t.run('one');
    await t.run('two');
    for await (const _ of t.session.main.engine.compact()) {
      // Only what comes of it matters.
    }
    expect(await linesOf(join(t.project, 'post'))).toMatchObject([
      {
        hook_event_name: 'PostCompact',
        trigger: 'manual',
        compact_summary: expect.stringContaining('All of it.'),
      },
    ]);
    await t.run('three');
    expect(saidIn(t.api, -1)).toContain('Read the plan again.');
  });
});
