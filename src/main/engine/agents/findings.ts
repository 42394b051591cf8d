import { type AskModel, textOf } from '../model/side-call';

/** The longest that a merged report gets. Tokens. */
const MAX_TOKENS = 8000;

const SYSTEM =
  'Several findings about one task come from the same worker, one after another, because it was told more meanwhile. Write the one report that whoever gave the task needs: everything that is found, each thing once. Where findings disagree, the later one counts; say so where it matters. Keep file paths, line numbers, commands and figures exactly. Add nothing of your own and say nothing about findings or merging.';

/**
 * Returns the report of a worker: its one finding word for word, or several merged by the small model. Where that cannot be
 * asked, all of them stand one below the other.
 */
export async function mergedFindings(
  task: string,
  findings: readonly string[],
  ask: AskModel,
  signal: AbortSignal,
): Promise<string> {
  const [only = '', ...more] = findings;
  if (more.length === 0) return only;
  const listed = findings.map((finding, at) => `Finding ${at + 1}:\n${finding}`).join('\n\n');
  const text = `Original task:\n${task}\n\n${listed}`;
  const answer = await ask(
    { purpose: 'findings', size: 'small', system: SYSTEM, text, maxTokens: MAX_TOKENS },
    signal,
  );
  const merged = answer.ok ? textOf(answer.value).trim() : '';
  return merged === '' ? listed : merged;
}
