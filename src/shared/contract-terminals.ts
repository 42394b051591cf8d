import { oc } from '@orpc/contract';
import { z } from 'zod';
import { Id, outcome, Path, Side } from './contract-inputs';
import {
  type KillReport,
  MAX_TERMINAL_NAME,
  type ProcessTree,
  type TerminalInfo,
} from './terminal';

/** The part of the contract about terminals and what runs in them. */
export const terminalsContract = {
  /** Opens a user's own shell, or what their profile of a name says. */
  create: oc
    .input(z.object({ project: Path, cols: Side, rows: Side, profile: Id.exactOptional() }))
    .output(outcome<TerminalInfo>()),
  kill: oc.input(z.object({ terminalId: Id })).output(outcome<KillReport>()),
  /** Forgets a terminal that has ended. */
  dismiss: oc.input(z.object({ terminalId: Id })).output(outcome<null>()),
  /** Gives the keyboard of a command to the user, or back. */
  takeWheel: oc.input(z.object({ terminalId: Id, taken: z.boolean() })).output(outcome<null>()),
  /** Gives a terminal the name that the user wants; an empty one takes it away. */
  rename: oc
    .input(z.object({ terminalId: Id, name: z.string().max(MAX_TERMINAL_NAME) }))
    .output(outcome<null>()),
  /** Lets a terminal go on when Lathe quits, or not. */
  pin: oc.input(z.object({ terminalId: Id, pinned: z.boolean() })).output(outcome<null>()),
  /** Starts anew what an ended terminal ran, as the user's own, and forgets the ended one. */
  rerun: oc.input(z.object({ terminalId: Id })).output(outcome<TerminalInfo>()),
  /** Lists what lives of each terminal, with what it uses. */
  processes: oc.output(outcome<readonly ProcessTree[]>()),
  /** Ends one process of a terminal's tree and no other. */
  killProcess: oc
    .input(
      z.object({
        terminalId: Id,
        pid: z.number().int().positive(),
        startTime: z.string().max(200),
      }),
    )
    .output(outcome<KillReport>()),
  /** Ends processes that an earlier Lathe left running. */
  endLeftovers: oc
    .input(z.object({ ids: z.array(Id).min(1).max(1000) }))
    .output(outcome<KillReport>()),
  /** Lets them all run on, and lists them no more. */
  forgetLeftovers: oc.output(outcome<null>()),
  /** Ends a terminal host that hangs, with all that runs in it, and starts another one. */
  restartHost: oc.output(outcome<null>()),
};
