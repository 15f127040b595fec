import type { HookEvent } from '../../recording/hook-event.ts'
import { timestamps } from '../times.ts'

/** An event of the instance, which every system hook gets (spec administration 3.10). `about` has the times of the thing. */
export function systemEvent(
  event_name: string,
  about: { readonly created_at: string; readonly updated_at: string },
  fields: Readonly<Record<string, unknown>>,
): HookEvent {
  return { kind: 'system', payload: { event_name, ...timestamps(about), ...fields } }
}
