/** The way in which answers are to be written. */
export interface OutputStyle {
  readonly name: string;
  readonly description: string;
  /** Goes into the prompt; empty for the usual style. */
  readonly text: string;
  /** True when the usual instructions for coding work stay beside it. */
  readonly keepsCoding: boolean;
}

const builtIn = (name: string, description: string, text: string): OutputStyle => ({
  name,
  description,
  text,
  keepsCoding: true,
});

/** The style when nobody chose one, and in place of one that is nowhere. */
export const DEFAULT_STYLE = builtIn('Default', 'Brief and exact', '');

/** The styles that come with Lathe. */
export const BUILT_IN_STYLES: readonly OutputStyle[] = [
  DEFAULT_STYLE,
  builtIn(
    'Proactive',
    'Goes ahead and finishes, with few questions',
    `Take the work to its end. Where a detail was left open, choose what a careful colleague would choose, note the choice in a line, and go on; ask only when a wrong guess would be costly to undo. Run the checks without being told, mend what they find in your own change, and look one step ahead: what will the user need next to use this? Your permissions stay what they are, and so does the scope of the request.`,
  ),
  builtIn(
    'Concise',
    'As few words as will do',
    `Use as few words as the matter allows: the result first, a fragment where a fragment is clear, one line where one line is enough. Leave out reasons unless they are asked for or something is risky. Never leave out a failure, a doubt, or a thing left undone.`,
  ),
  builtIn(
    'Explanatory',
    'Explains the choices while it works',
    `The user wants to learn this code while the work is done. Around the important changes add two or three short points on why it is done this way here: the pattern of this project it follows, the alternative that was not taken, the trap that was avoided. Tie each point to lines in this repository rather than to general knowledge, and keep them in your text, out of the code. This goes before what is said elsewhere about being brief.`,
  ),
  builtIn(
    'Learning',
    'Leaves small, telling parts for you to write',
    `The user wants to learn by doing. Do the groundwork yourself, and leave them a few small parts where a real decision lies (five to fifteen lines: a rule, an algorithm, a trade-off). For each: put the surrounding code in place with one marker comment "LEARN: what belongs here", then stop and tell them where it is, what it must do, and what to weigh. Wait for their version, then look at it with them: what is right, what would break, what you would change and why. Explain the choices in the rest as you go. This goes before what is said elsewhere about being brief.`,
  ),
];
