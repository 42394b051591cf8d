import { describe, expect, it } from 'vitest';
import { createAskUserQuestionTool } from '../../../../src/main/engine/tools/builtin/ask-user-question/ask-user-question';
import { createEnterPlanModeTool } from '../../../../src/main/engine/tools/builtin/enter-plan-mode/enter-plan-mode';
import { createExitPlanModeTool } from '../../../../src/main/engine/tools/builtin/exit-plan-mode/exit-plan-mode';
import type { AskUser } from '../../../../src/main/engine/tools/environment';
import type { ApprovalAnswer, ApprovalSubject } from '../../../../src/shared/permission';
import { answersProblem, type Question } from '../../../../src/shared/question';
import { toolEnvironment } from '../../../support/tool-environment';
import { runTool } from './run-tool';

const ask = createAskUserQuestionTool();
const enter = createEnterPlanModeTool();
const exit = createExitPlanModeTool();

const question = (over: Partial<Question> = {}): Question => ({
  question: 'Where should sessions be kept?',
  header: 'Storage',
  options: [{ label: 'SQLite' }, { label: 'Redis' }],
  multiSelect: false,
  ...over,
});

/** A user who gives one answer, and what they were shown. */
function user(answer: ApprovalAnswer): { askUser: AskUser; shown: ApprovalSubject[] } {
  const shown: ApprovalSubject[] = [];
  const askUser: AskUser = async (subject) => {
    shown.push(subject);
    return answer;
  };
  return { askUser, shown };
}

describe('AskUserQuestion', () => {
  it('gives the model each answer, and the screen both', async () => {
    const questions = [question(), question({ header: 'Clean-up', multiSelect: true })];
    const answers = [{ chosen: ['Redis'] }, { chosen: ['SQLite'], other: 'and the old table' }];
    const { askUser, shown } = user({ behavior: 'answers', answers });
    const call = await runTool(ask, { questions }, toolEnvironment(), { askUser });
    expect(shown).toEqual([{ kind: 'question', questions }]);
    expect(call.text).toContain('- Where should sessions be kept?\n  Redis');
    expect(call.text).toContain('SQLite; in their own words: and the old table');
    expect(call.progress).toEqual([{ kind: 'question', questions }]);
    expect(call.view).toEqual({ kind: 'question', questions, answers });
  });

  it('says that the user declined, which is no failure', async () => {
    const { askUser } = user({ behavior: 'deny' });
    const call = await runTool(ask, { questions: [question()] }, toolEnvironment(), { askUser });
    expect(call.ok).toBe(true);
    expect(call.text).toContain('did not want to answer');
    expect(call.view).toMatchObject({ answers: null });
  });

  it('says clearly that nobody is there: without a window, and in the mode that never asks', async () => {
    const alone = await runTool(ask, { questions: [question()] }, toolEnvironment());
    expect([alone.ok, alone.text]).toEqual([false, expect.stringContaining('Nobody can be asked')]);
    const quiet = toolEnvironment();
    quiet.agent.mode.set('dontAsk');
    const { askUser, shown } = user({ behavior: 'deny' });
    const silent = await runTool(ask, { questions: [question()] }, quiet, { askUser });
    expect([silent.ok, shown]).toEqual([false, []]);
  });

  it.each([
    ['no question', []],
    ['five questions', Array.from({ length: 5 }, () => question())],
    ['one option', [question({ options: [{ label: 'a' }] })]],
    ['five options', [question({ options: [...'abcde'].map((label) => ({ label })) })]],
    ['two equal labels', [question({ options: [{ label: 'a' }, { label: 'a' }] })]],
  ])('refuses %s', async (_, questions) => {
    const call = await runTool(ask, { questions }, toolEnvironment());
    expect([call.ok, call.text]).toEqual([
      false,
      expect.stringContaining('AskUserQuestion was not run'),
    ]);
  });

  it('stops with its query', async () => {
    const abort = new AbortController();
    const askUser: AskUser = async () => {
      abort.abort();
      return { behavior: 'deny' };
    };
    const call = await runTool(ask, { questions: [question()] }, toolEnvironment(), {
      askUser,
      signal: abort.signal,
    });
    expect([call.ok, call.text]).toEqual([false, 'Interrupted by the user.']);
  });
});

describe('answersProblem', () => {
  it.each([
    ['one of the options', [{ chosen: ['Redis'] }], null],
    ['words of one’s own', [{ chosen: [], other: 'x' }], null],
    ['nothing', [{ chosen: [] }], 'no answer'],
    ['two where one is asked', [{ chosen: ['Redis', 'SQLite'] }], 'takes one answer'],
    ['an option and words where one is asked', [{ chosen: ['Redis'], other: 'x' }], 'takes one'],
    ['an option there is not', [{ chosen: ['MySQL'] }], 'no such choice'],
    ['too few', [], 'needs an answer'],
  ])('%s', (_, answers, problem) => {
    const found = answersProblem([question()], answers);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});

describe('plan mode', () => {
  it('begins without asking, because it only takes rights away', async () => {
    const env = toolEnvironment();
    const { askUser, shown } = user({ behavior: 'deny' });
    const call = await runTool(enter, {}, env, { askUser });
    expect([call.ok, env.agent.mode.get(), shown]).toEqual([true, 'plan', []]);
    expect((await runTool(enter, {}, env, { askUser })).text).toContain('on already');
  });

  it.each(['acceptEdits', 'default'] as const)('ends with a yes, in mode %s', async (mode) => {
    const env = toolEnvironment();
    env.agent.mode.set('plan');
    const plan = '# Do it\n\n1. Now.';
    const { askUser, shown } = user({ behavior: 'approvePlan', plan, mode });
    const call = await runTool(exit, { plan }, env, { askUser });
    expect(shown).toEqual([{ kind: 'plan', plan }]);
    expect(env.agent.mode.get()).toBe(mode);
    expect(call.text).toContain('The user approved the plan:');
    expect(call.progress).toEqual([{ kind: 'plan', plan, state: 'proposed', edited: false }]);
    expect(call.view).toEqual({ kind: 'plan', plan, state: 'approved', edited: false });
  });

  it('gives the model the plan as the user changed it', async () => {
    const env = toolEnvironment();
    env.agent.mode.set('plan');
    const { askUser } = user({
      behavior: 'approvePlan',
      plan: 'Only step 1.',
      mode: 'default',
    });
    const call = await runTool(exit, { plan: 'Steps 1 and 2.' }, env, { askUser });
    expect(call.text).toContain('changed the plan and approved it');
    expect(call.text).toContain('Only step 1.');
    expect(call.text).not.toContain('Steps 1 and 2.');
    expect(call.view).toMatchObject({ plan: 'Only step 1.', edited: true });
    expect(call.view).toMatchObject({ state: 'approved' });
  });

  it('goes on with what the user said', async () => {
    const env = toolEnvironment();
    env.agent.mode.set('plan');
    const { askUser } = user({ behavior: 'deny', message: 'Without SQLite' });
    const call = await runTool(exit, { plan: 'SQLite.' }, env, { askUser });
    expect([call.ok, env.agent.mode.get()]).toEqual([true, 'plan']);
    expect(call.text).toContain('Without SQLite');
    expect(call.view).toMatchObject({ state: 'rejected', feedback: 'Without SQLite' });
  });

  it('cannot be left where nobody can approve, nor when it is not on', async () => {
    const env = toolEnvironment();
    expect((await runTool(exit, { plan: 'x' }, env)).text).toContain('Plan mode is not on');
    expect((await runTool(enter, {}, env)).ok).toBe(false);
    env.agent.mode.set('plan');
    const call = await runTool(exit, { plan: 'x' }, env);
    expect([call.ok, env.agent.mode.get()]).toEqual([false, 'plan']);
    expect(call.text).toContain('Write the plan as your final answer');
  });
});
