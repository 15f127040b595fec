import { SAMPLE_EMAIL } from '../../../../http/aliases.ts'
import type { HookEvent } from '../../recording/hook-event.ts'

/** What a system hook is tried with: the birth of a project that there never was (spec administration 3.6). */
export function sampleSystemEvent(): HookEvent {
  const payload = {
    event_name: 'project_create',
    name: 'Ruby',
    path: 'ruby',
    project_id: 1,
    owner_name: 'Someone',
    owner_email: SAMPLE_EMAIL,
  }
  return { kind: 'system', payload }
}
