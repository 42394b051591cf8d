import type { TestCounts } from './history';
import { CLOCK, MISTAKE, SMALLER_REPAIR, SUSPECT } from './sample';
import { END_OF_TOUR } from './scene';

/** The first words of every tour. They must say what this is before they say anything else. */
export const GREETING = `**This is the offline demo: a script, not an AI model.** Every word here was written in advance, and \
whatever you type starts the same tour. Everything else is real: the files, the shell, the permission questions, the terminals.

The sample project is the departure board of a small harbour, and one of its tests fails. The plan:

1. read the code,
2. run the tests in the background and watch them,
3. repair what fails, if you allow it,
4. run the tests again.`;

export const LOOKING =
  'First the code: the list of departures, its test, and where the waiting time comes from.';

export const STARTING_TESTS = `The waiting time comes from \`${SUSPECT}\` in \`${CLOCK}\`. I start the tests in the background and \
read that file meanwhile. Lathe asks you first, because a command can do anything.`;

export const READING_ON = `The waiting time comes from \`${SUSPECT}\` in \`${CLOCK}\`. I read that file too.`;

export const WATCHING =
  'The tests are running in a terminal of their own: open it in the dock and watch. I look at what has been printed so far.';

export const WAITING = 'Not finished yet. I wait for the rest.';

/** Says in one sentence how a test run ended. */
export const countsLine = (v: TestCounts | null): string => {
  if (v === null) return 'I have not seen a result of the tests, so this rests on reading alone.';
  return `${v.passed + v.failed} tests ran: ${v.passed} passed, **${v.failed} failed**.`;
};

export const NO_FIRST_RUN = 'All right, no test run. Then this rests on reading alone.';

export const MUSING = `At 23:50 the night ferry of 00:15 should leave in 25 minutes. ${SUSPECT}(15, 1430) gives 15 − 1430 = −1415. \
A negative wait is dropped by the filter in nextDepartures, so every ferry after midnight disappears. \
The filter is right; the waiting time is wrong: a time that has passed today comes round again tomorrow.`;

export const EXPLAINING = `\`${SUSPECT}\` subtracts two times of day. That works until midnight lies between them: at 23:50 the 00:15 ferry \
is **−1415 minutes** away, and \`nextDepartures\` drops negative waits. So before midnight the board forgets every ferry of the next morning.

The cure belongs where the mistake is, in \`${CLOCK}\`: a moment that has passed today comes round again tomorrow.`;

export const ASKING_AGAIN = 'The same edit once more; it was interrupted.';

export const REREADING =
  'The edit did not go through, because the file is not what I read before. I read it again.';

export const STILL_THERE = 'The line is still there. I ask for the same edit once more.';

/** Returns the words after a refusal with a reason. */
export const objection = (said: string): string =>
  `You said: ${quoted(said)} A real model would act on that. I am a script and have exactly one other idea: the same repair in a single line.`;

export const TESTING_AGAIN =
  'The file is changed. Now the tests again, in the foreground this time.';

export const ALL_GREEN = 'All tests pass. The list is done.';

/** Answers what a user wrote in the middle of the tour. */
export const asideLine = (said: string): string =>
  `You wrote: ${quoted(said)} I am a script and cannot act on that, so the tour goes on.`;

const LONGEST_QUOTE = 200;

/** Quotes a user's words on one line, without anything markdown would act on. */
function quoted(words: string): string {
  const line = words
    .replace(/\s+/g, ' ')
    .replace(/[`*_[\]<>#|\\]/g, '')
    .trim();
  const characters = [...line];
  const short =
    characters.length > LONGEST_QUOTE ? `${characters.slice(0, LONGEST_QUOTE).join('')}…` : line;
  return `“${short}”`;
}

const end = (text: string): string => `${text}\n\n${END_OF_TOUR}`;

export const LOST = end(
  'This is the offline demo, a script and not an AI model. The request does not say which folder I am in, so I cannot begin.',
);

export const NOT_THE_SAMPLE =
  end(`I could not read the files I know, so this does not seem to be the sample project. I am a script that can only show \
that one: choose **Try the offline demo** on the first-run screen, or connect a real model to work on this folder.`);

export const CANNOT_READ_CLOCK = end(
  `I could not read \`${CLOCK}\`, and Lathe lets nobody edit a file they have not read. So I stop here.`,
);

export const CHANGED_BY_HAND =
  end(`\`${CLOCK}\` no longer holds the line I know. Somebody changed it, and a script cannot think of another repair. \
A fresh copy of the sample project starts from the beginning.`);

/** Returns the words for tests that were green from the start. */
export const nothingToDo = (v: TestCounts | null): string =>
  end(
    v === null
      ? `\`${CLOCK}\` has been repaired already, so there is nothing left for me to do.`
      : `${countsLine(v)} There is nothing left to repair in this copy of the sample project.`,
  );

/** The repair as a patch that a user can apply. */
export const PATCH =
  end(`Nothing was changed. If you want to make the repair yourself, this is all of it:

\`\`\`diff
--- a/${CLOCK}
+++ b/${CLOCK}
-${MISTAKE.trimEnd()}
+${SMALLER_REPAIR.trimEnd()}
\`\`\``);

export const EDIT_FAILED = end(
  `The edit did not go through several times in a row, and I stop rather than try for ever. \`${CLOCK}\` is as it was.`,
);

/** Tests still fail after the repair. */
export const stillFailing = (v: TestCounts): string =>
  end(
    `${countsLine(v)} So the repair is not the whole story, or something else changed meanwhile. A real model would look further; the script ends here.`,
  );

/** Returns the words for a repair that stands but that nobody saw work. */
export const unproven = (why: string): string =>
  end(
    `The repair is in \`${CLOCK}\`, but ${why}, so nobody has seen it work yet. \`npm test\` in a terminal tells.`,
  );

/** Returns the words for a tour that went all the way. */
export const summary = (before: TestCounts | null, after: TestCounts, repair: string): string => {
  const cell = (v: TestCounts | null) =>
    v === null ? 'not seen | not seen' : `${v.passed} | ${v.failed}`;
  return end(`The ferries after midnight are back.

| | passed | failed |
|---|---:|---:|
| before | ${cell(before)} |
| after | ${cell(after)} |

What changed in \`${CLOCK}\`:

\`\`\`js
export function ${SUSPECT}(time, now) {
${repair.trimEnd()}
}
\`\`\`

The filter for negative waits in \`src/departures.js\` has nothing to do any more; it may go whenever you like. \
Now it is your turn: look at the change, open a terminal of your own, or connect a real model in the settings.`);
};

/** Said when Lathe reports the end of a task while it is the user's turn. */
export const IDLE =
  'A task has ended meanwhile. The script waits for you: write anything to go on.';

/** Answers anything that is asked after the tour. */
export const afterTour = (prompt: string): string =>
  `You wrote: ${quoted(prompt)} I am the scripted demo and not an AI model, so I cannot answer that.

What I can do: **walk through the tour again** (write “again”). What you can do here without a model: open terminals of your own, look at the \
changes, rename or remove this session. For real work, connect an API key or another endpoint in the settings.`;
