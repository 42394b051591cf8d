/** A test that fails without a defence. `title` is what its `describe` or `test` begins with, to the letter. */
interface Guard {
  readonly file: string;
  readonly title: string;
}

/** One line of the threats Lathe is built against (docs/security.md), and the tests that hold it. */
export interface Threat {
  readonly number: number;
  /** The defence, in one line. */
  readonly defence: string;
  readonly guards: readonly Guard[];
}

const threat = (
  number: number,
  defence: string,
  ...guards: readonly (readonly [file: string, title: string])[]
): Threat => ({
  number,
  defence,
  guards: guards.map(([file, title]) => ({ file: `test/${file}`, title })),
});

const WEB = 'hosts/web/security.test.ts';
const DESK = 'electron-double/electron-double.process.test.ts';
const SHELL = 'engine/permissions/threats.test.ts';

/** Which test holds which line. A test beside this file fails when a line has none, or a named test is not there. */
export const THREATS: readonly Threat[] = [
  threat(
    1,
    'Nothing of a folder runs or configures before a user trusts exactly what is in it.',
    [
      'hosts/process/untrusted.process.test.ts',
      'THREATS 1: a booby-trapped repository runs nothing',
    ],
    ['engine/permissions/trust.test.ts', 'THREATS 1: a folder is trusted with exactly'],
    ['app/project-registry.test.ts', 'THREATS 1: what is trusted is what was shown'],
    ['app/project-registry.test.ts', 'THREATS 1: a folder that changed is asked about again'],
    ['app/project-registry.test.ts', 'THREATS 1: trust goes by the real folder'],
    ['e2e/trust.spec.ts', 'THREATS 1: a trusted folder that changed is asked about again'],
    ['engine/settings/load.test.ts', 'THREATS 1: an untrusted folder contributes deny and ask'],
    ['engine/settings/findings.test.ts', 'THREATS 1: findings name what trust would turn on'],
    ['engine/plugins/install-wanted.test.ts', 'THREATS 1: is never installed for a folder'],
    ['engine/plugins/install-wanted.test.ts', 'THREATS 1: does not come from a marketplace'],
    ['engine/prompt/memory.test.ts', 'THREATS 1: nothing of an untrusted folder'],
    ['engine/prompt/memory.test.ts', 'THREATS 1: no repository hands out a file by a link'],
  ),
  threat(2, 'No request and no key leaves before trust, and no folder says where keys go.', [
    'hosts/process/untrusted.process.test.ts',
    'THREATS 2: no request and no key goes where',
  ]),
  threat(
    3,
    'Shell decisions come from a real parse of everything nested, and fail closed.',
    [SHELL, 'THREATS 3: what cannot be understood asks'],
    ['engine/permissions/grammar-denials.test.ts', 'THREATS 3, 4: a deny rule hits'],
    ['engine/permissions/shell-cases.test.ts', 'THREATS 3, 5: the table is large'],
  ),
  threat(
    4,
    'Deny and ask reach every nested command in every mode; a damaged file loses no denial.',
    ['engine/permissions/grammar-denials.test.ts', 'THREATS 3, 4: a denied command in any'],
    ['engine/settings/read.test.ts', 'THREATS 4: a faulty denial is kept at its strictest'],
    ['engine/settings/read.test.ts', 'THREATS 4: reading never throws, and cutting a file'],
    ['engine/settings/unreadable.test.ts', 'THREATS 4: a settings file that cannot be read'],
  ),
  threat(5, 'What only reads is a list of allowed options, not of forbidden ones.', [
    SHELL,
    'THREATS 5: an option that is not listed asks',
  ]),
  threat(
    6,
    'Paths are judged where they lead, and what was judged is what is opened.',
    ['engine/tools/decided-files.test.ts', 'THREATS 6: what was decided is what is opened'],
    ['engine/permissions/shell-links.process.test.ts', 'THREATS 6: `..` behind a link'],
    ['engine/tools/decided-race.process.test.ts', 'THREATS 6: not a byte of the outside'],
    ['node/places.test.ts', 'THREATS 6: is not opened once'],
    ['node/files.test.ts', 'THREATS 6: writes nothing at a place'],
    ['engine/attachments/files.test.ts', 'THREATS 6: say nothing of what a link'],
  ),
  threat(
    7,
    'Protected files and critical removals are asked about in every mode.',
    [SHELL, 'THREATS 7: protected files and critical removals ask'],
    ['engine/permissions/file-decisions.test.ts', 'THREATS 7: no mode and no rule lets %s'],
  ),
  threat(
    8,
    'git runs nothing a repository names: not for Lathe, nor unasked in an untrusted folder.',
    [SHELL, 'THREATS 8: cd and git ask together'],
    [
      'engine/permissions/git-programs.process.test.ts',
      'THREATS 8: what git in an untrusted folder',
    ],
    ['engine/prompt/git-facts.process.test.ts', 'THREATS 8: has branch, changes and commits'],
  ),
  threat(
    9,
    'What a model or a tool says is never HTML, loads nothing, and links only where it says.',
    ['renderer/chat/markdown.test.tsx', 'THREATS 9: Markdown is never HTML'],
    ['renderer/chat/links.test.ts', 'THREATS 9: safeHref'],
    ['renderer/chat/links.test.ts', 'THREATS 9: misleadingHost'],
    ['renderer/chat/links.test.ts', 'THREATS 9: fileTarget'],
    [WEB, 'THREATS 9: sends the page with a strict policy'],
    ['threats/threats.test.ts', 'THREATS 9: no text becomes HTML anywhere in the page'],
  ),
  threat(
    10,
    'The window is locked down, and only our own page speaks to the app.',
    [DESK, 'THREATS 10: the window is locked down'],
    [DESK, 'THREATS 10: every permission but copying is refused'],
    [DESK, 'THREATS 9, 10: links open outside only after'],
    [DESK, 'THREATS 10: only our own top page gets a connection'],
    ['threats/threats.test.ts', 'THREATS 10: packages are built with fuses'],
  ),
  threat(
    11,
    'The web host answers this machine only, with a secret, to its own page only.',
    [WEB, 'THREATS 11: the ticket'],
    [WEB, 'THREATS 11: every route'],
    [WEB, 'THREATS 11: the socket %s'],
    [WEB, 'THREATS 11: it listens on the loopback address only'],
  ),
  threat(
    12,
    'A question shows what will run, all of it, and an answer counts for that alone.',
    ['engine/tools/approvals.test.ts', 'THREATS 12: an approval is bound to what was shown'],
    ['e2e/dialogs.spec.ts', 'THREATS 12: a command is shown to the byte'],
    ['renderer/approvals/edit-group.test.ts', 'THREATS 12: edits that wait together, and nothing'],
    [
      'renderer/approvals/edit-dialog.process.test.ts',
      'THREATS 12: a file that arrives is part of no',
    ],
    ['renderer/ui/visible-text.test.ts', 'THREATS 12: turns padding into marks'],
  ),
  threat(
    13,
    'Keys stay out of children, files, errors and recordings; files are the user’s alone.',
    ['hosts/process/keys.process.test.ts', 'THREATS 13: the key'],
    ['threats/threats.test.ts', 'THREATS 13: nothing makes dumps of memory'],
    ['hosts/process/keys.process.test.ts', 'THREATS 13: what Lathe writes is the user’s alone'],
    ['terminal/environment.process.test.ts', 'THREATS 13: keeps what is the user’s'],
    ['engine/model/cassette.test.ts', 'THREATS 13: holds no key'],
    [DESK, 'THREATS 13: without a real keychain'],
  ),
  threat(
    14,
    'A program in a terminal touches no clipboard, types nothing back and freezes nothing.',
    ['renderer/terminal/escapes.test.ts', 'THREATS 14: whatever a program prints'],
    ['renderer/terminal/guards.test.ts', 'THREATS 14: CSI with a count over the limit'],
    ['renderer/terminal/guards.test.ts', 'THREATS 14: nothing is typed back'],
    ['renderer/terminal/guards.test.ts', 'THREATS 14: the clipboard is out of reach'],
    ['terminal/screen.test.ts', 'THREATS 14: sequences with absurd counts'],
    ['renderer/terminal/guards.test.ts', 'THREATS 14: nothing pasted can act as a key'],
  ),
  threat(
    15,
    'Truncated or malformed input of a tool never runs; odd names are only bad names.',
    ['engine/tools/hostile-input.test.ts', 'THREATS 15: what is no valid input never runs'],
    ['engine/tools/hostile-input.test.ts', 'THREATS 15: names that every object has'],
    ['engine/tools/streaming-executor.test.ts', 'THREATS 15: refuses %s with a result'],
  ),
  threat(
    16,
    'In the sandbox a command writes, reads and reaches only what it may.',
    ['sandbox/sandbox.process.test.ts', 'THREATS 16: a command in the sandbox'],
    ['hosts/process/sandboxed.process.test.ts', 'THREATS 16: a headless run with the sandbox on'],
    ['engine/session/network-questions.test.ts', 'THREATS 16: a command in the sandbox reaches'],
  ),
  threat(
    17,
    'Ending a command ends its whole tree, and nothing that is not of it.',
    ['terminal/kill.process.test.ts', 'THREATS 17: ends the whole tree'],
    ['terminal/processes.test.ts', 'THREATS 17: the members of a tree'],
    ['terminal/kill.process.test.ts', 'THREATS 17: nothing but the tree is touched'],
  ),
  threat(
    18,
    'A session survives kill -9 at any moment, and a log with damaged lines.',
    ['hosts/process/crashes.process.test.ts', 'THREATS 18: a headless session outlives kill -9'],
    ['engine/sessions/broken-log.test.ts', 'THREATS 18: a torn last line'],
  ),
  threat(
    19,
    'Fetching reaches no private address, follows no redirect elsewhere, and stops at limits.',
    ['engine/permissions/web-request.test.ts', 'THREATS 19: addresses'],
    ['node/documents.process.test.ts', 'THREATS 19: connects to no private address'],
    ['engine/tools/builtin/web.test.ts', 'THREATS 19: does not follow a redirect'],
  ),
  threat(
    20,
    'A link into the app only fills in: nothing is sent, no setting changes, no flag is read.',
    [DESK, 'THREATS 20: a second start, a link and a folder reach the first'],
  ),
];
