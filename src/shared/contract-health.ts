import { oc } from '@orpc/contract';
import { z } from 'zod';
import { outcome, Path } from './contract-inputs';
import type { Finding, HealthView } from './health';

/** The part of the contract about how Lathe itself is. */
export const healthContract = {
  /** Returns what is used and what waits at the moment. */
  view: oc.output(outcome<HealthView>()),
  /** Looks at everything Lathe depends on, as `lathe doctor` does. Starts programs. */
  examine: oc.input(z.object({ project: Path })).output(outcome<readonly Finding[]>()),
};
