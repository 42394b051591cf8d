import { describe, expect, it, test } from 'vitest';
import { MAX_HOOK_TEXT } from '../../../src/main/engine/hooks/cap';
import { type HookEnd, readReply } from '../../../src/main/engine/hooks/reply';
import { joinReplies } from '../../../src/main/engine/hooks/verdict';
import { HookEvent } from '../../../src/shared/hooks';

const exited = (exitCode: number, stdout = '', stderr = ''): HookEnd => ({
  kind: 'exited',
  exitCode,
  stdout,
  stderr,
});
const json = (event: HookEvent, value: unknown) =>
  readReply(event, exited(0, JSON.stringify(value)));
const specific = (event: HookEvent, fields: object) =>
  json(event, { hookSpecificOutput: { hookEventName: event, ...fields } });

describe('exit codes', () => {
  test.each(HookEvent.options)('2 at %s blocks exactly where the ecosystem says so', (event) => {
    const blocking = [
      'PreToolUse',
      'UserPromptSubmit',
      'UserPromptExpansion',
      'Stop',
      'SubagentStop',
      'TeammateIdle',
      'TaskCreated',
      'TaskCompleted',
      'PreCompact',
      'PostToolBatch',
      'ConfigChange',
      'PreModelSwitch',
      'Elicitation',
      'ElicitationResult',
      'WorktreeCreate',
    ];
    const reply = readReply(event, exited(2, 'words', 'no\n'));
    expect(reply.block).toBe(blocking.includes(event) ? 'no' : null);
    expect(reply.outcome).toBe(
      blocking.includes(event) ? 'blocked' : event.startsWith('PostToolUse') ? 'done' : 'failed',
    );
    expect(reply.context).toBe(event.startsWith('PostToolUse') ? 'no' : null);
    expect(reply).toMatchObject({ stop: null, permission: null, answer: null });
  });

  it('2 without a word still blocks', () => {
    expect(readReply('PreToolUse', exited(2)).block).toBe('It did not say why.');
  });

  test.each([1, 3, 127])('%i is an error that stops nothing, and is seen', (code) => {
    for (const event of HookEvent.options) {
      const reply = readReply(event, exited(code, 'words', 'oops'));
      expect(reply).toMatchObject({ outcome: 'failed', block: null, note: `exit code ${code}` });
    }
  });

  it('2 stands whatever the JSON says, which may word it and add to it', () => {
    const both = (value: unknown, stderr = 'no') =>
      readReply('PreToolUse', exited(2, JSON.stringify(value), stderr));
    const allowing = { permissionDecision: 'allow', additionalContext: 'note this' };
    expect(both({ hookSpecificOutput: allowing })).toMatchObject({
      outcome: 'blocked',
      block: 'no',
      context: 'note this',
    });
    expect(both({ decision: 'block', reason: 'not today' }).block).toBe('no');
    expect(both({ decision: 'block', reason: 'not today' }, '').block).toBe('not today');
    const denying = { permissionDecision: 'deny', permissionDecisionReason: 'never' };
    expect(both({ hookSpecificOutput: denying }).block).toBe('no');
    expect(both({ hookSpecificOutput: denying }, '').block).toBe('never');
    expect(both({ continue: false, stopReason: 'enough' })).toMatchObject({ stop: 'enough' });
    expect(both({ continue: 'no' }).block).toBe('no');
    expect(readReply('PreToolUse', exited(2, '{"decision":', 'no')).block).toBe('no');
  });

  it('any other code is an error whose JSON does not count', () => {
    const blocking = '{"decision":"block","reason":"test first"}';
    expect(readReply('Stop', exited(1, blocking))).toMatchObject({
      outcome: 'failed',
      block: null,
    });
    expect(readReply('Stop', exited(0, blocking))).toMatchObject({ block: 'test first' });
    expect(readReply('StopFailure', exited(0, '{"continue":false}'))).toMatchObject({ stop: null });
  });

  it('a hook that runs out of time or cannot start stops nothing', () => {
    for (const kind of ['timeout', 'failed'] as const) {
      const reply = readReply('PreToolUse', { kind, message: 'why' });
      expect(reply).toMatchObject({ outcome: 'failed', block: null, note: 'why' });
    }
  });
});

describe('plain words', () => {
  test.each(HookEvent.options)('at %s', (event) => {
    const reply = readReply(event, exited(0, ' It is Friday.\n'));
    const told = ['SessionStart', 'UserPromptSubmit', 'UserPromptExpansion'].includes(event);
    expect(reply.context).toBe(told ? 'It is Friday.' : null);
    expect(reply.outcome).toBe('done');
  });
});

describe('JSON', () => {
  test.each([
    ['[1', 'PreToolUse', 'done', ''],
    ['{"decision":', 'PreToolUse', 'failed', 'printed JSON that cannot be read'],
    ['{"continue":"no"}', 'Stop', 'failed', 'continue must be true or false'],
    ['{"decision":"stop"}', 'Stop', 'failed', 'decision must be "block"'],
    ['{"systemMessage":5}', 'Stop', 'failed', 'systemMessage must be a text'],
    ['{"hookSpecificOutput":[]}', 'Stop', 'failed', 'hookSpecificOutput must be an object'],
    [
      '{"hookSpecificOutput":{"permissionDecision":"perhaps"}}',
      'PreToolUse',
      'failed',
      'hookSpecificOutput.permissionDecision must be "allow", "deny", "ask" or "defer"',
    ],
    [
      '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"x"}}',
      'PreToolUse',
      'failed',
      'hookSpecificOutput is for PostToolUse',
    ],
    ['{"suppressOutput":true,"__proto__":{"continue":false}}', 'Stop', 'done', ''],
    ['{"decision":null,"reason":null}', 'Stop', 'done', ''],
  ] as const)('%s at %s: %s', (text, event, outcome, note) => {
    const reply = readReply(event, exited(0, text));
    expect(reply.outcome).toBe(outcome);
    expect(reply.note).toContain(note);
    expect(reply).toMatchObject({ block: null, stop: null });
  });

  test.each([
    ['hidden', 'hidden'],
    ['', ''],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    [{ content: [{ type: 'text', text: 'a' }] }, 'a'],
    [{ stdout: 'out', stderr: '', interrupted: false }, 'out'],
    [{ rows: 3 }, '{"rows":3}'],
  ])('the model reads %j in place of a result', (updatedToolOutput, output) => {
    const said = (event: 'PostToolUse' | 'PreToolUse', name: string) =>
      json(event, { hookSpecificOutput: { [name]: updatedToolOutput } }).output;
    expect(said('PostToolUse', 'updatedToolOutput')).toBe(output);
    expect(said('PostToolUse', 'updatedMCPToolOutput')).toBe(output);
    expect(said('PreToolUse', 'updatedToolOutput')).toBeNull();
  });

  it('a mistake in one field does not lose a denial in another', () => {
    const reply = json('PreToolUse', {
      continue: 'x',
      hookSpecificOutput: { permissionDecision: 'deny', updatedInput: 5 },
    });
    expect(reply.permission?.behavior).toBe('deny');
    expect(reply.outcome).toBe('blocked');
  });

  it('ends the query with its reason', () => {
    expect(json('PostToolUse', { continue: false, stopReason: 'enough' }).stop).toBe('enough');
    expect(json('PostToolUse', { continue: false }).stop).toBe('A hook ended this.');
    expect(json('PostToolUse', { continue: true, stopReason: 'x' }).stop).toBeNull();
  });

  it('blocks with a reason; after a call the reason goes to the model', () => {
    expect(json('Stop', { decision: 'block', reason: 'test first' }).block).toBe('test first');
    const after = json('PostToolUse', {
      decision: 'block',
      reason: 'lint',
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'line 3' },
    });
    expect(after).toMatchObject({ block: null, context: 'lint\n\nline 3', outcome: 'done' });
  });

  test.each(['allow', 'deny', 'ask', 'defer'] as const)('PreToolUse decides %s', (behavior) => {
    const reply = specific('PreToolUse', {
      permissionDecision: behavior,
      permissionDecisionReason: 'because',
      updatedInput: { command: 'ls' },
      additionalContext: 'note this',
    });
    expect(reply).toMatchObject({
      permission: { behavior, reason: 'because' },
      updatedInput: { command: 'ls' },
      context: 'note this',
      outcome: behavior === 'deny' ? 'blocked' : 'done',
    });
  });

  test.each([
    '{"hookSpecificOutput":{"permissionDecision":"Deny"}}',
    '{"hookSpecificOutput":{"permissionDecision":"denied"}}',
    '{"hookSpecificOutput":{"permissionDecision":"block"}}',
    '{"hookSpecificOutput":{"PermissionDecision":"deny"}}',
    '{"hookSpecificOutput":{"permission_decision":"deny"}}',
    '{"hookSpecificOutput":{"decision":"deny"}}',
    '{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"Deny"}}',
    '{"hook_specific_output":{"permissionDecision":"deny"}}',
    '{"permissionDecision":"deny"}',
    '{"permission":"deny"}',
    '{"decision":{"behavior":"deny"}}',
    '{"decision":"deny"}',
    '{"decision":"Block"}',
    '{"decision":"approve","permissionDecision":"deny"}',
    '{"hookSpecificOutput":{"permissionDecision":"deny",}}',
    '{"hookSpecificOutput":{"permissionDecision":"deny"}',
    '{"decision":"block", reason: x}',
  ])('loses no denial that is not said quite right: %s', (text) => {
    expect(readReply('PreToolUse', exited(0, text)).outcome).toBe('blocked');
  });

  test.each([
    '{"hookSpecificOutput":{"permissionDecision":"allow",}}',
    '{"permissionDecision":"allow"}',
    '{"decision":"Approve"}',
    '{"permissionDecisionReason":"deny"}',
    '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"action":"deny"}}}',
    '{"hookSpecificOutput":{"additionalContext":"deny"}}',
  ])('takes nothing else for a denial: %s', (text) => {
    const reply = readReply('PreToolUse', exited(0, text));
    expect(reply).toMatchObject({ block: null, stop: null });
    expect(reply.permission?.behavior ?? 'allow').toBe('allow');
    if (!text.includes('updatedInput')) expect(reply.permission).toBeNull();
  });

  it('asks where it is told so in other letters', () => {
    expect(specific('PreToolUse', { permissionDecision: 'Ask' }).permission?.behavior).toBe('ask');
    expect(json('PreToolUse', { permissionDecision: 'ask' }).permission?.behavior).toBe('ask');
  });

  it('understands the older way to decide', () => {
    expect(json('PreToolUse', { decision: 'block', reason: 'no' }).block).toBe('no');
    expect(json('PreToolUse', { decision: 'approve' }).permission?.behavior).toBe('allow');
    expect(json('Stop', { decision: 'approve' }).permission).toBeNull();
  });

  it('PermissionRequest answers for the user', () => {
    const updates = [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'ls *' }],
        behavior: 'allow',
        destination: 'session',
      },
    ];
    const allow = { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: updates };
    expect(specific('PermissionRequest', { decision: allow }).answer).toEqual({
      behavior: 'allow',
      message: '',
      interrupt: false,
      updates,
      updatedInput: { a: 1 },
    });
    const deny = { behavior: 'deny', message: 'no', interrupt: true, updatedInput: { a: 1 } };
    expect(specific('PermissionRequest', { decision: deny }).answer).toEqual({
      behavior: 'deny',
      message: 'no',
      interrupt: true,
      updates: [],
      updatedInput: null,
    });
    expect(specific('PreToolUse', { decision: allow }).answer).toBeNull();
    expect(specific('PermissionRequest', { decision: { behavior: 'perhaps' } }).answer).toBeNull();
  });

  it('cuts what is too long, and says so', () => {
    const long = `${'x'.repeat(MAX_HOOK_TEXT - 40)}${'😀'.repeat(1_000)}`;
    for (const text of [
      json('Stop', { decision: 'block', reason: long }).block,
      json('Stop', { systemMessage: long }).systemMessage,
      specific('PreToolUse', { additionalContext: long }).context,
      readReply('UserPromptSubmit', exited(0, long)).context,
      readReply('PreToolUse', exited(2, '', long)).block,
    ]) {
      expect(text?.length).toBeLessThanOrEqual(MAX_HOOK_TEXT);
      expect(text?.isWellFormed()).toBe(true);
      expect(text).toMatch(/characters in all\)$/);
    }
  });
});

describe('several hooks together', () => {
  const decides = (permissionDecision: string, reason = permissionDecision) =>
    specific('PreToolUse', { permissionDecision, permissionDecisionReason: reason });

  test.each([
    [['allow', 'ask'], 'ask'],
    [['ask', 'defer', 'allow'], 'defer'],
    [['allow', 'defer', 'ask', 'deny'], 'deny'],
    [['allow', 'allow'], 'allow'],
    [[], undefined],
  ] as const)('%j is %s in every order', (behaviors, expected) => {
    const replies = behaviors.map((behavior) => decides(behavior));
    expect(joinReplies(replies).permission?.behavior).toBe(expected);
    expect(joinReplies(replies.toReversed()).permission?.behavior).toBe(expected);
  });

  it('keeps every reason of the strongest, every block, every context', () => {
    const joined = joinReplies([
      decides('deny', 'one'),
      decides('allow', 'no matter'),
      decides('deny', 'two'),
      readReply('PreToolUse', exited(2, '', 'three')),
      specific('PreToolUse', { additionalContext: 'a' }),
      specific('PreToolUse', { additionalContext: 'b' }),
    ]);
    expect(joined.permission).toEqual({ behavior: 'deny', reason: 'one\ntwo' });
    expect(joined.block).toBe('three');
    expect(joined.contexts).toEqual(['a', 'b']);
  });

  it('of rival inputs the first counts, of rival answers a denial', () => {
    const input = (n: number) => specific('PreToolUse', { updatedInput: { n } });
    expect(joinReplies([input(1), input(2)]).updatedInput).toEqual({ n: 1 });
    const answer = (behavior: string) => specific('PermissionRequest', { decision: { behavior } });
    expect(joinReplies([answer('allow'), answer('deny')]).answer?.behavior).toBe('deny');
  });
});
