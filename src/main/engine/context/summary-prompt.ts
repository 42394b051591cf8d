/**
 * What is asked for a summary. The answer is all that is left of the conversation, so it must let the work go
 * on without asking again. `focus` is what a person wants kept above all.
 */
export function summaryRequest(focus?: string): string {
  const special =
    focus === undefined || focus.trim() === ''
      ? ''
      : `\n\nAbove all keep what concerns this: ${focus.trim()}`;
  return `${INSTRUCTIONS}${special}`;
}

const INSTRUCTIONS = `The conversation is about to be replaced by a summary that you write now. Whoever goes on will have your summary and the last few messages, nothing else. Answer with text only and use no tool.

Put the summary between <summary> and </summary>, in these parts, and leave out a part that would be empty:

1. Task: what the user asked for, every wish and limit they named, and how they changed their mind. Quote the words that matter.
2. Decisions: what was settled and why, what was tried and given up.
3. Files: each file that was read, changed or made, with its path, what it holds or what changed in it, and the code that is needed to go on, word for word.
4. Commands and results: what was run, and what came out, as far as it still matters.
5. Errors: what went wrong, how it was solved, what the user said about it.
6. State: what is done, what is half done, what is running in the background.
7. Next: the very next step, with the user's words it follows from.

Be exact with names, paths, numbers and identifiers. Do not invent anything and do not judge the work.`;

/** The summary in an answer: what stands in its tags, or the whole text when they are missing. Trimmed. */
export function readSummary(answer: string): string {
  const tagged = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(answer);
  return (tagged?.[1] ?? answer).trim();
}
