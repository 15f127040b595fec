import type { Selectable } from 'kysely'

import type {
  BulkImportEntitiesTable,
  BulkImportFailuresTable,
  BulkImportsTable,
} from '../../../db/schema.gen.ts'

/** Taking over from another instance, one group or project of it, and what could not be taken over, as stored. */
export type BulkImportRow = Selectable<BulkImportsTable>
export type EntityRow = Selectable<BulkImportEntitiesTable>
export type FailureRow = Selectable<BulkImportFailuresTable>

/** States as stored (spec administration 6.7). */
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

/** Words of the states, for parameters. */
export const STATUSES = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const
export type Status = (typeof STATUSES)[number]

export function statusName(status: number): string {
  return NAMES[status] ?? 'failed'
}

export function statusOf(name: Status): number {
  return Number(Object.keys(NAMES).find((status) => NAMES[Number(status)] === name))
}

/** True while something is still to be done. */
export function isUnderWay(status: number): boolean {
  return status === CREATED || status === STARTED
}

/** How many records of a relation the source has, were fetched, and were taken over. */
export interface RelationCounts {
  readonly source: number
  readonly fetched: number
  readonly imported: number
}

export type EntityStats = Record<string, RelationCounts>

/** Where an entity goes on after a restart. */
export interface Cursor {
  readonly step?: Step
  /** When the source was asked to write the relations down. */
  readonly asked_at?: string
  /** How often the source was looked at since. */
  readonly looks?: number
  /** When the group or project was about to be made here. */
  readonly making?: string
  /** How often a step was tried that failed for a reason that may pass. */
  readonly tries?: number
}

/** What is done for an entity, in this order. */
export const STEPS = ['begin', 'ask', 'wait', 'take', 'children', 'done'] as const
export type Step = (typeof STEPS)[number]

/** Where the entity goes to: the address that it has here. */
export function destinationOf({ destination_namespace, destination_slug }: EntityRow): string {
  return destination_namespace === '' ? destination_slug : `${destination_namespace}/${destination_slug}`
}
