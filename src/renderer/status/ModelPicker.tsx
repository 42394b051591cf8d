import { currentTranscript } from '../store/screen';
import { configureSession } from '../store/sessions';
import { useLathe, useScreen } from '../store/use-lathe';
import { tokens } from '../ui/format';
import { Picker } from '../ui/Picker';
import { effortLabel, findModel, modelLabel } from './efforts';
import { useModels } from './use-models';

/** Model and effort of the session on screen, as two pickers of the status bar. */
export function ModelPicker() {
  const lathe = useLathe();
  const model = useScreen((s) => currentTranscript(s)?.model ?? '');
  const effort = useScreen((s) => currentTranscript(s)?.effort ?? '');
  const models = useModels();
  if (model === '') return null;
  const efforts = findModel(models, model)?.efforts ?? [];
  return (
    <span className="flex min-w-0 items-center">
      <Picker
        look="inline"
        side="top"
        label="Model"
        value={findModel(models, model)?.id ?? model}
        disabled={models.length === 0}
        options={models.map((m) => ({
          value: m.id,
          label: m.name,
          description: `${tokens(m.contextTokens)} tokens of context`,
        }))}
        onChange={(id) => configureSession(lathe, { model: id })}
      >
        {modelLabel(models, model)}
      </Picker>
      {efforts.length === 0 ? null : (
        <Picker
          look="inline"
          side="top"
          label="Effort"
          value={effort}
          options={efforts.map((value) => ({ value, label: effortLabel(value) }))}
          onChange={(value) => configureSession(lathe, { effort: value })}
        >
          {effortLabel(effort)}
        </Picker>
      )}
    </span>
  );
}
