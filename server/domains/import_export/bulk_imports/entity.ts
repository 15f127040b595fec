import { z } from 'zod'

import { INSTANCE_SOURCE } from '../../../lib/aliases.ts'
import { entity, time, row } from '../../../http/entity.ts'
import type { SourceGroup } from './validation.ts'
import {
  destinationOf,
  statusName,
  type BulkImportRow,
  type EntityRow,
  type EntityStats,
  type FailureRow,
} from './state.ts'

/** A migration from another instance (spec administration 6.7). */
export const BulkImport = entity(
  'BulkImport',
  {
    id: z.int(),
    status: z.string(),
    source_type: z.string(),
    source_url: z.string(),
    created_at: time(),
    updated_at: time(),
    has_failures: z.boolean(),
  },
  row<BulkImportRow>(),
  (row) => ({
    status: statusName(row.status),
    source_type: INSTANCE_SOURCE,
  }),
)

/** A failure of an entity. `pipeline_class` and `pipeline_step` are for older clients. */
export const BulkImportFailure = entity(
  'BulkImportFailure',
  {
    relation: z.string(),
    step: z.string(),
    exception_message: z.string(),
    exception_class: z.string(),
    correlation_id_value: z.string().nullable(),
    source_url: z.string().nullable(),
    source_title: z.string().nullable(),
    created_at: time(),
    pipeline_class: z.string(),
    pipeline_step: z.string(),
  },
  row<FailureRow>(),
  (row) => ({
    correlation_id_value: row.correlation_id,
    pipeline_class: row.relation,
    pipeline_step: row.step,
  }),
)

/** One group or project of a migration, with its first failures. */
export interface EntityView {
  readonly row: EntityRow
  readonly failures: readonly FailureRow[]
}

const counts = z.strictObject({ source: z.int(), fetched: z.int(), imported: z.int() })

export const BulkImportEntity = entity(
  'BulkImportEntity',
  {
    id: z.int(),
    bulk_import_id: z.int(),
    status: z.string(),
    entity_type: z.enum(['group', 'project']),
    source_full_path: z.string(),
    full_path: z.string().nullable(),
    destination_full_path: z.string(),
    destination_name: z.string(),
    destination_slug: z.string(),
    destination_namespace: z.string(),
    parent_id: z.int().nullable(),
    namespace_id: z.int().nullable(),
    project_id: z.int().nullable(),
    created_at: time(),
    updated_at: time(),
    failures: z.array(BulkImportFailure.schema),
    migrate_projects: z.boolean(),
    migrate_memberships: z.boolean(),
    has_failures: z.boolean(),
    stats: z.record(z.string(), counts),
  },
  row((view: EntityView) => view.row),
  ({ row, failures }, at) => ({
    status: statusName(row.status),
    entity_type: row.source_type === 'group_entity' ? ('group' as const) : ('project' as const),
    full_path: row.namespace_id === null && row.project_id === null ? null : destinationOf(row),
    destination_full_path: destinationOf(row),
    failures: failures.map((failure) => BulkImportFailure.present(failure, at)),
    stats: row.stats as EntityStats,
  }),
)

/** Groups of another instance that the user can select in the window. */
export const SourceGroups = entity(
  'SourceGroups',
  {
    groups: z.array(
      z.strictObject({
        id: z.number(),
        name: z.string(),
        path: z.string(),
        full_path: z.string(),
        visibility: z.string(),
      }),
    ),
    /** Whether the other instance has more groups. */
    more: z.boolean(),
  },
  (row: { groups: readonly SourceGroup[]; more: boolean }) => ({
    more: row.more,
    groups: row.groups.map((group) => ({ ...group })),
  }),
)
