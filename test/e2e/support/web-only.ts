/** What is not tried in the window of the desktop app. */
interface WebOnly {
  readonly spec: string;
  /** The beginnings of titles. Absent: the whole file. */
  readonly tests?: readonly string[];
  readonly why: string;
}

const RESTARTED = 'starts, stops or suspends a web host of its own';
const ADDRESS = 'is about the address, the links or the command line of a web host';
const DIALOG = 'types into the page what the app asks for in a dialog of the system';
const CLIPBOARD = 'reads the clipboard in the page, which the app allows no page';

/** Everything else in `test/e2e` is tried there too. */
export const WEB_ONLY: readonly WebOnly[] = [
  { spec: 'installed', why: 'opens no window' },
  { spec: 'packages', why: 'opens no window of its own build' },
  { spec: 'quit', why: 'the app asks with a dialog of the system' },
  { spec: 'heartbeat', why: RESTARTED },
  { spec: 'login-shell', why: RESTARTED },
  { spec: 'sandbox', why: RESTARTED },
  {
    spec: 'accessibility',
    tests: ['nothing serious or moderate', 'each page before the work'],
    why: RESTARTED,
  },
  { spec: 'dialogs', tests: ['a plan is changed'], why: RESTARTED },
  { spec: 'files', tests: ['opens in the viewer'], why: RESTARTED },
  { spec: 'places', tests: ['work that a restart cut'], why: RESTARTED },
  { spec: 'plugins', tests: ['--plugin-dir brings'], why: RESTARTED },
  { spec: 'first-run-errors', tests: ['a second start', 'a port in use'], why: ADDRESS },
  { spec: 'keyboard', why: DIALOG },
  { spec: 'dialogs', tests: ['closing the window denies'], why: 'opens a second page' },
  { spec: 'settings', tests: ['settings hold at once'], why: 'opens a second page' },
  { spec: 'wheel', tests: ['two windows on a command'], why: 'opens a second page' },
  { spec: 'two-tabs', why: 'opens a second page' },
  { spec: 'durable', why: CLIPBOARD },
  { spec: 'flood', why: CLIPBOARD },
  { spec: 'lost-host', why: CLIPBOARD },
  { spec: 'reading', tests: ['text is copied from terminals'], why: CLIPBOARD },
  {
    spec: 'reload',
    tests: ['a reload in the middle of everything', 'two tabs on one session'],
    why: CLIPBOARD,
  },
  { spec: 'terminal-text', why: CLIPBOARD },
  {
    spec: 'search',
    tests: ['a search finds what was said'],
    why: 'saves a file, which the app puts among the downloads of the user',
  },
];

/** Returns the pattern of their names, as Playwright writes them: project, file, titles. */
export const webOnly = (): RegExp =>
  new RegExp(
    WEB_ONLY.map(({ spec, tests = [''] }) => `\\b${spec}\\.spec\\.ts .*(${tests.join('|')})`).join(
      '|',
    ),
  );
