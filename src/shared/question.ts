import { z } from 'zod';

/** One way to answer a question. `preview` is text in monospace that shows what choosing it would mean. */
export const QuestionOption = z.strictObject({
  label: z.string().min(1).max(200),
  description: z.string().max(2000).optional(),
  preview: z.string().max(20_000).optional(),
});
export type QuestionOption = z.infer<typeof QuestionOption>;

/** A question of the model to the user. Labels of one question differ. */
export const Question = z.strictObject({
  question: z.string().min(1).max(2000),
  /** A word or two, for the tab. */
  header: z.string().min(1).max(40),
  options: z.array(QuestionOption).min(2).max(4),
  multiSelect: z.boolean(),
});
export type Question = z.infer<typeof Question>;

/** The answer to one question: labels of options, words of the user's own, or both. */
export const QuestionAnswer = z.strictObject({
  chosen: z.array(z.string().max(200)).max(4),
  other: z.string().min(1).max(20_000).optional(),
});
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

/** Returns what is wrong with the answers to these questions, for a user; null when they fit. */
export function answersProblem(
  questions: readonly Question[],
  answers: readonly QuestionAnswer[],
): string | null {
  if (answers.length !== questions.length) return 'Every question needs an answer.';
  for (const [at, question] of questions.entries()) {
    const { chosen = [], other } = answers[at] ?? {};
    const labels = question.options.map((option) => option.label);
    const count = chosen.length + (other === undefined ? 0 : 1);
    if (count === 0) return `"${question.header}" has no answer yet.`;
    if (count > 1 && !question.multiSelect) return `"${question.header}" takes one answer.`;
    if (chosen.some((label) => !labels.includes(label)))
      return `"${question.header}" has no such choice.`;
  }
  return null;
}
