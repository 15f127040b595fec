import type { Selectable } from 'kysely'

import type {
  BulkImportEntitiesTable,
  BulkImportFailuresTable,
  BulkImportsTable,
} from '../../../db/schema.gen.ts'

/** A migration from another instance, its entities (groups and projects), and their failures, as stored. */
export type BulkImportRow = Selectable<BulkImportsTable>
export type EntityRow = Selectable<BulkImportEntitiesTable>
export type FailureRow = Selectable<BulkImportFailuresTable>

/** Statuses of runs and entities, as stored (spec administration 6.7). */
export const CREATED = 0
export const STARTED = 1
export const FINISHED = 2
export const TIMEOUT = 3
export const FAILED = -1
export const CANCELED = -2

const NAMES: Readonly<Record<number, string>> = {
  [CREATED]: 'created',
  [STARTED]: 'started',
  [FINISHED]: 'finished',
  [TIMEOUT]: 'timeout',
  [FAILED]: 'failed',
  [CANCELED]: 'canceled',
}

/** Names of the statuses, for parameters. */
export const STATUSES = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const
export type Status = (typeof STATUSES)[number]

export function statusName(status: number): string {
  return NAMES[status] ?? 'failed'
}

export function statusOf(name: Status): number {
  return Number(Object.keys(NAMES).find((status) => NAMES[Number(status)] === name))
}

/** Whether a run or entity has not ended yet. */
export function isActive(status: number): boolean {
  return status === CREATED || status === STARTED
}

/** Numbers of records of a relation: at the source, downloaded, and imported. */
export interface RelationCounts {
  readonly source: number
  readonly fetched: number
  readonly imported: number
}

export type EntityStats = Record<string, RelationCounts>

/** The position at which an entity continues after an interruption. */
export interface Cursor {
  readonly step?: Step
  /** When the export of the relations was requested at the source. */
  readonly asked_at?: string
  /** Number of status requests since then. */
  readonly looks?: number
  /** When the creation of the group or project started. */
  readonly making?: string
  /** Number of attempts of a step with temporary errors. */
  readonly tries?: number
}

/** The steps of an entity, in order: create, request exports, wait for them, import, store the children. */
export const STEPS = ['begin', 'ask', 'wait', 'take', 'children', 'done'] as const
export type Step = (typeof STEPS)[number]

/** The full path of an entity on this instance. */
export function destinationOf({ destination_namespace, destination_slug }: EntityRow): string {
  return destination_namespace === '' ? destination_slug : `${destination_namespace}/${destination_slug}`
}
