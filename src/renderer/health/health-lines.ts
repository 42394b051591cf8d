import type { Finding, HealthView, SessionHealth } from '../../shared/health';
import { dataSize, elapsed, plural } from '../ui/format';
import type { FrameFacts } from './frames';

/** The memory of the window itself. Bytes; null where the browser does not tell. */
export interface PageFacts extends FrameFacts {
  readonly heap: number | null;
  readonly elements: number;
}

/** One number of the page, and what it is measured against. */
export interface HealthFigure {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** It is worth a look. */
  readonly high: boolean;
}

/** A pause, or a frame, that a user notices. Milliseconds. */
const NOTICED_MS = 200;
/** Beyond this share of its limit a thing is about to run out. */
const NEARLY = 0.8;

const ms = (value: number | null): string =>
  value === null
    ? '–'
    : value >= 1000
      ? `${(value / 1000).toFixed(1)} s`
      : `${Math.round(value)} ms`;

/** Returns the figures of Lathe's own process. Pure. */
export function hostFigures({ host }: HealthView): readonly HealthFigure[] {
  const { openFiles, openFilesLimit: most } = host;
  const files = openFiles !== null && most !== null && openFiles > most * NEARLY;
  return [
    {
      ...{ label: 'Memory', value: dataSize(host.memory) },
      ...{ note: `process ${host.pid}, up ${elapsed(host.upMs)}`, high: false },
    },
    {
      ...{ label: 'Heap', value: dataSize(host.heap), note: `of ${dataSize(host.heapLimit)}` },
      high: host.heap > host.heapLimit * NEARLY,
    },
    {
      ...{ label: 'Longest pause', value: ms(host.longestPauseMs), note: 'since the last look' },
      high: (host.longestPauseMs ?? 0) > NOTICED_MS,
    },
    {
      ...{ label: 'Open files', value: openFiles === null ? '–' : String(openFiles) },
      ...{ note: most === null ? 'the system tells no limit' : `of ${most}`, high: files },
    },
  ];
}

/** Returns the figures of the window. Pure. */
export const pageFigures = (page: PageFacts): readonly HealthFigure[] => [
  {
    ...{ label: 'Frames', value: ms(page.median) },
    ...{ note: `19 in 20 under ${ms(page.p95)}`, high: (page.p95 ?? 0) > NOTICED_MS },
  },
  {
    ...{ label: 'Slow frames', value: String(page.slow) },
    note: page.slow === 0 ? 'since it was loaded' : `longest ${ms(page.slowest)}`,
    high: false,
  },
  {
    ...{ label: 'Heap', value: page.heap === null ? '–' : dataSize(page.heap), high: false },
    note: page.heap === null ? 'the browser does not tell' : 'of this window',
  },
  {
    ...{ label: 'Elements', value: page.elements.toLocaleString('en-US'), high: false },
    note: 'on the page',
  },
];

/** Returns what a session in memory holds and what waits in it, in words. Pure. */
export function sessionWords(session: SessionHealth): string {
  const { watchers, queued, unwritten, behind } = session;
  return [
    plural(session.rows, 'row'),
    watchers === 0 ? 'in no window' : `kept by ${plural(watchers, 'window')}`,
    ...(queued > 0 ? [`${plural(queued, 'prompt')} waiting`] : []),
    ...(behind > 0 ? [`${plural(behind, 'event')} behind`] : []),
    ...(unwritten > 0 ? [`${dataSize(unwritten)} not saved yet`] : []),
  ].join(' · ');
}

/** Returns all of it as text, to be pasted into a report. Names of sessions and folders stay out. Pure. */
export function reportText(
  version: string,
  view: HealthView,
  page: PageFacts,
  findings: readonly Finding[],
): string {
  const figures = (title: string, list: readonly HealthFigure[]) => [
    `${title}:`,
    ...list.map(({ label, value, note }) => `  ${label}: ${value} (${note})`),
  ];
  const { sessions, terminals } = view;
  return [
    `Lathe ${version}`,
    ...figures('Process', hostFigures(view)),
    ...figures('Window', pageFigures(page)),
    `Sessions in memory: ${sessions.length}`,
    ...sessions.map((one) => `  ${one.running ? 'at work' : 'rests'}, ${sessionWords(one)}`),
    `Terminals: ${terminals.running} running, ${terminals.ended} ended, ${plural(terminals.processes, 'process', 'processes')}, ${dataSize(terminals.memory)}`,
    'Examination:',
    ...findings
      .filter(({ label }) => label !== 'Settings')
      .map(({ label, state, text }) => `  ${label}: ${state === 'good' ? 'good' : text}`),
  ].join('\n');
}
