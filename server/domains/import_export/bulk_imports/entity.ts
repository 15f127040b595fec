import { z } from 'zod'

import { INSTANCE_SOURCE } from '../../../lib/aliases.ts'
import { entity, time } from '../../../http/entity.ts'
import type { SourceGroup } from './source-groups.ts'
import {
  destinationOf,
  statusName,
  type BulkImportRow,
  type EntityRow,
  type EntityStats,
  type FailureRow,
} from './state.ts'

/** Groups and projects that are taken over from another instance (spec administration 6.7). */
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
  (row: BulkImportRow) => ({
    id: row.id,
    status: statusName(row.status),
    source_type: INSTANCE_SOURCE,
    source_url: row.source_url,
    created_at: row.created_at,
    updated_at: row.updated_at,
    has_failures: row.has_failures,
  }),
)

/** What of it could not be taken over. The last two are what older clients read. */
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
  (row: FailureRow) => ({
    relation: row.relation,
    step: row.step,
    exception_message: row.exception_message,
    exception_class: row.exception_class,
    correlation_id_value: row.correlation_id,
    source_url: row.source_url,
    source_title: row.source_title,
    created_at: row.created_at,
    pipeline_class: row.relation,
    pipeline_step: row.step,
  }),
)

/** One group or project of it, with its first failures. */
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
  ({ row, failures }: EntityView, at) => ({
    id: row.id,
    bulk_import_id: row.bulk_import_id,
    status: statusName(row.status),
    entity_type: row.source_type === 'group_entity' ? ('group' as const) : ('project' as const),
    source_full_path: row.source_full_path,
    full_path: row.namespace_id === null && row.project_id === null ? null : destinationOf(row),
    destination_full_path: destinationOf(row),
    destination_name: row.destination_name,
    destination_slug: row.destination_slug,
    destination_namespace: row.destination_namespace,
    parent_id: row.parent_id,
    namespace_id: row.namespace_id,
    project_id: row.project_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    failures: failures.map((one) => BulkImportFailure.present(one, at)),
    migrate_projects: row.migrate_projects,
    migrate_memberships: row.migrate_memberships,
    has_failures: row.has_failures,
    stats: JSON.parse(row.stats) as EntityStats,
  }),
)

/** Groups of another instance to choose from, for the window. */
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
    /** There are more than are shown. */
    more: z.boolean(),
  },
  (row: { groups: readonly SourceGroup[]; more: boolean }) => ({
    more: row.more,
    groups: row.groups.map((one) => ({ ...one })),
  }),
)
