import type { Subscription } from '../../../../events/publish.ts'
import { PlanLimitsChanged, BroadcastMessageChanged, SettingsChanged } from '../../../settings/events.ts'
import { FeatureChanged, StorageMoveChanged } from '../../events.ts'
import { AppearanceChanged } from '../../../appearance/events.ts'
import { BackupChanged } from '../../../backups/events.ts'
import { StorageChanged } from '../../../storage/events.ts'
import { INSTANCE } from '../store.ts'
import { audited, type Draft } from '../record.ts'
import { changesIn, columnWords, verb } from './changes.ts'

/** States that are audited. The other states are steps on the way to them. */
const AUDITED_BACKUP_STATES = new Set([
  'queued',
  'finished',
  'failed',
  'removed',
  'restore_queued',
  'restore_finished',
  'restore_failed',
])
const AUDITED_MOVE_STATES = new Set(['scheduled', 'finished', 'failed'])

const listOfNames = (names: readonly string[]): string => names.map(columnWords).join(', ')

/** The maximum length of a message in characters. The details of the event contain all settings. */
const MAX_MESSAGE_LENGTH = 300

/**
 * Returns an audit event about changed settings, with the names of changed secret settings; undefined if none
 * changed.
 */
function settingsDraft(event: {
  changes?: Record<string, [unknown, unknown]> | undefined
  secrets?: string[] | undefined
}) {
  const secrets = event.secrets ?? []
  const draft = changesIn('application_setting', event.changes, INSTANCE)
  if (!draft && secrets.length === 0) return undefined
  const message = [draft?.message, secrets.length > 0 ? `Set ${listOfNames(secrets)}` : undefined]
    .filter((sentence) => sentence !== undefined)
    .join('. ')
  return {
    ...draft,
    name: draft?.name ?? 'application_setting_updated',
    message: message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message,
    entity: INSTANCE,
  } satisfies Draft
}

/** Audits changes of settings, features, storages and backups of the instance. */
export const instance: Subscription[] = [
  audited(SettingsChanged, (event) => settingsDraft(event)),
  audited(AppearanceChanged, (event) => ({
    name: 'appearance_updated',
    message: `Changed the appearance: ${listOfNames(event.changed)}`,
    entity: INSTANCE,
    details: { changed: event.changed },
  })),
  audited(BroadcastMessageChanged, (event) => ({
    name: `broadcast_message_${event.action}`,
    message: `${verb(event.action)} broadcast message ${event.broadcast_message_id}`,
    entity: INSTANCE,
  })),
  audited(PlanLimitsChanged, (event) => ({
    name: 'plan_limits_updated',
    message: `Changed limits: ${listOfNames(event.changed)}`,
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
    AUDITED_MOVE_STATES.has(event.state)
      ? {
          name: `repository_storage_move_${event.state}`,
          message: `Move ${event.storage_move_id} of the repository of a ${event.kind}: ${event.state}`,
          entity: INSTANCE,
        }
      : undefined,
  ),
  audited(BackupChanged, (event) =>
    AUDITED_BACKUP_STATES.has(event.state)
      ? {
          name: `backup_${event.state}`,
          message: `Backup ${event.backup_id}: ${columnWords(event.state)}`,
          entity: INSTANCE,
        }
      : undefined,
  ),
]
