import { useCallback } from 'react';
import { err, fault } from '../../shared/result';
import { replayRule, rulesPlace } from '../store/permissions';
import { useLathe } from '../store/use-lathe';
import type { Replay } from './use-replay';

/** Tries drafts on the last calls of the project on screen. */
export function useRuleReplay(): Replay {
  const lathe = useLathe();
  return useCallback(
    async (draft, signal) => {
      const place = rulesPlace(lathe);
      return place === null ? err(NO_PROJECT) : replayRule(lathe, place, draft, signal);
    },
    [lathe],
  );
}

const NO_PROJECT = fault('not_open', 'No folder is open.', 'Open one first.');
