import { describe, expect, test } from 'vitest';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createNetworkQuestions } from '../../../src/main/engine/session/sandbox';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { Approval, PermissionRule, RuleSuggestion } from '../../../src/shared/permission';
import { ok } from '../../../src/shared/result';
import { countingIds } from '../../support/memory-clock';

const CONTEXT = {
  cwd: '/p',
  home: '/h',
  project: '/p',
  workingDirectories: ['/p'],
  caseInsensitive: false,
};

function setUp(options: { readonly alone?: boolean; readonly rules?: PermissionRule[] } = {}) {
  const events: AgentEvent[] = [];
  const askers: (string | undefined)[] = [];
  const rules = options.rules ?? [];
  const saved: RuleSuggestion[] = [];
  const broker = options.alone
    ? null
    : createBroker((event, agentId) => {
        events.push(event);
        askers.push(agentId);
      });
  const questions = createNetworkQuestions({
    decide: (request, ofAgent = rules) => decide(request, ofAgent, 'default', CONTEXT),
    broker,
    ids: countingIds(),
    remember: async (suggestion) => {
      saved.push(suggestion);
      rules.push({ behavior: 'allow', text: suggestion.rule, source: 'session' });
      return ok(null);
    },
    onProblem: () => {},
  });
  const shown = (): Approval[] =>
    events.flatMap((e) => (e.type === 'approval_requested' ? [e.approval] : []));
  const answer = async (allow: boolean, remember = false) => {
    const approval = shown().at(-1);
    if (!approval) throw new Error('Nobody was asked.');
    const [suggestion] = approval.decision.suggestions;
    return broker?.answer(
      approval.id,
      allow
        ? {
            behavior: 'allow',
            digest: approval.digest,
            ...(remember && suggestion ? { remember: suggestion } : {}),
          }
        : { behavior: 'deny', message: 'not that one' },
    );
  };
  const enter = (command: { agentId: string; callId: string; text: string }, ofAgent = rules) =>
    questions.enter({ ...command, rules: () => ofAgent });
  return { questions, enter, events, askers, shown, answer, saved };
}

const rule = (text: string, behavior: PermissionRule['behavior']): PermissionRule => ({
  text,
  behavior,
  source: 'userSettings',
});
const to = (host: string, port: number | null = 443) => ({ host, port });

describe('THREATS 16: a command in the sandbox reaches for a host', () => {
  test('the question is that of the agent whose command it is', async () => {
    const { questions, enter, askers, answer } = setUp();
    enter({ agentId: 'agt_1', callId: 'call_1', text: 'npm ci' });
    const asked = questions.ask(to('registry.example'));
    await answer(false);
    expect((await asked).allow).toBe(false);
    expect(askers).toEqual(['agt_1', 'agt_1']);
  });

  test('the user is asked once for many connections, and a yes holds for the session', async () => {
    const { questions, enter, shown, answer } = setUp();
    const leave = enter({ agentId: 'main', callId: 'call_1', text: 'npm ci' });
    const both = [questions.ask(to('Registry.Example.')), questions.ask(to('registry.example'))];
    expect(shown().map(({ title, subject }) => [title, subject])).toEqual([
      [
        'Let this command reach registry.example?',
        { kind: 'connect', host: 'registry.example', port: 443, commands: ['npm ci'] },
      ],
    ]);
    await answer(true);
    expect(await Promise.all(both)).toEqual([
      { allow: true, reason: expect.any(String) },
      { allow: true, reason: expect.any(String) },
    ]);
    leave();
    enter({ agentId: 'main', callId: 'call_2', text: 'npm ci' });
    expect((await questions.ask(to('registry.example', 80))).allow).toBe(true);
    expect(shown()).toHaveLength(1);
  });

  test('of several commands none is named as the one that asks', async () => {
    const { questions, enter, shown } = setUp();
    const leave = enter({ agentId: 'main', callId: 'call_1', text: 'npm ci' });
    enter({ agentId: 'main', callId: 'call_2', text: 'make docs' });
    void questions.ask(to('x.example'));
    expect(shown()).toMatchObject([
      {
        title: 'Let one of 2 commands reach x.example?',
        subject: { commands: ['make docs', 'npm ci'] },
      },
    ]);
    leave();
    void questions.ask(to('y.example'));
    expect(shown().at(-1)).toMatchObject({
      title: 'Let this command reach y.example?',
      subject: { commands: ['make docs'] },
    });
  });

  test('a no holds while commands run, with the words of the user, and is asked anew later', async () => {
    const { questions, enter, shown, answer } = setUp();
    const leave = enter({ agentId: 'main', callId: 'call_1', text: 'npm ci' });
    const asked = questions.ask(to('x.example'));
    await answer(false);
    expect(await asked).toEqual({ allow: false, reason: 'the user said no: not that one' });
    expect((await questions.ask(to('x.example'))).allow).toBe(false);
    expect(shown()).toHaveLength(1);
    leave();
    enter({ agentId: 'main', callId: 'call_2', text: 'npm ci' });
    void questions.ask(to('x.example'));
    expect(shown()).toHaveLength(2);
  });

  test('a saved rule is the one for web pages, and settles its like', async () => {
    const { questions, enter, answer, saved } = setUp();
    enter({ agentId: 'main', callId: 'call_1', text: 'npm ci' });
    const asked = questions.ask(to('x.example'));
    await answer(true, true);
    expect((await asked).allow).toBe(true);
    expect(saved).toEqual([{ rule: 'WebFetch(domain:x.example)', destination: 'localSettings' }]);
  });

  test('rules for web pages answer without a question', async () => {
    const { questions, enter, shown } = setUp({
      rules: [
        rule('WebFetch(domain:ok.example)', 'allow'),
        rule('WebFetch(domain:bad.example)', 'deny'),
      ],
    });
    enter({ agentId: 'main', callId: 'call_1', text: 'x' });
    expect((await questions.ask(to('ok.example'))).allow).toBe(true);
    expect(await questions.ask(to('bad.example'))).toMatchObject({ allow: false });
    expect(shown()).toEqual([]);
  });

  test('the rules of every agent whose command runs bind, whatever was allowed before', async () => {
    const { questions, enter, answer, shown } = setUp();
    enter({ agentId: 'main', callId: 'call_1', text: 'npm ci' });
    const asked = questions.ask(to('x.example'));
    await answer(true);
    expect((await asked).allow).toBe(true);
    const denies = [rule('WebFetch(domain:x.example)', 'deny')];
    const leave = enter({ agentId: 'agt_1', callId: 'call_2', text: 'npm test' }, denies);
    expect(await questions.ask(to('x.example'))).toMatchObject({ allow: false });
    leave();
    expect((await questions.ask(to('x.example'))).allow).toBe(true);
    enter({ agentId: 'agt_2', callId: 'call_3', text: 'x' }, [
      rule('WebFetch(domain:y.example)', 'allow'),
    ]);
    void questions.ask(to('y.example'));
    expect(shown()).toHaveLength(2);
  });

  test('a question is withdrawn when no command waits for it any more', async () => {
    const { questions, enter, events } = setUp();
    const leave = enter({ agentId: 'main', callId: 'call_1', text: 'curl x.example' });
    const asked = questions.ask(to('x.example'));
    leave();
    expect((await asked).allow).toBe(false);
    expect(events.map(({ type }) => type)).toEqual(['approval_requested', 'approval_withdrawn']);
  });

  test('where nobody can be asked it is denied', async () => {
    const { questions, enter } = setUp({ alone: true });
    enter({ agentId: 'main', callId: 'call_1', text: 'x' });
    expect(await questions.ask(to('x.example'))).toEqual({
      allow: false,
      reason: 'nobody can be asked in this session',
    });
  });

  test.each([
    '',
    'a b',
    'x.example/..',
    'x\n.example',
    'a..b',
    '[::1',
    `${'a'.repeat(254)}`,
    'x.example@evil',
    '\u202ex',
  ])('%j is no name of a host and is never shown to anybody', async (host) => {
    const { questions, enter, shown } = setUp();
    enter({ agentId: 'main', callId: 'call_1', text: 'x' });
    expect((await questions.ask(to(host))).allow).toBe(false);
    expect(shown()).toEqual([]);
  });
});
