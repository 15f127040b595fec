import type { Subscription } from '../../../../events/publish.ts'
import { PlanLimitsChanged, BroadcastMessageChanged, SettingsChanged } from '../../../settings/events.ts'
import { FeatureChanged, StorageMoveChanged } from '../../events.ts'
import { AppearanceChanged } from '../../../appearance/events.ts'
import { BackupChanged } from '../../../backups/events.ts'
import { StorageChanged } from '../../../storage/events.ts'
import { INSTANCE } from '../store.ts'
import { audited, type Draft } from '../record.ts'
import { changesIn, columnWords, verb } from './changes.ts'

/** Final states, which are audited; the states between them are progress. */
const BACKUP_ENDS = new Set([
  'queued',
  'finished',
  'failed',
  'removed',
  'restore_queued',
  'restore_finished',
  'restore_failed',
])
const MOVE_ENDS = new Set(['scheduled', 'finished', 'failed'])

const listed = (names: readonly string[]): string => names.map(columnWords).join(', ')

/** Limits the length of a sentence about a form with many settings; the details have them all. */
const MAX_WORDS = 300

/** Describes changed settings, and names the secret ones that were set. An unchanged form gives undefined. */
function ofSettings(event: {
  changes?: Record<string, [unknown, unknown]> | undefined
  secrets?: string[] | undefined
}) {
  const unsaid = event.secrets ?? []
  const draft = changesIn('application_setting', event.changes, INSTANCE)
  if (!draft && unsaid.length === 0) return undefined
  const message = [draft?.message, unsaid.length > 0 ? `Set ${listed(unsaid)}` : undefined]
    .filter((part) => part !== undefined)
    .join('. ')
  return {
    ...draft,
    name: draft?.name ?? 'application_setting_updated',
    message: message.length > MAX_WORDS ? `${message.slice(0, MAX_WORDS)}…` : message,
    entity: INSTANCE,
  } satisfies Draft
}

/** Audits changes of the instance. */
export const instance: Subscription[] = [
  audited(SettingsChanged, (event) => ofSettings(event)),
  audited(AppearanceChanged, (event) => ({
    name: 'appearance_updated',
    message: `Changed the appearance: ${listed(event.changed)}`,
    entity: INSTANCE,
    details: { changed: event.changed },
  })),
  audited(BroadcastMessageChanged, (event) => ({
    name: `broadcast_message_${event.action}`,
    message: `${verb(event.action)} message to everybody ${event.broadcast_message_id}`,
    entity: INSTANCE,
  })),
  audited(PlanLimitsChanged, (event) => ({
    name: 'plan_limits_updated',
    message: `Changed limits: ${listed(event.changed)}`,
    entity: INSTANCE,
    details: { changed: event.changed },
  })),
  audited(FeatureChanged, (event) => ({
    name: 'feature_updated',
    message: `Feature ${event.name} is ${event.state}`,
    entity: INSTANCE,
  })),
  audited(StorageChanged, (event) => ({
    name: `repository_storage_${event.action}`,
    message: `${verb(event.action)} storage ${event.name}`,
    entity: INSTANCE,
  })),
  audited(StorageMoveChanged, (event) =>
    MOVE_ENDS.has(event.state)
      ? {
          name: `repository_storage_move_${event.state}`,
          message: `Move ${event.storage_move_id} of the repository of a ${event.kind}: ${event.state}`,
          entity: INSTANCE,
        }
      : undefined,
  ),
  audited(BackupChanged, (event) =>
    BACKUP_ENDS.has(event.state)
      ? {
          name: `backup_${event.state}`,
          message: `Backup ${event.backup_id}: ${columnWords(event.state)}`,
          entity: INSTANCE,
        }
      : undefined,
  ),
]
