import { EffortSetting } from './schema';

const LEVELS: readonly string[] = EffortSetting.options;

/** Returns the lowest of several efforts; undefined where there is none. Pure. */
export const lowestEffort = (
  efforts: readonly (string | undefined)[],
): (typeof EffortSetting.options)[number] | undefined =>
  EffortSetting.options.find((one) => efforts.includes(one));

/** Returns an effort, or the highest that settings let be asked for where that is lower. Pure. */
export const cappedEffort = (effort: string, most: string | undefined): string =>
  most !== undefined && LEVELS.indexOf(effort) > LEVELS.indexOf(most) ? most : effort;
