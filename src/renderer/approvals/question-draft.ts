import type { Question, QuestionAnswer } from '../../shared/question';

/** What a person has put together as an answer so far. */
export interface Draft {
  readonly chosen: readonly string[];
  /** The answer of their own is chosen; its text may still be empty. */
  readonly own: boolean;
  readonly text: string;
}

export const emptyDraft: Draft = { chosen: [], own: false, text: '' };

/** Chooses or takes back an option by its place; the place after the last is the person's own answer. Pure. */
export function toggled(draft: Draft, question: Question, place: number): Draft {
  const option = question.options[place];
  if (!question.multiSelect) {
    return option
      ? { ...draft, chosen: [option.label], own: false }
      : { ...draft, chosen: [], own: true };
  }
  if (option === undefined) return { ...draft, own: !draft.own };
  const has = draft.chosen.includes(option.label);
  const wanted = has
    ? draft.chosen.filter((label) => label !== option.label)
    : [...draft.chosen, option.label];
  // In the order of the question, whatever order they were clicked in.
  const chosen = question.options.map((o) => o.label).filter((label) => wanted.includes(label));
  return { ...draft, chosen };
}

/** The answer a draft stands for; null while it is none. */
export function draftAnswer(draft: Draft): QuestionAnswer | null {
  const other = draft.text.trim();
  if (draft.own && other === '') return null;
  if (!draft.own && draft.chosen.length === 0) return null;
  return { chosen: [...draft.chosen], ...(draft.own ? { other } : {}) };
}
