import { useEffect, useState } from 'react';
import { ok } from '../../shared/result';
import type { ModelChoice } from '../../shared/settings';
import { useLathe, useScreen } from '../store/use-lathe';

/** The models one can choose; asked again when the connection to a model changes. Empty until they are known. */
export function useModels(): readonly ModelChoice[] {
  const { ask } = useLathe();
  const connection = useScreen((s) => s.app?.connection);
  const linked = useScreen((s) => s.link.kind === 'connected');
  const key = `${linked} ${connection?.kind} ${connection?.baseUrl}`;
  const [models, setModels] = useState<readonly ModelChoice[]>([]);
  useEffect(() => {
    let current = true;
    void ask(async (client) => ok(await client.models.list())).then((listed) => {
      if (current && listed.ok) setModels(listed.value);
    });
    return () => {
      current = false;
    };
  }, [ask, key]);
  return models;
}
