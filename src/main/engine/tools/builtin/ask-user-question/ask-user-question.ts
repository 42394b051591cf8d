import { z } from 'zod';
import { Question, type QuestionAnswer } from '../../../../../shared/question';
import { ownNeeds } from '../../needs';
import { NO_ACCESS } from '../../resource-access';
import { defineTool } from '../../tool';

const Asked = z.strictObject({
  questions: z
    .array(Question)
    .min(1)
    .max(4)
    .describe('One to four questions that belong together; they are shown side by side.'),
});

const distinctLabels = (
  { questions }: z.infer<typeof Asked>,
  context: z.RefinementCtx<z.infer<typeof Asked>>,
): void => {
  for (const [at, { options }] of questions.entries()) {
    const labels = new Set(options.map((option) => option.label));
    if (labels.size < options.length)
      context.addIssue({
        code: 'custom',
        path: ['questions', at, 'options'],
        message: 'two options have the same label',
      });
  }
};

const Answer = z.string().min(1).max(20_000);
/** The input that a hook may give: with the answers, by the question's text. The model cannot give them. */
const Answered = Asked.extend({
  answers: z.record(z.string(), z.union([Answer, z.array(Answer).max(4)])),
});
const Input = Asked.superRefine(distinctLabels);
type Input = z.infer<typeof Asked> & Partial<Pick<z.infer<typeof Answered>, 'answers'>>;

/** The answers of the user; null when they would not answer. */
interface Output {
  readonly questions: readonly Question[];
  readonly answers: readonly QuestionAnswer[] | null;
}

/** The form of the previews beside options: text, or HTML for a program that shows a page. */
export type PreviewFormat = 'markdown' | 'html';

const PREVIEWS: Readonly<Record<PreviewFormat, string>> = {
  markdown: 'text shown in monospace beside the options',
  html: 'a fragment of HTML shown beside the options, with its styles in it and without scripts or links to other files',
};

const describe = (
  previews: PreviewFormat,
) => `Asks the user one to four questions and waits for their answers.

- Use it when a decision is theirs: a choice between ways that differ in what they get, a missing fact that no file holds. Do not ask for what you can find out, nor whether to go on.
- Each question has two to four options. Put the one you would choose first and end its label with "(recommended)". The user can always write an answer of their own, so offer no "other".
- header is a word or two for the tab: "Storage". description says what an option means. preview is ${PREVIEWS[previews]}, to compare code, layouts or settings.
- multiSelect lets them choose several.`;

const NOBODY =
  'Nobody can be asked in this session. Decide it yourself with the safest assumption, go on, and say at the end what you assumed.';
const DECLINED =
  'The user did not want to answer. Do not ask the same again: go on with what you know, or say what you cannot do without it.';

/** Creates the tool that lets the model ask. */
export const createAskUserQuestionTool = (previews: PreviewFormat = 'markdown') =>
  defineTool<Input, Output>({
    name: 'AskUserQuestion',
    description: describe(previews),
    input: Input,
    hookInput: Answered.superRefine(distinctLabels),
    access: async () => NO_ACCESS,
    needs: ownNeeds('AskUserQuestion'),
    title: ({ questions = [] }) => ({
      verb: 'Ask',
      target: questions.map((question) => question?.header ?? '').join(', '),
    }),
    execute: async function* ({ questions, answers: given }, context) {
      if (given !== undefined) {
        return { ok: true, output: { questions, answers: answersFrom(questions, given) } };
      }
      if (context.askUser === null || context.agent.mode.get() === 'dontAsk') {
        return { ok: false, message: NOBODY };
      }
      yield { view: { kind: 'question', questions } };
      const answer = await context.askUser({ kind: 'question', questions });
      if (context.signal.aborted) return { ok: false, message: 'Interrupted by the user.' };
      const answers = answer.behavior === 'answers' ? answer.answers : null;
      return { ok: true, output: { questions, answers } };
    },
    toModel: (output) => [{ type: 'text', text: report(output) }],
    view: (_, { questions, answers }) => ({
      kind: 'question',
      questions: [...questions],
      answers: answers === null ? null : [...answers],
    }),
  });

/** Answers as a hook gives them, in the order of the questions; words that are no option are the user's own. */
const answersFrom = (
  questions: readonly Question[],
  given: NonNullable<Input['answers']>,
): QuestionAnswer[] =>
  questions.map(({ question, options }) => {
    const said = [given[question] ?? []].flat();
    const chosen = options.map(({ label }) => label).filter((label) => said.includes(label));
    const other = said.filter((words) => !chosen.includes(words)).join('; ');
    return { chosen, ...(other === '' ? {} : { other }) };
  });

function report({ questions, answers }: Output): string {
  if (answers === null) return DECLINED;
  const lines = questions.map(({ question }, at) => {
    const { chosen = [], other } = answers[at] ?? {};
    const own = other === undefined ? [] : [`in their own words: ${other}`];
    return `- ${question}\n  ${[...chosen, ...own].join('; ')}`;
  });
  return `The user answered:\n${lines.join('\n')}`;
}
