import type { ModelChoice } from '../../shared/settings';
import { currentTranscript } from '../store/screen';
import { configureSession } from '../store/sessions';
import { useLathe, useScreen } from '../store/use-lathe';
import { Picker } from '../ui/Picker';
import { effortLabel, effortUsed, findModel, modelLabel } from './efforts';
import { effortOptions, modelOptions } from './model-options';

/** Model and effort of the session on screen, as two pickers of the status bar. */
export function ModelPicker({ models }: { readonly models: readonly ModelChoice[] }) {
  const lathe = useLathe();
  const model = useScreen((s) => currentTranscript(s)?.model ?? '');
  const effort = useScreen((s) => currentTranscript(s)?.effort ?? '');
  const running = useScreen((s) => (currentTranscript(s)?.running ?? null) !== null);
  if (model === '') return null;
  const efforts = findModel(models, model)?.efforts ?? [];
  const used = effortUsed(efforts, effort);
  const note = running ? { note: 'Counts from the next request on.' } : {};
  return (
    <span className="flex min-w-0 items-center">
      <Picker
        look="inline"
        side="top"
        label="Model"
        value={findModel(models, model)?.id ?? model}
        disabled={models.length === 0}
        options={modelOptions(models, model)}
        onChange={(id) => configureSession(lathe, { model: id })}
        {...note}
      >
        {modelLabel(models, model)}
      </Picker>
      {efforts.length === 0 ? null : (
        <Picker
          look="inline"
          side="top"
          label="Effort"
          value={used}
          options={effortOptions(efforts)}
          onChange={(value) => configureSession(lathe, { effort: value })}
          {...note}
        >
          {effortLabel(used)}
        </Picker>
      )}
    </span>
  );
}
