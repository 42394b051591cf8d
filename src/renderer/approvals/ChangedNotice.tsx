import { Notice } from '../ui/Notice';

/** Says that a question was asked before about something else. */
export function ChangedNotice() {
  return (
    <div className="mb-2">
      <Notice level="warning">
        This changed while the question stood. It is shown as it is now.
      </Notice>
    </div>
  );
}
