import type { Approval } from '../../../src/shared/permission';
import { emptyTranscript, type Transcript } from '../../../src/shared/transcript';
import * as asked from './approval-fixtures';
import * as fixture from './fixtures';
import { LONG_ANSWER } from './prose';
import * as question from './question-fixtures';
import * as recovery from './recovery-fixtures';

/** One state of the screen. */
export interface Scene {
  readonly transcript: Transcript;
  readonly approvals?: readonly Approval[];
  readonly draft?: string;
  /** Streams this text into the end of the conversation. */
  readonly stream?: string;
  /** The same conversation with its earlier rows, which come later. */
  readonly whole?: Transcript;
}

const asking = (...approvals: readonly Approval[]): Scene => ({
  transcript: {
    ...fixture.runningTranscript,
    queue: [],
    approvals: approvals.map((approval) => ({ ...approval, agentId: 'main' })),
  },
  approvals,
});

export const SCENES: Readonly<Record<string, Scene>> = {
  empty: { transcript: emptyTranscript('s', 'e') },
  running: {
    transcript: fixture.runningTranscript,
    draft: 'And look at the session tests for the admin area',
  },
  finished: { transcript: fixture.finishedTranscript },
  troubled: { transcript: fixture.troubledTranscript },
  retry: { transcript: recovery.retryTranscript },
  silent: { transcript: recovery.silentTranscript },
  recovered: { transcript: recovery.recoveredTranscript },
  queue: { transcript: recovery.queueTranscript },
  heldQueue: { transcript: recovery.heldQueueTranscript },
  stoppedQueue: { transcript: recovery.stoppedQueueTranscript },
  long: { transcript: fixture.longTranscript(3000) },
  listing: {
    transcript: {
      ...fixture.longTranscript(40),
      committed: [...fixture.longTranscript(40).committed, fixture.listing],
    },
  },
  sameListings: {
    transcript: {
      ...fixture.longTranscript(40),
      committed: [...fixture.longTranscript(40).committed, fixture.sameListings],
    },
  },
  late: {
    transcript: {
      ...fixture.longTranscript(3000),
      committed: fixture.longTranscript(3000).committed.slice(-90),
    },
    whole: fixture.longTranscript(3000),
  },
  stream: { transcript: fixture.runningTranscript, stream: LONG_ANSWER },
  longStream: { transcript: fixture.runningTranscript, stream: LONG_ANSWER.repeat(5) },
  command: asking(asked.commandApproval),
  edit: asking(asked.editApproval, asked.commandApproval, asked.readApproval),
  hidden: asking(asked.hiddenApproval),
  read: asking(asked.readApproval),
  tool: asking(asked.toolApproval),
  longCommand: asking(asked.longApproval),
  heredoc: asking(asked.heredocApproval),
  largeEdit: asking(asked.editApproval, asked.largeEditApproval),
  edit1: asking(asked.editApproval),
  multiEdit: asking(asked.editApproval, question.createApproval),
  mixedEdits: asking(
    asked.editApproval,
    question.createApproval,
    question.guardedEditApproval,
    asked.commandApproval,
  ),
  create: asking(question.createApproval),
  fetch: asking(question.fetchApproval),
  connect: asking(question.connectApproval),
  connectOneOf: asking(question.connectOneOfApproval),
  lookalike: asking(question.lookalikeApproval),
  question: asking(question.questionApproval),
  form: asking(question.formApproval),
  visit: asking(question.visitApproval),
  preview: asking(question.previewApproval),
  plan: asking(question.planApproval),
  parts: asking(question.partsApproval),
  three: asking(question.partsApproval, question.questionApproval, question.planApproval),
};
