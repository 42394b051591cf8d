import { useCallback, useEffect, useMemo, useState } from 'react';
import type { PermissionRule } from '../../shared/permission';
import { RuleSuggestion } from '../../shared/permission';
import type { Fault, Result } from '../../shared/result';
import type { RuleDraft, RulesOverview } from '../../shared/rules-overview';
import type { Project } from '../../shared/settings';
import { addRule, listRules, removeRule } from '../store/permissions';
import { useLathe, useScreen } from '../store/use-lathe';

/** The rules in force on screen, and what can be done about them. */
export interface Rules {
  /** Null until they were read. */
  readonly overview: RulesOverview | null;
  /** What went wrong last. */
  readonly fault: Fault | null;
  readonly inSession: boolean;
  /** The rule that was removed last, to be put back. */
  readonly removed: PermissionRule | null;
  reload(): Promise<void>;
  /** Gives what went wrong, or null. */
  add(draft: RuleDraft): Promise<Fault | null>;
  remove(rule: PermissionRule): Promise<void>;
  putBack(): Promise<void>;
}

/** Reads the rules of a project and of the session on screen; again whenever the project may have changed. */
export function useRules(project: Project): Rules {
  const lathe = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const [overview, setOverview] = useState<RulesOverview | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [removed, setRemoved] = useState<PermissionRule | null>(null);
  const place = useMemo(
    () => ({ project: project.path, ...(sessionId === null ? {} : { sessionId }) }),
    [project.path, sessionId],
  );

  const reload = useCallback(async () => {
    const listed = await listRules(lathe, place);
    if (listed.ok) setOverview(listed.value);
    setFault(listed.ok ? null : listed.error);
  }, [lathe, place]);

  // A project that was read again may have other rules.
  useEffect(() => {
    void reload();
  }, [reload, project]);

  const settle = async (changed: Result<null>): Promise<Fault | null> => {
    await reload();
    if (changed.ok) return null;
    return changed.error;
  };

  return {
    overview,
    fault,
    inSession: sessionId !== null,
    removed,
    reload,
    add: async (draft) => {
      setRemoved(null);
      return settle(await addRule(lathe, place, draft));
    },
    remove: async (rule) => {
      const { behavior, text, source } = rule;
      const failed = await settle(await removeRule(lathe, place, { behavior, rule: text, source }));
      setRemoved(failed ? null : rule);
      setFault(failed);
    },
    putBack: async () => {
      const destination = RuleSuggestion.shape.destination.safeParse(removed?.source);
      if (removed === null || !destination.success) return;
      const draft = {
        behavior: removed.behavior,
        rule: removed.text,
        destination: destination.data,
      };
      const failed = await settle(await addRule(lathe, place, draft));
      if (!failed) setRemoved(null);
      setFault(failed);
    },
  };
}
