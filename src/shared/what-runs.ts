import { whatMayLiveOn } from './terminal';

/** The work that quitting touches. */
export interface WhatRuns {
  readonly queries: number;
  /** Titles of the tasks that would end. */
  readonly tasks: readonly string[];
  readonly shells: number;
  /** Names of the terminals that go on all the same. */
  readonly pinned: readonly string[];
  /** Processes that an earlier Lathe left running. */
  readonly leftovers: number;
  /** Something in a terminal that would end can get out of sight ({@link whatMayLiveOn}). */
  readonly loose?: boolean;
  /** Names of the conversations that cannot be saved at the moment. */
  readonly unsaved: readonly string[];
}

/** The question before quitting: a line, and paragraphs that name what would end. */
export interface QuitQuestion {
  readonly title: string;
  readonly detail: readonly string[];
}

/** The number of tasks named before "and N more". */
const NAMED_TASKS = 8;

/** Returns the question before quitting; null when nothing would be lost, because at most pinned terminals run. Pure. */
export function quitQuestion(running: WhatRuns): QuitQuestion | null {
  const { queries, tasks, shells, pinned, leftovers, unsaved } = running;
  if (queries + tasks.length + shells + leftovers + unsaved.length === 0) return null;
  const named = tasks.slice(0, NAMED_TASKS).map((task) => `• ${task}`);
  if (tasks.length > NAMED_TASKS) named.push(`• and ${tasks.length - NAMED_TASKS} more`);
  const detail = [
    queries > 0
      ? `${counted(queries, 'query', 'queries')} will be stopped.${unsaved.length > 0 ? '' : ' What was said is kept.'}`
      : '',
    unsaved.length > 0
      ? `What cannot be saved is lost: ${unsaved.join(', ')}. Make room on the disk, or let Lathe write there, and wait a few seconds.`
      : '',
    tasks.length > 0 ? `${counted(tasks.length, 'task', 'tasks')}:\n${named.join('\n')}` : '',
    shells > 0 ? `${counted(shells, 'shell', 'shells')} of your own.` : '',
    leftovers > 0
      ? `${counted(leftovers, 'process', 'processes')} that an earlier Lathe left running.`
      : '',
    pinned.length > 0 ? `Goes on in any case: ${pinned.join(', ')}.` : '',
    tasks.length + shells + leftovers > 0 ? whatMayLiveOn(running.loose === true) : '',
  ];
  return {
    title:
      unsaved.length > 0
        ? `Quit Lathe although ${counted(unsaved.length, 'conversation is', 'conversations are')} not saved?`
        : 'Quit Lathe while work is going on?',
    detail: detail.filter((part) => part !== ''),
  };
}

const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;
