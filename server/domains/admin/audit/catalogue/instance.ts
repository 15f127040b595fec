import type { Subscription } from '../../../../events/facts.ts'
import { PlanLimitsChanged } from '../../../settings/events.ts'
import { FeatureChanged } from '../../events.ts'
import { AppearanceChanged } from '../../../appearance/events.ts'
import { BackupChanged } from '../../../backups/events.ts'
import { BroadcastMessageChanged } from '../../../settings/broadcast_messages/events.ts'
import { SettingsChanged } from '../../../settings/events.ts'
import { StorageMoveChanged } from '../../storage_moves/events.ts'
import { StorageChanged } from '../../../storage/storages/events.ts'
import { INSTANCE } from '../look.ts'
import { told, type Draft } from '../record.ts'
import { columnWords, verb } from '../words.ts'
import { changesIn } from './changes.ts'

/** States that are told; what lies between them is progress. */
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

/** Sentences get long when a form of many settings is sent at once; the details have them all. */
const MOST_WORDS = 300

/** What became another, and which sealed ones were given; a form sent unchanged says nothing. */
function ofSettings(fact: {
  changes?: Record<string, [unknown, unknown]> | undefined
  secrets?: string[] | undefined
}) {
  const unsaid = fact.secrets ?? []
  const draft = changesIn('application_setting', fact.changes, INSTANCE)
  if (!draft && unsaid.length === 0) return undefined
  const message = [draft?.message, unsaid.length > 0 ? `Set ${listed(unsaid)}` : undefined]
    .filter((one) => one !== undefined)
    .join('. ')
  return {
    ...draft,
    name: draft?.name ?? 'application_setting_updated',
    message: message.length > MOST_WORDS ? `${message.slice(0, MOST_WORDS)}…` : message,
    entity: INSTANCE,
  } satisfies Draft
}

/** What becomes of the instance itself. */
export const instance: Subscription[] = [
  told(SettingsChanged, (fact) => ofSettings(fact)),
  told(AppearanceChanged, (fact) => ({
    name: 'appearance_updated',
    message: `Changed the appearance: ${listed(fact.changed)}`,
    entity: INSTANCE,
    details: { changed: fact.changed },
  })),
  told(BroadcastMessageChanged, (fact) => ({
    name: `broadcast_message_${fact.action}`,
    message: `${verb(fact.action)} message to everybody ${fact.broadcast_message_id}`,
    entity: INSTANCE,
  })),
  told(PlanLimitsChanged, (fact) => ({
    name: 'plan_limits_updated',
    message: `Changed limits: ${listed(fact.changed)}`,
    entity: INSTANCE,
    details: { changed: fact.changed },
  })),
  told(FeatureChanged, (fact) => ({
    name: 'feature_updated',
    message: `Feature ${fact.name} is ${fact.state}`,
    entity: INSTANCE,
  })),
  told(StorageChanged, (fact) => ({
    name: `repository_storage_${fact.action}`,
    message: `${verb(fact.action)} storage ${fact.name}`,
    entity: INSTANCE,
  })),
  told(StorageMoveChanged, (fact) =>
    MOVE_ENDS.has(fact.state)
      ? {
          name: `repository_storage_move_${fact.state}`,
          message: `Move ${fact.storage_move_id} of the repository of a ${fact.kind}: ${fact.state}`,
          entity: INSTANCE,
        }
      : undefined,
  ),
  told(BackupChanged, (fact) =>
    BACKUP_ENDS.has(fact.state)
      ? {
          name: `backup_${fact.state}`,
          message: `Backup ${fact.backup_id}: ${columnWords(fact.state)}`,
          entity: INSTANCE,
        }
      : undefined,
  ),
]
