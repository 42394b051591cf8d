/** What one family of models needs to be told beyond what all are told. */
interface Guidance {
  /** Matches model ids, provider prefixes and dates included. */
  readonly family: RegExp;
  readonly text: string;
}

/**
 * Written from what the families tend to get wrong: the small ones skip steps and checks, the large ones do
 * more than was asked.
 */
const GUIDANCE: readonly Guidance[] = [
  {
    family: /haiku/i,
    text: 'Take one step at a time: read the file before you reason about it, check each result before you go on, and run the check of the project before you say that you are done.',
  },
  {
    family: /opus|fable/i,
    text: 'Stay within what was asked. When you see more that could be done, name it in one line and leave it.',
  },
];

/** Returns the section that adapts the prompt to the model in use. `knowledgeUntil`: e.g. `2026-06`. */
export function modelGuidance(model: string, knowledgeUntil?: string | null): string {
  const adapted = GUIDANCE.filter((entry) => entry.family.test(model)).map((entry) => entry.text);
  const known = knowledgeUntil
    ? [`Your knowledge ends about ${knowledgeUntil}; look newer things up.`]
    : [];
  return ['# Model', `You run on the model ${model}.`, ...known, ...adapted].join('\n');
}
